#pragma once
// Unknowns of a scenario, fitted to its measured cases: what `fit` answers.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/case_result.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// A value of a key.
struct Amount {
  double number = 0.0;  ///< in base units
  std::string text;     ///< as --set takes it
  bool operator==(const Amount&) const = default;
};

struct FittedUnknown {
  std::string key;                 ///< JSON pointer
  Amount value;                    ///< what is not determined stays as near to `before` as it fits
  std::optional<Amount> before;    ///< empty: nobody knew, not even by default
  bool before_is_default = false;  ///< the scenario did not say: measured, published or assumed
  Amount lowest, highest;          ///< the range that it was looked for in
  bool used = true;                ///< false: no measurement depends on it
  /// False: any value fits as well, where others move along (UnknownsFit::tangles) or on the side
  /// whose end is missing.
  bool determined = true;
  std::optional<Amount> low, high;       ///< ends of the 90 % interval, where there is one
  std::optional<double> relative_error;  ///< standard error over value, where there is one
  bool at_lowest = false;                ///< it would leave its range
  bool at_highest = false;
  /// The measurements speak for a value below, or above, all of its range.
  bool wants_lower = false;
  bool wants_higher = false;
  bool fits_anywhere = false;  ///< not determined: about as good at both ends of the range
};

/// Unknowns that the measurements cannot tell from each other.
struct FitTangle {
  enum class Fixed { sum, product, ratio, combination };
  std::vector<std::size_t> unknowns;  ///< by their place in UnknownsFit::unknowns; two or more
  Fixed fixed = Fixed::combination;
  std::optional<Amount> total;  ///< of a sum
};

struct FittedCase {
  Case what;
  std::string unused;            ///< why it was not fitted on; "": it was
  std::optional<double> before;  ///< predicted with the scenario's own values, where all are there
  std::optional<double> after;   ///< predicted with what was fitted; these only of what was used
  std::optional<double>
      left_out;  ///< predicted by a fit without it, where that fixes what it needs
};

/// How a fit predicts a case that it was not fitted on, each left out in turn.
struct LeaveOneOut {
  std::size_t cases = 0;   ///< that were predicted
  std::size_t needed = 0;  ///< without which the others do not fix what they depend on
  double median = 0.0;     ///< of the errors' sizes, relative or in points
  double worst = 0.0;
  std::string worst_case;
};

/// The further measurement that would tell most, and what it leaves of the doubt.
struct NextMeasurement {
  std::vector<std::pair<std::string, std::string>> set;  ///< beside the scenario
  std::string metric;
  std::string words;  ///< "one epoch with num_workers=0"
  struct Doubt {
    std::size_t unknown = 0;
    /// Half of the 90 % interval: relative where the unknown goes by factors; empty: it was open.
    std::optional<double> before;
    double after = 0.0;
  };
  std::vector<Doubt> doubts;  ///< of the unknowns that it tells something of
};

struct UnknownsFit {
  /// Where error bars come from.
  enum class Errors { scatter, stated, none };

  std::string name;                     ///< of the scenario
  std::string file;                     ///< as a command takes it: "-" for standard input
  std::vector<std::string> flags;       ///< given beside it: "--set", "instance=g5.xlarge"
  std::vector<FittedUnknown> unknowns;  ///< in the order that they were asked for
  std::vector<FittedCase> cases;        ///< all of the scenario's
  std::size_t used = 0;                 ///< cases fitted on
  Errors errors = Errors::none;
  bool reproduced = true;                    ///< as fit::Found::reproduced; else no intervals
  std::size_t degrees = 0;                   ///< of freedom
  std::optional<LeaveOneOut> leave_one_out;  ///< empty with fewer cases than unknowns and one
  std::vector<FitTangle> tangles;
  std::vector<std::vector<Amount>> alternatives;  ///< values of all unknowns that fit as well
  std::optional<NextMeasurement> next;

  /// Whether everything that was asked for is known.
  [[nodiscard]] bool determined() const {
    for (const FittedUnknown& unknown : unknowns) {
      if (!unknown.determined) return false;
    }
    return alternatives.empty() && reproduced;
  }
};

}  // namespace feedrate
