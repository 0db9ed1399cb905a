// NVIDIA's management library as a driver with two GPUs would have it. FAKE_NVML chooses what
// fails: "init", "none" (no GPU), "utilization".
#include <cstdlib>
#include <cstring>

namespace {

bool fails(const char* what) {
  const char* const chosen = std::getenv("FAKE_NVML");
  return chosen != nullptr && std::strcmp(chosen, what) == 0;
}

int gpus[2] = {0, 1};

unsigned int number_of(void* device) {
  return static_cast<unsigned int>(*static_cast<int*>(device));
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return fails("init") ? 9 : 0;
}

int nvmlShutdown() {
  return 0;
}

const char* nvmlErrorString(int) {
  return "Driver Not Loaded";
}

int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = fails("none") ? 0 : 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  if (index > 1) return 2;
  *device = &gpus[index];
  return 0;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned int* two) {
  if (fails("utilization")) return 3;
  two[0] = 40 + 20 * number_of(device);
  two[1] = 7;
  return 0;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* three) {
  three[0] = 80'000'000'000;
  three[1] = 60'000'000'000;
  three[2] = 20'000'000'000;
  return 0;
}

int nvmlDeviceGetPcieThroughput(void*, int direction, unsigned int* kilobytes_per_second) {
  *kilobytes_per_second = direction == 1 ? 3'000'000 : 1'000;
  return 0;
}

int nvmlDeviceGetClockInfo(void*, int, unsigned int* megahertz) {
  *megahertz = 1980;
  return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned int* milliwatts) {
  *milliwatts = 312'500;
  return 0;
}
}
