#include "bench/gpu_copy.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/errors.hpp"

#ifdef FEEDRATE_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_CUDA
namespace {

void demand(cudaError_t said, const char* what) {
  if (said == cudaSuccess) return;
  throw HostError(std::string(what) + ": " + cudaGetErrorString(said));
}

/// Memory of the GPU that grows with the largest batch.
class Destination {
 public:
  Destination() = default;
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  ~Destination() { static_cast<void>(cudaFree(memory_)); }

  void take(std::span<const float> batch) {
    if (batch.size_bytes() > size_) {
      demand(cudaFree(std::exchange(memory_, nullptr)), "GPU memory could not be freed");
      size_ = 0;
      demand(cudaMalloc(&memory_, batch.size_bytes()), "no GPU memory for a batch");
      size_ = batch.size_bytes();
    }
    demand(cudaMemcpy(memory_, batch.data(), batch.size_bytes(), cudaMemcpyHostToDevice),
           "a batch could not be copied to the GPU");
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::function<void(std::span<const float>)> copy_to_gpu() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) return {};
  // The first call sets up the GPU, which takes up to seconds: not in an epoch that is timed.
  demand(cudaFree(nullptr), "the GPU cannot be used");
  return [to = std::make_shared<Destination>()](std::span<const float> batch) { to->take(batch); };
}
#else
std::function<void(std::span<const float>)> copy_to_gpu() {
  return {};
}
#endif

}  // namespace feedrate::bench
