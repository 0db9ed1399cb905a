#include "bench/cuda/busy.hpp"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "base/errors.hpp"
#include "bench/clock.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Ends a kernel that nobody stops: some four seconds.
constexpr long long most_cycles = 8'000'000'000;
/// More than the second-level cache of any GPU, so that the kernel reads memory.
constexpr std::size_t buffer_bytes = std::size_t{256} << 20U;

int use_and_count_blocks(int gpu) {
  use(gpu);
  return 2 * attribute(gpu, cudaDevAttrMultiProcessorCount);
}

}  // namespace

Busy::Busy(int gpu)
    : gpu_(gpu),
      blocks_(use_and_count_blocks(gpu)),
      count_(buffer_bytes / sizeof(float)),
      signals_(sizeof(kernels::BusySignals)),
      buffer_(gpu, buffer_bytes),
      sink_(gpu, kernels::busy_threads(blocks_) * sizeof(float)),
      halt_(gpu, sizeof(int)),
      stream_(gpu) {
  check(kernels::fill(buffer_.as<float>(), count_, stream_.get()), "fill memory");
  stream_.wait();
}

Busy::~Busy() {
  signal_stop();
}

void Busy::signal_stop() {
  signals_.as<volatile kernels::BusySignals>()->stop = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Busy::start() {
  use(gpu_);
  volatile auto* signals = signals_.as<volatile kernels::BusySignals>();
  signals->started = 0;
  signals->stop = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(cudaMemsetAsync(halt_.as<int>(), 0, sizeof(int), stream_.get()), "clear memory");
  check(kernels::busy(buffer_.as<float>(), count_,
                      static_cast<volatile kernels::BusySignals*>(signals_.on_device()),
                      halt_.as<int>(), sink_.as<float>(), most_cycles, blocks_, stream_.get()),
        "start a kernel");
  const Duration end = now() + seconds(5.0);
  while (signals->started == 0) {
    if (stream_.done() && signals->started == 0) throw HostError("a kernel ended before it began");
    if (now() > end) throw HostError(fmt::format("GPU {} did not start a kernel in 5 s", gpu_));
    std::this_thread::yield();
  }
}

void Busy::stop() {
  const bool ended = stream_.done();
  signal_stop();
  stream_.wait();
  if (ended) {
    throw HostError("the kernel that keeps the GPU busy ended before the copy beside it did");
  }
}

}  // namespace feedrate::bench::gpu
