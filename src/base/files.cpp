#include "base/files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class FilesOnDisk : public Files {
 public:
  std::string text(const std::string& path) const override { return read_text_file(path); }

  bool has(const std::string& path) const override { return is_there(path); }

  std::string identity(const std::string& path) const override {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(path, error);
    return error ? path : found.string();
  }

  std::string text_of_real(const std::string& path) const override { return read_real_file(path); }

  std::string repository_of(const std::string& folder) const override {
    for (fs::path at = folder;; at = at.parent_path()) {
      std::error_code ignored;
      if (fs::exists(at / ".git", ignored)) return at.string();
      if (at == at.parent_path()) return "";
    }
  }

  std::vector<std::string> names(const std::string& folder) const override {
    std::vector<std::string> found;
    std::error_code failed;
    const fs::directory_iterator entries(folder, failed);
    if (failed && failed != std::errc::no_such_file_or_directory) {
      refuse_file(folder, "expected a readable folder, got: " + failed.message());
    }
    if (failed) return found;
    for (const auto& entry : entries) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
};

/// One name for each file: "pricing/./aws/p3.json" is "pricing/aws/p3.json".
std::string plain(const std::string& path) {
  std::string made = fs::path(path).lexically_normal().generic_string();
  if (made.size() > 1 && made.ends_with('/')) made.pop_back();
  return made;
}

}  // namespace

const Files& files_on_disk() {
  static const FilesOnDisk files;
  return files;
}

FilesInMemory::FilesInMemory(std::map<std::string, std::string_view> texts)
    : texts_(std::move(texts)) {}

std::string FilesInMemory::text(const std::string& path) const {
  const auto found = texts_.find(plain(path));
  if (found == texts_.end()) refuse_file(path, "expected a file, got no such file");
  return std::string(found->second);
}

bool FilesInMemory::has(const std::string& path) const {
  return texts_.contains(plain(path));
}

std::string FilesInMemory::text_of_real(const std::string& path) const {
  return text(path);
}

std::string FilesInMemory::identity(const std::string& path) const {
  return plain(path);
}

std::vector<std::string> FilesInMemory::names(const std::string& folder) const {
  std::vector<std::string> found;
  const std::string inside = plain(folder) + "/";
  for (auto it = texts_.lower_bound(inside); it != texts_.end(); ++it) {
    if (!it->first.starts_with(inside)) break;
    std::string name = it->first.substr(inside.size());
    if (name.find('/') == std::string::npos) found.push_back(std::move(name));
  }
  return found;
}

std::string without_endings(const std::string& path) {
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  return path.substr(0, path.find('.', name));
}

std::string file_stem(const std::string& path) {
  return std::filesystem::path(without_endings(path)).filename().string();
}

}  // namespace feedrate
