#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/numa.hpp"
#include "bench/team.hpp"

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

/// A GPU that computes while something else is measured.
class Busy {
 public:
  explicit Busy(int gpu);
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy();

  void start();  ///< returns once the kernel runs
  /// Ends it. HostError when it had ended by itself: what was measured meanwhile met an idle GPU.
  void stop();

 private:
  void signal_stop();

  int gpu_;
  int blocks_;
  std::size_t count_;  ///< floats of buffer_
  PinnedMemory signals_;
  DeviceMemory buffer_;
  DeviceMemory sink_;
  DeviceMemory halt_;
  Stream stream_;  // last, so that it goes first: it waits for the kernel
};

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

constexpr std::size_t page = 4096;

/// One GPU, and the host memory beside it.
class Pair {
 public:
  Pair(int gpu, std::size_t size, Memory memory) : gpu_(gpu), device_(gpu, size), stream_(gpu) {
    if (memory == Memory::pinned) {
      pinned_.emplace(size);
    } else {
      pageable_.reset(new (std::nothrow) std::uint8_t[size]);
      if (!pageable_) throw OutOfMemory(fmt::format("the host does not have {} bytes left", size));
    }
    // Written once, so that the pages exist.
    for (std::size_t i = 0; i < size; i += page) host()[i] = 1;
    check(cudaMemsetAsync(device_.as<void>(), 1, size, stream_.get()), "fill memory");
    stream_.wait();
  }

  /// On the thread's GPU, which is this one.
  void copy(std::size_t size, Direction direction) {
    const bool up = direction == Direction::host_to_device;
    void* into = up ? device_.as<void>() : host();
    const void* from = up ? host() : device_.as<void>();
    const auto kind = up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    check(cudaMemcpyAsync(into, from, size, kind, stream_.get()),
          fmt::format("copy {} bytes", size));
    stream_.wait();
  }

  Busy& busy() {
    if (!busy_) busy_.emplace(gpu_);
    return *busy_;
  }

 private:
  std::uint8_t* host() { return pinned_ ? pinned_->as<std::uint8_t>() : pageable_.get(); }

  int gpu_;
  DeviceMemory device_;
  std::optional<PinnedMemory> pinned_;
  std::unique_ptr<std::uint8_t[]> pageable_;
  Stream stream_;  // after the memory, so that it goes first
  std::optional<Busy> busy_;
};

}  // namespace

class CopyBuffers {
 public:
  CopyBuffers(const std::vector<std::vector<int>>& cpus, std::size_t size, Memory memory)
      : pairs_(cpus.size()), team_(static_cast<int>(cpus.size())) {
    // Pages lie in the node of the CPU that touches them first.
    team_.run(team_.size(), [&](int gpu) {
      const auto i = static_cast<std::size_t>(gpu);
      if (!run_on(cpus[i])) throw HostError("the system does not allow binding a thread to CPUs");
      pairs_[i] = std::make_unique<Pair>(gpu, size, memory);
    });
  }

  Duration copy(int gpus, std::size_t size, Direction direction, Load load) {
    if (load == Load::idle) return copy(gpus, size, direction);
    // All made before one runs: making one allocates, which may wait for a kernel that runs.
    const auto each = [&](const auto& work) {
      for (int gpu = 0; gpu < gpus; ++gpu) work(pairs_[static_cast<std::size_t>(gpu)]->busy());
    };
    each([](Busy&) {});
    each([](Busy& busy) { busy.start(); });
    const Duration took = copy(gpus, size, direction);
    each([](Busy& busy) { busy.stop(); });
    return took;
  }

 private:
  /// A copy of pageable memory keeps its thread, so every GPU has one. They start together once all
  /// are awake: to wake a thread takes as long as to copy a megabyte.
  Duration copy(int gpus, std::size_t size, Direction direction) {
    std::vector<std::pair<Duration, Duration>> spans(static_cast<std::size_t>(gpus));
    std::atomic<int> asleep = gpus;
    team_.run(gpus, [&](int gpu) {
      const auto i = static_cast<std::size_t>(gpu);
      for (--asleep; asleep > 0;) std::this_thread::yield();
      use(gpu);
      const Duration start = now();
      pairs_[i]->copy(size, direction);
      spans[i] = {start, now()};
    });
    Duration first = spans.front().first;
    Duration last = spans.front().second;
    for (const auto& [start, end] : spans) {
      first = std::min(first, start);
      last = std::max(last, end);
    }
    return last - first;
  }

  std::vector<std::unique_ptr<Pair>> pairs_;
  Team team_;  // after what its threads use, so that it goes first
};

std::shared_ptr<CopyBuffers> copy_buffers(const std::vector<std::vector<int>>& cpus, Bytes size,
                                          Memory memory) {
  return std::make_shared<CopyBuffers>(cpus, static_cast<std::size_t>(size.base()), memory);
}

Timed copy(std::shared_ptr<CopyBuffers> buffers, int gpus, Bytes size, Direction direction,
           Load load) {
  const auto amount = static_cast<std::size_t>(size.base());
  return [buffers = std::move(buffers), gpus, amount, direction, load] {
    return buffers->copy(gpus, amount, direction, load);
  };
}

}  // namespace feedrate::bench::gpu
