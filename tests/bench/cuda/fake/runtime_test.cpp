// What the simulated runtime refuses: a test that it would not notice would prove nothing.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "simulated.hpp"

namespace {

/// What bug() is told by `work`.
std::string told(const std::function<void()>& work) {
  const std::size_t before = simulated::wrong().size();
  work();
  const std::vector<std::string> after = simulated::wrong();
  std::string all;
  for (std::size_t i = before; i < after.size(); ++i) all += after[i] + "\n";
  return all;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Device {
  explicit Device(std::size_t bytes) { REQUIRE(cudaMalloc(&memory, bytes) == cudaSuccess); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaFree(memory); }
  void* memory = nullptr;
};

struct OwnStream {
  OwnStream() { REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream); }
  cudaStream_t stream = nullptr;
};

void write_one(int* into, int index) {
  into[index] = 7;
}

void sum_of_block(const int* from, int* into) {
  __shared__ int shared[2][4];
  shared[threadIdx.y][threadIdx.x] = from[threadIdx.y * 4 + threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (const auto& row : shared) {
    for (const int value : row) sum += value;
  }
  into[threadIdx.y * 4 + threadIdx.x] = sum;
}

}  // namespace

TEST_CASE("simulated runtime: copies that leave their memory are reported") {
  const Device device(1000);
  std::vector<char> host(2000);
  CHECK(told([&] {
          cudaMemcpy(device.memory, host.data(), 1000, cudaMemcpyHostToDevice);
          cudaMemcpy(host.data(), device.memory, 1000, cudaMemcpyDeviceToHost);
          cudaMemset(device.memory, 0, 1000);
        }).empty());
  const auto beyond = [&] {
    cudaMemcpyAsync(host.data(), static_cast<char*>(device.memory) + 1, 1000,
                    cudaMemcpyDeviceToHost);
  };
  CHECK(has(told(beyond), "1000 bytes from 999 bytes before the end of GPU memory"));
  CHECK(has(told([&] { cudaMemcpy(device.memory, host.data(), 10, cudaMemcpyDeviceToHost); }),
            "memory that CUDA did not give"));
  const Device other(1000);
  CHECK(has(told([&] { cudaMemcpy(device.memory, other.memory, 10, cudaMemcpyHostToDevice); }),
            "in another direction than it says"));
}

TEST_CASE("simulated runtime: memory that was given back, or never given, is reported") {
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  CHECK(has(told([&] { cudaFree(memory); }), "cudaFree of what is no GPU memory any more"));
  CHECK(has(told([&] { cudaMemset(memory, 0, 1); }), "memory that was given back"));
  int own = 0;
  CHECK(has(told([&] { cudaMemset(&own, 0, 1); }), "memory that CUDA did not give"));
  CHECK(has(told([&] { cudaFreeHost(&own); }), "cudaFreeHost of what is no pinned memory"));
}

TEST_CASE("simulated runtime: a kernel that writes into the slack behind its memory is reported") {
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 10 * sizeof(int)) == cudaSuccess);
  const OwnStream on;
  cudaLaunchConfig_t how = {dim3(1), dim3(1), 0, on.stream};
  REQUIRE(cudaLaunchKernelEx(&how, write_one, static_cast<int*>(memory), 10) == cudaSuccess);
  CHECK(
      has(told([&] { cudaFree(memory); }), "40 bytes of GPU memory were written beyond their end"));
}

TEST_CASE("simulated runtime: what is not given back is reported") {
  void* memory = nullptr;
  cudaMalloc(&memory, 77);
  CHECK(has(told(simulated::report_leaks), "77 bytes of GPU memory"));
  cudaFree(memory);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  CHECK(has(told(simulated::report_leaks), "1 streams, 0 events"));
  cudaStreamDestroy(stream);
  CHECK(told(simulated::report_leaks).empty());
}

TEST_CASE("simulated runtime: threads of a block meet") {
  const std::vector<int> from = {1, 2, 3, 4, 5, 6, 7, 8};
  const Device device(from.size() * sizeof(int));
  const Device sums(from.size() * sizeof(int));
  cudaMemcpy(device.memory, from.data(), from.size() * sizeof(int), cudaMemcpyHostToDevice);
  const OwnStream on;
  cudaLaunchConfig_t how = {dim3(3), dim3(4, 2), 0, on.stream};
  REQUIRE(cudaLaunchKernelEx(&how, sum_of_block, static_cast<const int*>(device.memory),
                             static_cast<int*>(sums.memory)) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(on.stream) == cudaSuccess);
  std::vector<int> got(from.size());
  cudaMemcpy(got.data(), sums.memory, from.size() * sizeof(int), cudaMemcpyDeviceToHost);
  CHECK(got == std::vector<int>(from.size(), 36));
}

TEST_CASE("simulated runtime: times by events are those of the settings, one after the other") {
  const std::size_t bytes = 1 << 20;
  const Device device(bytes);
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
  const OwnStream on;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  // The first copy hides how long it takes to queue the others.
  cudaMemcpyAsync(device.memory, pinned, bytes, cudaMemcpyHostToDevice, on.stream);
  cudaEventRecord(start, on.stream);
  float milliseconds = 0.0F;
  for (int i = 0; i < 10; ++i) {
    cudaMemcpyAsync(device.memory, pinned, bytes, cudaMemcpyHostToDevice, on.stream);
  }
  cudaEventRecord(stop, on.stream);
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorNotReady);
  REQUIRE(cudaEventSynchronize(stop) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
  const simulated::Settings& host = simulated::settings();
  const double each = host.copy_latency + static_cast<double>(bytes) / host.pcie;
  CHECK(milliseconds >= Approx(10.0 * each * 1e3));
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFreeHost(pinned);
}
