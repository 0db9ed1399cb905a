#pragma once
// Judges readings of monitors by the published rules of thumb, and by a simulation where there is
// one.
#include "catalog/catalog.hpp"
#include "model/diagnosis.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"

namespace feedrate::study {

/// The judgement of every rule, in the order of the table of rules.
std::vector<JudgedRule> judge(const Readings& readings, const Thresholds& thresholds);

/// The one cause that the readings speak for, with what is left to read.
Answer answer_of(const Readings& readings, const Thresholds& thresholds);

/// The causes named by the rules that apply, each once, in the order of the table; symptoms without
/// a cause are left out.
std::vector<Cause> causes_of(const std::vector<JudgedRule>& rules);

/// The causes without "the loader" where another cause names a part of it.
std::vector<Cause> distinct(std::vector<Cause> causes);

/// The cause according to the simulation: decided by the stage that gains most, and by the effect
/// of other numbers of workers.
Cause simulated_cause(const Result& result);

/// The readings that a run predicts. Further simulations add the step beside that on a single GPU,
/// unless the job cannot run on one, and the number of workers beside the hardware threads.
Readings simulated_readings(const Result& result, const Scenario& scenario, const Catalog& catalog,
                            const HostProfile* host);

/// The judged readings beside the simulation, with their causes.
Diagnosis diagnose(const Readings& readings, const Thresholds& thresholds,
                   std::optional<Simulated> simulated = std::nullopt);

}  // namespace feedrate::study
