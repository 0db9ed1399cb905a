#pragma once
// Two programs of one command line. The probes need OpenCV, curl, CUDA and some fifty libraries of
// theirs, which take longer to load than a scenario to run: `feedrate` has none of them and starts
// feedrate-probes, which is beside it and has everything, in its place.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/open_file.hpp"
#include "base/units.hpp"
#include "model/host.hpp"
#include "model/loader_run.hpp"

namespace feedrate::cli {

struct CalibrateArguments;
struct LoaderOptions;

/// A file that is to hold what is at a URL.
struct Download {
  std::string url;
  std::string file;           ///< what an earlier one left of it is gone on with
  bool allow_http = false;    ///< else only of this machine
  std::uint64_t at_most = 0;  ///< bytes
  std::chrono::steady_clock::time_point until;
  /// The bytes that are there, and those of the whole; 0: not known.
  std::function<void(std::uint64_t, std::uint64_t)> came;
};

struct Downloaded {
  std::int64_t changed = -1;  ///< when what is there was changed last, in seconds since 1970; -1:
                              ///< not told
  OpenFile held;              ///< the file: no other download writes it while this lives
};

/// What only feedrate-probes can do.
struct ProbeWork {
  int (*calibrate)(const CalibrateArguments&);
  LoaderRuns (*run_loader)(const LoaderOptions&, const HostProfile&);
  std::map<std::string, Duration> (*canary)(Duration budget, const std::atomic<bool>& stop);
  /// InputError where the URL is wrong; HostError where the server or this machine failed, or on
  /// Ctrl-C: the next download goes on with what came until then.
  Downloaded (*download)(const Download&, const std::atomic<bool>& stop);
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
