#pragma once
// What `init` says beside the scenario that it writes.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// A number of a new scenario that the user's own should replace.
struct ToReplace {
  std::string key;
  std::string value;
  std::string low, high;
  std::string origin;                       ///< "published", "assumed"
  std::optional<Duration> at_low, at_high;  ///< empty: cannot be simulated
  double share = 0.0;                       ///< by which it changes the whole job's time
};

/// "init --list": one row per preset.
Report presets_report(std::span<const std::pair<std::string, std::string>> presets);

/// What to replace first: one row per number, those that change the job most first. `file`: where
/// the scenario was written; "" for standard output.
Report to_replace_report(std::span<const ToReplace> numbers, const std::string& file);

/// The same as a sentence, for the scenario itself: those that change the job by 1 % or more.
std::string to_replace_sentence(std::span<const ToReplace> numbers);

}  // namespace feedrate::report
