#include "bench/nvml.hpp"

#include <fmt/format.h>

namespace feedrate::bench {

Nvml::Nvml(const std::string& file) : library_({file}, [] { return SharedLibrary::Folders{}; }) {
  if (!library_.missing().empty()) {
    missing_ = SharedLibrary::possible()
                   ? fmt::format("{}, which comes with NVIDIA's driver, is missing", file)
                   : library_.missing();
    return;
  }
  library_.find("nvmlInit_v2", start_);
  library_.find("nvmlShutdown", end_);
  library_.find("nvmlErrorString", error_text_);
  // Without one of these nothing can be asked; each of those below may be missing.
  if (!library_.missing().empty()) {
    missing_ = fmt::format("{} lacks functions that are needed: {}", file, library_.missing());
    return;
  }
  library_.find_if_there("nvmlDeviceGetCount_v2", count_);
  library_.find_if_there("nvmlDeviceGetHandleByIndex_v2", by_place_);
  library_.find_if_there("nvmlDeviceGetHandleByPciBusId_v2", by_bus_);
  library_.find_if_there("nvmlDeviceGetUtilizationRates", utilization);
  library_.find_if_there("nvmlDeviceGetMemoryInfo", memory);
  library_.find_if_there("nvmlDeviceGetPcieThroughput", pcie);
  library_.find_if_there("nvmlDeviceGetClockInfo", clock);
  library_.find_if_there("nvmlDeviceGetMaxClockInfo", most_clock);
  library_.find_if_there("nvmlDeviceGetTemperature", temperature);
  library_.find_if_there("nvmlDeviceGetPowerUsage", power);
  library_.find_if_there("nvmlDeviceGetEnforcedPowerLimit", power_limit);
  library_.find_if_there("nvmlDeviceGetCurrPcieLinkGeneration", generation);
  library_.find_if_there("nvmlDeviceGetCurrPcieLinkWidth", lanes);
  library_.find_if_there("nvmlDeviceGetMaxPcieLinkGeneration", most_generation);
  library_.find_if_there("nvmlDeviceGetMaxPcieLinkWidth", most_lanes);
  library_.find_if_there("nvmlDeviceGetCurrentClocksEventReasons", reasons);
  if (reasons == nullptr) {
    library_.find_if_there("nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
  }
  library_.find_if_there("nvmlDeviceGetEccMode", ecc);
  library_.find_if_there("nvmlDeviceGetMigMode", mig);
  const int status = start_();
  if (status != 0) missing_ = fmt::format("NVIDIA's driver says: {}", error_text_(status));
}

Nvml::~Nvml() {
  if (missing_.empty()) static_cast<void>(end_());
}

Nvml::Device Nvml::by_place(Number place) const {
  Device found = nullptr;
  const bool told = missing_.empty() && by_place_ != nullptr && by_place_(place, &found) == 0;
  return told ? found : nullptr;
}

Nvml::Device Nvml::by_bus(const std::string& bus) const {
  Device found = nullptr;
  const bool told =
      missing_.empty() && by_bus_ != nullptr && !bus.empty() && by_bus_(bus.c_str(), &found) == 0;
  return told ? found : nullptr;
}

std::optional<Nvml::Number> Nvml::count(std::string& why) const {
  why = missing_;
  if (!missing_.empty()) return std::nullopt;
  Number number = 0;
  const int status = count_ == nullptr ? 0 : count_(&number);
  if (status == 0 && number > 0) return number;
  why = status == 0 ? "NVIDIA's driver reports none"
                    : fmt::format("NVIDIA's driver says: {}", error_text_(status));
  return std::nullopt;
}

std::optional<double> Nvml::ask(OfDevice function, Device device) {
  Number number = 0;
  if (function == nullptr || function(device, &number) != 0) return std::nullopt;
  return number;
}

}  // namespace feedrate::bench
