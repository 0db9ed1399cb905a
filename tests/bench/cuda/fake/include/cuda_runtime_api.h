#pragma once
// What the probes use of CUDA's runtime, declared as CUDA declares it (as of CUDA 13), for builds
// against the simulated one.
#include <cstddef>

#define CUDART_VERSION 13000

// Each enumeration takes the values of its own group.
#define FEEDRATE_CUDA_TAKE(name, value) name = (value),
#define FEEDRATE_CUDA_LEAVE(name, value)
#define FEEDRATE_CUDA_VALUE(group, name, value) FEEDRATE_CUDA_##group(name, value)

#define FEEDRATE_CUDA_cudaError FEEDRATE_CUDA_TAKE
#define FEEDRATE_CUDA_cudaMemcpyKind FEEDRATE_CUDA_LEAVE
#define FEEDRATE_CUDA_cudaDeviceAttr FEEDRATE_CUDA_LEAVE
#define FEEDRATE_CUDA_cudaFlags FEEDRATE_CUDA_LEAVE
enum cudaError_t {
#include <cuda_values.def>
};
#undef FEEDRATE_CUDA_cudaError
#undef FEEDRATE_CUDA_cudaMemcpyKind
#define FEEDRATE_CUDA_cudaError FEEDRATE_CUDA_LEAVE
#define FEEDRATE_CUDA_cudaMemcpyKind FEEDRATE_CUDA_TAKE
enum cudaMemcpyKind {
#include <cuda_values.def>
};
#undef FEEDRATE_CUDA_cudaMemcpyKind
#undef FEEDRATE_CUDA_cudaDeviceAttr
#define FEEDRATE_CUDA_cudaMemcpyKind FEEDRATE_CUDA_LEAVE
#define FEEDRATE_CUDA_cudaDeviceAttr FEEDRATE_CUDA_TAKE
enum cudaDeviceAttr {
#include <cuda_values.def>
};
#undef FEEDRATE_CUDA_cudaDeviceAttr
#undef FEEDRATE_CUDA_cudaFlags
#define FEEDRATE_CUDA_cudaDeviceAttr FEEDRATE_CUDA_LEAVE
#define FEEDRATE_CUDA_cudaFlags FEEDRATE_CUDA_TAKE
enum : unsigned {
#include <cuda_values.def>
};
#undef FEEDRATE_CUDA_VALUE

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
