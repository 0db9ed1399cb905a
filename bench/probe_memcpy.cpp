// Host memory bandwidth: copies by size and by threads.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/clock.hpp"
#include "bench/host.hpp"
#include "bench/probes.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t page = 4096;

/// A thread's own two buffers, first written by the thread that copies them, so that they lie in
/// its part of the memory.
struct Buffers {
  std::unique_ptr<std::uint8_t[]> from;
  std::unique_ptr<std::uint8_t[]> to;
  void prepare(std::size_t size) {
    from.reset(new std::uint8_t[size]);
    to.reset(new std::uint8_t[size]);
    for (std::size_t i = 0; i < size; i += page) from[i] = to[i] = 1;
  }
};

/// The compiler must not see that nobody reads what was copied.
void copy(Buffers& buffers, std::size_t size) {
  std::memcpy(buffers.to.get(), buffers.from.get(), size);
  asm volatile("" : : "r"(buffers.to.get()) : "memory");
}

/// So many that reading the clock in between does not show.
std::size_t copies_a_turn(std::size_t size) {
  return std::max<std::size_t>(1, (std::size_t{1} << 20U) / size);
}

/// Work is one copy of each thread. A slice of many, because threads that wake together may start
/// on one core and are spread only after milliseconds.
void measure_copies(Recorder& recorder, std::size_t size, int threads, Duration slice) {
  std::vector<Buffers> buffers(static_cast<std::size_t>(threads));
  Team team(threads);
  team.run(threads, [&](int thread) { buffers[static_cast<std::size_t>(thread)].prepare(size); });
  Measurement what;
  what.quantity = "copy";
  what.unit = "bytes";
  what.work = static_cast<double>(size) * threads;
  what.at = {{"bytes", static_cast<double>(size)}, {"users", threads}};
  recorder.repeat(what, [&] {
    const Duration turn = time_of_one(team, threads, slice, recorder.stop(), [&](int thread) {
      for (std::size_t i = 0; i < copies_a_turn(size); ++i) {
        copy(buffers[static_cast<std::size_t>(thread)], size);
      }
    });
    recorder.check();
    return turn / static_cast<double>(copies_a_turn(size));
  });
}

void measure(const Settings& settings, Recorder& recorder) {
  // From what fits the nearest caches to what fits none.
  std::vector<std::size_t> sizes = {std::size_t{64} << 10U, std::size_t{1} << 20U,
                                    std::size_t{16} << 20U, std::size_t{256} << 20U};
  if (settings.quick) sizes = {std::size_t{64} << 10U, std::size_t{4} << 20U};
  const std::vector<int> users = user_counts(usable_threads());
  recorder.plan(sizes.size() * users.size());
  const Duration slice = milliseconds(settings.quick ? 3.0 : 50.0);
  const double memory = usable_memory().base();
  for (const std::size_t size : sizes) {
    for (const int threads : users) {
      // A quarter of the memory at most: the rest is somebody's.
      if (2.0 * static_cast<double>(size) * threads > memory / 4.0) continue;
      measure_copies(recorder, size, threads, slice);
    }
  }
}

std::string unavailable(const Settings&) {
  return "";
}

}  // namespace

const Probe probe_memcpy = {"memcpy", "host memory bandwidth by size and threads", unavailable,
                            measure};

}  // namespace feedrate::bench
