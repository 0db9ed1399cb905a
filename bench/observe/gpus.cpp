#include "bench/observe/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/nvml.hpp"

namespace feedrate::bench::observe {
namespace {

/// Asks for the bytes over PCIe in a thread of its own: each answer takes the 20 ms over which the
/// driver counts, two for each GPU.
class PcieWatch {
 public:
  struct Rates {
    std::atomic<double> receive{-1.0}, transmit{-1.0};  ///< bytes a second; below 0: not known
  };

  PcieWatch(const Nvml& nvml, const std::vector<Nvml::Device>& devices, Duration interval)
      : nvml_(nvml), devices_(devices), interval_(interval), rates_(devices.size()) {
    thread_ = std::thread([this] { watch(); });
  }
  PcieWatch(const PcieWatch&) = delete;
  PcieWatch& operator=(const PcieWatch&) = delete;
  ~PcieWatch() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  [[nodiscard]] const Rates& operator[](std::size_t gpu) const { return rates_[gpu]; }

 private:
  [[nodiscard]] double ask(Nvml::Device device, int direction) const {
    unsigned int kilobytes_per_second = 0;
    const bool told = nvml_.pcie(device, direction, &kilobytes_per_second) == 0;
    return told ? 1e3 * kilobytes_per_second : -1.0;
  }
  void watch() {
    for (;;) {
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        rates_[i].receive = ask(devices_[i], Nvml::of_receive);
        rates_[i].transmit = ask(devices_[i], Nvml::of_transmit);
        const std::lock_guard lock(mutex_);
        if (stop_) return;
      }
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, std::chrono::duration<double>(interval_.base()),
                         [this] { return stop_; })) {
        return;
      }
    }
  }

  const Nvml& nvml_;
  const std::vector<Nvml::Device>& devices_;
  Duration interval_;
  std::vector<Rates> rates_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

class Gpus : public GpuSource {
 public:
  Gpus(const std::string& library, Duration interval) : nvml_(library) {
    const auto count = nvml_.count(missing_);
    for (Nvml::Number i = 0; i < count.value_or(0); ++i) {
      if (Nvml::Device const device = nvml_.by_place(i)) devices_.push_back(device);
    }
    if (nvml_.pcie != nullptr && !devices_.empty()) {
      pcie_ = std::make_unique<PcieWatch>(nvml_, devices_, interval);
    }
  }
  [[nodiscard]] double count() const override { return static_cast<double>(devices_.size()); }

  void look(Look& look) override {
    if (!missing_.empty()) look.remarks.push_back("no GPU is seen: " + missing_);
    if (look.first()) return;
    for (std::size_t i = 0; i < devices_.size(); ++i) one(look, i);
  }

 private:
  void one(Look& look, std::size_t gpu) {
    Nvml::Device const device = devices_[gpu];
    const std::string name = fmt::format("gpu{}", gpu);
    Nvml::Utilization use{};
    if (nvml_.utilization != nullptr && nvml_.utilization(device, &use) == 0) {
      look.add(MetricId::gpu_busy, name, std::min(100U, use.gpu));
      look.add(MetricId::gpu_memory_busy, name, std::min(100U, use.memory));
    } else {
      look.remarks.push_back(fmt::format("{}: the driver does not report how busy it is", name));
    }
    Nvml::Memory memory{};
    if (nvml_.memory != nullptr && nvml_.memory(device, &memory) == 0 && memory.total > 0) {
      const auto used = static_cast<double>(memory.used);
      look.add(MetricId::gpu_memory_used, name,
               std::min(100.0, 100.0 * used / static_cast<double>(memory.total)));
      look.add(MetricId::gpu_memory_bytes, name, used);
    }
    unsigned int number = 0;
    if (nvml_.clock != nullptr && nvml_.clock(device, Nvml::of_multiprocessors, &number) == 0) {
      look.add(MetricId::gpu_clock, name, 1e6 * number);
    }
    if (nvml_.power != nullptr && nvml_.power(device, &number) == 0) {
      look.add(MetricId::gpu_power, name, 1e-3 * number);
    }
    if (!pcie_) return;
    const double receive = (*pcie_)[gpu].receive;
    const double transmit = (*pcie_)[gpu].transmit;
    if (receive >= 0.0) look.add(MetricId::gpu_receive, name, receive);
    if (transmit >= 0.0) look.add(MetricId::gpu_transmit, name, transmit);
  }

  Nvml nvml_;
  std::string missing_;  ///< why no GPU is seen
  std::vector<Nvml::Device> devices_;
  std::unique_ptr<PcieWatch> pcie_;  // ends before what it asks
};

}  // namespace

std::unique_ptr<GpuSource> gpu_source(const std::string& library, Duration interval) {
  return std::make_unique<Gpus>(library, interval);
}

}  // namespace feedrate::bench::observe
