#pragma once
// Times as they were measured, with no law behind them: what is drawn is one of them.
#include <cstdint>
#include <utility>
#include <vector>

#include "queueing/pace.hpp"

namespace feedrate::queueing {

/// A distribution of finitely many values, scaled to a mean of 1.
class Empirical {
 public:
  /// (how many, value): counts > 0, values ≥ 0 and one of them above it; in any order. The same for
  /// the same shares of the same values, whatever the counts and however they are split.
  explicit Empirical(std::vector<std::pair<double, double>> counted);

  /// The largest of n ≥ 1 independent draws: Σ v·(F(v)ⁿ − F(v⁻)ⁿ), exact for any real n. Never
  /// below 1, and no less for more of them.
  [[nodiscard]] Largest largest(double n) const;

  [[nodiscard]] double cv() const { return cv_; }

  /// The distribution of the mean of `count` draws (a whole number). Neighbouring values of the sum
  /// are joined where together they are less likely than a twentieth of all that lie above, or than
  /// 1e-7, so that the far end stays fine; the mean is kept.
  [[nodiscard]] Empirical mean_of(double count) const;

  /// Ascending, and the chance of each value and all below, rising to 1.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] const std::vector<double>& up_to() const { return up_to_; }

 private:
  [[nodiscard]] Empirical with(const Empirical& other, double own, double others) const;

  std::vector<double> values_;
  std::vector<double> up_to_;
  double cv_ = 0.0;
  std::uint64_t id_ = 0;  ///< of the values: who asks again is answered from memory
};

}  // namespace feedrate::queueing
