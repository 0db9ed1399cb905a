#pragma once
// What the probes use of CUDA's runtime, declared as CUDA declares it (as of CUDA 13), for builds
// against the simulated one.
#include <cstddef>

#define CUDART_VERSION 13000

#define FEEDRATE_IN_CUDA_GROUP_cudaError(name, value) name = value,
#define FEEDRATE_IN_CUDA_GROUP_cudaMemcpyKind(name, value)
#define FEEDRATE_IN_CUDA_GROUP_cudaDeviceAttr(name, value)
#define FEEDRATE_CUDA_VALUE(group, name, value) FEEDRATE_IN_CUDA_GROUP_##group(name, value)
enum cudaError_t {
#include <cuda_values.def>
};
#undef FEEDRATE_IN_CUDA_GROUP_cudaError
#undef FEEDRATE_IN_CUDA_GROUP_cudaMemcpyKind
#define FEEDRATE_IN_CUDA_GROUP_cudaError(name, value)
#define FEEDRATE_IN_CUDA_GROUP_cudaMemcpyKind(name, value) name = value,
enum cudaMemcpyKind {
#include <cuda_values.def>
};
#undef FEEDRATE_IN_CUDA_GROUP_cudaMemcpyKind
#undef FEEDRATE_IN_CUDA_GROUP_cudaDeviceAttr
#define FEEDRATE_IN_CUDA_GROUP_cudaMemcpyKind(name, value)
#define FEEDRATE_IN_CUDA_GROUP_cudaDeviceAttr(name, value) name = value,
enum cudaDeviceAttr {
#include <cuda_values.def>
};
#undef FEEDRATE_CUDA_VALUE

enum : unsigned {
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0,
  cudaHostRegisterPortable = 1,
  cudaHostRegisterMapped = 2,
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaHostFn_t = void (*)(void* data);

struct cudaUUID_t {
  char bytes[16];
};

/// A few of CUDA's fields; programs that are compiled against this see no other.
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  std::size_t totalGlobalMem;
  int multiProcessorCount;
  int major;
  int minor;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int l2CacheSize;
  int memoryBusWidth;
  int integrated;
};

extern "C" {
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int gpu);
cudaError_t cudaGetDevice(int* gpu);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int gpu);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu);
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int gpu);
cudaError_t cudaDeviceCanAccessPeer(int* can, int gpu, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all);

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaHostGetDevicePointer(void** seen, void* memory, unsigned flags);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

cudaError_t cudaMemcpy(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* into, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* into, int value, std::size_t bytes,
                            cudaStream_t stream = nullptr);
}
