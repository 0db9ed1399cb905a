#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/library.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/probe.hpp"
#include "bench/watched.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

namespace feedrate::bench::gpu {
namespace {

/// The few functions of NCCL that all-reduce needs, found at run time: its header is no need.
struct Nccl {
  static constexpr std::size_t id_bytes = 128;
  struct Id {
    char bytes[id_bytes];
  };
  using Comm = void*;
  static constexpr int fp32 = 7;
  static constexpr int sum = 0;
  static constexpr int in_progress = 7;

  Nccl();
  void check(int status, const std::string& doing) const;

  Library library;
  int (*get_version)(int*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*get_id)(Id*) = nullptr;
  int (*init_all)(Comm*, int, const int*) = nullptr;
  int (*init_rank)(Comm*, int, Id, int) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*async_error)(Comm, int*) = nullptr;
  int (*destroy)(Comm) = nullptr;
  int (*abort)(Comm) = nullptr;
};

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

/// One rank of this process.
struct Rank {
  Rank(int on, std::size_t largest) : gpu(on), buffer(on, largest), stream(on) {
    check(kernels::fill(buffer.as<float>(), largest / sizeof(float), stream.get()), "fill memory");
    stream.wait();
  }
  int gpu;
  DeviceMemory buffer;
  Stream stream;  // after the memory, so that it goes first
  Nccl::Comm comm = nullptr;
};

Nccl::Id new_id() {
  Nccl::Id id{};
  nccl().check(nccl().get_id(&id), "make an id for the group");
  return id;
}

/// The ranks of this process. Every function may wait for other processes without end.
class Ring {
 public:
  Ring(const std::vector<int>& gpus, std::size_t largest) {
    for (const int gpu : gpus) ranks_.push_back(std::make_unique<Rank>(gpu, largest));
  }

  void join_in_process() {
    std::vector<int> gpus;
    for (const auto& rank : ranks_) gpus.push_back(rank->gpu);
    std::vector<Nccl::Comm> comms(gpus.size(), nullptr);
    nccl().check(nccl().init_all(comms.data(), static_cast<int>(gpus.size()), gpus.data()),
                 "join the GPUs of this host");
    for (std::size_t i = 0; i < comms.size(); ++i) ranks_[i]->comm = comms[i];
  }

  void join_group(int size, const Nccl::Id& id, int as) {
    use(ranks_.front()->gpu);
    nccl().check(nccl().init_rank(&ranks_.front()->comm, size, id, as),
                 fmt::format("join a group of {} processes", size));
  }

  /// From the first rank's call to the last one's end.
  Duration allreduce(std::size_t count, const std::atomic<bool>& give_up) {
    const Duration start = now();
    nccl().check(nccl().group_start(), "begin a group of calls");
    int status = 0;
    for (const auto& rank : ranks_) {
      if (status != 0) break;
      void* buffer = rank->buffer.as<void>();
      status = nccl().all_reduce(buffer, buffer, count, Nccl::fp32, Nccl::sum, rank->comm,
                                 rank->stream.get());
    }
    const int ended = nccl().group_end();  // also after an error: else every later call waits
    nccl().check(status, "start an all-reduce");
    nccl().check(ended, "start an all-reduce");
    for (const auto& rank : ranks_) wait(*rank, give_up);
    return now() - start;
  }

  void leave() {
    for (const auto& rank : ranks_) {
      if (rank->comm == nullptr) continue;
      static_cast<void>(cudaSetDevice(rank->gpu));
      static_cast<void>(nccl().destroy(rank->comm));
      rank->comm = nullptr;
    }
  }

 private:
  /// Looks again and again, because a rank that is gone would be waited for without end.
  void wait(Rank& rank, const std::atomic<bool>& give_up) {
    use(rank.gpu);
    while (!rank.stream.done()) {
      int failed = 0;
      nccl().check(nccl().async_error(rank.comm, &failed), "tell its state");
      const bool broken = failed != 0 && failed != Nccl::in_progress;
      if (!broken && !give_up.load(std::memory_order_relaxed)) continue;
      abort();
      nccl().check(broken ? failed : 0, "all-reduce");
      throw HostError("an all-reduce was given up");
    }
  }

  void abort() {
    for (const auto& rank : ranks_) {
      // On the way out with another error, which says more than this one's status would.
      static_cast<void>(nccl().abort(rank->comm));
      rank->comm = nullptr;
    }
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace

/// NCCL's calls wait for other processes, and some of them (joining, and a first all-reduce, which
/// connects) without end: they are made in a thread that can be left. A communicator that does not
/// block (ncclConfig_t) would start a thread of its own for each all-reduce, and its time with it.
class Communicator {
 public:
  Communicator(const ProcessGroup& group, int gpus, std::size_t largest,
               const std::atomic<bool>& stop, Duration patience)
      : stop_(stop), patience_(patience), size_(group.size == 1 ? gpus : group.size) {
    if (group.size == 1) {
      std::vector<int> all(static_cast<std::size_t>(gpus));
      std::iota(all.begin(), all.end(), 0);
      ring_ = std::make_shared<Ring>(all, largest);
      watch([ring = ring_](const auto&) { ring->join_in_process(); }, connecting());
      return;
    }
    // torchrun shows every process all GPUs, others show each its own.
    ring_ = std::make_shared<Ring>(std::vector<int>{group.local_rank % count()}, largest);
    const Nccl::Id id = meet(group);
    watch([ring = ring_, id, size = size_,
           as = group.rank](const auto&) { ring->join_group(size, id, as); },
          connecting());
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    static const std::atomic<bool> whatever{false};
    try {
      thread_.run([ring = ring_](const auto&) { ring->leave(); }, seconds(10.0), whatever, "");
    } catch (const HostError&) {
      // It was, or is now, left to itself.
    }
  }

  Duration allreduce(std::size_t count) {
    const auto took = std::make_shared<Duration>();
    watch([ring = ring_, took,
           count](const auto& give_up) { *took = ring->allreduce(count, give_up); },
          fmt::format("an all-reduce over {} GPUs did not end within {:g} s", size_,
                      patience_.base()));
    return *took;
  }

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int hosts() const { return hosts_; }

 private:
  /// All processes are known to have come before any of them joins NCCL's group.
  Nccl::Id meet(const ProcessGroup& group) {
    Nccl::Id id{};
    if (group.rank == 0) id = new_id();
    const Shared shared =
        share_from_first(group, std::string(id.bytes, Nccl::id_bytes), patience_, stop_);
    std::memcpy(id.bytes, shared.words.data(), Nccl::id_bytes);
    hosts_ = shared.hosts;
    return id;
  }

  [[nodiscard]] std::string connecting() const {
    return fmt::format("NCCL did not connect {} GPUs within {:g} s (NCCL_DEBUG=INFO tells more{})",
                       size_, patience_.base(),
                       hosts_ > 1 ? "; NCCL_SOCKET_IFNAME names the network interface" : "");
  }

  void watch(Watched::Work work, const std::string& late) {
    thread_.run(std::move(work), patience_, stop_, late);
  }

  const std::atomic<bool>& stop_;
  Duration patience_;
  int size_;
  int hosts_ = 1;
  std::shared_ptr<Ring> ring_;
  Watched thread_;
};

std::string nccl_unavailable() {
  if (nccl().library.missing().empty()) return "";
  return "NCCL is missing: " + nccl().library.missing() +
         " (package libnccl2 of NVIDIA's repository for Debian and Ubuntu)";
}

std::string nccl_version() {
  int version = 0;
  nccl().check(nccl().get_version(&version), "tell its version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::shared_ptr<Communicator> communicator(const ProcessGroup& group, int gpus, Bytes largest,
                                           const std::atomic<bool>& stop, Duration patience) {
  return std::make_shared<Communicator>(group, gpus, static_cast<std::size_t>(largest.base()), stop,
                                        patience);
}

int ranks(const Communicator& communicator) {
  return communicator.size();
}

int hosts(const Communicator& communicator) {
  return communicator.hosts();
}

Timed allreduce(std::shared_ptr<Communicator> communicator, Bytes size) {
  const auto count = static_cast<std::size_t>(size.base()) / sizeof(float);
  return [communicator = std::move(communicator), count] { return communicator->allreduce(count); };
}

}  // namespace feedrate::bench::gpu
