#include "cli/with_probes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/errors.hpp"
#include "base/quote.hpp"

namespace feedrate::cli {
namespace {

const ProbeWork* installed_work = nullptr;
char* const* kept_arguments = nullptr;

std::filesystem::path program_with_probes() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed)
    throw HostError("cannot find the program feedrate-probes: /proc/self/exe: " + failed.message());
  return program.parent_path() / "feedrate-probes";
}

}  // namespace

void install(const ProbeWork& work) {
  installed_work = &work;
}

void keep_arguments(char* const* argv) {
  kept_arguments = argv;
}

const ProbeWork& with_probes() {
  if (installed_work != nullptr) return *installed_work;
  const std::filesystem::path program = program_with_probes();
  ::execv(program.c_str(), kept_arguments);
  throw HostError(
      fmt::format("the program feedrate-probes measures, and {} could not be started: {} (in a "
                  "build folder: cmake --build . --target feedrate_probes)",
                  in_quotes(program.string(), 200), system_reason()));
}

}  // namespace feedrate::cli
