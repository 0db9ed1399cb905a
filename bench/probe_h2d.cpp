// Copies between the host and its GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bench/cuda/operations.hpp"
#include "bench/host.hpp"
#include "bench/probes.hpp"

namespace feedrate::bench {
namespace {

using gpu::Direction;
using gpu::Load;
using gpu::Memory;

constexpr double smallest = 4096.0;
constexpr double largest = 1073741824.0;
constexpr double factor = 4.0;  ///< from one size to the next

/// Series that share their buffers.
struct Copies {
  int gpus;
  Memory memory;
  Load load;
  std::vector<double> sizes;
};
using Buffers = std::shared_ptr<gpu::CopyBuffers>;

/// What may be taken of the GPU's memory and of the host's for one of the buffers, of which there
/// are four at most: the rest is somebody's.
double most_bytes(int gpus) {
  double most = std::min(largest, usable_memory().base() / (16.0 * gpus));
  for (int gpu = 0; gpu < gpus; ++gpu) most = std::min(most, gpu::free_memory(gpu).base() / 8.0);
  return most;
}

std::vector<double> sizes(double from, double step, double most) {
  std::vector<double> chosen;
  for (double size = from; size <= most; size *= step) chosen.push_back(size);
  return chosen;
}

std::vector<Copies> all_copies(const Settings& settings, Recorder& recorder) {
  const int all = gpu::count();
  std::vector<Copies> chosen;
  for (const int gpus : all > 1 ? std::vector<int>{1, all} : std::vector<int>{1}) {
    const double most = settings.quick ? largest / 256.0 : most_bytes(gpus);
    // The curve where a GPU is alone, a few points where it is not.
    const double from = gpus == 1 ? smallest : smallest * 256.0;
    const double step = settings.quick || gpus > 1 ? 16.0 : factor;
    for (const Load load : {Load::idle, Load::kernel}) {
      if (load == Load::kernel && gpu::has_watchdog(0)) {
        recorder.remark("copies beside a kernel: left out, the GPU serves a display");
        continue;
      }
      const bool few = load == Load::kernel;
      for (const Memory memory : {Memory::pinned, Memory::pageable}) {
        chosen.push_back({gpus, memory, load,
                          sizes(few ? std::max(from, smallest * 16.0) : from,
                                few ? std::max(step, 16.0) : step, most)});
      }
    }
  }
  return chosen;
}

/// As much as there is: what does not fit is left out of `copies`.
Buffers buffers_for(Copies& copies, Recorder& recorder) {
  while (true) {
    try {
      return gpu::copy_buffers(copies.gpus, bytes(copies.sizes.back()), copies.memory);
    } catch (const gpu::OutOfMemory& full) {
      if (copies.sizes.size() == 1) throw;
      recorder.remark(fmt::format("copies of {:g} MB were left out: {}", copies.sizes.back() / 1e6,
                                  full.what()));
      copies.sizes.pop_back();
    }
  }
}

Measurement measurement(const Copies& part, double size, Direction direction) {
  Measurement what;
  what.quantity = "copy";
  what.unit = "bytes";
  what.work = size * part.gpus;
  what.at = {{"bytes", size}, {"gpus", part.gpus}};
  what.how = {{"direction", direction == Direction::host_to_device ? "h2d" : "d2h"},
              {"memory", part.memory == Memory::pinned ? "pinned" : "pageable"},
              {"load", part.load == Load::idle ? "idle" : "kernel"}};
  return what;
}

/// Made once, for copies beside a kernel too: pinning a gigabyte takes a good part of a second.
std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto parts = std::make_shared<std::vector<Part>>();
  std::map<std::pair<int, Memory>, std::pair<Buffers, double>> made;
  for (Copies& copies : all_copies(settings, recorder)) {
    if (copies.sizes.empty()) continue;
    recorder.check();
    auto& [buffers, size] = made[{copies.gpus, copies.memory}];
    if (!buffers) {
      buffers = buffers_for(copies, recorder);
      size = copies.sizes.back();
    }
    for (const Direction direction : {Direction::host_to_device, Direction::device_to_host}) {
      for (const double amount : copies.sizes) {
        if (amount > size) continue;
        const auto once = gpu::copy(buffers, bytes(amount), direction, copies.load);
        const Measurement what = measurement(copies, amount, direction);
        parts->push_back({[what, once, &recorder] { recorder.repeat(what, once); }});
      }
    }
  }
  return [parts, &recorder] { recorder.take_turns(*parts); };
}

std::string unavailable(const Settings&) {
  return gpu::unavailable(1);
}

}  // namespace

const Probe probe_h2d = {"h2d",
                         "copies between host and GPUs, pinned and pageable, one and all at once",
                         unavailable, open};

}  // namespace feedrate::bench
