#pragma once
// Libraries that are looked for when they are needed: a host without them still starts feedrate.
#include <initializer_list>
#include <string>

namespace feedrate::bench::gpu {

/// A library that stays loaded to the program's end: CUDA's libraries do not like to be unloaded.
class Library {
 public:
  /// The first of these file names that can be loaded, from where the loader looks or from CUDA's
  /// folders.
  explicit Library(std::initializer_list<std::string> names);
  [[nodiscard]] const std::string& missing() const { return missing_; }  ///< why; "" if loaded

  /// Sets `function` to the one of this name; a library without it counts as missing.
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace feedrate::bench::gpu
