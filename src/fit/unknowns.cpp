#include "fit/unknowns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "fit/coordinates.hpp"
#include "fit/directions.hpp"
#include "fit/profile_ends.hpp"
#include "fit/statistics.hpp"

namespace feedrate::fit {
namespace {

/// Half of the 90 % interval of a normal distribution, in standard deviations.
constexpr double normal_half_interval = 1.6448536269514722;
/// An interval of more than this part of a large step is too wide for slopes at its middle.
constexpr double bends_beyond = 0.2;

/// Of an open direction: more of one turns with another that goes through its range.
constexpr double leans = 1e-3;

/// The share of Student's distribution between -t and t, of 1 to 3 degrees of freedom: with
/// t = √degrees · tan(angle) its density is a power of the cosine.
double share_within(double angle, double degrees) {
  constexpr int parts = 64;  // even, for Simpson's rule
  const double step = angle / parts;
  double sum = 0.0;
  for (int i = 0; i <= parts; ++i) {
    const double weight = i == 0 || i == parts ? 1.0 : i % 2 == 0 ? 2.0 : 4.0;
    sum += weight * std::pow(std::cos(i * step), degrees - 1.0);
  }
  const double whole = std::exp(std::lgamma(0.5 * degrees) - std::lgamma(0.5 * (degrees + 1.0))) *
                       std::sqrt(std::acos(-1.0)) / 2.0;
  return sum * step / 3.0 / whole;
}

/// Half of the 90 % interval of Student's distribution, in standard deviations. Precondition: at
/// least 1 degree of freedom; they need not be whole.
double half_interval(double degrees) {
  if (std::isinf(degrees)) return normal_half_interval;
  if (degrees >= 3.0) return student_quantile(0.95, degrees);
  double low = 0.0;
  double high = std::acos(0.0);
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (share_within(middle, degrees) < 0.9 ? low : high) = middle;
  }
  return std::sqrt(degrees) * std::tan(low);
}

class Fitter {
 public:
  Fitter(std::span<const Unknown> unknowns, std::span<const Measured> measured,
         const Predict& predict, const Written& written, int jobs)
      : unknowns_(unknowns),
        measured_(measured),
        predict_(predict),
        written_(written),
        jobs_(jobs),
        box_(box_of(unknowns)) {
    for (const Measured& one : measured) errors_.push_back(error_of(one));
  }

  std::optional<Found> run() {
    start_near();
    const Residuals all = [this](std::span<const double> at) { return residuals(at); };
    const std::vector<Minimum> minima = descend_from_many(all, box_, {&near_, 1}, jobs_);
    if (minima.empty()) return std::nullopt;
    best_ = best_of(minima);
    slopes_ = slopes_at(all, box_, best_.at);
    directions_ = directions_of(slopes_, errors_, unknowns_.size());
    tell_errors();
    tell_unknowns(all);
    find_alternatives(all, minima);
    leave_out();
    write_down();
    return std::move(found_);
  }

 private:
  std::vector<double> residuals_of(std::vector<double> predicted) const {
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      predicted[i] = misfit(measured_[i], predicted[i]) / errors_[i];
      if (!std::isfinite(predicted[i])) return {};
    }
    return predicted;
  }

  std::vector<double> residuals(std::span<const double> coordinates) const {
    return residuals_of(predict_(values_at(unknowns_, coordinates)));
  }

  /// Where the fit would like to stay: at the given values, else in the middle of the range.
  void start_near() {
    std::vector<double> values;
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      const Unknown& unknown = unknowns_[k];
      near_.push_back(unknown.start ? coordinate_of(unknown, *unknown.start)
                                    : 0.5 * (box_.low[k] + box_.high[k]));
      if (unknown.start) values.push_back(*unknown.start);
    }
    if (values.size() < unknowns_.size()) return;
    start_ = values;
    found_.before = predict_(values);
    found_.squares_before = sum_of_squares(residuals_of(found_.before));
  }

  /// Of equally good ones the nearest: what is not fixed stays where it was.
  Minimum best_of(const std::vector<Minimum>& minima) const {
    const Minimum* best = &minima.front();
    for (const Minimum& other : minima) {
      if (!as_good(other, minima.front())) continue;
      if (distance(other.at, near_) < distance(best->at, near_)) best = &other;
    }
    return *best;
  }

  static double distance(std::span<const double> a, std::span<const double> b) {
    double most = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
  }

  /// What the sum of squares may be more before a fit is worse: a thousandth of the predictions.
  [[nodiscard]] double least_rise() const {
    const double shift = same_prediction / median(errors_);
    return shift * shift;
  }

  bool as_good(const Minimum& a, const Minimum& than) const {
    return a.squares <= than.squares * (1.0 + 1e-3) + least_rise();
  }

  /// Standard deviation of what the best values leave, in errors of assumed_error at least.
  [[nodiscard]] double left_of_errors() const {
    double squares = 0.0;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      const double left = best_.residuals[i] * errors_[i] / std::max(errors_[i], assumed_error);
      squares += left * left;
    }
    return std::sqrt(squares / static_cast<double>(found_.degrees));
  }

  void tell_errors() {
    const std::size_t n = measured_.size();
    found_.degrees = n - std::min(n, directions_.fixed());
    found_.scatter =
        found_.degrees == 0 ? 0.0 : std::sqrt(best_.squares / static_cast<double>(found_.degrees));
    found_.reproduced = found_.degrees == 0 || left_of_errors() <= most_errors_left;
    const bool stated = std::all_of(measured_.begin(), measured_.end(),
                                    [](const Measured& one) { return one.error.has_value(); });
    if (stated) {
      found_.errors = ErrorsFrom::stated;
      found_.scatter = std::max(1.0, found_.scatter);
    } else if (found_.degrees > 0) {
      found_.errors = ErrorsFrom::scatter;
    }
    // Planned with an error, be it that of the simulation: a fit may happen to leave none.
    const double planned = std::max(found_.scatter, same_prediction / median(errors_));
    found_.information = normal_of(slopes_, unknowns_.size());
    for (std::vector<double>& row : found_.information) {
      for (double& each : row) each /= planned * planned;
    }
  }

  /// Degrees of freedom of the unknown's variance where each measurement's has its own (Welch
  /// 1947, Satterthwaite 1946).
  [[nodiscard]] double combined_degrees(std::size_t k) const {
    double variance = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const double part = directions_.variances[k][i];
      variance += part;
      squares += part * part / measured_[i].degrees;
    }
    return squares > 0.0 ? std::max(1.0, variance * variance / squares)
                         : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] double quantile_of(std::size_t k) const {
    switch (found_.errors) {
      case ErrorsFrom::stated: return half_interval(combined_degrees(k));
      case ErrorsFrom::scatter: return half_interval(static_cast<double>(found_.degrees));
      case ErrorsFrom::none: break;
    }
    return 0.0;
  }

  void tell_unknowns(const Residuals& all) {
    const std::vector<char> used = used_anywhere();
    std::vector<bool> alone(unknowns_.size(), false);
    for (const Tangle& tangle : directions_.tangles) {
      if (tangle.unknowns.size() == 1) alone[tangle.unknowns.front()] = true;
      const auto unused = [&](std::size_t k) { return used[k] == 0; };
      if (std::any_of(tangle.unknowns.begin(), tangle.unknowns.end(), unused)) continue;
      if (tangle.unknowns.size() > 1) found_.tangles.push_back(tangle);
    }
    found_.unknowns.resize(unknowns_.size());
    for_each_index(unknowns_.size(), jobs_, [&](std::size_t k) {
      Estimated& estimated = found_.unknowns[k];
      estimated.quantile = quantile_of(k);
      const double half = estimated.quantile * found_.scatter;
      const double rise = std::max(half * half, least_rise());
      // Back from its logarithm, an end would not be the number that it was given as.
      estimated.value = best_.at[k] <= box_.low[k]    ? unknowns_[k].low
                        : best_.at[k] >= box_.high[k] ? unknowns_[k].high
                                                      : value_at(unknowns_[k], best_.at[k]);
      estimated.used = used[k] != 0;
      estimated.determined = estimated.used && !directions_.tangled[k];
      estimated.at_low = estimated.used && best_.at[k] <= box_.low[k];
      estimated.at_high = estimated.used && best_.at[k] >= box_.high[k];
      if (!estimated.used || (directions_.tangled[k] && !alone[k])) return;
      const bool at_end = estimated.at_low || estimated.at_high;
      const auto tell_range = [&] {
        if (estimated.determined) return;
        const bool wants = at_end && improves_to_end(all, k, rise);
        estimated.wants_lower = wants && estimated.at_low;
        estimated.wants_higher = wants && estimated.at_high;
        estimated.anywhere = !wants && !estimated.low && !estimated.high &&
                             (found_.reproduced ||
                              !(worse_at(all, k, box_.low[k]) || worse_at(all, k, box_.high[k])));
      };
      const double deviation = directions_.deviations[k] * found_.scatter;
      const bool errors_known = found_.errors != ErrorsFrom::none;
      const double width = estimated.quantile * deviation;
      const bool straight =
          directions_.leaning[k] < leans && (!errors_known || width <= bends_beyond) &&
          !bends_at_best(all, k) &&
          is_straight(all, box_, best_, k, rise,
                      errors_known ? width : std::sqrt(rise) * directions_.deviations[k]);
      if (!alone[k] && !at_end && straight) {
        if (!errors_known) return;
        estimated.deviation = deviation;
        estimated.low = value_at(unknowns_[k], std::max(box_.low[k], best_.at[k] - width));
        estimated.high = value_at(unknowns_[k], std::min(box_.high[k], best_.at[k] + width));
        return;
      }
      const ProfileEnds ends = profile_ends(all, box_, best_, k, rise);
      if (ends.low) estimated.low = value_at(unknowns_[k], *ends.low);
      if (ends.high) estimated.high = value_at(unknowns_[k], *ends.high);
      if (ends.low && ends.high) {
        estimated.determined = true;
        estimated.deviation =
            errors_known ? (*ends.high - *ends.low) / (2.0 * estimated.quantile) : 0.0;
        if (!errors_known) estimated.low = estimated.high = std::nullopt;
      } else {
        // A share cannot leave its range; what goes by factors has no least value.
        const bool ends_at_range = !unknowns_[k].by_factors;
        estimated.determined = (ends.low || (estimated.at_low && ends_at_range)) &&
                               (ends.high || (estimated.at_high && ends_at_range));
      }
      tell_range();
    });
  }

  /// Sum of squares of the best fit with the unknown there; infinite where there is none.
  [[nodiscard]] double squares_with(const Residuals& all, std::size_t k, double there) const {
    constexpr int few_steps = 10;
    Box line = box_;
    line.low[k] = line.high[k] = there;
    std::vector<double> start = best_.at;
    start[k] = there;
    const Minimum fit = descend(all, line, start, few_steps);
    return fit.found() ? fit.squares : std::numeric_limits<double>::infinity();
  }

  /// Of a fit that leaves far more than the errors: whether it leaves clearly more there.
  [[nodiscard]] bool worse_at(const Residuals& all, std::size_t k, double there) const {
    constexpr double clearly = 1.1;
    return squares_with(all, k, there) > clearly * best_.squares + least_rise();
  }

  /// Whether the end of the range where the fit stays cuts it off: it is worse at the other end, by
  /// `rise` where errors can tell, and worse already a little way from this one, which is where it
  /// would be as good if the unknown had merely ceased to matter.
  [[nodiscard]] bool improves_to_end(const Residuals& all, std::size_t k, double rise) const {
    constexpr double little = 0.05;
    const double end = best_.at[k];
    const double other = end <= box_.low[k] ? box_.high[k] : box_.low[k];
    const bool differs = found_.reproduced ? squares_with(all, k, other) > best_.squares + rise
                                           : worse_at(all, k, other);
    return differs && squares_with(all, k, end + little * (other - end)) >
                          best_.squares * (1.0 + 1e-3) + least_rise();
  }

  /// Whether residuals change on one side of the minimum much less than on the other: where a stage
  /// begins to matter, a descent from above stops at the edge of all the values that do not.
  bool bends_at_best(const Residuals& all, std::size_t k) const {
    constexpr double beside = 1e-3;
    constexpr double much_less = 0.3;
    double changes[2] = {0.0, 0.0};
    for (const int side : {0, 1}) {
      std::vector<double> at = best_.at;
      at[k] = std::clamp(at[k] + (side == 0 ? -beside : beside), box_.low[k], box_.high[k]);
      const std::vector<double> there = all(at);
      for (std::size_t i = 0; i < there.size(); ++i) {
        changes[side] = std::max(changes[side], std::abs(there[i] - best_.residuals[i]));
      }
    }
    return std::min(changes[0], changes[1]) < much_less * std::max(changes[0], changes[1]);
  }

  /// Whether predictions change when the unknown moves through its range, others as they were
  /// found or at a few other points: a stage that waits for no one elsewhere may decide there.
  std::vector<char> used_anywhere() const {
    constexpr std::array shares = {0.03, 0.25, 0.5, 0.75, 0.97};
    std::vector<char> used(unknowns_.size(), 0);  // not bool: threads write beside each other
    std::vector<std::vector<double>> around = {best_.at};
    for (const double share : shares) {
      std::vector<double> point(unknowns_.size());
      for (std::size_t k = 0; k < point.size(); ++k) {
        point[k] = box_.low[k] + share * (box_.high[k] - box_.low[k]);
      }
      around.push_back(std::move(point));
    }
    for_each_index(unknowns_.size(), jobs_, [&](std::size_t k) {
      bool any = false;
      for (std::size_t p = 0; p < around.size() && !any; ++p) {
        std::vector<double> first;
        for (const double share : shares) {
          std::vector<double> at = around[p];
          at[k] = box_.low[k] + share * (box_.high[k] - box_.low[k]);
          const std::vector<double> predicted = predict_(values_at(unknowns_, at));
          if (predicted.empty()) continue;
          if (first.empty()) first = predicted;
          any = any || differ(first, predicted);
        }
      }
      used[k] = any ? 1 : 0;
    });
    return used;
  }

  static bool differ(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > 1e-9 * std::max(std::abs(a[i]), std::abs(b[i]))) return true;
    }
    return false;
  }

  /// Minima as good as the best that no valley joins with it.
  void find_alternatives(const Residuals& all, const std::vector<Minimum>& minima) {
    constexpr double far = 0.1;
    const auto apart_by = [&](std::span<const double> a, std::span<const double> b) {
      double most = 0.0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (!found_.unknowns[k].used) continue;
        most = std::max(most, std::abs(a[k] - b[k]));
      }
      return most;
    };
    std::vector<Minimum> told = {best_};
    for (const Minimum& other : minima) {
      if (!as_good(other, best_)) continue;
      const bool new_one = std::all_of(told.begin(), told.end(), [&](const Minimum& known) {
        const double apart = apart_by(known.at, other.at);
        if (apart < far) return false;
        std::vector<double> middle(known.at.size());
        for (std::size_t k = 0; k < middle.size(); ++k) {
          middle[k] = 0.5 * (known.at[k] + other.at[k]);
        }
        const Minimum between = descend(all, box_, middle);
        return !between.found() || !as_good(between, best_) ||
               apart_by(between.at, known.at) < 0.2 * apart ||
               apart_by(between.at, other.at) < 0.2 * apart;
      });
      if (!new_one) continue;
      if (told.size() > 1 || apart_by(best_.at, other.at) >= far) {
        found_.alternatives.push_back(values_at(unknowns_, other.at));
        told.push_back(other);
      }
    }
  }

  void leave_out() {
    const std::size_t n = measured_.size();
    found_.left_out.assign(n, std::nullopt);
    if (n < unknowns_.size() + 1) return;
    for_each_index(n, jobs_, [&](std::size_t i) {
      if (alone_fixes(slopes_, errors_, i, unknowns_.size())) return;
      const Residuals without = [&](std::span<const double> at) {
        std::vector<double> rest = residuals(at);
        if (!rest.empty()) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        return rest;
      };
      constexpr int few_steps = 12;
      const Minimum refit = descend(without, box_, best_.at, few_steps);
      const std::vector<double> predicted = predict_(values_at(unknowns_, refit.at));
      if (!predicted.empty()) found_.left_out[i] = predicted[i];
    });
  }

  [[nodiscard]] bool start_in_range() const {
    for (std::size_t k = 0; k < start_.size(); ++k) {
      if (start_[k] < unknowns_[k].low || start_[k] > unknowns_[k].high) return false;
    }
    return !start_.empty();
  }

  /// Values with the digits that are written, unless those were worse than the start.
  void write_down() {
    std::vector<double> values;
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      const double value = found_.unknowns[k].value;
      values.push_back(written_ ? written_(k, value) : value);
    }
    std::vector<double> after = predict_(values);
    std::vector<double> left = residuals_of(after);
    const bool worse = left.empty() || (!start_.empty() && !residuals_of(found_.before).empty() &&
                                        sum_of_squares(left) > found_.squares_before);
    const bool start_serves =
        start_in_range() && best_.squares >= found_.squares_before * (1.0 - 1e-6);
    if (worse && start_serves) {
      values = start_;
    } else if (worse) {
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = found_.unknowns[k].value;
    }
    if (worse) {
      after = predict_(values);
      left = residuals_of(after);
    }
    for (std::size_t k = 0; k < values.size(); ++k) found_.unknowns[k].value = values[k];
    found_.after = std::move(after);
    found_.squares = sum_of_squares(left);
  }

  std::span<const Unknown> unknowns_;
  std::span<const Measured> measured_;
  const Predict& predict_;
  const Written& written_;
  int jobs_;
  Box box_;
  std::vector<double> errors_;
  std::vector<double> near_;
  std::vector<double> start_;  ///< empty where one is missing
  Minimum best_;
  Rows slopes_;
  Directions directions_;
  Found found_;
};

}  // namespace

std::optional<Found> fit_unknowns(std::span<const Unknown> unknowns,
                                  std::span<const Measured> measured, const Predict& predict,
                                  const Written& written, int jobs) {
  return Fitter(unknowns, measured, predict, written, jobs).run();
}

}  // namespace feedrate::fit
