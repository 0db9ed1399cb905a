#pragma once
// Kernels, each behind a function that starts it on a stream of the current GPU and returns what
// CUDA said of the start. nvcc reads this, so it is C++17 without our other headers.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "bench/cuda/image_math.hpp"

namespace feedrate::bench::kernels {

/// Does nothing: what a launch costs.
cudaError_t nothing(cudaStream_t stream);

/// `bytes` is a multiple of 16, both addresses are aligned to 16.
cudaError_t copy(const void* from, void* into, std::size_t bytes, cudaStream_t stream);

/// Writes numbers in [-1, 1).
cudaError_t fill(float* into, std::size_t count, cudaStream_t stream);
cudaError_t fill(std::uint16_t* into, std::size_t count, cudaStream_t stream);  ///< as bfloat16
cudaError_t fill(std::uint8_t* into, std::size_t count, cudaStream_t stream);   ///< 0…255

/// c = a b, all n x n in rows: for hosts without cuBLAS, far from what the GPU can do.
cudaError_t matmul(const float* a, const float* b, float* c, int n, cudaStream_t stream);

/// Host memory that the GPU can see.
struct BusySignals {
  int started;  ///< the kernel sets it
  int stop;     ///< the host sets it
};

/// Reads `buffer` again and again with all multiprocessors, as a training step would, until
/// `signals->stop`, or for `most_cycles` of the GPU's clock if nobody ever sets that. `halt` is one
/// zero in GPU memory: a single thread watches the host's signal, so that watching takes nothing
/// from the bus. `sink` holds busy_threads(blocks) floats; `count` is at least as many.
cudaError_t busy(const float* buffer, std::size_t count, volatile BusySignals* signals,
                 volatile int* halt, float* sink, long long most_cycles, int blocks,
                 cudaStream_t stream);
std::size_t busy_threads(int blocks);

/// One thread that waits until the host sets `signals->stop`, or for `most_cycles` of the GPU's
/// clock if nobody ever does: what is queued behind it starts only then.
cudaError_t hold(volatile BusySignals* signals, long long most_cycles, cudaStream_t stream);

/// Images in rows of RGB, one after the other.
struct Images {
  int count;
  int width;
  int height;
};

/// `into`: count images of side x side.
cudaError_t resize(const std::uint8_t* from, Images images, int side, std::uint8_t* into,
                   cudaStream_t stream);
/// Two kernels; `between` holds as many floats as the images have bytes.
cudaError_t blur(const std::uint8_t* from, Images images, const BlurWeights& weights,
                 float* between, std::uint8_t* into, cudaStream_t stream);
/// `into`: planes of floats, as a model takes them.
cudaError_t normalize(const std::uint8_t* from, Images images, const Normalization& how,
                      float* into, cudaStream_t stream);

}  // namespace feedrate::bench::kernels
