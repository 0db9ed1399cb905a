#pragma once
// Where the running program is: what is shipped with it stands beside it.
#include <filesystem>
#include <string>

namespace feedrate {

struct OwnProgram {
  std::filesystem::path path;  ///< of its file, absolute; empty when the system does not tell
  std::string why;             ///< then the reason
};

/// From /proc, or else (a bare root has none) as the kernel was asked to start it.
OwnProgram own_program();

}  // namespace feedrate
