#pragma once
// Where generators of the tests begin. The committed seeds are those of every run of `./test`, so
// that no change passes or fails by chance; FEEDRATE_SEED=N shifts all of them, and `.ci/nightly
// seeds` draws twenty such N of the day. A law that fails for one of them is wrong, or its job is
// one that the model does not know: either is mended, and the job becomes a case of its own.
// How many there are of many that are alike: an eighth of draws and a fourth of lists in `./test`,
// all in `./test --all` (which continuous integration runs) and in the night, by FEEDRATE_TEST_ALL.
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

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

inline bool tests_all() {
  static const bool all = std::getenv("FEEDRATE_TEST_ALL") != nullptr;
  return all;
}

/// Of so many draws, those that are tried: the first eighth, or all.
inline int some(int count) {
  return tests_all() ? count : (count + 7) / 8;
}

/// Every fourth of a list, beginning with `first`, or all of it. Tests of one list begin elsewhere,
/// so that together they see more of it.
template <class Value>
std::vector<Value> some_of(std::vector<Value> list, std::size_t first) {
  if (tests_all()) return list;
  std::vector<Value> some;
  for (std::size_t i = first % 4; i < list.size(); i += 4) some.push_back(std::move(list[i]));
  return some;
}

}  // namespace feedrate::test

/// That the committed seeds draw what a law is about, often enough for it to say something. Other
/// seeds may draw less of it, and break no law by that.
#define CHECK_DRAWN(condition) \
  if (feedrate::test::seed_shift() == 0) CHECK(condition)

/// The same of a law that tries some of its draws: all of them do.
#define CHECK_DRAWN_OF_ALL(condition) \
  if (feedrate::test::tests_all()) CHECK_DRAWN(condition)
