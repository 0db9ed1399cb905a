#pragma once
// A sweep in shares: each kept in a file as its points finish, then joined.
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/sweep_work.hpp"
#include "model/sweep_share.hpp"

namespace feedrate::cli {

/// Simulates the points of a share, `jobs` at a time, and writes the share's file, one line per
/// point in their order. `file` "" is standard output. With `resume`, points that the file holds
/// are not simulated again: InputError where it holds anything else than a beginning of this share.
/// Returns whether all points are done: false after Ctrl-C.
bool write_share(const PreparedSweep& sweep, const SweepShare& share, const std::string& file,
                 bool resume, int jobs);

/// The sweep that these files are all the shares of, as one process would have delivered it.
/// InputError, with all problems, for shares that are missing, doubled, unfinished or of different
/// sweeps. `format` "" is that of the shares: CSV of rows, else text. The exit status is
/// that of the sweep.
int join_shares(const std::vector<std::string>& files, const OutputOptions& output);

/// The same for one file that holds all points of `sweep`, which has just been simulated.
int deliver_share(const PreparedSweep& sweep, const std::string& file, const OutputOptions& output,
                  std::span<const std::string> inputs);

}  // namespace feedrate::cli
