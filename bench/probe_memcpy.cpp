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

struct Setting {
  std::size_t size;
  int threads;
};

/// So many that reading the clock in between does not show.
std::size_t copies_a_turn(std::size_t size) {
  return std::max<std::size_t>(1, (std::size_t{1} << 20U) / size);
}

class MemcpyProbe {
 public:
  MemcpyProbe(const Settings& settings, Recorder& recorder)
      : recorder_(recorder),
        slice_(milliseconds(settings.quick ? 3.0 : 50.0)),
        team_(usable_threads()),
        buffers_(static_cast<std::size_t>(team_.size())) {
    std::vector<std::size_t> largest(buffers_.size());
    for (const Setting setting : grid(settings)) {
      parts_.push_back({[this, setting] { measure(setting); }});
      for (int i = 0; i < setting.threads; ++i) {
        auto& size = largest[static_cast<std::size_t>(i)];
        size = std::max(size, setting.size);
      }
    }
    team_.run(team_.size(), [&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      buffers_[i].prepare(largest[i]);
    });
  }

  void round() { recorder_.take_turns(parts_); }

 private:
  static std::vector<Setting> grid(const Settings& settings) {
    // From what fits the nearest caches to what fits none.
    std::vector<std::size_t> sizes = {std::size_t{64} << 10U, std::size_t{1} << 20U,
                                      std::size_t{16} << 20U, std::size_t{256} << 20U};
    if (settings.quick) sizes = {std::size_t{64} << 10U, std::size_t{4} << 20U};
    const double memory = usable_memory().base();
    std::vector<Setting> grid;
    for (const std::size_t size : sizes) {
      for (const int threads : user_counts(usable_threads())) {
        // A quarter of the memory at most: the rest is somebody's.
        if (2.0 * static_cast<double>(size) * threads <= memory / 4.0) {
          grid.push_back({size, threads});
        }
      }
    }
    return grid;
  }

  /// Work is one copy of each thread. A slice of many, because threads that wake together may start
  /// on one core and are spread only after milliseconds.
  void measure(Setting setting) {
    const std::size_t size = setting.size;
    Measurement what;
    what.quantity = "copy";
    what.unit = "bytes";
    what.work = static_cast<double>(size) * setting.threads;
    what.at = {{"bytes", static_cast<double>(size)}, {"users", setting.threads}};
    recorder_.repeat(what, [&] {
      const Duration turn =
          time_of_one(team_, setting.threads, slice_, recorder_.stop(), [&](int thread) {
            for (std::size_t i = 0; i < copies_a_turn(size); ++i) {
              copy(buffers_[static_cast<std::size_t>(thread)], size);
            }
          });
      recorder_.check();
      return turn / static_cast<double>(copies_a_turn(size));
    });
  }

  Recorder& recorder_;
  Duration slice_;
  Team team_;
  std::vector<Buffers> buffers_;  ///< of a thread each, as large as its largest copy
  std::vector<Part> parts_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<MemcpyProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

std::string unavailable(const Settings&) {
  return "";
}

}  // namespace

const Probe probe_memcpy = {"memcpy", "host memory bandwidth, by size and number of threads",
                            unavailable, open};

}  // namespace feedrate::bench
