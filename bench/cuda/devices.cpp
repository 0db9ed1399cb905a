#include <fmt/format.h>

#include "bench/cuda/handles.hpp"
#include "bench/cuda/operations.hpp"

namespace feedrate::bench::gpu {
namespace {

std::string version_text(int version) {  // 12020 is 12.2
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// 0 where there is no driver: CUDA then calls it too old, which would mislead.
int driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "ask the driver for its version");
  return version;
}

std::string why_none(cudaError_t status) {
  const int driver = driver_version();
  if (driver == 0) return "no NVIDIA driver is installed here (libcuda.so.1 was not found)";
  if (status == cudaErrorInsufficientDriver) {
    return fmt::format("the NVIDIA driver is too old: it knows CUDA {}, this build needs {}",
                       version_text(driver), version_text(CUDART_VERSION));
  }
  return fmt::format("no GPU can be used: {} ({})", cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

}  // namespace

std::string unavailable(int least) {
  int found = 0;
  const cudaError_t status = cudaGetDeviceCount(&found);
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // CUDA remembers it until asked
    return why_none(status);
  }
  if (found == 0) return "this host has no NVIDIA GPU";
  if (found < least) return fmt::format("expected {} GPUs, this host has {}", least, found);
  return "";
}

int count() {
  int found = 0;
  if (!unavailable(1).empty()) return 0;
  check(cudaGetDeviceCount(&found), "count the GPUs");
  return found;
}

Bytes free_memory(int gpu) {
  use(gpu);
  std::size_t left = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&left, &all), "tell how much memory is free");
  return bytes(static_cast<double>(left));
}

bool has_watchdog(int gpu) {
  return attribute(gpu, cudaDevAttrKernelExecTimeout) != 0;
}

void add_facts(HostFacts& facts) {
  const int gpus = count();
  if (gpus == 0) return;
  facts.cuda = version_text(CUDART_VERSION);
  if (!facts.gpus.empty()) return;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, gpu), fmt::format("describe GPU {}", gpu));
    facts.gpus.emplace_back(properties.name);
  }
}

}  // namespace feedrate::bench::gpu
