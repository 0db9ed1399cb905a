// Linked into the wheel's library alone, so that it loads where glibc is older than here: two
// functions that a compiler on a newer system asks for by names which older ones do not have.
#include <unistd.h>

#include <cstdint>

#if defined(__x86_64__)
#define FEEDRATE_FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FEEDRATE_FIRST_GLIBC "GLIBC_2.17"
#endif

extern "C" {

/// Of glibc 2.36. libstdc++ has it behind std::random_device, which the library never uses.
std::uint32_t arc4random() {
  std::uint32_t number = 0;
  while (::getentropy(&number, sizeof number) != 0) {
  }
  return number;
}

#ifdef FEEDRATE_FIRST_GLIBC
// Version 2.35 of hypot differs from the first one by not setting errno; the number is the same.
// The linker makes every hypot a __wrap_hypot (--wrap).
__asm__(".symver feedrate_first_hypot,hypot@" FEEDRATE_FIRST_GLIBC);
double feedrate_first_hypot(double x, double y);
double __wrap_hypot(double x, double y) {  // NOLINT(bugprone-reserved-identifier)
  return feedrate_first_hypot(x, y);
}
#endif
}
