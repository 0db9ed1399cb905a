// libcublas.so.13 of the simulated host: products take as long as the settings say, and make
// nothing.
#include "simulated.hpp"

using namespace simulated;

namespace {

enum Status { success = 0, not_initialized = 1, invalid_value = 7 };
constexpr int type_bf16 = 14;
constexpr int compute_tf32 = 77;

struct Handle {
  cudaStream_t stream = nullptr;
};

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  if (const int status = refused("cublasCreate_v2")) return status;
  *handle = new Handle;
  return success;
}

int cublasDestroy_v2(void* handle) {
  const int status = refused("cublasDestroy_v2");
  delete static_cast<Handle*>(handle);
  return status;
}

int cublasSetStream_v2(void* handle, cudaStream_t stream) {
  if (const int status = refused("cublasSetStream_v2")) return status;
  static_cast<Handle*>(handle)->stream = stream;
  return stream_to_use(stream, "cublasSetStream_v2") ? success : invalid_value;
}

const char* cublasGetStatusString(int status) {
  switch (status) {
    case success: return "CUBLAS_STATUS_SUCCESS";
    case not_initialized: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case invalid_value: return "CUBLAS_STATUS_INVALID_VALUE";
    default: return "CUBLAS_STATUS of a simulated failure";
  }
}

int cublasGemmEx(void* handle, int, int, int m, int n, int k, const void*, const void* a, int type,
                 int, const void* b, int, int, const void*, void* c, int, int, int compute, int) {
  if (const int status = refused("cublasGemmEx")) return status;
  const auto on = stream_to_use(static_cast<Handle*>(handle)->stream, "cublasGemmEx");
  if (!on) return invalid_value;
  const std::size_t number = type == type_bf16 ? 2 : 4;
  const auto bytes = [number](int rows, int columns) {
    return number * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  const bool right = check_reach("cublasGemmEx reads a", a, bytes(m, k), on->gpu) &&
                     check_reach("cublasGemmEx reads b", b, bytes(k, n), on->gpu) &&
                     check_reach("cublasGemmEx writes c", c, bytes(m, n), on->gpu);
  if (!right) return invalid_value;
  double rate = compute == compute_tf32 ? settings().tf32 : settings().fp32;
  if (type == type_bf16) rate = settings().bf16;
  const double took = settings().launch + 2.0 * m * n * k / rate;
  const bool stuck = stalls("cublasGemmEx");
  on->add(
      stuck ? stalled() : [took](double began) { return began + took; }, stuck);
  return success;
}
}
