#include "bench/cuda/nvml.hpp"

#include <fmt/format.h>

#include <utility>

namespace feedrate::bench::gpu {
namespace {

// NVML's numbers; they have been these since its first version.
constexpr int of_multiprocessors = 1;
constexpr int of_memory = 2;
constexpr int of_chip = 0;  ///< temperature

/// nvmlClocksEventReason…
constexpr std::pair<unsigned long long, const char*> reasons[] = {
    {0x2, "clocks set by the user"},
    {0x4, "power limit"},
    {0x8, "hardware slowdown"},
    {0x10, "clocks kept in step with other GPUs"},
    {0x20, "heat"},
    {0x40, "heat, by the hardware"},
    {0x80, "power supply"},
    {0x100, "display clocks"},
};

}  // namespace

Nvml::Nvml() : library_({"libnvidia-ml.so.1"}), missing_(library_.missing()) {
  if (!missing_.empty()) return;
  library_.find("nvmlInit_v2", start_);
  library_.find("nvmlShutdown", end_);
  library_.find("nvmlErrorString", error_text_);
  library_.find("nvmlDeviceGetHandleByPciBusId_v2", by_bus_);
  // Without one of these nothing can be asked; each of those below may be missing.
  missing_ = library_.missing();
  if (!missing_.empty()) return;
  library_.find("nvmlDeviceGetClockInfo", clock_);
  library_.find("nvmlDeviceGetMaxClockInfo", most_clock_);
  library_.find("nvmlDeviceGetTemperature", temperature_);
  library_.find("nvmlDeviceGetPowerUsage", power_);
  library_.find("nvmlDeviceGetEnforcedPowerLimit", power_limit_);
  library_.find("nvmlDeviceGetCurrPcieLinkGeneration", generation_);
  library_.find("nvmlDeviceGetCurrPcieLinkWidth", lanes_);
  library_.find("nvmlDeviceGetMaxPcieLinkGeneration", most_generation_);
  library_.find("nvmlDeviceGetMaxPcieLinkWidth", most_lanes_);
  library_.find("nvmlDeviceGetCurrentClocksEventReasons", reasons_);
  if (reasons_ == nullptr) library_.find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);
  library_.find("nvmlDeviceGetEccMode", ecc_);
  library_.find("nvmlDeviceGetMigMode", mig_);
  const int status = start_();
  if (status == 0) return;
  missing_ = fmt::format("libnvidia-ml.so.1 could not start: {}", error_text_(status));
}

Nvml::~Nvml() {
  if (missing_.empty()) static_cast<void>(end_());
}

Nvml::Device Nvml::device(const std::string& bus) const {
  Device found = nullptr;
  if (!missing_.empty() || bus.empty() || by_bus_(bus.c_str(), &found) != 0) return nullptr;
  return found;
}

std::optional<double> Nvml::ask(OfDevice function, Device device) {
  Number number = 0;
  if (function == nullptr || function(device, &number) != 0) return std::nullopt;
  return number;
}

std::optional<Frequency> Nvml::clock(int (*function)(Device, int, Number*), int which,
                                     Device device) const {
  Number megahertz = 0;
  if (function == nullptr || function(device, which, &megahertz) != 0) return std::nullopt;
  return per_second(megahertz * 1e6);
}

std::string Nvml::held_back(Device device) const {
  unsigned long long bits = 0;
  if (reasons_ == nullptr || reasons_(device, &bits) != 0) return "";
  std::string words;
  for (const auto& [bit, reason] : reasons) {
    if ((bits & bit) != 0) words += (words.empty() ? "" : "; ") + std::string(reason);
  }
  return words;
}

GpuState Nvml::state(const std::string& bus) const {
  GpuState state;
  const Device gpu = device(bus);
  if (gpu == nullptr) return state;
  state.sm_clock = clock(clock_, of_multiprocessors, gpu);
  state.memory_clock = clock(clock_, of_memory, gpu);
  if (const auto milliwatts = ask(power_, gpu)) state.power = *milliwatts / 1e3;
  Number degrees = 0;
  if (temperature_ != nullptr && temperature_(gpu, of_chip, &degrees) == 0) {
    state.temperature = degrees;
  }
  state.held_back = held_back(gpu);
  return state;
}

void Nvml::describe(const std::string& bus, GpuFacts& facts) const {
  const Device gpu = device(bus);
  if (gpu == nullptr) return;
  facts.most_pcie_generation = ask(most_generation_, gpu);
  facts.most_pcie_lanes = ask(most_lanes_, gpu);
  facts.most_sm_clock = clock(most_clock_, of_multiprocessors, gpu);
  facts.most_memory_clock = clock(most_clock_, of_memory, gpu);
  if (const auto milliwatts = ask(power_limit_, gpu)) facts.power_limit = *milliwatts / 1e3;
  int now = 0;
  int later = 0;
  if (ecc_ != nullptr && ecc_(gpu, &now, &later) == 0) facts.ecc = now != 0;
  Number mode = 0;
  Number pending = 0;
  if (mig_ != nullptr && mig_(gpu, &mode, &pending) == 0) facts.mig = mode != 0;
}

void Nvml::link(const std::string& bus, GpuFacts& facts) const {
  const Device gpu = device(bus);
  if (gpu == nullptr) return;
  facts.pcie_generation = ask(generation_, gpu);
  facts.pcie_lanes = ask(lanes_, gpu);
}

const Nvml& nvml() {
  static const Nvml found;
  return found;
}

}  // namespace feedrate::bench::gpu
