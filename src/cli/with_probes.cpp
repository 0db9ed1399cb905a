#include "cli/with_probes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/errors.hpp"
#include "base/own_program.hpp"
#include "base/quote.hpp"

namespace feedrate::cli {
namespace {

const ProbeWork* installed_work = nullptr;
char* const* kept_arguments = nullptr;

std::filesystem::path program_with_probes() {
  const OwnProgram program = own_program();
  if (program.path.empty()) {
    throw HostError("cannot find the program feedrate-probes: " + program.why);
  }
  return program.path.parent_path() / "feedrate-probes";
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
  throw HostError(fmt::format(
      "this needs the program feedrate-probes, but {} could not be started: {} (install the "
      "Debian package feedrate-probes, or build it: cmake --build . --target feedrate_probes)",
      in_quotes(program.string(), 200), system_reason()));
}

}  // namespace feedrate::cli
