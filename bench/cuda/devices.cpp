#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/nvml.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench::gpu {
namespace {

// What the driver's library NVML says of a GPU that CUDA knows: hosts without it, or whose own is
// older, lack what it would have said, and nothing else. `bus` is CUDA's bus id.

/// Started once for the whole program.
const Nvml& nvml() {
  static const Nvml found;
  return found;
}

/// nvmlClocksEventReason…
constexpr std::pair<unsigned long long, const char*> reasons[] = {
    {0x2, "clocks set by the user"},
    {0x4, "power limit"},
    {0x8, "hardware slowdown"},
    {0x10, "clocks kept in step with other GPUs"},
    {0x20, "heat"},
    {0x40, "thermal slowdown by the hardware"},
    {0x80, "power supply"},
    {0x100, "display clocks"},
};

std::optional<Frequency> clock(int (*function)(Nvml::Device, int, Nvml::Number*), int which,
                               Nvml::Device device) {
  Nvml::Number megahertz = 0;
  if (function == nullptr || function(device, which, &megahertz) != 0) return std::nullopt;
  return per_second(megahertz * 1e6);
}

std::string held_back(Nvml::Device device) {
  unsigned long long bits = 0;
  if (nvml().reasons == nullptr || nvml().reasons(device, &bits) != 0) return "";
  std::string words;
  for (const auto& [bit, reason] : reasons) {
    if ((bits & bit) != 0) words += (words.empty() ? "" : "; ") + std::string(reason);
  }
  return words;
}

GpuState state_by_bus(const std::string& bus) {
  GpuState state;
  const Nvml::Device gpu = nvml().by_bus(bus);
  if (gpu == nullptr) return state;
  state.sm_clock = clock(nvml().clock, Nvml::of_multiprocessors, gpu);
  state.memory_clock = clock(nvml().clock, Nvml::of_memory, gpu);
  if (const auto milliwatts = Nvml::ask(nvml().power, gpu)) state.power = *milliwatts / 1e3;
  Nvml::Number degrees = 0;
  if (nvml().temperature != nullptr && nvml().temperature(gpu, Nvml::of_chip, &degrees) == 0) {
    state.temperature = degrees;
  }
  state.held_back = held_back(gpu);
  return state;
}

void describe(const std::string& bus, GpuFacts& facts) {
  const Nvml::Device gpu = nvml().by_bus(bus);
  if (gpu == nullptr) return;
  facts.most_pcie_generation = Nvml::ask(nvml().most_generation, gpu);
  facts.most_pcie_lanes = Nvml::ask(nvml().most_lanes, gpu);
  facts.most_sm_clock = clock(nvml().most_clock, Nvml::of_multiprocessors, gpu);
  facts.most_memory_clock = clock(nvml().most_clock, Nvml::of_memory, gpu);
  if (const auto milliwatts = Nvml::ask(nvml().power_limit, gpu)) {
    facts.power_limit = *milliwatts / 1e3;
  }
  int now = 0;
  int later = 0;
  if (nvml().ecc != nullptr && nvml().ecc(gpu, &now, &later) == 0) facts.ecc = now != 0;
  Nvml::Number mode = 0;
  Nvml::Number pending = 0;
  if (nvml().mig != nullptr && nvml().mig(gpu, &mode, &pending) == 0) facts.mig = mode != 0;
}

/// As it is just now.
void describe_link(const std::string& bus, GpuFacts& facts) {
  const Nvml::Device gpu = nvml().by_bus(bus);
  if (gpu == nullptr) return;
  facts.pcie_generation = Nvml::ask(nvml().generation, gpu);
  facts.pcie_lanes = Nvml::ask(nvml().lanes, gpu);
}

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
