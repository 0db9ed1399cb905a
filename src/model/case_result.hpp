#pragma once
// A measured case, what was predicted for it, and how wrong the predictions of many cases are.
//
// An error is relative to what was measured (predicted/measured − 1), with three exceptions:
//   a relative change (`relative_to`): the difference of the two changes, in percentage points
//     (0.02 is two points). Relative to the change itself, +1 % instead of −1 % would be an error
//     of 200 %, and a change of 0 could not be missed at all;
//   a figure measured as 0: the difference, in the metric's unit. It is no share, so it is in no
//     median; it is counted apart;
//   "bottleneck is STAGE": right or wrong, counted apart.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// How the error of a case is told; see above.
enum class ErrorKind { relative, points, absolute, bottleneck };

inline ErrorKind error_kind(const Case& what) {
  if (what.metric.starts_with("bottleneck is ")) return ErrorKind::bottleneck;
  if (!what.relative_to.empty()) return ErrorKind::points;
  return what.measured == 0.0 ? ErrorKind::absolute : ErrorKind::relative;
}

/// How far a prediction is off, as error_kind says.
inline double error_of(const Case& what, double predicted) {
  const ErrorKind kind = error_kind(what);
  const bool relative = what.measured != 0.0 && kind != ErrorKind::points;
  return relative ? predicted / what.measured - 1.0 : predicted - what.measured;
}

struct CaseResult {
  Case what;
  double predicted = 0.0;
  double error = 0.0;                         ///< signed; as error_kind says
  std::optional<double> limit;                ///< what |error| may be; without a tolerance none
  bool within = true;                         ///< |error| ≤ limit, or no tolerance stated
  std::string bottleneck;                     ///< of the run; "" for none and for searches
  std::optional<Band> band;                   ///< of what was predicted, where draws were asked for
  std::optional<InnerBand> inner{};           ///< likewise
  int draws = 0;                              ///< that these are of
  std::optional<ReferenceClass> reference{};  ///< of the run; empty for searches
  /// What is predicted for each of `what.repeats` with the machine as fast as its canary said it
  /// was in that turn; empty without a canary.
  std::vector<double> adjusted;
};

/// Whether a figure lies in the 90 % interval. Precondition: there is one.
inline bool in_band(const CaseResult& result, double measured) {
  return measured >= (*result.band)[0] && measured <= (*result.band)[2];
}

/// How wrong predictions are. A prediction is a case that no input was fitted on, that does not
/// follow from such a one, and whose error is relative or in points, whether or not it states a
/// tolerance. Cases that measure the same figure of the same setting again are one prediction with
/// it, of the mean of what was measured: the model errs in all of them alike. One that is no finite
/// number is infinitely wrong: it must not better a median.
struct CaseSummary {
  std::size_t predictions = 0;
  double median = 0.0;  ///< of the errors' sizes; this and the next four are 0 without predictions
  double mean = 0.0;    ///< of the errors' sizes: the MAPE
  double worst = 0.0;   ///< the largest of the errors' sizes
  double bias = 0.0;    ///< mean of the signed errors
  double share_near = 0.0;       ///< near / predictions
  std::size_t near = 0;          ///< predictions whose error's size is at most `nearness`
  std::size_t in_points = 0;     ///< predictions of a relative change
  std::string worst_case;        ///< its name; the first one of equals
  std::string worst_file;        ///< the scenario that holds it, as the user gave it
  bool worst_in_points = false;  ///< the worst is that of a relative change
  std::size_t judged = 0;        ///< predictions that state a tolerance
  std::size_t within = 0;        ///< of `judged`
  std::size_t zeros = 0;         ///< measured as 0, so without a share
  std::size_t bottlenecks = 0;   ///< cases "bottleneck is STAGE"
  std::size_t bottlenecks_right = 0;
  std::size_t again = 0;         ///< cases that measure what another did, and count with it
  std::size_t intervals = 0;     ///< predictions with a band
  std::size_t held = 0;          ///< of `intervals`: those with the mean measured figure in it
  int draws = 0;                 ///< the fewest that any of `intervals` is of
  std::size_t banded = 0;        ///< measured figures of cases with a band, repeats one by one
  std::size_t inside = 0;        ///< of `banded`: those in their band
  std::size_t adjusted = 0;      ///< repeats that were predicted by their turn's canary
  double adjusted_median = 0.0;  ///< of their errors' sizes; 0 without any
  double adjusted_mean = 0.0;
  double adjusted_bias = 0.0;   ///< mean of their signed errors
  std::size_t awaited = 0;      ///< promised, and not measured yet
  std::size_t fitted = 0;       ///< points that an input was fitted on
  std::size_t identities = 0;   ///< points that follow from a fitted one by arithmetic
  std::size_t fits_missed = 0;  ///< of `fitted`: those outside their tolerance

  static constexpr double nearness = 0.1;
};

/// A case that cannot be simulated.
struct RefusedCase {
  std::string name;
  std::vector<Problem> problems;
};

/// A scenario and what its measured cases came to.
struct ScenarioCases {
  std::string file;  ///< as the user gave it
  Scenario scenario;
  std::vector<CaseResult> cases;
  CaseSummary summary;                    ///< of `cases`
  std::vector<RefusedCase> refused = {};  ///< those that are not among `cases`
};

}  // namespace feedrate
