#pragma once
// The probes of `calibrate`: which, whether what they are given can work, and running them.
#include <functional>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "bench/probe.hpp"
#include "bench/process_group.hpp"
#include "cli/interrupt.hpp"

namespace feedrate::cli {

using ChosenProbes = std::vector<const bench::Probe*>;

/// Those that are named; where none is, all or none.
ChosenProbes choose_probes(const std::vector<std::string>& names, bool all_otherwise);

/// The processes that torchrun or mpirun started to measure all-reduce together, else this one.
/// InputError when others are to be measured beside it.
bench::ProcessGroup group_of(const ChosenProbes& chosen);

/// Prints what each measures and whether it can run; the exit status.
int list_probes(const bench::Settings& settings);

/// What can be told in seconds to be wrong: InputError. HostError on Ctrl-C.
void check_commands(const ChosenProbes& chosen, const bench::Settings& settings,
                    const Interrupt& interrupt);

/// It holds more than the canary, which is always there.
bool measured(const MeasurementSet& set);

/// Runs the probes; `keep` is called after each round once something was measured. In a `group` all
/// processes do the same.
void measure(const ChosenProbes& chosen, const bench::Settings& settings, bool group,
             const Interrupt& interrupt, MeasurementSet& set, const std::function<void()>& keep);

/// Does its part in a group whose first process keeps what was measured; the exit status.
int measure_along(const ChosenProbes& chosen, const bench::Settings& settings);

/// Says which probes failed though they were asked for, by name or with what only they need; true
/// when there are any.
bool tell_failures(const MeasurementSet& set, const std::vector<std::string>& names,
                   const bench::Settings& settings);

}  // namespace feedrate::cli
