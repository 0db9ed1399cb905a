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
  so_far,    ///< none is broken, one is met at least, and a reading that is needed is missing
  fits_not,  ///< a condition is not met
  unknown,   ///< nothing that the rule asks for is known
};

/// "does not fit".
constexpr std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::fits: return "fits";
    case Fit::so_far: return "fits so far";
    case Fit::fits_not: return "does not fit";
    case Fit::unknown: return "not known";
  }
  return "";
}

struct JudgedCondition {
  Condition what;
  std::optional<bool> met;  ///< empty: the reading is missing
  bool by_io_wait = false;  ///< it stood for the disk, which was not read
  bool by_others = false;   ///< the reading would do, but most of it is not the job's
};

struct JudgedRule {
  const Rule* rule = nullptr;
  Fit fit = Fit::unknown;
  std::vector<JudgedCondition> conditions;  ///< the rule's; of a Diagnosis, also what refutes it
};

/// A reading that is missing, and would make `cause` the answer if the condition held.
struct OpenReading {
  Condition what;
  Cause cause = Cause::unsaid;
  bool vital = false;
  Condition
      clearly_not;  ///< if this holds, it is not that cause, as the published rules see it too
};

/// What keeps readings that would do for an answer from having one.
enum class Against : std::uint8_t {
  nothing,
  idle_cpu,        ///< too few workers would be it, but the CPU does nothing that more could share
  other_programs,  ///< the cores would be it, but others than the job keep them busy
};

/// "idle_cpu"; "" for nothing.
constexpr std::string_view name_of(Against against) {
  switch (against) {
    case Against::nothing: return "";
    case Against::idle_cpu: return "idle_cpu";
    case Against::other_programs: return "other_programs";
  }
  return "";
}

/// The one cause that the readings speak for.
struct Answer {
  Cause cause = Cause::unsaid;         ///< unsaid: too little is known, or something is against it
  Against against = Against::nothing;  ///< where the cause is unsaid
  std::vector<JudgedCondition> because;  ///< what was asked and answered, in this order
  std::vector<OpenReading> open;         ///< the most telling first
  /// Of generated jobs with this answer, the share for which it is right; empty: not counted, as
  /// beside `exchange`.
  std::optional<double> sure{};
  /// The GPUs are taken to be fed, but what they do may be an exchange, whose kernels show as work
  /// while they wait: what speaks for it, met. Empty: nothing does.
  std::vector<JudgedCondition> exchange{};
  /// Whether a reading is missing without which the answer is "if".
  [[nodiscard]] bool is_open() const { return !open.empty() && open.front().vital; }
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
  Answer answer;
  std::optional<Simulated> simulated;
  std::vector<Difference> differences;      ///< of readings that both have
  std::vector<JudgedRule> by_prediction{};  ///< the same rules over what is predicted
  std::vector<std::string> remarks{};
};

}  // namespace feedrate
