#pragma once
// Predictions compared with measurements on one host: the cases of a real loader, and the error.
#include <functional>

#include "model/case_result.hpp"
#include "model/host.hpp"
#include "model/loader_run.hpp"
#include "model/scenario.hpp"
#include "study/cases.hpp"

namespace feedrate::study {

/// The operations of the native loader that a profile must know: read, decode, crop_resize, flip,
/// normalize. InputError naming what it lacks.
DurationPerSample native_cost(const HostProfile& profile);

/// InputError that names the rates of copies to a GPU that the profile lacks and `calibrate h2d`
/// measures: an assumed one would be judged as if it had been predicted.
void expect_copy_rates(const HostProfile& profile, bool pageable, bool pinned);

/// As above, for the copies that a scenario's cases make, where the scenario itself does not say
/// how fast they are.
void expect_copy_rates(const HostProfile& profile, const Scenario& scenario,
                       const std::function<Scenario(const Setting&)>& with);

/// What a native loader did, as a scenario whose cases are its epochs (the median of each setting)
/// and, where the step and the loader alone differ by more than a tenth, which of them was the
/// bottleneck. A loader alone is the run with the same workers and batch and the shortest step.
Scenario native_scenario(const LoaderRuns& measured);

/// How many times as long the canary's pieces of work took in each turn as when the profile was
/// made: the geometric mean over the pieces that both have; of decoding alone where both have it,
/// because that is most like a loader. Empty where they share none.
std::vector<double> slower_in_turns(const About& measured, const HostProfile& profile);

/// The profile with all its CPU times multiplied by `times`.
HostProfile slowed(HostProfile profile, double times);

/// InputError where there is no prediction whose error could be told.
void expect_predictions(const CaseSummary& summary);

}  // namespace feedrate::study
