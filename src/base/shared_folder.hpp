#pragma once
// Folders that are shipped beside the program: prices, scripts, charts.
#include <string>
#include <vector>

namespace feedrate {

struct SharedFolder {
  std::string path;                ///< "" when it is nowhere
  std::vector<std::string> tried;  ///< in this order
};

/// The first that holds the file `marker` of: ../share/feedrate/`name`, `name` and ../`name` beside
/// the running program; `name` in its sources, for one in a build folder. With the path of a
/// `library` beside that one, where ../../share/feedrate/`name` (of lib/x86_64-linux-gnu) counts
/// too.
SharedFolder find_shared_folder(const std::string& name, const std::string& marker,
                                const std::string& library = "");

}  // namespace feedrate
