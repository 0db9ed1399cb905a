#pragma once
// A scenario with remedies applied and what they promise written into it, to be compared with what
// is then measured.
#include <string>
#include <string_view>
#include <vector>

#include "api/scenario_maker.hpp"
#include "model/advice.hpp"

namespace feedrate::cli {

struct Applied {
  std::vector<std::string> changes;  ///< in words
  study::Setting set;
};

/// The remedies that `numbers` names: "3", "1,2" or "best": those that
/// the advice takes together, or what saves the most alone. InputError, naming --apply, because
/// what is no number of a remedy, and for two that do not go together.
Applied applied_remedies(const Advice& advice, std::string_view numbers);

/// The changed scenario as a file's text.
std::string receipt(const api::ScenarioMaker& make, const Applied& applied,
                    const JobFigures& promised);

}  // namespace feedrate::cli
