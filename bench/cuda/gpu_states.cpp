#include "bench/cuda/gpu_states.hpp"

#include <optional>
#include <utility>

namespace feedrate::bench::gpu {
namespace {

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

}  // namespace

const Nvml& nvml() {
  static const Nvml found;
  return found;
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

void describe_link(const std::string& bus, GpuFacts& facts) {
  const Nvml::Device gpu = nvml().by_bus(bus);
  if (gpu == nullptr) return;
  facts.pcie_generation = Nvml::ask(nvml().generation, gpu);
  facts.pcie_lanes = Nvml::ask(nvml().lanes, gpu);
}

}  // namespace feedrate::bench::gpu
