#pragma once
// A GPU that computes while something else is measured.
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"

namespace feedrate::bench::gpu {

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

}  // namespace feedrate::bench::gpu
