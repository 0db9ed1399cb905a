#pragma once
// Libraries that are looked for when they are needed: a host without them still starts feedrate.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace feedrate::bench {

/// A library that stays loaded to the program's end.
class SharedLibrary {
 public:
  using Folders = std::vector<std::filesystem::path>;

  /// The first of these file names that can be loaded: from where the loader looks, else from
  /// `folders`, which are asked for only then. What a library needs and the loader does not find is
  /// loaded from there first.
  SharedLibrary(const std::vector<std::string>& names, const std::function<Folders()>& folders);

  /// False in a program that is linked statically: missing() then says that.
  static bool possible();

  /// Why it is not loaded, with the loader's own words where it was there; "" if it is.
  [[nodiscard]] const std::string& missing() const { return missing_; }

  /// Sets `function` to the one of this name; a library without it counts as missing.
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol(name));
  }

  /// The same, but one without it is no worse.
  template <typename Function>
  void find_if_there(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol_if_there(name));
  }

 private:
  void* symbol(const char* name);
  void* symbol_if_there(const char* name);

  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace feedrate::bench
