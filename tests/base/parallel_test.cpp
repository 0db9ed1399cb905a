#include "base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/catch.hpp"

using namespace feedrate;

namespace {

TEST_CASE("parallel: every piece once, whatever the number of threads") {
  for (const int jobs : {0, 1, 2, 7}) {
    for (const std::size_t count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      for_each_index(count, jobs, [&](std::size_t i) { ++calls[i]; });
      std::size_t once = 0;
      for (const auto& made : calls) once += made == 1 ? 1 : 0;
      CHECK(once == count);
    }
  }
}

TEST_CASE("parallel: a piece that throws ends the rest, and its exception arrives") {
  std::atomic<int> calls{0};
  const auto work = [&](std::size_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH(for_each_index(100000, 2, work), "three");
  CHECK(calls < 100000);
}

}  // namespace
