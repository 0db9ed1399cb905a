#include "queueing/closed_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace feedrate::queueing {
namespace {

double rate_with(const std::vector<double>& rates, int users) {
  return rates[std::min(rates.size(), static_cast<std::size_t>(users)) - 1];
}

/// factor[j] = product of scale/rate(i) over i = 1 … j.
std::vector<long double> factors(const std::vector<double>& rates, double scale, int customers) {
  std::vector<long double> factor(static_cast<std::size_t>(customers) + 1, 0.0L);
  factor[0] = 1.0L;
  if (rates.empty()) return factor;
  for (int j = 1; j <= customers; ++j) {
    const auto i = static_cast<std::size_t>(j);
    factor[i] = factor[i - 1] * (static_cast<long double>(scale) / rate_with(rates, j));
  }
  return factor;
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

void ClosedNetwork::settle() const {
  if (!settled_) {
    // About the highest throughput there can be, so that scaled factors neither vanish nor
    // overflow: they stay below exp(customers), which an 80-bit exponent holds.
    double alone = delay_;
    double most = 1e300;
    const auto count = [&](const std::vector<double>& rates) {
      if (rates.empty()) return;
      alone += 1.0 / *std::max_element(rates.begin(), rates.end());
      most = std::min(most, *std::max_element(rates.begin(), rates.end()));
    };
    for (const auto& rates : shared_) count(rates);
    count(last_);
    scale_ = alone > 0.0 ? std::min(most, std::max(1, customers_) / alone) : 1.0;
    const auto size = static_cast<std::size_t>(customers_) + 1;
    others_.assign(size, 0.0L);
    others_[0] = 1.0L;
    if (delay_ > 0.0) {
      for (std::size_t j = 1; j < size; ++j) {
        others_[j] = others_[j - 1] *
                     (static_cast<long double>(delay_) * scale_ / static_cast<long double>(j));
      }
    }
    bool alone_yet = delay_ <= 0.0;
    for (const auto& rates : shared_) {
      const std::vector<long double> factor = factors(rates, scale_, customers_);
      if (std::exchange(alone_yet, false)) {
        others_ = factor;
        continue;
      }
      for (std::size_t n = size; n-- > 0;) {
        long double sum = 0.0L;
        for (std::size_t j = 0; j <= n; ++j) sum += factor[j] * others_[n - j];
        others_[n] = sum;
      }
    }
    settled_ = true;
    last_settled_ = false;
  }
  if (!last_settled_) {
    last_factors_ = factors(last_, scale_, customers_);
    constants_.assign(static_cast<std::size_t>(customers_) + 1, -1.0L);
    last_settled_ = true;
  }
}

long double ClosedNetwork::constant(int n) const {
  const auto size = static_cast<std::size_t>(n);
  if (last_.empty()) return others_[size];
  long double& known = constants_[size];
  if (known < 0.0L) {
    known = 0.0L;
    for (std::size_t j = 0; j <= size; ++j) known += last_factors_[j] * others_[size - j];
  }
  return known;
}

double ClosedNetwork::whole(int n) const {
  if (n <= 0) return 0.0;
  settle();
  const long double with = constant(n);
  return with > 0.0L ? static_cast<double>(constant(n - 1) / with) * scale_ : 1e300;
}

double ClosedNetwork::whole_at_last(int n) const {
  if (n <= 0 || last_.empty()) return 0.0;
  settle();
  long double with = 0.0L;
  long double users = 0.0L;
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t j = 0; j <= size; ++j) {
    const long double term = last_factors_[j] * others_[size - j];
    with += term;
    users += static_cast<long double>(j) * term;
  }
  return static_cast<double>(users / with);
}

double ClosedNetwork::throughput(double n) const {
  const double within = std::clamp(n, 0.0, static_cast<double>(customers_));
  const int below = static_cast<int>(within);
  const double share = within - below;
  const double first = whole(below);
  return share > 0.0 ? first + share * (whole(below + 1) - first) : first;
}

double ClosedNetwork::at_last(double n) const {
  const double within = std::clamp(n, 0.0, static_cast<double>(customers_));
  const int below = static_cast<int>(within);
  const double share = within - below;
  const double first = whole_at_last(below);
  return share > 0.0 ? first + share * (whole_at_last(below + 1) - first) : first;
}

}  // namespace feedrate::queueing
