#pragma once
// Unknown numbers of a model from what was measured of it: values, how sure they are, what the
// measurements cannot tell, and which further measurement would tell most.
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "fit/least_squares.hpp"

namespace feedrate::fit {

struct Unknown {
  double low = 0.0;  ///< ends of the range that it is looked for in; above 0 where by factors
  double high = 0.0;
  bool by_factors = true;       ///< a step is a factor (durations, rates); else a sum (shares)
  std::optional<double> start;  ///< where the model had it; need not be in the range
};

/// A figure that was measured.
struct Measured {
  double value = 0.0;
  /// A prediction is compared by its difference (changes, figures around 0); else by the logarithm
  /// of its ratio, which of small errors is the relative error, and as far off at half as at twice.
  bool difference = false;
  /// Standard deviation of the difference, or of the ratio; empty: nobody said.
  std::optional<double> error{};
  /// Degrees of freedom that `error` was found with, at least 1: of repeats, one less than there
  /// are. Infinite: it is known.
  double degrees = std::numeric_limits<double>::infinity();
};

/// All predictions at these values of the unknowns; empty where the model has no answer. Called
/// from several threads.
using Predict = std::function<std::vector<double>(std::span<const double> values)>;
/// The same of figures that may each have no answer.
using PredictEach =
    std::function<std::vector<std::optional<double>>(std::span<const double> values)>;
/// A value of unknown k as it will be written.
using Written = std::function<double(std::size_t k, double value)>;

/// Where the errors come from that error bars are made of.
enum class ErrorsFrom {
  scatter,  ///< what the fit leaves, by Student's distribution with `degrees`
  /// All measurements state theirs, raised where the fit leaves more (Birge 1932). By Student's
  /// distribution where few repeats told them, with Welch and Satterthwaite's degrees of freedom.
  stated,
  none,  ///< as many unknowns as measurements, and some state none
};

/// Unknowns of which the measurements fix fewer directions than there are unknowns.
struct Tangle {
  std::vector<std::size_t> unknowns;
  /// Where one direction is fixed: how the predictions change along each unknown's coordinate (a
  /// logarithm where by factors); empty where several or none are.
  std::vector<double> fixed;
};

/// What is known of one unknown.
struct Estimated {
  double value = 0.0;
  bool used = true;            ///< false: no prediction changes with it anywhere in its range
  bool determined = true;      ///< false: a part of a tangle, or fixed on one side only
  std::optional<double> low;   ///< ends of the 90 % interval; of what is not determined, the side
  std::optional<double> high;  ///< that is fixed. Missing: open there, or no errors to tell from
  double deviation = 0.0;      ///< standard error of its coordinate; 0 where not determined
  /// Deviations that half of the 90 % interval has; 0 where there are no errors to tell from.
  double quantile = 0.0;
  bool at_low = false;  ///< the range ends there, and the fit would go on
  bool at_high = false;
  /// Within the range the fit is clearly worse, and ever better towards the end where it stays.
  bool wants_lower = false;
  bool wants_higher = false;
  bool anywhere = false;  ///< not determined: about as good at both ends of the range
};

struct Found {
  std::vector<Estimated> unknowns;
  std::vector<double> before;  ///< predictions at the starts; empty where one is missing
  std::vector<double> after;
  double squares_before = 0.0;  ///< of the residuals, each over its error; 0 without `before`
  double squares = 0.0;
  ErrorsFrom errors = ErrorsFrom::none;
  double scatter = 0.0;  ///< standard deviation of what the fit leaves, relative to the errors
  /// False: even at the best values the measurements are missed by several times their errors, and
  /// by more than a model of the right shape leaves. What made them is none of these unknowns, and
  /// an interval, which takes the model to be right, would say nothing.
  bool reproduced = true;
  std::size_t degrees = 0;  ///< of freedom
  std::vector<Tangle> tangles;
  std::vector<std::vector<double>> alternatives;  ///< other values that fit as well, far from these
  /// What a fit without the measurement predicts for it; empty where no such fit fixes what it
  /// depends on, or there are not enough measurements.
  std::vector<std::optional<double>> left_out;
  Rows information;  ///< inverse of the covariance of the coordinates, of the measurements alone
};

/// The errors that are taken for those that nobody stated; only their ratios to others matter.
inline constexpr double assumed_error = 0.05;
/// Measurements are reproduced if what the fit leaves is no more than so many of their errors, each
/// of assumed_error at least.
inline constexpr double most_errors_left = 3.0;

/// Empty where the model has no answer at any point that was tried. Preconditions: at least one
/// unknown and as many measurements as unknowns.
std::optional<Found> fit_unknowns(std::span<const Unknown> unknowns,
                                  std::span<const Measured> measured, const Predict& predict,
                                  const Written& written = {}, int jobs = 0);

/// What one more measurement would leave of the doubt.
struct Telling {
  std::size_t candidate = 0;
  std::vector<double> deviations_before;  ///< of the unknowns' coordinates; of what is open, those
  std::vector<double> deviations_after;   ///< of an even spread over the range
};

/// The candidate after which the variances of the unknowns' coordinates add up to the least, or the
/// first that takes away nearly as much (A-optimal: Chernoff 1953), measured as exactly as the
/// others. Empty where it would take away less than a fifth of each.
std::optional<Telling> most_telling(const Found& found, std::span<const Unknown> unknowns,
                                    std::span<const Measured> measured,
                                    std::span<const Measured> candidates,
                                    const PredictEach& predict);

}  // namespace feedrate::fit
