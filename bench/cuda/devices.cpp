#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/clock.hpp"
#include "bench/cuda/gpu_states.hpp"
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
    return fmt::format("the NVIDIA driver is too old: it supports CUDA {}, this build needs {}",
                       version_text(driver), version_text(CUDART_VERSION));
  }
  return fmt::format("no GPU can be used: {} ({})", cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

/// A link that rests has fewer lanes and an older generation than one that is used.
void look_at_link(int gpu, const std::string& bus, GpuFacts& facts) {
  constexpr std::size_t size = std::size_t{64} << 20U;
  constexpr int copies = 8;  // half a millisecond or more each
  const PinnedMemory host(size);
  const DeviceMemory device(gpu, size);
  const Stream stream(gpu);
  const Duration end = now() + milliseconds(100.0);
  do {
    for (int i = 0; i < copies; ++i) {
      check(cudaMemcpyAsync(device.as<void>(), host.as<void>(), size, cudaMemcpyHostToDevice,
                            stream.get()),
            "copy to the GPU");
    }
    describe_link(bus, facts);
    stream.wait();
  } while (now() < end);
}

}  // namespace

std::string bus_id(int gpu) {
  char text[32] = {};
  if (cudaDeviceGetPCIBusId(text, sizeof text, gpu) == cudaSuccess) return text;
  static_cast<void>(cudaGetLastError());
  return "";
}

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
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  facts.cuda = version_text(CUDART_VERSION);
  std::vector<std::string> names;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, gpu) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return;  // the driver's names in /proc remain
    }
    names.emplace_back(properties.name);
  }
  if (!names.empty()) facts.gpus = names;
}

std::string nvml_unavailable() {
  return nvml().missing();
}

GpuFacts facts(int gpu) {
  GpuFacts facts;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, gpu) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return facts;
  }
  facts.name = properties.name;
  facts.memory = bytes(static_cast<double>(properties.totalGlobalMem));
  facts.multiprocessors = properties.multiProcessorCount;
  facts.ecc = properties.ECCEnabled != 0;
  const std::string bus = bus_id(gpu);
  describe(bus, facts);
  if (!nvml().missing().empty()) return facts;
  try {
    look_at_link(gpu, bus, facts);
  } catch (const HostError&) {
    // Not even a small copy: what is measured next will say it better.
    static_cast<void>(cudaGetLastError());
  }
  return facts;
}

GpuState state_of(int gpu) {
  return nvml().missing().empty() ? state_by_bus(bus_id(gpu)) : GpuState{};
}

}  // namespace feedrate::bench::gpu
