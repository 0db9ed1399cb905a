// Copies between the host and its GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/host.hpp"
#include "bench/numa.hpp"
#include "bench/probes.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

using gpu::Direction;
using gpu::Load;
using gpu::Memory;

constexpr double smallest = 4096.0;
constexpr double largest = 1073741824.0;
constexpr double factor = 4.0;  ///< from one size to the next

/// Where the host's memory lies, and the thread runs that copies.
enum class Place { anywhere, near, far };

/// Series in one setting.
struct Copies {
  int gpus;
  Memory memory;
  Load load = Load::idle;
  Direction direction = Direction::host_to_device;
  Place place = Place::anywhere;
  std::vector<double> sizes{};
};
using Buffers = std::shared_ptr<gpu::CopyBuffers>;

/// What may be taken of the GPU's memory and of the host's for one of the buffers, of which there
/// are six at most (pinned and pageable; of one GPU, of all, of one from afar): the rest is
/// somebody's.
double most_bytes(int gpus) {
  double most = std::min(largest, usable_memory().base() / (16.0 * gpus));
  for (int gpu = 0; gpu < gpus; ++gpu) most = std::min(most, gpu::free_memory(gpu).base() / 16.0);
  return most;
}

std::vector<double> sizes(double from, double step, double most) {
  std::vector<double> chosen;
  for (double size = from; size <= most; size *= step) chosen.push_back(size);
  return chosen;
}

/// The curve of what is simulated, a few points of all else.
std::vector<Copies> all_copies(const Settings& settings, bool nodes, Recorder& recorder) {
  constexpr double few = 16.0;
  const Place near = nodes ? Place::near : Place::anywhere;
  const int all = gpu::count();
  const double most = settings.quick ? largest / 256.0 : most_bytes(1);
  const double most_together = settings.quick ? largest / 256.0 : most_bytes(all);
  const std::vector<double> large = sizes(smallest * 256.0, few, most);
  const bool display = gpu::has_watchdog(0);
  if (display) recorder.remark("copies beside a kernel: left out, the GPU serves a display");
  std::vector<Copies> chosen;
  for (const Memory memory : {Memory::pinned, Memory::pageable}) {
    chosen.push_back({.gpus = 1,
                      .memory = memory,
                      .place = near,
                      .sizes = sizes(smallest, settings.quick ? few : factor, most)});
    for (const int gpus : user_counts(all)) {
      if (gpus == 1) continue;
      chosen.push_back({.gpus = gpus,
                        .memory = memory,
                        .place = near,
                        .sizes = sizes(smallest * 256.0, few, most_together)});
    }
    chosen.push_back({.gpus = 1,
                      .memory = memory,
                      .direction = Direction::device_to_host,
                      .place = near,
                      .sizes = large});
    if (nodes) {
      chosen.push_back({.gpus = 1, .memory = memory, .place = Place::far, .sizes = large});
    }
  }
  if (!display) {
    chosen.push_back(
        {.gpus = 1, .memory = Memory::pinned, .load = Load::kernel, .place = near, .sizes = large});
  }
  return chosen;
}

Measurement measurement(const Copies& part, double size) {
  Measurement what;
  what.quantity = "copy";
  what.unit = "bytes";
  what.work = size * part.gpus;
  what.at = {{"bytes", size}, {"gpus", part.gpus}};
  what.how = {{"direction", part.direction == Direction::host_to_device ? "h2d" : "d2h"},
              {"memory", part.memory == Memory::pinned ? "pinned" : "pageable"},
              {"load", part.load == Load::idle ? "idle" : "kernel"}};
  if (part.place != Place::anywhere) {
    what.how["numa"] = part.place == Place::near ? "local" : "remote";
  }
  return what;
}

/// Buffers of one GPU, or of all, which serve fewer too. Made once: pinning a gigabyte takes a good
/// part of a second.
class Made {
 public:
  Made(const Settings& settings, Recorder& recorder) : numa_(settings.sysfs), recorder_(recorder) {
    for (int gpu = 0; gpu < gpu::count(); ++gpu) {
      near_.push_back(numa_.near(gpu::bus_id(gpu)));
      far_.push_back(numa_.far(gpu::bus_id(gpu)));
    }
    if (can_bind()) return;
    near_.assign(near_.size(), {});
    far_ = near_;
    recorder.remark(
        "copies run on any CPU: the system does not allow binding threads to those near a GPU");
  }

  /// Whether there is memory that is far from the first GPU.
  [[nodiscard]] bool nodes() const { return !near_.front().empty() && !far_.front().empty(); }

  /// For the largest of the sizes that fits, and that size. Who comes first decides for all who
  /// share them.
  std::pair<Buffers, double> of(const Copies& copies) {
    const bool one = copies.gpus == 1;
    auto& [buffers, most] = made_[{one, copies.memory, copies.place}];
    std::vector<std::vector<int>> cpus = copies.place == Place::far ? far_ : near_;
    if (one) cpus.resize(1);
    for (auto size = copies.sizes.rbegin(); !buffers; ++size) {
      try {
        buffers = gpu::copy_buffers(cpus, bytes(*size), copies.memory);
        most = *size;
      } catch (const gpu::OutOfMemory& full) {
        if (std::next(size) == copies.sizes.rend()) throw;
        recorder_.remark(
            fmt::format("copies of {:g} MB were left out: {}", *size / 1e6, full.what()));
      }
    }
    return {buffers, most};
  }

 private:
  [[nodiscard]] bool can_bind() const {
    bool all = true;
    std::thread([&] {
      for (const auto& cpus : near_) all = all && run_on(cpus);
    }).join();
    return all;
  }

  Numa numa_;
  Recorder& recorder_;
  std::vector<std::vector<int>> near_, far_;  ///< CPUs, by GPU
  std::map<std::tuple<bool, Memory, Place>, std::pair<Buffers, double>> made_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto parts = std::make_shared<std::vector<Part>>();
  Made made(settings, recorder);
  for (const Copies& copies : all_copies(settings, made.nodes(), recorder)) {
    if (copies.sizes.empty()) continue;
    recorder.check();
    const auto [buffers, most] = made.of(copies);
    for (const double size : copies.sizes) {
      if (size > most) continue;
      const auto once = gpu::copy(buffers, copies.gpus, bytes(size), copies.direction, copies.load);
      const Measurement what = measurement(copies, size);
      parts->push_back({[what, once, &recorder] { recorder.repeat(what, once); }});
    }
  }
  return [parts, &recorder] { recorder.take_turns(*parts); };
}

std::string unavailable(const Settings&) {
  return gpu::unavailable(1);
}

}  // namespace

const Probe probe_h2d = {
    "h2d", "copies between host and GPUs, pinned and pageable, to one and to all at the same time",
    unavailable, open};

}  // namespace feedrate::bench
