#pragma once
// NVIDIA's management library, which comes with the driver, looked for at run time: it needs no
// CUDA, neither here nor where feedrate is built. The declarations are those of its documentation
// ("NVML API Reference Guide", NVIDIA), as far as they are used.
#include <string>

namespace feedrate::bench::observe {

class Nvml {
 public:
  using Device = void*;
  struct Utilization {
    unsigned int gpu, memory;  ///< percent
  };
  struct Memory {
    unsigned long long total, free, used;  ///< bytes
  };
  static constexpr int of_transmit = 0;  ///< GPU to host
  static constexpr int of_receive = 1;
  static constexpr int of_multiprocessors = 1;  ///< a clock

  /// `file` as the loader takes it, "libnvidia-ml.so.1".
  explicit Nvml(const std::string& file);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why no GPU can be seen; "" where some can.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] unsigned int count() const { return count_; }

  // Functions of the library; each returns 0 where it could tell. Those after `device` may be null
  // in an old driver. Precondition: missing() is "".
  int (*device)(unsigned int, Device*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*pcie)(Device, int, unsigned int*) = nullptr;   ///< kB/s over 20 ms, which it waits for
  int (*clock)(Device, int, unsigned int*) = nullptr;  ///< MHz
  int (*power)(Device, unsigned int*) = nullptr;       ///< mW

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol(name));
  }
  void* symbol(const char* name);

  void* library_ = nullptr;
  int (*shutdown_)() = nullptr;
  unsigned int count_ = 0;
  std::string missing_;
};

}  // namespace feedrate::bench::observe
