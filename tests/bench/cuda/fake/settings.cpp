#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "simulated.hpp"

namespace simulated {

double setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtod(text, nullptr);
}

namespace {

bool is_set(const char* name, bool otherwise = false) {
  return setting(name, otherwise ? 1.0 : 0.0) != 0.0;
}

std::string text_setting(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : text;
}

}  // namespace

// Unless told otherwise, roughly an H100 SXM.
Settings::Settings() : mig(is_set("FEEDRATE_SIM_MIG")) {
  gpus = static_cast<int>(setting("FEEDRATE_SIM_GPUS", 1));
  name = text_setting("FEEDRATE_SIM_NAME",
                      mig ? "NVIDIA H100 80GB HBM3 MIG 1g.10gb" : "NVIDIA H100 80GB HBM3");
  driver = static_cast<int>(setting("FEEDRATE_SIM_DRIVER", CUDART_VERSION));
  gpu_memory = setting("FEEDRATE_SIM_GPU_MEMORY", mig ? 10e9 : 80e9);
  pinned_memory = setting("FEEDRATE_SIM_PINNED_MEMORY", 1e12);
  hbm = setting("FEEDRATE_SIM_HBM", 3.0e12);
  pcie = setting("FEEDRATE_SIM_PCIE", 55e9);
  pcie_of_all = setting("FEEDRATE_SIM_PCIE_OF_ALL", 1e15);
  pageable = setting("FEEDRATE_SIM_PAGEABLE", 9e9);
  nvlink = setting("FEEDRATE_SIM_NVLINK", 400e9);
  nccl_latency = setting("FEEDRATE_SIM_NCCL_LATENCY", 1.5e-6);
  copy_latency = setting("FEEDRATE_SIM_COPY_LATENCY", 2e-6);
  launch = setting("FEEDRATE_SIM_LAUNCH", 2.5e-6);
  fp32 = setting("FEEDRATE_SIM_FP32", 55e12);
  tf32 = setting("FEEDRATE_SIM_TF32", 400e12);
  bf16 = setting("FEEDRATE_SIM_BF16", 700e12);
  compute = setting("FEEDRATE_SIM_COMPUTE", 4e6);
  sm_clock = setting("FEEDRATE_SIM_SM_CLOCK", 1.98e9);
  multiprocessors = static_cast<int>(setting("FEEDRATE_SIM_MULTIPROCESSORS", mig ? 16 : 132));
  capability = static_cast<int>(setting("FEEDRATE_SIM_CAPABILITY", 90));
  peer = is_set("FEEDRATE_SIM_PEER", true);
  ecc = is_set("FEEDRATE_SIM_ECC", true);
  watchdog = is_set("FEEDRATE_SIM_WATCHDOG");
}

const Settings& settings() {
  static const Settings& read = *new Settings;
  return read;
}

bool really_done(double bytes) {
  return bytes <= std::max(settings().compute, 4096.0);
}

namespace {

/// FEEDRATE_SIM_SPEED: how many times faster the program's clock runs, so that long waits are
/// short.
double speed() {
  static const double times = setting("FEEDRATE_SIM_SPEED", 1.0);
  return times;
}

double clock_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  static const std::time_t start = time.tv_sec;
  return static_cast<double>(time.tv_sec - start) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// By which those who slept were woken too late, because the machine did other work. It is no part
/// of what is simulated, and the program's clock stands still for it.
std::atomic<double> overslept{0.0};

double without_oversleeping() {
  return (clock_now() - overslept.load()) * speed();
}

}  // namespace

double now() {
  static std::atomic<double> latest{0.0};
  const double time = without_oversleeping();
  double before = latest.load();
  while (before < time && !latest.compare_exchange_weak(before, time)) {
  }
  return std::max(before, time);
}

void sleep_until(double time) {
  constexpr double oversleeps = 80e-6;
  double left = time - now();
  if (left <= 0.0) return;
  for (; left > 0.0; left = time - without_oversleeping()) {
    const double real = left / speed();
    if (real > oversleeps) {
      std::this_thread::sleep_for(std::chrono::duration<double>(real - oversleeps));
    } else {
      std::this_thread::yield();
    }
  }
  const double late = -left / speed();
  for (double before = overslept.load(); !overslept.compare_exchange_weak(before, before + late);) {
  }
}

}  // namespace simulated

/// std::chrono::steady_clock::now of the program: the linker sends its calls here (--wrap).
extern "C" std::int64_t feedrate_simulated_steady_clock() __asm__(
    "__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
extern "C" std::int64_t feedrate_simulated_steady_clock() {
  return static_cast<std::int64_t>(simulated::now() * 1e9);
}
