#pragma once
// Judges what monitors show by the published rules of thumb, and by a simulation where there is
// one.
#include "catalog/catalog.hpp"
#include "model/diagnosis.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"

namespace feedrate::study {

/// Rules in the order of the table.
std::vector<JudgedRule> judge(const Readings& readings, const Thresholds& thresholds);

/// The causes that the rules that fit name, each once, in the order of the table; symptoms without
/// a cause left out.
std::vector<Cause> causes_of(const std::vector<JudgedRule>& rules);

/// What is left of them where "the loader" names no more than another of them does.
std::vector<Cause> distinct(std::vector<Cause> causes);

/// What the simulation calls the cause: by the stage that gains most, and by what other workers
/// would do.
Cause simulated_cause(const Result& result);

/// What a run predicts of the readings, with what more simulations tell: a step against one on a
/// single GPU, left out where the job cannot run on one, and workers against hardware threads.
Readings simulated_readings(const Result& result, const Scenario& scenario, const Catalog& catalog,
                            const HostProfile* host);

Diagnosis diagnose(const Readings& readings, const Thresholds& thresholds,
                   std::optional<Simulated> simulated = std::nullopt);

}  // namespace feedrate::study
