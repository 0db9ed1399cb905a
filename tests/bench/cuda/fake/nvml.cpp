// libnvidia-ml.so.1 of the simulated host: GPUs as the driver sees them. FEEDRATE_SIM_CLOCK (MHz),
// _POWER (W), _TEMPERATURE (degrees), _HELD_BACK (the bits of clocks event reasons),
// _LINK_GENERATION and _LINK_LANES (of now), _FOREIGN (processes of others), _BUSY (percent of GPU
// 0, 20 more of each next one), _RECEIVED (bytes a second over PCIe) say what it answers.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "simulated.hpp"

using namespace simulated;

namespace {

enum Result {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  insufficient_size = 7,
  not_found = 6
};

constexpr int first_bus = 0x18;
/// Handles are numbers of GPUs; never dereferenced.
char handles[16];
int users = 0;

using Device = char*;

bool is_device(Device device) {
  return device >= handles && device < handles + settings().gpus;
}

/// Before every answer about a device.
int asked(const char* call, Device device) {
  if (const int status = refused(call)) return status;
  if (users == 0) {
    bug(std::string(call) + " before nvmlInit_v2");
    return uninitialized;
  }
  if (is_device(device)) return success;
  bug(std::string(call) + " of no device");
  return invalid_argument;
}

int give(const char* call, Device device, unsigned* into, double value) {
  const int status = asked(call, device);
  if (status == success) *into = static_cast<unsigned>(value);
  return status;
}

std::string bus_of(int gpu, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*x:%02X:00.0", digits, 0, first_bus + gpu);
  return text;
}

std::string uuid_of(int gpu) {
  char text[64];
  const int b = 0x10 + gpu;
  std::snprintf(text, sizeof text,
                "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b, b, b,
                b, b, b, b, b, b, b, b, b, b, b, b, b);
  return text;
}

int copy_text(const std::string& text, char* into, unsigned size) {
  if (text.size() >= size) return insufficient_size;
  std::memcpy(into, text.c_str(), text.size() + 1);
  return success;
}

double clock_of(int type) {
  constexpr int of_memory = 2;
  return type == of_memory ? 2619.0 : setting("FEEDRATE_SIM_CLOCK", settings().sm_clock / 1e6);
}

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (const int status = refused("nvmlInit_v2")) return status;
  ++users;
  return success;
}

int nvmlShutdown() {
  if (users == 0) bug("nvmlShutdown without nvmlInit_v2");
  --users;
  return refused("nvmlShutdown");
}

const char* nvmlErrorString(int status) {
  switch (status) {
    case success: return "Success";
    case uninitialized: return "Uninitialized";
    case invalid_argument: return "Invalid Argument";
    case not_supported: return "Not Supported";
    case not_found: return "Not Found";
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    default: return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  if (const int status = refused("nvmlSystemGetDriverVersion")) return status;
  return copy_text("580.95.05", text, size);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (const int status = refused("nvmlDeviceGetCount_v2")) return status;
  *count = static_cast<unsigned>(settings().gpus);
  return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (const int status = refused("nvmlDeviceGetHandleByIndex_v2")) return status;
  if (static_cast<int>(index) >= settings().gpus) return invalid_argument;
  *device = handles + index;
  return success;
}

/// With four or eight digits of the domain, in capitals or not.
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, Device* device) {
  if (const int status = refused("nvmlDeviceGetHandleByPciBusId_v2")) return status;
  for (int gpu = 0; gpu < settings().gpus; ++gpu) {
    if (strcasecmp(bus, bus_of(gpu, 4).c_str()) != 0 &&
        strcasecmp(bus, bus_of(gpu, 8).c_str()) != 0) {
      continue;
    }
    *device = handles + gpu;
    return success;
  }
  return not_found;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (const int status = refused("nvmlDeviceGetHandleByUUID")) return status;
  for (int gpu = 0; gpu < settings().gpus; ++gpu) {
    if (uuid != uuid_of(gpu)) continue;
    *device = handles + gpu;
    return success;
  }
  return not_found;
}

int nvmlDeviceGetName(Device device, char* text, unsigned size) {
  if (const int status = asked("nvmlDeviceGetName", device)) return status;
  // The whole GPU's, also where CUDA sees a part of it.
  return copy_text(settings().name.substr(0, settings().name.find(" MIG ")), text, size);
}

int nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
  if (const int status = asked("nvmlDeviceGetUUID", device)) return status;
  return copy_text(uuid_of(static_cast<int>(device - handles)), text, size);
}

int nvmlDeviceGetClockInfo(Device device, int type, unsigned* megahertz) {
  return give("nvmlDeviceGetClockInfo", device, megahertz, clock_of(type));
}

int nvmlDeviceGetMaxClockInfo(Device device, int type, unsigned* megahertz) {
  constexpr int of_memory = 2;
  return give("nvmlDeviceGetMaxClockInfo", device, megahertz,
              type == of_memory ? 2619.0 : settings().sm_clock / 1e6);
}

int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerUsage", device, milliwatts,
              1e3 * setting("FEEDRATE_SIM_POWER", 350.0));
}

int nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* milliwatts) {
  return give("nvmlDeviceGetEnforcedPowerLimit", device, milliwatts, 700e3);
}

int nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerManagementLimit", device, milliwatts, 700e3);
}

int nvmlDeviceGetTemperature(Device device, int, unsigned* degrees) {
  return give("nvmlDeviceGetTemperature", device, degrees,
              setting("FEEDRATE_SIM_TEMPERATURE", 48.0));
}

int nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* bits) {
  if (const int status = asked("nvmlDeviceGetCurrentClocksEventReasons", device)) return status;
  *bits = static_cast<unsigned long long>(setting("FEEDRATE_SIM_HELD_BACK", 0.0));
  return success;
}

int nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  return give("nvmlDeviceGetCurrPcieLinkGeneration", device, generation,
              setting("FEEDRATE_SIM_LINK_GENERATION", 5.0));
}

int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  return give("nvmlDeviceGetMaxPcieLinkGeneration", device, generation, 5.0);
}

int nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* lanes) {
  return give("nvmlDeviceGetCurrPcieLinkWidth", device, lanes,
              setting("FEEDRATE_SIM_LINK_LANES", 16.0));
}

int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* lanes) {
  return give("nvmlDeviceGetMaxPcieLinkWidth", device, lanes, 16.0);
}

int nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  const int status = give("nvmlDeviceGetMigMode", device, current, settings().mig ? 1.0 : 0.0);
  if (status == success) *pending = *current;
  return status;
}

int nvmlDeviceGetEccMode(Device device, unsigned* current, unsigned* pending) {
  const int status = give("nvmlDeviceGetEccMode", device, current, settings().ecc ? 1.0 : 0.0);
  if (status == success) *pending = *current;
  return status;
}

int nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  if (const int status = asked("nvmlDeviceGetMemoryInfo", device)) return status;
  const auto total = static_cast<unsigned long long>(settings().gpu_memory);
  const auto used = static_cast<unsigned long long>(setting("FEEDRATE_SIM_FOREIGN", 0.0)) << 30U;
  *memory = {total, total - used, used};
  return success;
}

int nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  if (const int status = asked("nvmlDeviceGetUtilizationRates", device)) return status;
  *rates = {setting("FEEDRATE_SIM_FOREIGN", 0.0) > 0.0 ? 90U : 0U, 0U};
  const double busy = setting("FEEDRATE_SIM_BUSY", 0.0);
  if (busy > 0.0)
    *rates = {static_cast<unsigned>(busy) + 20U * static_cast<unsigned>(device - handles), 7U};
  return success;
}

int nvmlDeviceGetPcieThroughput(Device device, int direction, unsigned* kilobytes_per_second) {
  return give("nvmlDeviceGetPcieThroughput", device, kilobytes_per_second,
              direction == 1 ? 1e-3 * setting("FEEDRATE_SIM_RECEIVED", 0.0) : 1e3);
}

/// The program itself, and FEEDRATE_SIM_FOREIGN others.
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, Process* processes) {
  if (const int status = asked("nvmlDeviceGetComputeRunningProcesses_v3", device)) return status;
  const auto running = 1U + static_cast<unsigned>(setting("FEEDRATE_SIM_FOREIGN", 0.0));
  const unsigned room = *count;
  *count = running;
  if (room < running) return insufficient_size;
  for (unsigned i = 0; i < running; ++i) {
    const auto own = static_cast<unsigned>(getpid());
    processes[i] = {i == 0 ? own : 1000000U + i, 1ULL << 30U, ~0U, ~0U};
  }
  return success;
}
}
