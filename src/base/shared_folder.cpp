#include "base/shared_folder.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/own_program.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// The root of the sources that a program or library in a build folder was built from: CMake leaves
/// a file beside it. An installed one has none, and knows nothing of where it was built.
std::string sources_of(const fs::path& program) {
  std::string root;
  std::ifstream file(program.parent_path() / "feedrate-sources");
  std::getline(file, root);
  return root;
}

}  // namespace

SharedFolder find_shared_folder(const std::string& name, const std::string& marker,
                                const std::string& library) {
  SharedFolder folder;
  std::error_code failed;
  const fs::path file = library.empty() ? own_program().path : fs::canonical(library, failed);
  if (!file.empty()) {
    const fs::path above = file.parent_path().parent_path();
    folder.tried.push_back((above / "share/feedrate" / name).string());
    // lib/x86_64-linux-gnu
    if (!library.empty()) {
      folder.tried.push_back((above.parent_path() / "share/feedrate" / name).string());
    }
    folder.tried.push_back((file.parent_path() / name).string());
    folder.tried.push_back((above / name).string());
    if (const std::string root = sources_of(file); !root.empty()) {
      const std::string source = (fs::path(root) / name).string();
      if (source != folder.tried.back()) folder.tried.push_back(source);
    }
  }
  for (const std::string& candidate : folder.tried) {
    std::error_code ignored;
    if (!fs::is_regular_file(fs::path(candidate) / marker, ignored)) continue;
    folder.path = candidate;
    break;
  }
  return folder;
}

}  // namespace feedrate
