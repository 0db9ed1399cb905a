// On whatever CUDA it is linked with: do the kernels write what image_math.hpp computes on the CPU,
// in every element, and do copies arrive? Exit status 1 when something is wrong, 3 when nothing
// could be checked. Buffers are poisoned first, so that what nobody wrote is seen.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/cuda/kernels.hpp"

using namespace feedrate::bench::kernels;

namespace {

bool all_right = true;
bool exact = false;  ///< one compiler made both sides of each comparison

void require(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  std::printf("CUDA could not %s: %s (%s)\n", doing, cudaGetErrorString(status),
              cudaGetErrorName(status));
  std::exit(3);
}

/// Differences of more than `most` are wrong; so is what is no number. `most` is what a GPU may
/// gain that rounds a product and a sum once instead of twice.
class Comparison {
 public:
  Comparison(std::string what, double most) : what_(std::move(what)), most_(exact ? 0.0 : most) {}
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    const bool right = wrong_ == 0 && compared_ > 0;
    all_right = all_right && right;
    std::printf("%-44s %10zu values, worst difference %-9.3g %s\n", what_.c_str(), compared_,
                worst_, right ? "right" : "WRONG");
  }
  void compare(double got, double expected) {
    const double difference = std::fabs(got - expected);
    const bool right = difference <= most_;
    wrong_ += right ? 0 : 1;
    if (!(difference <= worst_)) worst_ = difference;
    ++compared_;
  }

 private:
  std::string what_;
  double most_;
  double worst_ = 0.0;
  std::size_t compared_ = 0;
  std::size_t wrong_ = 0;
};

template <typename Number>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    constexpr int poison = 0xCD;
    require(cudaMalloc(&memory_, bytes()), "allocate memory");
    require(cudaMemset(memory_, poison, bytes()), "poison memory");
  }
  explicit Buffer(const std::vector<Number>& content) : Buffer(content.size()) {
    require(cudaMemcpy(memory_, content.data(), bytes(), cudaMemcpyHostToDevice), "copy up");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { static_cast<void>(cudaFree(memory_)); }
  [[nodiscard]] Number* get() const { return static_cast<Number*>(memory_); }
  /// After all work on the GPU.
  [[nodiscard]] std::vector<Number> content() const {
    std::vector<Number> all(count_);
    require(cudaDeviceSynchronize(), "finish its work");
    require(cudaMemcpy(all.data(), memory_, bytes(), cudaMemcpyDeviceToHost), "copy back");
    return all;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(Number); }
  std::size_t count_;
  void* memory_ = nullptr;
};

template <typename Number>
void compare_all(Comparison& comparison, const std::vector<Number>& got,
                 const std::vector<Number>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    comparison.compare(static_cast<double>(got[i]), static_cast<double>(expected[i]));
  }
}

std::vector<std::uint8_t> noise(std::size_t count) {
  std::vector<std::uint8_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = rounded(127.5F * (scattered(i) + 1.0F));
  return all;
}

std::size_t values(Images images) {
  return static_cast<std::size_t>(channels) * static_cast<std::size_t>(images.count) *
         static_cast<std::size_t>(images.width) * static_cast<std::size_t>(images.height);
}

std::string shape(Images images) {
  return std::to_string(images.count) + " x " + std::to_string(images.width) + " x " +
         std::to_string(images.height);
}

void check_fill_and_copy(std::size_t count, cudaStream_t stream) {
  const Buffer<float> floats(count);
  const Buffer<std::uint16_t> halves(count);
  const Buffer<std::uint8_t> bytes(16 * count);
  const Buffer<std::uint8_t> copied(16 * count);
  require(fill(floats.get(), count, stream), "fill");
  require(fill(halves.get(), count, stream), "fill");
  require(fill(bytes.get(), 16 * count, stream), "fill");
  require(copy(bytes.get(), copied.get(), 16 * count, stream), "copy");
  std::vector<float> expected(count);
  std::vector<std::uint16_t> expected_halves(count);
  for (std::size_t i = 0; i < count; ++i) {
    expected[i] = scattered(i);
    expected_halves[i] = bfloat16(scattered(i));
  }
  Comparison as_floats("fill with floats", 0.0);
  compare_all(as_floats, floats.content(), expected);
  Comparison as_halves("fill with bfloat16", 0.0);
  compare_all(as_halves, halves.content(), expected_halves);
  const std::vector<std::uint8_t> got = bytes.content();
  Comparison as_bytes("fill with bytes", 1.0);
  compare_all(as_bytes, got, noise(16 * count));
  Comparison copies("copy within the GPU", 0.0);
  compare_all(copies, copied.content(), got);
}

void check_bus(std::size_t bytes) {
  const std::vector<std::uint8_t> content = noise(bytes);
  const Buffer<std::uint8_t> there(content);
  Comparison pageable("pageable memory, up and down", 0.0);
  compare_all(pageable, there.content(), content);
  void* pinned = nullptr;
  require(cudaHostAlloc(&pinned, bytes, cudaHostAllocPortable), "pin memory");
  std::uint8_t* const host = static_cast<std::uint8_t*>(pinned);
  std::fill(host, host + bytes, std::uint8_t{0});
  require(cudaMemcpy(host, there.get(), bytes, cudaMemcpyDeviceToHost), "copy back");
  Comparison comparison("pinned memory, down", 0.0);
  compare_all(comparison, std::vector<std::uint8_t>(host, host + bytes), content);
  require(cudaFreeHost(pinned), "free pinned memory");
}

void check_resize(Images images, int side, cudaStream_t stream) {
  const std::vector<std::uint8_t> from = noise(values(images));
  const Buffer<std::uint8_t> source(from);
  const Buffer<std::uint8_t> into(values({images.count, side, side}));
  require(resize(source.get(), images, side, into.get(), stream), "resize");
  const std::vector<std::uint8_t> got = into.content();
  Comparison comparison("resize " + shape(images) + " to " + std::to_string(side), 1.0);
  const auto pixels = static_cast<std::uint32_t>(got.size() / channels);
  for (std::uint32_t i = 0; i < pixels; ++i) {
    const Rgb expected =
        resized(from.data(), images.width, images.height, side, place_of(i, side, side));
    for (std::size_t c = 0; c < channels; ++c) {
      comparison.compare(got[channels * std::size_t{i} + c], expected.value[c]);
    }
  }
}

/// The second kernel is compared with what the first one made.
void check_blur(Images images, float sigma, cudaStream_t stream) {
  const std::vector<std::uint8_t> from = noise(values(images));
  const Buffer<std::uint8_t> source(from);
  const Buffer<float> between(from.size());
  const Buffer<std::uint8_t> into(from.size());
  const BlurWeights weights = blur_weights(sigma);
  require(blur(source.get(), images, weights, between.get(), into.get(), stream), "blur");
  const std::vector<float> rows = between.content();
  const std::vector<std::uint8_t> got = into.content();
  Comparison along("blur " + shape(images) + " along rows", 1e-3);
  Comparison down("blur " + shape(images) + " along columns", 1.0);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const Place at = place_of(index / channels, images.width, images.height);
    const int channel = static_cast<int>(index % channels);
    along.compare(static_cast<double>(rows[i]),
                  static_cast<double>(blurred_across(from.data(), images.width, images.height, at,
                                                     channel, weights)));
    down.compare(got[i],
                 blurred_down(rows.data(), images.width, images.height, at, channel, weights));
  }
}

void check_normalize(Images images, cudaStream_t stream) {
  const std::vector<std::uint8_t> from = noise(values(images));
  const Buffer<std::uint8_t> source(from);
  const Buffer<float> planes(from.size());
  const Normalization how = {{0.017F, 0.018F, 0.019F}, {-2.1F, -2.0F, -1.8F}};
  require(normalize(source.get(), images, how, planes.get(), stream), "normalize");
  std::vector<float> expected(from.size());
  for (std::uint32_t i = 0; i < from.size() / channels; ++i) {
    normalize_pixel(from.data(), images.width, images.height,
                    place_of(i, images.width, images.height), how, expected.data());
  }
  Comparison comparison("normalize " + shape(images), 1e-4);
  compare_all(comparison, planes.content(), expected);
}

void check_product(int n, cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<float> a(size * size);
  std::vector<float> b(size * size);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = scattered(i);
    b[i] = scattered(7 * i + 3);
  }
  const Buffer<float> left(a);
  const Buffer<float> right(b);
  const Buffer<float> product(a.size());
  require(matmul(left.get(), right.get(), product.get(), n, stream), "multiply");
  const std::vector<float> got = product.content();
  Comparison comparison("product of " + std::to_string(n) + " x " + std::to_string(n), 1e-3);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      float sum = 0.0F;  // in the order of the kernel
      for (std::size_t k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
      comparison.compare(static_cast<double>(got[row * size + column]), static_cast<double>(sum));
    }
  }
}

}  // namespace

/// --quick: small ones only; --exact: no difference is right. For where no GPU does the work.
int main(int argc, char** argv) {
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    quick = quick || option == "--quick";
    exact = exact || option == "--exact";
  }
  int gpus = 0;
  require(cudaGetDeviceCount(&gpus), "count GPUs");
  require(cudaSetDevice(0), "use GPU 0");
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  // More than a pass of the grid, where a GPU does it.
  check_fill_and_copy(quick ? 100'000 : (std::size_t{1} << 26) + 77, stream);
  check_bus(quick ? 1'000'001 : (std::size_t{1} << 28) + 1);
  for (const Images images : {Images{1, 1, 1}, {2, 7, 5}, {1, 64, 3}}) {
    for (const int side : {1, 8, 33}) check_resize(images, side, stream);
    check_blur(images, 1.3F, stream);
    check_normalize(images, stream);
  }
  const Images photographs = {quick ? 1 : 64, 500, 375};
  const Images cropped = {photographs.count, 224, 224};
  check_resize(photographs, 224, stream);
  check_blur(cropped, 1.0F, stream);
  check_normalize(cropped, stream);
  for (const int n : {1, 15, 16, 17, quick ? 50 : 333}) check_product(n, stream);
  require(cudaStreamDestroy(stream), "destroy a stream");
  std::printf("%s\n", all_right ? "all kernels are right" : "KERNELS ARE WRONG");
  return all_right ? 0 : 1;
}
