#include "bench/observe/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace feedrate::bench::observe {

Nvml::Nvml(const std::string& file) : library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    missing_ =
        fmt::format("no GPU is seen: there is no {}, which comes with NVIDIA's driver", file);
    return;
  }
  int (*init)() = nullptr;
  int (*device_count)(unsigned int*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  find("nvmlInit_v2", init);
  find("nvmlDeviceGetCount_v2", device_count);
  find("nvmlErrorString", error_text);
  find("nvmlDeviceGetHandleByIndex_v2", device);
  find("nvmlDeviceGetUtilizationRates", utilization);
  find("nvmlDeviceGetMemoryInfo", memory);
  find("nvmlDeviceGetPcieThroughput", pcie);
  find("nvmlDeviceGetClockInfo", clock);
  find("nvmlDeviceGetPowerUsage", power);
  if (init == nullptr || device_count == nullptr || device == nullptr) {
    missing_ = fmt::format("no GPU is seen: {} lacks functions that are needed", file);
    return;
  }
  int error = init();
  if (error == 0) {
    find("nvmlShutdown", shutdown_);
    error = device_count(&count_);
  }
  if (error != 0) {
    missing_ =
        fmt::format("no GPU is seen: NVIDIA's driver says: {}",
                    error_text == nullptr ? fmt::format("error {}", error) : error_text(error));
  } else if (count_ == 0) {
    missing_ = "no GPU is seen: NVIDIA's driver knows of none";
  }
}

Nvml::~Nvml() {
  if (shutdown_ != nullptr) shutdown_();
  // Unloading a driver's library gains nothing, and its threads may still be at work.
}

void* Nvml::symbol(const char* name) {
  return dlsym(library_, name);
}

}  // namespace feedrate::bench::observe
