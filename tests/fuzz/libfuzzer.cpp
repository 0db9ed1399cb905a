// libFuzzer's entry points: FEEDRATE_FUZZ_TARGET names the target. `--seeds DIR` among its own
// arguments, before all others, writes the target's seeds there and ends.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.hpp"

namespace {

const feedrate::fuzz::Target* chosen = nullptr;

const feedrate::fuzz::Target* target_called(std::string_view name) {
  for (const auto& target : feedrate::fuzz::targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : chosen->seeds()) {
    std::ofstream(folder / ("seed_" + std::to_string(number++)), std::ios::binary) << seed;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* const name = std::getenv("FEEDRATE_FUZZ_TARGET");
  if (name != nullptr) chosen = target_called(name);
  if (chosen == nullptr) {
    for (const auto& target : feedrate::fuzz::targets()) {
      std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
    }
    std::exit(name == nullptr ? 0 : 2);
  }
  if (*argc == 3 && std::string_view((*argv)[1]) == "--seeds") {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->attempt({reinterpret_cast<const char*>(data), size});
  } catch (const feedrate::fuzz::LawBroken& law) {
    std::fprintf(stderr, "Law broken: %s\n", law.what());
    std::abort();
  }
  return 0;
}
