#pragma once
// Lines of step logs, found by patterns that are written as the lines look. Internal to
// formats.
//
// In a pattern a blank stands for one or more blanks or tabs, "…" for whatever is before the next
// piece of the pattern, {name} for a number, blanks before it included, and all else for itself.
// A pattern may begin anywhere in a line. What is found first counts: nothing is tried twice, so
// that a line takes time in proportion to its length, whatever it holds.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/recordings/collector.hpp"

namespace feedrate::formats {

/// What a number in a line of steps is.
enum class StepField : std::uint8_t {
  ignored,  ///< {#}
  epoch,
  step,
  step_rounded,  ///< {step~}: "1K" stands for a thousand or so, which is no number of a step
  rank,
  time,  ///< seconds a step
  time_ms,
  of_epoch,     ///< how many steps an epoch has
  mean_so_far,  ///< seconds a step, the mean of all steps of the epoch
  wait_so_far,  ///< the same of the wait for data
  rate_so_far,  ///< samples per second, the mean of all steps but the first two
  wait,         ///< seconds of the step that wait for data
  wait_ms,
  update,  ///< seconds a step without the wait
  steps,   ///< the values are the mean of so many
  steps_per_s,
  samples_per_s,
  batch,  ///< samples a step, of all ranks
  total,  ///< seconds of all steps together
};

struct FieldName {
  std::string_view name;
  StepField field{};
  std::string_view meaning;
};
/// Those that a --step-regex may use come with a meaning.
std::span<const FieldName> step_fields();
const FieldName* find_step_field(std::string_view name);

class StepPattern {
 public:
  /// Precondition: text is a pattern, its names are known. It is kept.
  explicit StepPattern(std::string_view text);

  struct Found {
    StepField field{};
    double value = 0.0;
  };
  /// Whether the line holds it; then `found` has its numbers, and `start` where it begins.
  bool match(std::string_view line, std::vector<Found>& found, std::size_t& start) const;

 private:
  struct Piece {
    bool gap = false;        ///< whatever is before it is ignored
    std::string_view words;  ///< before the number
    std::optional<StepField> number{};
  };

  std::vector<Piece> pieces_;
};

/// Null when the numbers are fine; else why the line is skipped.
const char* step_of(const std::vector<StepPattern::Found>& found, StepRecord& step);

}  // namespace feedrate::formats
