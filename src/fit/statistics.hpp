#pragma once
// What repeated samples say: location, error and spread, robust to outliers. Rounds are the unit of
// sampling: samples of one round share whatever the machine did then.
#include <cstddef>
#include <span>
#include <vector>

#include "base/statistics.hpp"

namespace feedrate::fit {

struct Estimate {
  double value = 0.0;
  /// Half the interval that holds the truth in 68 of 100 cases, over value; 0 when not known: of
  /// one sample, or of samples that are all the same.
  double relative_error = 0.0;
  double spread = 0.0;  ///< of one sample: 1.4826 · median absolute deviation over median
  std::size_t count = 0;
};

/// Samples of one round, which is one of a calibration's.
struct RoundSamples {
  std::size_t round = 0;
  std::size_t calibration = 0;
  std::vector<double> samples;
};

/// Of samples of one round: their mean, which is what a loader pays over many samples, with those
/// further than eight deviations from the median pulled in to there: images differ, but a stalled
/// machine is no image. No more than eight samples count as independent, nor more than there are
/// different ones, so that the same samples over again never shrink the error.
/// Precondition: at least one sample.
Estimate estimate(std::span<const double> samples);

/// The mean of the calibrations' levels, each of which is the mean of its rounds' means. The error
/// is that of rounds among each other, and between calibrations where that is larger; a
/// calibration of one round has the error of its samples.
/// Precondition: at least one round, none without samples.
Estimate estimate(std::span<const RoundSamples> rounds);

/// How far the rounds of one calibration lie apart beyond what their own noise explains.
struct Apart {
  double relative = 0.0;     ///< standard deviation over the mean, times Student's factor
  bool noise_known = false;  ///< false: one sample per round, whose noise is part of it
};
/// Precondition: two rounds or more, none without samples.
Apart apart(std::span<const RoundSamples> rounds);

/// What a standard error from so many degrees of freedom is multiplied by so that `deviations` of
/// it hold the truth as often as of one from many: the quantile of Student's distribution over that
/// of the normal one, by Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5). At 1, where
/// 68 of 100 cases are held, it is within 1.4 % for one degree and 0.2 % from two. Precondition:
/// degrees ≥ 1.
double student_factor(std::size_t degrees, double deviations = 1.0);

/// A number fitted to all that it stands on but one unit of sampling: a round of its stratum, or a
/// calibration.
struct Refit {
  std::size_t stratum = 0;
  double number = 0.0;
};

/// Error of `whole` from its refits, one for each unit (the jackknife, Tukey 1958; of strata, Jones
/// 1974), around itself and times Student's factor. 0 where no stratum has two units.
double jackknife(double whole, std::span<const Refit> refits);

/// 1.4826 · median of |value|: a standard deviation when values are normal around 0.
double robust_deviation(std::span<const double> values);

/// Whether residuals, in the order of x, are no chance: their signs change so rarely as one order
/// in ten does (runs test, Wald and Wolfowitz 1940, exact); or, where there are too few for that
/// test, they bow (both ends on one side, all between on the other, four to seven of them) or rise
/// or fall all the way (five or more).
bool has_shape(std::span<const double> residuals);

}  // namespace feedrate::fit
