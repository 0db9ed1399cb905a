#include "queueing/empirical.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/portable_math.hpp"
#include "queueing/remembered.hpp"

namespace feedrate::queueing {
namespace {

/// Copies are alike, so they may keep the number.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

using Counted = std::vector<std::pair<double, double>>;

/// Ascending, each value once.
Counted ordered(Counted counted) {
  std::sort(counted.begin(), counted.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  Counted merged;
  for (const auto& [count, value] : counted) {
    if (!merged.empty() && merged.back().second == value) {
      merged.back().first += count;
    } else {
      merged.emplace_back(count, value);
    }
  }
  return merged;
}

/// Fewer values of the same mean, fine where few lie above. Precondition: ascending.
Counted coarser(const Counted& all) {
  constexpr double share_of_above = 0.05;
  constexpr double least_chance = 1e-7;
  Counted joined;
  double all_of_them = 0.0;
  for (const auto& one : all) all_of_them += one.first;
  double above = 0.0;  // from the far end on
  double count = 0.0;
  double sum = 0.0;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const double together = count + one->first;
    if (count > 0.0 && together > share_of_above * above && together > least_chance * all_of_them) {
      joined.emplace_back(count, sum / count);
      above += count;
      count = sum = 0.0;
    }
    count += one->first;
    sum += one->first * one->second;
  }
  joined.emplace_back(count, sum / count);
  std::reverse(joined.begin(), joined.end());
  return joined;
}

}  // namespace

Empirical::Empirical(Counted counted) : id_(next_id()) {
  counted = ordered(std::move(counted));
  double count = 0.0;
  double sum = 0.0;
  for (const auto& [n, value] : counted) {
    count += n;
    sum += n * value;
  }
  const double mean = sum / count;
  double seen = 0.0;
  double square = 0.0;
  for (const auto& [n, value] : counted) {
    seen += n;
    values_.push_back(value / mean);
    up_to_.push_back(seen / count);
    square += n / count * (values_.back() - 1.0) * (values_.back() - 1.0);
  }
  up_to_.back() = 1.0;
  cv_ = std::sqrt(square);
}

Largest Empirical::largest(double n) const {
  if (n <= 1.0 || values_.size() == 1) return {1.0, cv_};
  static thread_local Remembered<std::pair<double, std::uint64_t>, Largest, 1> last;
  return last.of({n, id_}, [&] {
    double mean = 0.0;
    double square = 0.0;
    double rest = 1.0;
    // From the far end: below, all of n hardly ever lie.
    for (std::size_t i = values_.size(); i-- > 0 && rest > 0.0;) {
      const double below = i > 0 ? portable::exp(n * portable::log(up_to_[i - 1])) : 0.0;
      const double chance = rest - below;
      mean += chance * values_[i];
      square += chance * values_[i] * values_[i];
      rest = below;
    }
    mean = std::max(1.0, mean);
    return Largest{mean, std::sqrt(std::max(0.0, square - mean * mean))};
  });
}

Empirical Empirical::with(const Empirical& other, double own, double others) const {
  Counted sums;
  sums.reserve(values_.size() * other.values_.size());
  const auto chance = [](const Empirical& of, std::size_t i) {
    return of.up_to_[i] - (i > 0 ? of.up_to_[i - 1] : 0.0);
  };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    for (std::size_t j = 0; j < other.values_.size(); ++j) {
      sums.emplace_back(chance(*this, i) * chance(other, j),
                        own * values_[i] + others * other.values_[j]);
    }
  }
  return Empirical(coarser(ordered(std::move(sums))));
}

Empirical Empirical::mean_of(double count) const {
  // The mean of a whole number of draws from those of half as many.
  if (count <= 1.0) return *this;
  Empirical base(coarser([&] {
    Counted own;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      own.emplace_back(up_to_[i] - (i > 0 ? up_to_[i - 1] : 0.0), values_[i]);
    }
    return own;
  }()));
  const double half = std::floor(count / 2.0);
  const Empirical made = mean_of(half);
  const Empirical even = made.with(made, 0.5, 0.5);
  if (2.0 * half == count) return even;
  return even.with(base, (count - 1.0) / count, 1.0 / count);
}

}  // namespace feedrate::queueing
