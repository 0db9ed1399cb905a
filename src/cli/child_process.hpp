#pragma once
// Another program, run to its end.
#include <string>
#include <vector>

namespace feedrate::cli {

struct ChildOutcome {
  bool not_found = false;  ///< no such program on the PATH
  int status = -1;         ///< exit status; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

/// Runs `command` (a program on the PATH and its arguments, no shell) with `input` as its standard
/// input. HostError when it cannot be started for another reason than that there is no such
/// program.
ChildOutcome run_child(const std::vector<std::string>& command, const std::string& input);

}  // namespace feedrate::cli
