// The GPUs, their driver, and what they say of themselves.
#include <cstdio>
#include <cstring>

#include "simulated.hpp"

using namespace simulated;

namespace {

constexpr int first_bus = 0x18;

cudaError_t checked_gpu(int gpu, const char* who) {
  if (gpu >= 0 && gpu < settings().gpus) return cudaSuccess;
  bug(std::string(who) + " of a GPU that there is not");
  return cudaErrorInvalidDevice;
}

int attribute(cudaDeviceAttr which, int gpu) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrClockRate: return static_cast<int>(settings().sm_clock / 1e3);
    case cudaDevAttrMultiProcessorCount: return settings().multiprocessors;
    case cudaDevAttrKernelExecTimeout: return settings().watchdog ? 1 : 0;
    case cudaDevAttrCanMapHostMemory: return 1;
    case cudaDevAttrEccEnabled: return settings().ecc ? 1 : 0;
    case cudaDevAttrPciBusId: return first_bus + gpu;
    case cudaDevAttrMemoryClockRate: return 2619000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrL2CacheSize: return 50 << 20;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrAsyncEngineCount: return 3;
    case cudaDevAttrComputeCapabilityMajor: return settings().capability / 10;
    case cudaDevAttrComputeCapabilityMinor: return settings().capability % 10;
    default: return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  // Answers also where nothing else does.
  const int status = refused("cudaDriverGetVersion");
  if (status != 0) return keep(static_cast<cudaError_t>(status));
  *version = settings().driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  SIMULATED_CALL("cudaRuntimeGetVersion");
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  SIMULATED_CALL("cudaGetDeviceCount");
  *count = 0;
  // Drivers serve all runtimes of their own major version.
  if (settings().driver / 1000 < CUDART_VERSION / 1000) return keep(cudaErrorInsufficientDriver);
  if (settings().gpus == 0) return keep(cudaErrorNoDevice);
  *count = settings().gpus;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int gpu) {
  SIMULATED_CALL("cudaDeviceGetAttribute");
  if (const cudaError_t none = checked_gpu(gpu, "cudaDeviceGetAttribute"); none != cudaSuccess) {
    return keep(none);
  }
  *value = attribute(which, gpu);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  SIMULATED_CALL("cudaGetDeviceProperties");
  if (const cudaError_t none = checked_gpu(gpu, "cudaGetDeviceProperties"); none != cudaSuccess) {
    return keep(none);
  }
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "%s", settings().name.c_str());
  std::memset(properties->uuid.bytes, 0x10 + gpu, sizeof properties->uuid.bytes);
  properties->totalGlobalMem = static_cast<std::size_t>(settings().gpu_memory);
  properties->multiProcessorCount = settings().multiprocessors;
  properties->major = settings().capability / 10;
  properties->minor = settings().capability % 10;
  properties->ECCEnabled = settings().ecc ? 1 : 0;
  properties->pciBusID = first_bus + gpu;
  properties->l2CacheSize = attribute(cudaDevAttrL2CacheSize, gpu);
  properties->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth, gpu);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int gpu) {
  SIMULATED_CALL("cudaDeviceGetPCIBusId");
  if (const cudaError_t none = checked_gpu(gpu, "cudaDeviceGetPCIBusId"); none != cudaSuccess) {
    return keep(none);
  }
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02X:00.0", first_bus + gpu);
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int gpu, int peer) {
  SIMULATED_CALL("cudaDeviceCanAccessPeer");
  *can = settings().peer && gpu != peer ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  SIMULATED_CALL("cudaDeviceEnablePeerAccess");
  return settings().peer ? cudaSuccess : keep(cudaErrorNotSupported);
}
}
