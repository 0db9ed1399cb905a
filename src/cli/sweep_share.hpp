#pragma once
// A sweep in shares: each kept in a file as its points finish, then joined.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/line_file.hpp"
#include "cli/options.hpp"
#include "cli/sweep_work.hpp"
#include "model/sweep_share.hpp"

namespace feedrate::cli {

struct WrittenShare {
  bool whole = false;  ///< all points are done; not so after Ctrl-C
  /// Keeps other processes from the share's file as long as it lives; null where that is none.
  std::unique_ptr<LineWriter> file;
};

/// Simulates the points of a share, `jobs` at a time, and writes the share's file, one line per
/// point in their order. `file` "" is standard output. With `resume`, points that the file holds
/// are not simulated again: InputError where it holds anything else than a beginning of this share.
/// A share that is there and finished stays as it is.
WrittenShare write_share(const PreparedSweep& sweep, const SweepShare& share,
                         const std::string& file, bool resume, int jobs);

/// The sweep that these files are all the shares of, as one process would have delivered it.
/// InputError, with all problems, for shares that are missing, doubled, unfinished or of different
/// sweeps. `format` "" is that of the shares: CSV of rows, else text. The exit status is
/// that of the sweep.
int join_shares(const std::vector<std::string>& files, const OutputOptions& output);

/// The same for one file that holds all points of `sweep`, which has just been simulated.
int deliver_share(const PreparedSweep& sweep, const std::string& file, const OutputOptions& output,
                  std::span<const std::string> inputs);

}  // namespace feedrate::cli
