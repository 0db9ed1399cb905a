// tandem5 on this engine. Usage: benchmark_tandem5 ITEMS deterministic|exponential exact|skip
// Prints: makespan in ms, events per CPU second (an event is a service completion, five an item),
// seconds, megabytes of memory at most (of the whole process).
#include "tests/benchmarks/tandem5.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include "engine/simulate.hpp"

using namespace feedrate;

namespace {

// High-water mark of this program alone; getrusage() would count the shell or script before exec.
double megabytes_at_most() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  }
  return 0;
}

// Of this process: what else the machine does should count as little as possible.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s ITEMS deterministic|exponential exact|skip\n", argv[0]);
    return 2;
  }
  const std::int64_t items = std::atoll(argv[1]);
  const bool exponential = std::strcmp(argv[2], "exponential") == 0;
  const double start = cpu_seconds();
  const engine::Model model =
      benchmarks::tandem5(items, exponential ? engine::exponential_spread : engine::no_spread);
  const engine::Outcome out =
      engine::simulate(model, {.exact = std::strcmp(argv[3], "exact") == 0});
  const double seconds = cpu_seconds() - start;
  std::printf("%.4f %.0f %.6f %.1f\n", static_cast<double>(out.now.ns) / 1e6,
              static_cast<double>(out.events) / seconds, seconds, megabytes_at_most());
  return 0;
}
