#include "bench/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

/// What glibc's loader says of a file that it does not find, after its name.
constexpr std::string_view not_found = ": cannot open shared object file: No such file";

/// Loads one library, and before it what it needs.
class Loading {
 public:
  explicit Loading(const SharedLibrary::Folders& folders) : folders_(folders) {}

  void* load(const std::string& file) {
    for (std::set<std::string> tried;;) {
      void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle != nullptr) return handle;
      const std::string error = dlerror();
      const std::string needed = missing_in(error);
      if (fs::path(needed).filename() == fs::path(file).filename()) return nullptr;
      if (needed.empty() || !tried.insert(needed).second || !load_needed(needed)) {
        if (std::find(errors_.begin(), errors_.end(), error) == errors_.end()) {
          errors_.push_back(error);
        }
        return nullptr;
      }
    }
  }

  /// Of libraries that are there.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 private:
  /// "libcublasLt.so.12" of "libcublasLt.so.12: cannot open shared object file: No such file …".
  static std::string missing_in(const std::string& error) {
    const std::size_t end = error.find(not_found);
    return end == std::string::npos ? "" : error.substr(0, end);
  }

  /// The loader takes a library that is loaded for one of its name that is needed.
  bool load_needed(const std::string& name) {
    return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
      const fs::path file = folder / name;
      std::error_code none;
      return fs::exists(file, none) && load(file.string()) != nullptr;
    });
  }

  const SharedLibrary::Folders& folders_;
  std::vector<std::string> errors_;
};

/// The first three of them: Python has a folder a package.
std::string text_of(const SharedLibrary::Folders& folders) {
  constexpr std::size_t named = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(folders.size(), named); ++i) texts.push_back(folders[i]);
  if (folders.size() > named) {
    return fmt::format("{} or {} more {}", fmt::join(texts, ", "), folders.size() - named,
                       folders.size() == named + 1 ? "folder" : "folders");
  }
  return fmt::format("{}", fmt::join(texts, " or "));
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names,
                             const std::function<Folders()>& folders) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
  const Folders places = folders();
  Loading loading(places);
  for (const std::string& name : names) {
    handle_ = loading.load(name);  // again: now with what it needs
    for (const fs::path& folder : places) {
      const fs::path file = folder / name;
      std::error_code none;
      if (handle_ == nullptr && fs::exists(file, none)) handle_ = loading.load(file.string());
    }
    if (handle_ != nullptr) return;
  }
  missing_ = loading.errors().empty()
                 ? fmt::format("{} was found neither in the loader's search path nor in {}",
                               fmt::join(names, " or "), text_of(places))
                 : fmt::format("{} cannot be loaded: {}", fmt::join(names, " or "),
                               fmt::join(loading.errors(), "; "));
}

bool SharedLibrary::possible() {
  return true;
}

void* SharedLibrary::symbol_if_there(const char* name) {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void* SharedLibrary::symbol(const char* name) {
  void* found = symbol_if_there(name);
  if (handle_ != nullptr && found == nullptr && missing_.empty()) {
    missing_ = fmt::format("it has no {}", name);
  }
  return found;
}

}  // namespace feedrate::bench
