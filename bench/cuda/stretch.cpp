#include "bench/cuda/stretch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "bench/clock.hpp"
#include "bench/cuda/kernels.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Ends a kernel that nobody stops: some two seconds.
constexpr long long most_cycles = 4'000'000'000;
/// Pieces of work that are queued at once. A stream takes about a thousand launches before queueing
/// one more waits for the GPU, which would wait for the gate; a piece may be a few launches.
constexpr int most_at_once = 256;

}  // namespace

Gate::Gate(const Stream& stream) : stream_(stream), signals_(sizeof(kernels::BusySignals)) {}

Gate::~Gate() {
  // The kernel looks at what is about to be freed.
  signals_.as<volatile kernels::BusySignals>()->stop = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  static_cast<void>(cudaStreamSynchronize(stream_.get()));
}

void Gate::close() {
  signals_.as<volatile kernels::BusySignals>()->stop = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(kernels::hold(static_cast<volatile kernels::BusySignals*>(signals_.on_device()),
                      most_cycles, stream_.get()),
        "start a kernel");
}

void Gate::open() {
  signals_.as<volatile kernels::BusySignals>()->stop = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

Stretch::Stretch(int gpu)
    : gpu_(gpu), at_once_(most_at_once), stream_(gpu), gate_(stream_), start_(gpu), stop_(gpu) {}

/// The first piece loads kernels and makes room, which may wait for all that runs: not behind a
/// gate.
void Stretch::prepare(const Queue& queue) {
  use(gpu_);
  if (prepared_) return;
  queue(stream_);
  stream_.wait();
  prepared_ = true;
}

/// Empty when the gate gave up before everything was queued.
std::optional<Duration> Stretch::behind_gate(int times, const Queue& queue,
                                             const Meanwhile& meanwhile) {
  gate_.close();
  start_.record(stream_);
  for (int i = 0; i < times; ++i) queue(stream_);
  stop_.record(stream_);
  const bool held = !start_.passed();
  gate_.open();
  if (held && meanwhile) meanwhile();
  stop_.wait();
  if (!held) return std::nullopt;
  return stop_.since(start_);
}

Duration Stretch::time(int times, const Queue& queue, const Meanwhile& meanwhile) {
  prepare(queue);
  Duration sum;
  for (int left = times; left > 0;) {
    const int many = std::min(left, at_once_);
    // Asked once a stretch, of the last go: the GPU rests between two goes anyway.
    const auto took = behind_gate(many, queue, many == left ? meanwhile : Meanwhile());
    if (took) {
      sum += *took;
      left -= many;
    } else if (many > 1) {
      at_once_ = many / 2;
    } else {
      throw HostError(
          fmt::format("GPU {} did not wait until its work was queued: the host took longer than "
                      "two seconds (with CUDA_LAUNCH_BLOCKING or under compute-sanitizer every "
                      "launch blocks: measure without them)",
                      gpu_));
    }
  }
  return sum;
}

std::vector<Duration> Stretch::sustain(Duration whole, int times, const Queue& queue,
                                       const Meanwhile& meanwhile) {
  prepare(queue);
  std::array<Event, 3> marks = {Event(gpu_), Event(gpu_), Event(gpu_)};
  std::vector<Duration> samples;
  const Duration end = now() + whole;
  marks[0].record(stream_);
  std::size_t queued = 0;
  const auto add = [&] {
    for (int i = 0; i < times; ++i) queue(stream_);
    marks[++queued % marks.size()].record(stream_);
  };
  const auto take = [&] {
    const std::size_t next = samples.size() + 1;
    const Event& mark = marks[next % marks.size()];
    mark.wait();
    samples.push_back(mark.since(marks[(next - 1) % marks.size()]));
  };
  add();
  while (now() < end) {
    add();
    if (meanwhile) meanwhile();
    take();
  }
  take();
  return samples;
}

}  // namespace feedrate::bench::gpu
