// Matrix products: cuBLAS where it is found, else a simple kernel of our own for fp32.
#include <fmt/format.h>

#include <utility>

#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/library.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/cuda/stretch.hpp"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif

namespace feedrate::bench::gpu {
namespace {

// cuBLAS is opened at run time, so its header is no need: these few of its numbers never changed.
constexpr int op_none = 0;
constexpr int type_fp32 = 0;
constexpr int type_bf16 = 14;
constexpr int compute_fp32 = 68;
constexpr int compute_tf32 = 77;
constexpr int algorithm_default = -1;
#if __has_include(<cublas_v2.h>)
static_assert(op_none == CUBLAS_OP_N && algorithm_default == CUBLAS_GEMM_DEFAULT);
static_assert(type_fp32 == CUDA_R_32F && type_bf16 == CUDA_R_16BF);
static_assert(compute_fp32 == CUBLAS_COMPUTE_32F && compute_tf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(CUBLAS_STATUS_SUCCESS == 0 && sizeof(cublasStatus_t) == sizeof(int));
#endif

using Handle = void*;

struct Cublas {
  Cublas() : library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) {
    library.find("cublasCreate_v2", create);
    library.find("cublasDestroy_v2", destroy);
    library.find("cublasSetStream_v2", set_stream);
    library.find("cublasGetStatusString", status_text);
    library.find("cublasGemmEx", gemm);
    missing = library.missing();
    if (missing.empty()) missing = why_not_started();
  }
  [[nodiscard]] bool found() const { return missing.empty(); }
  void check(int status, const std::string& doing) const {
    if (status == 0) return;
    throw HostError(fmt::format("cuBLAS could not {}: {}", doing, status_text(status)));
  }

  /// A library newer than the driver is found, and does not start.
  [[nodiscard]] std::string why_not_started() const {
    Handle handle = nullptr;
    const int status = create(&handle);
    if (status != 0) return fmt::format("cuBLAS does not start: {}", status_text(status));
    static_cast<void>(destroy(handle));
    return "";
  }

  Library library;
  std::string missing;  ///< why it cannot be used; "" when it can
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, cudaStream_t) = nullptr;
  const char* (*status_text)(int) = nullptr;
  int (*gemm)(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
              int, const void*, void*, int, int, int, int) = nullptr;
};

const Cublas& cublas() {
  static const Cublas found;
  return found;
}

/// What fills the buffers, how big a number is and how cuBLAS calls it.
struct Kind {
  std::size_t number;
  int type;
  int compute;
};

Kind kind_of(Precision precision) {
  switch (precision) {
    case Precision::bf16: return {2, type_bf16, compute_fp32};
    case Precision::tf32: return {4, type_fp32, compute_tf32};
    case Precision::fp32: break;
  }
  return {4, type_fp32, compute_fp32};
}

class Product {
 public:
  Product(int gpu, int n, Precision precision)
      : gpu_(gpu),
        n_(n),
        kind_(kind_of(precision)),
        a_(gpu, bytes_of(n)),
        b_(gpu, bytes_of(n)),
        c_(gpu, bytes_of(n)),
        stretch_(gpu) {
    fill(a_);
    fill(b_);
    stretch_.stream().wait();
    if (!cublas().found()) return;
    cublas().check(cublas().create(&handle_), "start");
    const int status = cublas().set_stream(handle_, stretch_.stream().get());
    if (status != 0) static_cast<void>(cublas().destroy(handle_));
    cublas().check(status, "use a stream");
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    static_cast<void>(cudaSetDevice(gpu_));
    static_cast<void>(cudaStreamSynchronize(stretch_.stream().get()));
    if (handle_ != nullptr) static_cast<void>(cublas().destroy(handle_));
  }

  Duration time(int times, const Meanwhile& meanwhile) {
    return stretch_.time(
        times, [&](const Stream& stream) { multiply(stream); }, meanwhile);
  }

  std::vector<Duration> sustain(Duration whole, int times, const Meanwhile& meanwhile) {
    return stretch_.sustain(
        whole, times, [&](const Stream& stream) { multiply(stream); }, meanwhile);
  }

 private:
  [[nodiscard]] std::size_t bytes_of(int n) const {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * kind_.number;
  }

  void fill(const DeviceMemory& matrix) {
    const std::size_t count = bytes_of(n_) / kind_.number;
    const cudaStream_t stream = stretch_.stream().get();
    if (kind_.type == type_bf16) {
      check(kernels::fill(matrix.as<std::uint16_t>(), count, stream), "fill memory");
    } else {
      check(kernels::fill(matrix.as<float>(), count, stream), "fill memory");
    }
  }

  void multiply(const Stream& stream) {
    if (handle_ == nullptr) {
      check(kernels::matmul(a_.as<float>(), b_.as<float>(), c_.as<float>(), n_, stream.get()),
            "start a kernel");
      return;
    }
    // Scaled by fp32 in every one of our precisions, as the compute types ask.
    const float alpha = 1.0F;
    const float beta = 0.0F;
    const int status = cublas().gemm(
        handle_, op_none, op_none, n_, n_, n_, &alpha, a_.as<void>(), kind_.type, n_, b_.as<void>(),
        kind_.type, n_, &beta, c_.as<void>(), kind_.type, n_, kind_.compute, algorithm_default);
    cublas().check(status, fmt::format("multiply matrices of {}", n_));
  }

  int gpu_;
  int n_;
  Kind kind_;
  DeviceMemory a_;
  DeviceMemory b_;
  DeviceMemory c_;
  Stretch stretch_;  // after the memory, so that it goes first
  Handle handle_ = nullptr;
};

}  // namespace

std::string matmul_library() {
  return cublas().found() ? "cublas" : "own";
}

std::string matmul_unavailable(int gpu, Precision precision) {
  if (precision == Precision::fp32) return "";
  if (!cublas().found()) {
    return "only cuBLAS multiplies with tensor cores, and " + cublas().missing;
  }
  constexpr int ampere = 8;
  if (attribute(gpu, cudaDevAttrComputeCapabilityMajor) >= ampere) return "";
  return "GPUs before Ampere have neither tf32 nor bf16";
}

Repeated matmul(int gpu, int n, Precision precision) {
  auto product = std::make_shared<Product>(gpu, n, precision);
  return [product = std::move(product)](int times, const Meanwhile& meanwhile) {
    return product->time(times, meanwhile);
  };
}

std::vector<Duration> sustained_matmul(int gpu, int n, Precision precision, Duration whole,
                                       int times, const Meanwhile& meanwhile) {
  return Product(gpu, n, precision).sustain(whole, times, meanwhile);
}

}  // namespace feedrate::bench::gpu
