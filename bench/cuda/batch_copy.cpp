// The host-to-device copy of a loader that is no CUDA program otherwise.
#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "bench/cuda/handles.hpp"
#include "bench/cuda/operations.hpp"

namespace feedrate::bench::gpu {
namespace {

/// Memory of the GPU that grows with the largest batch.
class Destination {
 public:
  void take(std::span<const float> batch) {
    if (batch.size_bytes() > size_) {
      memory_.reset();
      size_ = 0;
      memory_ = std::make_unique<DeviceMemory>(0, batch.size_bytes());
      size_ = batch.size_bytes();
    }
    check(cudaMemcpy(memory_->as<void>(), batch.data(), batch.size_bytes(), cudaMemcpyHostToDevice),
          "copy a batch");
  }

 private:
  std::unique_ptr<DeviceMemory> memory_;
  std::size_t size_ = 0;
};

}  // namespace

BatchCopy batch_copy() {
  if (count() == 0) return {};
  use(0);
  // The first call sets up the GPU, which takes up to seconds: not in an epoch that is timed.
  check(cudaFree(nullptr), "start");
  return [to = std::make_shared<Destination>()](std::span<const float> batch) { to->take(batch); };
}

}  // namespace feedrate::bench::gpu
