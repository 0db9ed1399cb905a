#include "bench/cuda/nccl.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

namespace feedrate::bench::gpu {

#if __has_include(<nccl.h>)
static_assert(Nccl::fp32 == ncclFloat32 && Nccl::sum == ncclSum && ncclSuccess == 0);
static_assert(Nccl::in_progress == ncclInProgress && sizeof(ncclResult_t) == sizeof(int));
static_assert(Nccl::id_bytes == NCCL_UNIQUE_ID_BYTES && sizeof(Nccl::Id) == sizeof(ncclUniqueId));
#endif

Nccl::Nccl() : library({"libnccl.so.2"}) {
  library.find("ncclGetVersion", get_version);
  library.find("ncclGetErrorString", error_text);
  library.find("ncclGetUniqueId", get_id);
  library.find("ncclCommInitAll", init_all);
  library.find("ncclCommInitRank", init_rank);
  library.find("ncclAllReduce", all_reduce);
  library.find("ncclGroupStart", group_start);
  library.find("ncclGroupEnd", group_end);
  library.find("ncclCommGetAsyncError", async_error);
  library.find("ncclCommDestroy", destroy);
  library.find("ncclCommAbort", abort);
}

void Nccl::check(int status, const std::string& doing) const {
  if (status == 0) return;
  throw HostError(
      fmt::format("NCCL could not {}: {} (NCCL_DEBUG=WARN tells more)", doing, error_text(status)));
}

const Nccl& nccl() {
  static const Nccl found;
  return found;
}

}  // namespace feedrate::bench::gpu
