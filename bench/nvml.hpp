#pragma once
// NVIDIA's management library, which comes with the driver, looked for at run time: it needs no
// CUDA, neither here nor where feedrate is built. The declarations are those of its documentation
// ("NVML API Reference Guide", NVIDIA), as far as they are used.
#include <optional>
#include <string>

#include "bench/shared_library.hpp"

namespace feedrate::bench {

/// Started while one lives.
class Nvml {
 public:
  using Device = void*;
  using Number = unsigned int;
  using OfDevice = int (*)(Device, Number*);
  struct Utilization {
    unsigned int gpu, memory;  ///< percent
  };
  struct Memory {
    unsigned long long total, free, used;  ///< bytes
  };
  static constexpr int of_transmit = 0;  ///< GPU to host
  static constexpr int of_receive = 1;
  static constexpr int of_multiprocessors = 1;  ///< a clock
  static constexpr int of_memory = 2;           ///< a clock
  static constexpr int of_chip = 0;             ///< a temperature

  /// `file` as the loader takes it.
  explicit Nvml(const std::string& file = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why nothing can be asked: "there is no libnvidia-ml.so.1, ..."; "" where something can.
  [[nodiscard]] const std::string& missing() const { return missing_; }

  // Null where there is no such GPU, or nothing can be asked.
  [[nodiscard]] Device by_place(Number place) const;
  /// By CUDA's bus id, for the two count in different orders.
  [[nodiscard]] Device by_bus(const std::string& bus) const;
  /// GPUs. Empty where the driver does not say; `why` is then what it says instead.
  std::optional<Number> count(std::string& why) const;

  /// What a function of those below answers; empty where it is missing or cannot tell.
  [[nodiscard]] static std::optional<double> ask(OfDevice function, Device device);

  // Functions of the library; each returns 0 where it could tell, and may be null in an old driver.
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*pcie)(Device, int, Number*) = nullptr;   ///< kB/s over 20 ms, which it waits for
  int (*clock)(Device, int, Number*) = nullptr;  ///< MHz
  int (*most_clock)(Device, int, Number*) = nullptr;
  int (*temperature)(Device, int, Number*) = nullptr;  ///< degrees
  OfDevice power = nullptr;                            ///< mW
  OfDevice power_limit = nullptr;
  OfDevice generation = nullptr;  ///< of PCIe
  OfDevice lanes = nullptr;
  OfDevice most_generation = nullptr;
  OfDevice most_lanes = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;  ///< why clocks are low, bits
  int (*ecc)(Device, int*, int*) = nullptr;
  int (*mig)(Device, Number*, Number*) = nullptr;

 private:
  SharedLibrary library_;
  std::string missing_;
  int (*start_)() = nullptr;
  int (*end_)() = nullptr;
  const char* (*error_text_)(int) = nullptr;
  int (*count_)(Number*) = nullptr;
  int (*by_place_)(Number, Device*) = nullptr;
  int (*by_bus_)(const char*, Device*) = nullptr;
};

}  // namespace feedrate::bench
