// For the program that is linked statically: it has no loader, and a library of the machine would
// bring a second C library of another version with it.
#include "bench/shared_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace feedrate::bench {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, const std::function<Folders()>&)
    : missing_(fmt::format("{} cannot be loaded by this feedrate, which is linked statically; the "
                           "one of the Debian package, or built from source, can",
                           fmt::join(names, " or "))) {}

bool SharedLibrary::possible() {
  return false;
}

void* SharedLibrary::symbol_if_there(const char*) {
  return nullptr;
}

void* SharedLibrary::symbol(const char*) {
  return nullptr;
}

}  // namespace feedrate::bench
