#pragma once
// Two programs of one command line. The probes need OpenCV, curl, CUDA and some fifty libraries of
// theirs, which take longer to load than a scenario to run: `feedrate` has none of them and starts
// feedrate-probes, which is beside it and has everything, in its place.
#include <atomic>
#include <map>
#include <string>

#include "base/units.hpp"
#include "model/host.hpp"
#include "model/loader_run.hpp"

namespace feedrate::cli {

struct CalibrateArguments;
struct LoaderOptions;

/// What only feedrate-probes can do.
struct ProbeWork {
  int (*calibrate)(const CalibrateArguments&);
  LoaderRuns (*run_loader)(const LoaderOptions&, const HostProfile&);
  std::map<std::string, Duration> (*canary)(Duration budget, const std::atomic<bool>& stop);
};

/// In feedrate-probes: its work. In feedrate: does not return, but starts feedrate-probes with the
/// same arguments in this process; nothing may have been read from standard input or printed.
/// HostError where that program is missing.
const ProbeWork& with_probes();

/// What main was given, for the program that takes over.
void keep_arguments(char* const* argv);

/// Called by feedrate-probes before anything else; feedrate does not link it.
void bring_probes();

/// For bring_probes.
void install(const ProbeWork& work);

}  // namespace feedrate::cli
