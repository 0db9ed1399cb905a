#pragma once
// Where generators of the tests begin. The committed seeds are those of every run of `./test`, so
// that no change passes or fails by chance; FEEDRATE_SEED=N shifts all of them, and `.ci/nightly
// seeds` draws twenty such N of the day. A law that fails for one of them is wrong, or its job is
// one that the model does not know: either is mended, and the job becomes a case of its own.
#include <cstdlib>

namespace feedrate::test {

inline unsigned seed_shift() {
  static const unsigned shift = [] {
    const char* const text = std::getenv("FEEDRATE_SEED");
    return text == nullptr ? 0U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  }();
  return shift;
}

inline unsigned seeded(unsigned seed) {
  return seed + seed_shift();
}

}  // namespace feedrate::test

/// That the committed seeds draw what a law is about, often enough for it to say something. Other
/// seeds may draw less of it, and break no law by that.
#define CHECK_DRAWN(condition) \
  if (feedrate::test::seed_shift() == 0) CHECK(condition)
