#include "queueing/closed_network.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace feedrate::queueing {
namespace {

bool is_negative(double x) {
  return x < 0.0;
}
bool is_positive(double x) {
  return x > 0.0;
}

double rate_with(const std::vector<double>& rates, int users) {
  return rates[std::min(rates.size(), static_cast<std::size_t>(users)) - 1];
}

/// factor[j] = product of scale/rate(i) over i = 1 … j.
template <class Real>
void fill_factors(std::vector<Real>& factor, const std::vector<double>& rates, double scale,
                  int customers) {
  factor.assign(static_cast<std::size_t>(customers) + 1, Real{0});
  factor[0] = Real{1};
  if (rates.empty()) return;
  for (int j = 1; j <= customers; ++j) {
    const auto i = static_cast<std::size_t>(j);
    factor[i] = factor[i - 1] * (static_cast<Real>(scale) / static_cast<Real>(rate_with(rates, j)));
  }
}

/// Sum of a[j]·b[n − j]; four sums at a time, for each addition waits for the one before. Both have
/// more than n terms, which is checked once: most of what a closed form takes is spent here.
template <class Real>
Real convolved(const std::vector<Real>& a, const std::vector<Real>& b, std::size_t n) {
  const Real* const up = &a.at(n) - n;
  const Real* const down = &b.at(n);
  Real sum[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= n + 1; j += 4) {
    for (std::size_t k = 0; k < 4; ++k) sum[k] += up[j + k] * *(down - j - k);
  }
  for (; j <= n; ++j) sum[0] += up[j] * *(down - j);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The same for every n at once, where b's terms from `flat` on each are `ratio` times the one
/// before, as those of a station whose rate no longer grows: what they add to is carried from n to
/// n + 1, so each n costs no more than `flat` terms.
template <class Real>
std::vector<Real> convolved_with_tail(const std::vector<Real>& a, const std::vector<Real>& b,
                                      std::size_t flat, Real ratio) {
  std::vector<Real> all(a.size());
  Real tail{0};
  for (std::size_t n = 0; n < a.size(); ++n) {
    Real sum{0};
    for (std::size_t j = 0; j <= std::min(n, flat - 1); ++j) sum += b[j] * a[n - j];
    if (n >= flat) tail = ratio * tail + b[flat] * a[n - flat];
    all[n] = sum + tail;
  }
  return all;
}

}  // namespace

ClosedNetwork::ClosedNetwork(int customers)
    : customers_(std::clamp(customers, 0, most_customers)) {}

void ClosedNetwork::add_delay(double seconds) {
  delay_ += seconds;
  settled_ = last_settled_ = false;
}

void ClosedNetwork::add_shared(const std::vector<double>& rates) {
  if (rates.empty()) return;
  shared_.push_back(rates);
  settled_ = last_settled_ = false;
}

void ClosedNetwork::set_last(std::vector<double> rates) {
  last_ = std::move(rates);
  last_settled_ = false;
}

bool ClosedNetwork::fits_double() const {
  return customers_ <= 500 && !wide_;
}

template <class Real>
void ClosedNetwork::settle(Factors<Real>& f) const {
  const auto size = static_cast<std::size_t>(customers_) + 1;
  if (!settled_) {
    f.others.assign(size, Real{0});
    f.others[0] = Real{1};
    if (delay_ > 0.0) {
      const Real waited = static_cast<Real>(delay_) * static_cast<Real>(scale_);
      for (std::size_t j = 1; j < size; ++j) {
        f.others[j] = f.others[j - 1] * (waited / static_cast<Real>(j));
      }
    }
    bool nothing_yet = delay_ <= 0.0;
    std::vector<Real> factor;
    for (const auto& rates : shared_) {
      fill_factors(factor, rates, scale_, customers_);
      if (std::exchange(nothing_yet, false)) {
        f.others = factor;
        continue;
      }
      const std::size_t flat = rates.size();
      if (4 * flat < size) {
        const Real ratio = static_cast<Real>(scale_) / static_cast<Real>(rates.back());
        f.others = convolved_with_tail(f.others, factor, flat, ratio);
        continue;
      }
      for (std::size_t n = size; n-- > 0;) f.others[n] = convolved(factor, f.others, n);
    }
  }
  fill_factors(f.last, last_, scale_, customers_);
  f.constants.assign(size, Real{-1});
}

void ClosedNetwork::settle() const {
  if (settled_ && last_settled_) return;
  if (!settled_) {
    // About the highest throughput there can be, so that scaled factors neither vanish nor
    // overflow.
    double alone = delay_;
    double most = 1e300;
    const auto count = [&](const std::vector<double>& rates) {
      if (rates.empty()) return;
      double each = 0.0;  // of one customer, at best
      for (std::size_t j = 0; j < rates.size(); ++j) {
        each = std::max(each, rates[j] / static_cast<double>(j + 1));
      }
      alone += 1.0 / each;
      most = std::min(most, *std::max_element(rates.begin(), rates.end()));
    };
    for (const auto& rates : shared_) count(rates);
    count(last_);
    scale_ = alone > 0.0 ? std::min(most, std::max(1, customers_) / alone) : 1.0;
  }
  if (fits_double()) {
    settle(few_);
  } else {
    settle(many_);
  }
  settled_ = last_settled_ = true;
}

void ClosedNetwork::widen() const {
  wide_ = true;
  settled_ = last_settled_ = false;
  settle();
}

template <class Real>
std::optional<double> ClosedNetwork::ratio(Factors<Real>& f, int n) const {
  const auto constant = [&](int customers) {
    const auto size = static_cast<std::size_t>(customers);
    if (last_.empty()) return f.others[size];
    Real& known = f.constants[size];
    if (is_negative(known)) known = convolved(f.last, f.others, size);
    return known;
  };
  const Real with = constant(n);
  const Real without = constant(n - 1);
  if constexpr (std::is_same_v<Real, double>) {
    constexpr double least = 1e-290, most = 1e290;
    const auto held = [](double x) { return x > least && x < most; };
    if (!held(with) || !held(without)) return std::nullopt;
  }
  return is_positive(with) ? static_cast<double>(without / with) * scale_ : 1e300;
}

double ClosedNetwork::whole(double n) const {
  if (n <= 0.0) return 0.0;
  if (delay_ <= 0.0 && shared_.empty() && last_.empty()) return 1e300;
  settle();
  const int count = static_cast<int>(n);
  if (fits_double()) {
    if (const auto found = ratio(few_, count)) return *found;
    widen();
  }
  return *ratio(many_, count);
}

template <class Real>
double ClosedNetwork::users_at_last(const Factors<Real>& f, int n) const {
  Real with{0};
  Real users{0};
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t j = 0; j <= size; ++j) {
    const Real term = f.last[j] * f.others[size - j];
    with += term;
    users += static_cast<Real>(j) * term;
  }
  return static_cast<double>(users / with);
}

double ClosedNetwork::whole_at_last(double n) const {
  if (n <= 0.0 || last_.empty()) return 0.0;
  static_cast<void>(whole(n));  // finds whether doubles hold the factors
  const int count = static_cast<int>(n);
  return fits_double() ? users_at_last(few_, count) : users_at_last(many_, count);
}

double ClosedNetwork::throughput(double n) const {
  return linear_between(within(n), [&](double count) { return whole(count); });
}

double ClosedNetwork::at_last(double n) const {
  return linear_between(within(n), [&](double count) { return whole_at_last(count); });
}

}  // namespace feedrate::queueing
