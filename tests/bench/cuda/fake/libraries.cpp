// dlopen of the program: CUDA's libraries are the simulated ones or none, whatever this machine
// has.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "simulated.hpp"

namespace {

struct Simulated {
  const char* word;  ///< FEEDRATE_SIM_WITHOUT=cublas,nccl,nvml: hosts that lack it
  const char* stem;
  const char* file;
};

constexpr Simulated libraries[] = {{"cublas", "libcublas.so", "libcublas.so.13"},
                                   {"nccl", "libnccl.so", "libnccl.so.2"},
                                   {"nvml", "libnvidia-ml.so", "libnvidia-ml.so.1"}};

bool is_missing(const Simulated& library) {
  // It comes with the driver.
  if (std::string(library.word) == "nvml" && simulated::settings().driver == 0) return true;
  const char* text = std::getenv("FEEDRATE_SIM_WITHOUT");
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == library.word) return true;
  }
  return false;
}

}  // namespace

extern "C" {
void* __real_dlopen(const char* name, int flags);
void* __wrap_dlopen(const char* name, int flags);

/// The linker sends the program's own calls here (--wrap).
void* __wrap_dlopen(const char* name, int flags) {
  const std::string path = name == nullptr ? "" : name;
  const std::string file = path.substr(path.rfind('/') + 1);
  for (const Simulated& library : libraries) {
    if (file.rfind(library.stem, 0) != 0) continue;
    const bool found = file == library.file && !is_missing(library) && path == file;
    const std::string at = std::string(found ? FEEDRATE_SIMULATED_LIBRARIES : "/none") + "/" + file;
    return __real_dlopen(at.c_str(), flags);
  }
  return __real_dlopen(name, flags);
}
}
