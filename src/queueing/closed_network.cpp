#include "queueing/closed_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

/// Sum of up[j]·down[−j] over j < count; four sums at a time, for each addition waits for the one
/// before: most of what a closed form takes is spent here.
double folded(const double* up, const double* down, std::size_t count) {
  double sum[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    for (std::size_t k = 0; k < 4; ++k) sum[k] += up[j + k] * *(down - j - k);
  }
  for (; j < count; ++j) sum[0] += up[j] * *(down - j);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Sum of a[j]·b[n − j] over the terms that a has. b has more than n, which is checked once.
double convolved(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  return folded(a.data(), &b.at(n), std::min(a.size(), n + 1));
}

/// Numbers of any magnitude as doubles, in runs of the same digits.
struct Runs {
  std::vector<double> values;
  std::vector<std::int32_t> digits;  ///< of each run
  std::vector<std::size_t> ends;     ///< one beyond the last of each run

  explicit Runs(const std::vector<WideDouble>& of) {
    constexpr std::int32_t of_nothing = -(1 << 28);
    values.reserve(of.size());
    for (const WideDouble& one : of) {
      const std::int32_t its = is_positive(one) ? one.digits() : of_nothing;
      if (digits.empty() || its != digits.back()) {
        digits.push_back(its);
        ends.push_back(values.size());
      }
      values.push_back(one.value());
      ++ends.back();
    }
  }
};

/// The same of numbers of any magnitude: of products that are far from the largest none is made.
WideDouble convolved(const Runs& a, const Runs& b, std::size_t n) {
  // Calls part(first j, number of j, digits of the products) for each run of both.
  const std::size_t all = std::min(a.values.size(), n + 1);
  const auto each_part = [&](const auto& part) {
    std::size_t of_a = 0;
    auto of_b = static_cast<std::size_t>(std::upper_bound(b.ends.begin(), b.ends.end(), n) -
                                         b.ends.begin());
    for (std::size_t j = 0; j < all;) {
      const std::size_t begins = of_b > 0 ? b.ends[of_b - 1] : 0;  // n − j down to it
      const std::size_t end = std::min({a.ends[of_a], n - begins + 1, all});
      part(j, end - j, a.digits[of_a] + b.digits[of_b]);
      j = end;
      if (j == a.ends[of_a]) ++of_a;
      if (j == n - begins + 1 && of_b > 0) --of_b;
    }
  };
  std::int32_t most = std::numeric_limits<std::int32_t>::min();
  each_part([&](std::size_t, std::size_t, std::int32_t digits) { most = std::max(most, digits); });
  double sum = 0.0;
  each_part([&](std::size_t j, std::size_t count, std::int32_t digits) {
    // Of fewer digits by three, the largest product is 2^-512 of the smallest.
    if (digits < most - 2) return;
    double part = folded(&a.values[j], &b.values[n - j], count);
    for (std::int32_t less = digits; less < most; ++less) part *= WideDouble::down;
    sum += part;
  });
  return sum > 0.0 ? WideDouble::of(sum, most) : WideDouble{};
}

/// The same for every n that b has terms for.
template <class Real>
std::vector<Real> convolved(const std::vector<Real>& a, const std::vector<Real>& b) {
  std::vector<Real> all(b.size());
  if constexpr (std::is_same_v<Real, double>) {
    for (std::size_t n = 0; n < b.size(); ++n) all[n] = convolved(a, b, n);
  } else {
    const Runs of_a(a);
    const Runs of_b(b);
    for (std::size_t n = 0; n < b.size(); ++n) all[n] = convolved(of_a, of_b, n);
  }
  return all;
}

WideDouble convolved(const std::vector<WideDouble>& a, const std::vector<WideDouble>& b,
                     std::size_t n) {
  return convolved(Runs(a), Runs(b), n);
}

/// The same where b's terms from `flat` on each are `ratio` times the one before, as those of a
/// station whose rate no longer grows: what they add to is carried from n to n + 1, so each n costs
/// no more than `flat` terms.
template <class Real>
std::vector<Real> convolved_with_tail(const std::vector<Real>& a, const std::vector<Real>& b,
                                      std::size_t flat, Real ratio) {
  std::vector<Real> all =
      convolved(std::vector<Real>(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(flat)), a);
  Real tail{0};
  for (std::size_t n = flat; n < a.size(); ++n) {
    tail = ratio * tail + b[flat] * a[n - flat];
    all[n] += tail;
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
      f.others = convolved(factor, f.others);
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
