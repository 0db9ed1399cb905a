#pragma once
// A command that is killed at one of its system calls, or of which one fails: each moment at which
// files change can be tried, and none depends on how fast the machine is.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace testing_cli {

/// "feedrate …" to run by shell(), killed before its `n`-th call that changes files (1 is the
/// first) or whose name begins so, as by kill -9 at that moment.
inline std::string killed_at(std::size_t n, const std::string& command,
                             const std::string& calls = "changes") {
  return "'" FEEDRATE_AT_CALL "' --calls " + calls + " --kill --at " + std::to_string(n) + " -- " +
         command;
}

/// The same with that call failed by `error`, such as ENOSPC.
inline std::string failed_at(std::size_t n, const std::string& error, const std::string& command) {
  return "'" FEEDRATE_AT_CALL "' --error " + error + " --at " + std::to_string(n) + " -- " +
         command;
}

/// The calls by which it changes files, by name; empty where programs cannot be traced here.
inline std::vector<std::string> calls_of(const std::string& command,
                                         const std::string& environment = "LC_ALL=C.UTF-8") {
  const Folder folder;
  const Outcome outcome = shell(
      "'" FEEDRATE_AT_CALL "' --list '" + (folder / "list") + "' -- " + command + " >/dev/null",
      environment);
  std::vector<std::string> calls;
  if (outcome.status != 0) return calls;
  std::istringstream list(slurp(folder / "list"));
  for (std::string name; std::getline(list, name);) calls.push_back(name);
  return calls;
}

inline bool can_trace() {
#ifdef FEEDRATE_SANITIZED
  return false;  // the leak sanitizer traces the program itself
#endif
  return shell("'" FEEDRATE_AT_CALL "' -- true").status == 0;
}

inline constexpr const char* no_tracing = "programs cannot be traced here";

}  // namespace testing_cli
