#pragma once
// What CUDA gives out, each given back on every way out, and every status checked.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "base/units.hpp"

namespace feedrate::bench::gpu {

/// HostError with CUDA's words: "CUDA could not DOING: out of memory (cudaErrorMemoryAllocation)".
void check(cudaError_t status, const std::string& doing);

/// Makes it the calling thread's GPU.
void use(int gpu);

int attribute(int gpu, cudaDeviceAttr which);

/// OutOfMemory when there is not as much.
class DeviceMemory {
 public:
  DeviceMemory(int gpu, std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();
  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  int gpu_;
  void* memory_ = nullptr;
};

/// Host memory that all GPUs can reach. OutOfMemory when there is not as much.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes);
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();
  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }
  /// Where the current GPU sees it.
  [[nodiscard]] void* on_device() const;

 private:
  void* memory_ = nullptr;
};

/// Waits for nobody: not for the default stream either.
class Stream {
 public:
  explicit Stream(int gpu);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const;  ///< until all of it is done
  [[nodiscard]] bool done() const;

 private:
  int gpu_;
  cudaStream_t stream_ = nullptr;
};

/// A place in a stream, and the GPU's own time when it came there.
class Event {
 public:
  /// `sleeps`: who waits for it gives its core away meanwhile, and it tells no time.
  explicit Event(int gpu, bool sleeps = false);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();
  void record(const Stream& stream);
  void wait() const;                  ///< until the stream has come there
  [[nodiscard]] bool passed() const;  ///< it has
  /// What is queued on another stream from now on waits for it.
  void hold(const Stream& stream) const;
  /// The GPU's time from `from` to here; both have passed.
  [[nodiscard]] Duration since(const Event& from) const;

 private:
  int gpu_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace feedrate::bench::gpu
