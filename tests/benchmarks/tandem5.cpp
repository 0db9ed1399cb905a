// tandem5 on this engine. Usage: benchmark_tandem5 ITEMS deterministic|exponential exact|skip
// Prints: makespan in ms, events per second (an event is a service completion, five an item),
// seconds, megabytes of memory at most (of the whole process).
#include "tests/benchmarks/tandem5.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/simulate.hpp"

using namespace feedrate;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s ITEMS deterministic|exponential exact|skip\n", argv[0]);
    return 2;
  }
  const std::int64_t items = std::atoll(argv[1]);
  const bool exponential = std::strcmp(argv[2], "exponential") == 0;
  const auto start = std::chrono::steady_clock::now();
  const engine::Model model =
      benchmarks::tandem5(items, exponential ? engine::kExponential : engine::kConstant);
  const engine::Outcome out =
      engine::simulate(model, {.exact = std::strcmp(argv[3], "exact") == 0});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.4f %.0f %.6f %.1f\n", static_cast<double>(out.now.ns) / 1e6,
              static_cast<double>(out.events) / seconds, seconds,
              static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
