#pragma once
// Folders that are shipped beside the program: prices, scripts.
#include <string>
#include <vector>

namespace feedrate {

struct SharedFolder {
  std::string path;                ///< "" when it is nowhere
  std::vector<std::string> tried;  ///< in this order
};

/// The first of ../share/feedrate/`name` and ../`name` beside the running executable, and
/// `built_in` (may be ""), that holds the file `marker`.
SharedFolder find_shared_folder(const std::string& name, const std::string& marker,
                                const std::string& built_in);

}  // namespace feedrate
