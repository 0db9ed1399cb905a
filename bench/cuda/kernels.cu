// The kernels. Each thread takes every stride-th item, so that any grid covers any count.
#include "bench/cuda/kernels.hpp"

#include <cuda_runtime.h>

namespace feedrate::bench::kernels {
// Named: of an unnamed one nvcc would make names with the file's folder in them.
inline namespace on_gpu {

constexpr unsigned block_threads = 256;
constexpr unsigned tile = 16;  ///< of a matrix: tile x tile threads a block

__device__ std::size_t own_index() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::size_t all_threads() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

__global__ void do_nothing() {}

__global__ void copy_all(const uint4* from, uint4* into, std::size_t count) {
  for (std::size_t i = own_index(); i < count; i += all_threads()) into[i] = from[i];
}

__global__ void fill_all(float* into, std::size_t count) {
  for (std::size_t i = own_index(); i < count; i += all_threads()) into[i] = scattered(i);
}

__global__ void fill_all(std::uint16_t* into, std::size_t count) {
  for (std::size_t i = own_index(); i < count; i += all_threads()) into[i] = bfloat16(scattered(i));
}

__global__ void fill_all(std::uint8_t* into, std::size_t count) {
  for (std::size_t i = own_index(); i < count; i += all_threads()) {
    into[i] = rounded(127.5F * (scattered(i) + 1.0F));
  }
}

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float part_a[tile][tile];
  __shared__ float part_b[tile][tile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned size = static_cast<unsigned>(n);
  const std::size_t row = blockIdx.y * tile + y;
  const std::size_t column = blockIdx.x * tile + x;
  float sum = 0.0F;
  for (unsigned k = 0; k < size; k += tile) {
    const bool a_inside = row < size && k + x < size;
    const bool b_inside = column < size && k + y < size;
    part_a[y][x] = a_inside ? a[row * size + k + x] : 0.0F;
    part_b[y][x] = b_inside ? b[(k + y) * static_cast<std::size_t>(size) + column] : 0.0F;
    __syncthreads();
    for (unsigned i = 0; i < tile; ++i) sum += part_a[y][i] * part_b[i][x];
    __syncthreads();
  }
  if (row < size && column < size) c[row * size + column] = sum;
}

__global__ void keep_busy(const float* buffer, std::size_t count, volatile BusySignals* signals,
                          volatile int* halt, float* sink, long long most_cycles) {
  const long long begun = clock64();
  const bool watches = own_index() == 0;
  if (watches) {
    signals->started = 1;
    __threadfence_system();  // the host looks at it while this kernel runs
  }
  std::size_t at = own_index();
  float sum = 0.0F;
  while (*halt == 0 && clock64() - begun < most_cycles) {
    for (int i = 0; i < 256; ++i) {
      sum = sum * 0.999F + buffer[at];
      at += all_threads();
      if (at >= count) at -= count;
    }
    if (watches && signals->stop != 0) *halt = 1;
  }
  sink[own_index()] = sum;
}

__global__ void wait_for_host(volatile BusySignals* signals, long long most_cycles) {
  const long long begun = clock64();
  while (signals->stop == 0 && clock64() - begun < most_cycles) {
  }
}

__global__ void resize_all(const std::uint8_t* from, Images images, int side, std::uint8_t* into,
                           std::uint32_t pixels) {
  for (std::size_t i = own_index(); i < pixels; i += all_threads()) {
    const Place at = place_of(static_cast<std::uint32_t>(i), side, side);
    const Rgb made = resized(from, images.width, images.height, side, at);
    for (int c = 0; c < channels; ++c) into[i * channels + c] = made.value[c];
  }
}

__global__ void blur_rows(const std::uint8_t* from, Images images,
                          const __grid_constant__ BlurWeights weights, float* into,
                          std::uint32_t values) {
  for (std::size_t i = own_index(); i < values; i += all_threads()) {
    const std::uint32_t value = static_cast<std::uint32_t>(i);
    const Place at = place_of(value / channels, images.width, images.height);
    into[i] = blurred_across(from, images.width, images.height, at,
                             static_cast<int>(value % channels), weights);
  }
}

__global__ void blur_columns(const float* from, Images images,
                             const __grid_constant__ BlurWeights weights, std::uint8_t* into,
                             std::uint32_t values) {
  for (std::size_t i = own_index(); i < values; i += all_threads()) {
    const std::uint32_t value = static_cast<std::uint32_t>(i);
    const Place at = place_of(value / channels, images.width, images.height);
    into[i] = blurred_down(from, images.width, images.height, at,
                           static_cast<int>(value % channels), weights);
  }
}

__global__ void normalize_all(const std::uint8_t* from, Images images,
                              const __grid_constant__ Normalization how, float* into,
                              std::uint32_t pixels) {
  for (std::size_t i = own_index(); i < pixels; i += all_threads()) {
    const Place at = place_of(static_cast<std::uint32_t>(i), images.width, images.height);
    normalize_pixel(from, images.width, images.height, at, how, into);
  }
}

/// cudaLaunchKernelEx says at once what is wrong with a launch.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                   Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// A block for each 256 items, up to what keeps any GPU full.
template <typename... Parameters, typename... Arguments>
cudaError_t launch_over(std::size_t count, void (*kernel)(Parameters...), cudaStream_t stream,
                        Arguments... arguments) {
  constexpr std::size_t most_blocks = 65536;
  const std::size_t blocks = (count + block_threads - 1) / block_threads;
  if (blocks == 0) return cudaErrorInvalidValue;
  const unsigned grid = static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
  return launch(kernel, dim3(grid), dim3(block_threads), stream, arguments...);
}

/// Pixels of so many images, or 0 (which no kernel is started for) when their values cannot be
/// counted with 32 bits.
std::uint32_t pixels_of(int count, int width, int height) {
  if (count <= 0 || width <= 0 || height <= 0) return 0;
  const std::uint64_t plane =
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  constexpr std::uint64_t most = UINT32_MAX / channels;
  if (plane > most / static_cast<std::uint64_t>(count)) return 0;
  return static_cast<std::uint32_t>(plane * static_cast<std::uint64_t>(count));
}

template <typename Number>
cudaError_t fill_with(Number* into, std::size_t count, cudaStream_t stream) {
  void (*kernel)(Number*, std::size_t) = fill_all;
  return launch_over(count, kernel, stream, into, count);
}

}  // namespace on_gpu

cudaError_t nothing(cudaStream_t stream) {
  return launch(do_nothing, dim3(1), dim3(32), stream);
}

cudaError_t copy(const void* from, void* into, std::size_t bytes, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(uint4);
  return launch_over(count, copy_all, stream, static_cast<const uint4*>(from),
                     static_cast<uint4*>(into), count);
}

cudaError_t fill(float* into, std::size_t count, cudaStream_t stream) {
  return fill_with(into, count, stream);
}

cudaError_t fill(std::uint16_t* into, std::size_t count, cudaStream_t stream) {
  return fill_with(into, count, stream);
}

cudaError_t fill(std::uint8_t* into, std::size_t count, cudaStream_t stream) {
  return fill_with(into, count, stream);
}

cudaError_t matmul(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  if (n <= 0) return cudaErrorInvalidValue;
  const unsigned blocks = (static_cast<unsigned>(n) + tile - 1) / tile;
  return launch(multiply, dim3(blocks, blocks), dim3(tile, tile), stream, a, b, c, n);
}

cudaError_t busy(const float* buffer, std::size_t count, volatile BusySignals* signals,
                 volatile int* halt, float* sink, long long most_cycles, int blocks,
                 cudaStream_t stream) {
  if (blocks <= 0 || count < busy_threads(blocks)) return cudaErrorInvalidValue;
  return launch(keep_busy, dim3(static_cast<unsigned>(blocks)), dim3(block_threads), stream, buffer,
                count, signals, halt, sink, most_cycles);
}

cudaError_t hold(volatile BusySignals* signals, long long most_cycles, cudaStream_t stream) {
  return launch(wait_for_host, dim3(1), dim3(1), stream, signals, most_cycles);
}

std::size_t busy_threads(int blocks) {
  return static_cast<std::size_t>(blocks) * block_threads;
}

cudaError_t resize(const std::uint8_t* from, Images images, int side, std::uint8_t* into,
                   cudaStream_t stream) {
  const std::uint32_t pixels = pixels_of(images.count, side, side);
  if (images.width <= 0 || images.height <= 0) return cudaErrorInvalidValue;
  return launch_over(pixels, resize_all, stream, from, images, side, into, pixels);
}

cudaError_t blur(const std::uint8_t* from, Images images, const BlurWeights& weights,
                 float* between, std::uint8_t* into, cudaStream_t stream) {
  const std::uint32_t values = pixels_of(images.count, images.width, images.height) * channels;
  const cudaError_t rows =
      launch_over(values, blur_rows, stream, from, images, weights, between, values);
  if (rows != cudaSuccess) return rows;
  return launch_over(values, blur_columns, stream, between, images, weights, into, values);
}

cudaError_t normalize(const std::uint8_t* from, Images images, const Normalization& how,
                      float* into, cudaStream_t stream) {
  const std::uint32_t pixels = pixels_of(images.count, images.width, images.height);
  return launch_over(pixels, normalize_all, stream, from, images, how, into, pixels);
}

}  // namespace feedrate::bench::kernels
