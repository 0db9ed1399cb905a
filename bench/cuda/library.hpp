#pragma once
// CUDA's libraries: where they are looked for.
#include <initializer_list>
#include <string>

#include "bench/shared_library.hpp"

namespace feedrate::bench::gpu {

/// The first of these file names that can be loaded: from where the loader looks, else from CUDA's
/// folders or from those of PyTorch's packages.
class Library : public SharedLibrary {
 public:
  Library(std::initializer_list<std::string> names);
};

}  // namespace feedrate::bench::gpu
