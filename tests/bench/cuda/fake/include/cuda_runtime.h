#pragma once
// CUDA's dialect of C++ as plain C++, so that kernels.cu is compiled by the compiler of the rest. A
// kernel is started by cudaLaunchKernelEx only: <<<…>>> is no C++.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __grid_constant__
// The threads of a block run on one thread of the host, one block after the other.
#define __shared__ static thread_local

struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct float4 {
  float x, y, z, w;
};

struct dim3 {
  // NOLINTNEXTLINE(google-explicit-constructor): as CUDA's own
  constexpr dim3(unsigned across = 1, unsigned down = 1, unsigned deep = 1)
      : x(across), y(down), z(deep) {}
  unsigned x, y, z;
};

inline constinit thread_local uint3 threadIdx = {0, 0, 0};
inline constinit thread_local uint3 blockIdx = {0, 0, 0};
inline constinit thread_local uint3 blockDim = {1, 1, 1};
inline constinit thread_local uint3 gridDim = {1, 1, 1};

void __syncthreads();
void __threadfence();
void __threadfence_system();
void __nanosleep(unsigned nanoseconds);
/// Cycles of the multiprocessors' clock since the kernel began. It lets other threads of the host
/// run.
long long clock64();

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

namespace simulated {

/// A kernel with its arguments.
struct Launch {
  const void* kernel;
  cudaLaunchConfig_t how;
  std::function<void()> body;
  std::vector<const void*> pointers;  ///< among its arguments
  /// It has an argument that points to something volatile, or none that points anywhere: it may
  /// wait for the host or for a time, so that it is always run and takes what it takes.
  bool waits;
};

cudaError_t launch(Launch kernel);

template <typename Argument>
void note_pointer(Launch& kernel, const Argument& argument) {
  if constexpr (std::is_pointer_v<Argument>) {
    kernel.pointers.push_back(const_cast<const void*>(static_cast<const volatile void*>(argument)));
    kernel.waits = kernel.waits || std::is_volatile_v<std::remove_pointer_t<Argument>>;
  }
}

}  // namespace simulated

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* how, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return [&](Parameters... given) {
    simulated::Launch launch{
        reinterpret_cast<const void*>(kernel), *how, [=] { kernel(given...); }, {}, false};
    (simulated::note_pointer(launch, given), ...);
    launch.waits = launch.waits || launch.pointers.empty();
    return simulated::launch(std::move(launch));
  }(static_cast<Parameters>(arguments)...);
}
