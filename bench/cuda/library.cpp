#include "bench/cuda/library.hpp"

#include <utility>

#include "bench/python_wheels.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Where an installation of CUDA keeps its libraries, and where it was when feedrate was built;
/// after that those of Python packages.
SharedLibrary::Folders folders() {
  SharedLibrary::Folders list = {"/usr/local/cuda/lib64"};
  if (list.front() != FEEDRATE_CUDA_LIBRARIES) list.emplace_back(FEEDRATE_CUDA_LIBRARIES);
  for (auto& folder : wheel_folders()) list.push_back(std::move(folder));
  return list;
}

}  // namespace

Library::Library(std::initializer_list<std::string> names) : SharedLibrary(names, folders) {}

}  // namespace feedrate::bench::gpu
