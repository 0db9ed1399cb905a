// What the kernels refuse. That they are right is checked by bench/cuda/check.
#include "bench/cuda/kernels.hpp"

#include "catch.hpp"
#include "simulated.hpp"

using namespace feedrate::bench::kernels;

TEST_CASE("kernels: what cannot be counted or is nothing is not started") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  auto* const bytes = static_cast<std::uint8_t*>(memory);
  auto* const floats = static_cast<float*>(memory);
  const long before = simulated::counted()["cudaLaunchKernelExC"];
  CHECK(fill(bytes, 0, stream) == cudaErrorInvalidValue);
  CHECK(copy(bytes, bytes, 15, stream) == cudaErrorInvalidValue);
  CHECK(resize(bytes, {1, 0, 4}, 4, bytes, stream) == cudaErrorInvalidValue);
  CHECK(resize(bytes, {1, 4, 4}, 40'000, bytes, stream) == cudaErrorInvalidValue);
  CHECK(blur(bytes, {0, 4, 4}, blur_weights(1.0F), floats, bytes, stream) == cudaErrorInvalidValue);
  CHECK(normalize(bytes, {1 << 20, 1 << 10, 1 << 10}, {}, floats, stream) == cudaErrorInvalidValue);
  CHECK(matmul(floats, floats, floats, 0, stream) == cudaErrorInvalidValue);
  CHECK(simulated::counted()["cudaLaunchKernelExC"] == before);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(simulated::wrong().empty());
}
