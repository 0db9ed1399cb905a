#include "bench/cuda/handles.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "bench/cuda/operations.hpp"

// Destructors leave a status aside: they run on the way out of an error too, nothing can be done
// about it, and a GPU that failed fails the next checked call.
namespace feedrate::bench::gpu {
namespace {

std::string megabytes_text(std::size_t bytes) {
  return fmt::format("{} MB", three_digits(static_cast<double>(bytes) / 1e6));
}

/// A refused allocation is no failure of the GPU; CUDA remembers it until asked.
void check_allocation(cudaError_t status, std::size_t bytes, const std::string& where) {
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw OutOfMemory(fmt::format("{} has no {} left", where, megabytes_text(bytes)));
  }
  check(status, "allocate " + megabytes_text(bytes) + " of " + where);
}

/// What a query says of work that may still run.
bool finished(cudaError_t status, int gpu) {
  if (status == cudaErrorNotReady) {
    // CUDA remembers this answer as if it were an error.
    static_cast<void>(cudaGetLastError());
    return false;
  }
  check(status, fmt::format("finish its work on GPU {}", gpu));
  return true;
}

}  // namespace

void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  throw HostError(fmt::format("CUDA could not {}: {} ({})", doing, cudaGetErrorString(status),
                              cudaGetErrorName(status)));
}

void use(int gpu) {
  check(cudaSetDevice(gpu), fmt::format("use GPU {}", gpu));
}

int attribute(int gpu, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, gpu),
        fmt::format("tell attribute {} of GPU {}", static_cast<int>(which), gpu));
  return value;
}

DeviceMemory::DeviceMemory(int gpu, std::size_t bytes) : gpu_(gpu) {
  use(gpu);
  check_allocation(cudaMalloc(&memory_, bytes), bytes, fmt::format("GPU {}'s memory", gpu));
}

DeviceMemory::~DeviceMemory() {
  static_cast<void>(cudaSetDevice(gpu_));
  static_cast<void>(cudaFree(memory_));
}

PinnedMemory::PinnedMemory(std::size_t bytes) {
  check_allocation(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                   bytes, "the host's memory that can be pinned");
}

PinnedMemory::~PinnedMemory() {
  static_cast<void>(cudaFreeHost(memory_));
}

void* PinnedMemory::on_device() const {
  void* seen = nullptr;
  check(cudaHostGetDevicePointer(&seen, memory_, 0), "map host memory");
  return seen;
}

Stream::Stream(int gpu) : gpu_(gpu) {
  use(gpu);
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}

Stream::~Stream() {
  static_cast<void>(cudaSetDevice(gpu_));
  // What still runs would use memory that is about to be freed.
  static_cast<void>(cudaStreamSynchronize(stream_));
  static_cast<void>(cudaStreamDestroy(stream_));
}

void Stream::wait() const {
  check(cudaStreamSynchronize(stream_), fmt::format("finish its work on GPU {}", gpu_));
}

bool Stream::done() const {
  return finished(cudaStreamQuery(stream_), gpu_);
}

Event::Event(int gpu, bool sleeps) : gpu_(gpu) {
  use(gpu);
  const unsigned flags = sleeps ? cudaEventBlockingSync | cudaEventDisableTiming : cudaEventDefault;
  check(cudaEventCreateWithFlags(&event_, flags), "create an event");
}

Event::~Event() {
  static_cast<void>(cudaSetDevice(gpu_));
  static_cast<void>(cudaEventDestroy(event_));
}

void Event::record(const Stream& stream) {
  check(cudaEventRecord(event_, stream.get()), "record an event");
}

void Event::wait() const {
  check(cudaEventSynchronize(event_), fmt::format("finish its work on GPU {}", gpu_));
}

void Event::hold(const Stream& stream) const {
  check(cudaStreamWaitEvent(stream.get(), event_, 0), "let a stream wait");
}

bool Event::passed() const {
  return finished(cudaEventQuery(event_), gpu_);
}

Duration Event::since(const Event& from) const {
  float took_ms = 0.0F;
  check(cudaEventElapsedTime(&took_ms, from.event_, event_), "time its work");
  return milliseconds(static_cast<double>(took_ms));
}

}  // namespace feedrate::bench::gpu
