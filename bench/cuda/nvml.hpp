#pragma once
// What the driver's library NVML says of a GPU. Found at run time: hosts without it, or whose own
// is older, lack what it would have said, and nothing else.
#include <optional>
#include <string>

#include "bench/cuda/library.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench::gpu {

class Nvml {
 public:
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] const std::string& missing() const { return missing_; }  ///< why; "" if it is there
  /// `bus`: CUDA's bus id of the GPU, for the two count in different orders.
  [[nodiscard]] GpuState state(const std::string& bus) const;
  void describe(const std::string& bus, GpuFacts& facts) const;
  void link(const std::string& bus, GpuFacts& facts) const;  ///< as it is just now

 private:
  using Device = void*;
  using Number = unsigned int;
  using OfDevice = int (*)(Device, Number*);

  [[nodiscard]] Device device(const std::string& bus) const;
  [[nodiscard]] static std::optional<double> ask(OfDevice function, Device device);
  [[nodiscard]] std::optional<Frequency> clock(int (*function)(Device, int, Number*), int which,
                                               Device device) const;
  [[nodiscard]] std::string held_back(Device device) const;

  Library library_;
  std::string missing_;
  int (*start_)() = nullptr;
  int (*end_)() = nullptr;
  const char* (*error_text_)(int) = nullptr;
  int (*by_bus_)(const char*, Device*) = nullptr;
  int (*clock_)(Device, int, Number*) = nullptr;
  int (*most_clock_)(Device, int, Number*) = nullptr;
  int (*temperature_)(Device, int, Number*) = nullptr;
  OfDevice power_ = nullptr;
  OfDevice power_limit_ = nullptr;
  OfDevice generation_ = nullptr;
  OfDevice lanes_ = nullptr;
  OfDevice most_generation_ = nullptr;
  OfDevice most_lanes_ = nullptr;
  int (*reasons_)(Device, unsigned long long*) = nullptr;
  int (*ecc_)(Device, int*, int*) = nullptr;
  int (*mig_)(Device, Number*, Number*) = nullptr;
};

const Nvml& nvml();

}  // namespace feedrate::bench::gpu
