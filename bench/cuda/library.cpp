#include "bench/cuda/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace feedrate::bench::gpu {
namespace {

/// Where an installation of CUDA keeps its libraries, and where it was when feedrate was built.
std::vector<std::string> cuda_folders() {
  std::vector<std::string> folders = {"/usr/local/cuda/lib64"};
  if (folders.front() != FEEDRATE_CUDA_LIBRARIES) folders.emplace_back(FEEDRATE_CUDA_LIBRARIES);
  return folders;
}

}  // namespace

Library::Library(std::initializer_list<std::string> names) {
  const std::vector<std::string> folders = cuda_folders();
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const std::string& folder : folders) {
      if (handle_ != nullptr) break;
      handle_ = dlopen(fmt::format("{}/{}", folder, name).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (handle_ != nullptr) return;
  }
  missing_ = fmt::format("{} was found neither where the loader looks nor in {}",
                         fmt::join(names, " or "), fmt::join(folders, " or "));
}

void* Library::symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* found = dlsym(handle_, name);
  if (found == nullptr && missing_.empty()) missing_ = fmt::format("it has no {}", name);
  return found;
}

}  // namespace feedrate::bench::gpu
