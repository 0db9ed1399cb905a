#pragma once
// What only the program with the probes does (cli/with_probes.hpp).
#include "cli/calibrate.hpp"
#include "cli/loader_work.hpp"

namespace feedrate::cli {

/// Measures this machine, and writes what was found; the exit status.
int calibrate(const CalibrateArguments& arguments);

/// Epochs of the native loader from one to all hardware threads, in rounds over all settings, so
/// that a drift of the machine does not look like a setting's. InputError when the profile does not
/// know what the loader does, or this build has no such loader; HostError on Ctrl-C.
LoaderRuns run_loader(const LoaderOptions& options, const HostProfile& profile);

}  // namespace feedrate::cli
