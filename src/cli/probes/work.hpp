#pragma once
// What only the program with the probes does (cli/with_probes.hpp).
#include "cli/calibrate.hpp"
#include "cli/loader_work.hpp"
#include "cli/with_probes.hpp"

namespace feedrate::cli {

/// Measures this machine, and writes what was found; the exit status.
int calibrate(const CalibrateArguments& arguments);

/// Epochs of the native loader from one to all hardware threads, in rounds over all settings, so
/// that a drift of the machine does not look like a setting's. InputError when the profile does not
/// know what the loader does, or this build has no such loader; HostError on Ctrl-C.
LoaderRuns run_loader(const LoaderOptions& options, const HostProfile& profile);

/// As ProbeWork::download says. FILE.tag beside the file holds the server's name for its state, and
/// since when it is so; both are the user's alone while they are in the making. What a server
/// failed to send is asked for three times, and so is one that is out of reach after something
/// came.
Downloaded download(const Download& what, const std::atomic<bool>& stop);

}  // namespace feedrate::cli
