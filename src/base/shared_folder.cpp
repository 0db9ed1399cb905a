#include "base/shared_folder.hpp"

#include <filesystem>
#include <system_error>

namespace feedrate {

namespace fs = std::filesystem;

SharedFolder find_shared_folder(const std::string& name, const std::string& marker,
                                const std::string& built_in) {
  SharedFolder folder;
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path above = executable.parent_path().parent_path();
    folder.tried.push_back((above / "share/feedrate" / name).string());
    folder.tried.push_back((above / name).string());
  }
  if (!built_in.empty()) folder.tried.push_back(built_in);
  for (const std::string& candidate : folder.tried) {
    std::error_code ignored;
    if (!fs::is_regular_file(fs::path(candidate) / marker, ignored)) continue;
    folder.path = candidate;
    break;
  }
  return folder;
}

}  // namespace feedrate
