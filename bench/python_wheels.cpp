#include "bench/python_wheels.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

/// The entries of a folder whose names begin so, in order; none where there is no such folder.
Paths entries(const fs::path& folder, std::string_view prefix) {
  Paths found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void add(Paths& list, const fs::path& folder) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) return;
  if (std::find(list.begin(), list.end(), folder) == list.end()) list.push_back(folder);
}

/// Folders of packages below a prefix such as /usr/local or ~/.local.
void add_packages(Paths& list, const fs::path& prefix) {
  if (prefix.empty()) return;
  for (const char* lib : {"lib", "lib64"}) {
    for (const fs::path& python : entries(prefix / lib, "python3")) {
      add(list, python / "site-packages");
      add(list, python / "dist-packages");  // Debian's
    }
  }
}

/// "" where it is nowhere.
fs::path on_path(const std::string& program, const Environment& environment) {
  if (program.find('/') != std::string::npos) return program;
  std::string path = environment("PATH");
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const fs::path candidate = fs::path(path.substr(0, colon)) / program;
    path.erase(0, std::min(colon + 1, path.size()));
    std::error_code none;
    if (fs::exists(candidate, none)) return candidate;
  }
  return {};
}

std::mutex mutex;
std::string& chosen_python() {
  static std::string python = "python3";
  return python;
}

}  // namespace

std::string from_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

Paths wheel_folders(const std::string& python, const Environment& environment) {
  Paths packages;
  const fs::path program = on_path(python, environment);
  if (!program.empty()) {
    // An environment's own first, then those of the Python that it was made from.
    add_packages(packages, program.parent_path().parent_path());
    std::error_code none;
    const fs::path real = fs::canonical(program, none);
    if (!none) add_packages(packages, real.parent_path().parent_path());
  }
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    add_packages(packages, environment(active));
  }
  const std::string home = environment("HOME");
  if (!home.empty()) add_packages(packages, fs::path(home) / ".local");
  add_packages(packages, "/usr/local");
  add_packages(packages, "/usr");
  Paths folders;
  for (const fs::path& package : packages) {
    for (const fs::path& part : entries(package / "nvidia", "")) add(folders, part / "lib");
    add(folders, package / "torch/lib");
  }
  return folders;
}

void use_packages_of(const std::string& python) {
  const std::lock_guard lock(mutex);
  chosen_python() = python;
}

Paths wheel_folders() {
  const std::lock_guard lock(mutex);
  return wheel_folders(chosen_python(), from_environment);
}

}  // namespace feedrate::bench
