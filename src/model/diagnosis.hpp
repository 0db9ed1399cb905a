#pragma once
// What the published rules of thumb say of the readings of monitors, beside what is simulated.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rules.hpp"

namespace feedrate {

enum class Fit : std::uint8_t {
  fits,
  fits_not,  ///< a condition is not met
  unknown,   ///< none is broken, and a reading that is needed is missing
};

/// "does not fit".
constexpr std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::fits: return "fits";
    case Fit::fits_not: return "does not fit";
    case Fit::unknown: return "not known";
  }
  return "";
}

struct JudgedCondition {
  Condition what;
  std::optional<bool> met;  ///< empty: the reading is missing
};

struct JudgedRule {
  const Rule* rule = nullptr;
  Fit fit = Fit::unknown;
  std::vector<JudgedCondition> conditions;  ///< as many as the rule has
};

/// A simulated job beside the readings.
struct Simulated {
  std::string name;  ///< the scenario's
  std::string file;
  Result result;
  Readings readings;  ///< what it predicts of them
  Cause cause = Cause::other;
};

/// A reading that the simulation predicts otherwise.
struct Difference {
  ReadingId reading = ReadingId::gpu;
  double observed = 0.0;
  double predicted = 0.0;
  bool matters = false;  ///< by a tenth of all, or, of what is no share, by a fifth of it
};

struct Diagnosis {
  Readings readings;
  Thresholds thresholds;
  std::vector<JudgedRule> rules;
  std::vector<Cause> causes;
  std::optional<Simulated> simulated;
  std::vector<Difference> differences;      ///< of readings that both have
  std::vector<JudgedRule> by_prediction{};  ///< the same rules over what is predicted
  std::vector<std::string> remarks{};
};

}  // namespace feedrate
