#include "base/own_program.hpp"

#include <sys/auxv.h>

#include <system_error>

namespace feedrate {

OwnProgram own_program() {
  namespace fs = std::filesystem;
  OwnProgram program;
  std::error_code failed;
  program.path = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) return program;
  program.why = "/proc/self/exe: " + failed.message();
  if (const unsigned long name = getauxval(AT_EXECFN); name != 0) {
    program.path = fs::canonical(reinterpret_cast<const char*>(name), failed);
    if (!failed) return {program.path, ""};
  }
  program.path.clear();
  return program;
}

}  // namespace feedrate
