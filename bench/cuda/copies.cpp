#include <fmt/format.h>

#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/cuda/busy.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/team.hpp"

namespace feedrate::bench::gpu {
namespace {

constexpr std::size_t page = 4096;

/// One GPU, and the host memory beside it.
class Pair {
 public:
  Pair(int gpu, std::size_t size, Memory memory) : gpu_(gpu), device_(gpu, size), stream_(gpu) {
    if (memory == Memory::pinned) {
      pinned_.emplace(size);
    } else {
      pageable_.reset(new (std::nothrow) std::uint8_t[size]);
      if (!pageable_) throw OutOfMemory(fmt::format("the host has no {} bytes left", size));
    }
    // Written once, so that the pages exist.
    for (std::size_t i = 0; i < size; i += page) host()[i] = 1;
    check(cudaMemsetAsync(device_.as<void>(), 1, size, stream_.get()), "fill memory");
    stream_.wait();
  }

  void copy(std::size_t size, Direction direction) {
    use(gpu_);
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
  CopyBuffers(int gpus, std::size_t size, Memory memory) : team_(gpus) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      pairs_.push_back(std::make_unique<Pair>(gpu, size, memory));
    }
  }

  Duration copy(std::size_t size, Direction direction, Load load) {
    if (load == Load::idle) return copy(size, direction);
    // All made before one runs: making one allocates, which may wait for a kernel that runs.
    for (const auto& pair : pairs_) pair->busy();
    for (const auto& pair : pairs_) pair->busy().start();
    const Duration took = copy(size, direction);
    for (const auto& pair : pairs_) pair->busy().stop();
    return took;
  }

 private:
  Duration copy(std::size_t size, Direction direction) {
    if (pairs_.size() > 1) {
      // A copy of pageable memory keeps its thread, so every GPU has one.
      return team_.run(team_.size(), [&](int gpu) {
        pairs_[static_cast<std::size_t>(gpu)]->copy(size, direction);
      });
    }
    const Duration start = now();
    pairs_.front()->copy(size, direction);
    return now() - start;
  }

  Team team_;
  std::vector<std::unique_ptr<Pair>> pairs_;
};

std::shared_ptr<CopyBuffers> copy_buffers(int gpus, Bytes size, Memory memory) {
  return std::make_shared<CopyBuffers>(gpus, static_cast<std::size_t>(size.base()), memory);
}

Timed copy(std::shared_ptr<CopyBuffers> buffers, Bytes size, Direction direction, Load load) {
  const auto amount = static_cast<std::size_t>(size.base());
  return [buffers = std::move(buffers), amount, direction, load] {
    return buffers->copy(amount, direction, load);
  };
}

}  // namespace feedrate::bench::gpu
