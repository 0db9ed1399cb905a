// 450 processes that come to and leave three shared capacities at random: a pause, then work on
// each, all with exponential amounts. Usage: benchmark_sharing EVENTS Prints: events per second
// (arrivals at a capacity and departures from it, and ends of pauses), mean users of each.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "engine/simulate.hpp"

using namespace feedrate::engine;

namespace {

// Of this process: what else the machine does should count as little as possible.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int processes = 450;
  Options options;
  options.max_events = argc > 1 ? std::atoll(argv[1]) : 4'000'000;
  Model model;
  const ResourceId source = model.add(Resource{"source", {10, 20, 40, 80, 120, 140, 150}});
  const ResourceId cores =
      model.add(Resource{"cores", {1, 2, 3, 4, 5, 6, 7, 8, 7.9, 7.8, 7.7, 7.6}});
  const ResourceId link = model.add(Resource{"link", {100}});
  const ProgramId program = model.add(ProgramBuilder()
                                          .repeat(1'000'000'000)
                                          .delay({2'000'000'000}, 0, exponential_spread)
                                          .use(source, {0.7}, 1, exponential_spread)
                                          .use(cores, {0.035}, 2, exponential_spread)
                                          .use(link, {0.45}, 3, exponential_spread)
                                          .next()
                                          .build());
  for (int p = 0; p < processes; ++p) model.add(Process{.name = "process", .program = program});
  const double start = cpu_seconds();
  const Outcome out = simulate(model, options);
  const double seconds = cpu_seconds() - start;
  std::int64_t operations = 0;
  for (const ResourceStats& resource : out.resources) operations += resource.operations;
  const double timed = static_cast<double>(out.events) / seconds;
  std::printf("%.0f %.0f", timed + static_cast<double>(operations) / seconds, timed);
  for (const ResourceStats& resource : out.resources) {
    std::printf(" %.1f", static_cast<double>(resource.user_time) / static_cast<double>(out.now.ns));
  }
  std::printf("\n");
  return 0;
}
