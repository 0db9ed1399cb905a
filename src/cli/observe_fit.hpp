#pragma once
// `observe fit`: from an observation to a scenario.
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "model/observed_job.hpp"

namespace feedrate::cli {

Command add_observe_fit(Parser& observe);

/// At the end of `observe --advise`: the scenario that `files` (an observation, and what the
/// command printed) make, and what to change about it, as a text that calls the job `name`.
/// InputError where too little was seen, which says what.
std::string advice_on_observed(const std::vector<std::string>& files, const ToldOfJob& told,
                               const std::string& instance, const std::string& name);

}  // namespace feedrate::cli
