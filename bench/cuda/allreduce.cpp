#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "bench/clock.hpp"
#include "bench/cuda/handles.hpp"
#include "bench/cuda/kernels.hpp"
#include "bench/cuda/nccl.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench::gpu {
namespace {

/// One that takes longer will not end: a rank is gone.
constexpr Duration patience = seconds(60.0);

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

Nccl::Id shared_id(const ProcessGroup& group, const std::atomic<bool>& stop) {
  Nccl::Id id{};
  if (group.rank == 0) nccl().check(nccl().get_id(&id), "make an id for the group");
  const std::string all =
      share_from_first(group, std::string(id.bytes, Nccl::id_bytes), patience, stop);
  std::memcpy(id.bytes, all.data(), Nccl::id_bytes);
  return id;
}

}  // namespace

class Communicator {
 public:
  Communicator(const ProcessGroup& group, std::size_t largest, const std::atomic<bool>& stop)
      : stop_(stop) {
    if (group.size == 1) {
      join_in_process(largest);
    } else {
      join_group(group, largest);
    }
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    for (const auto& rank : ranks_) leave(*rank);
  }

  Duration allreduce(std::size_t count) {
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
    for (const auto& rank : ranks_) wait(*rank, start + patience);
    return now() - start;
  }

  [[nodiscard]] int size() const { return size_; }

 private:
  void join_in_process(std::size_t largest) {
    size_ = count();
    std::vector<int> gpus(static_cast<std::size_t>(size_));
    std::iota(gpus.begin(), gpus.end(), 0);
    for (const int gpu : gpus) ranks_.push_back(std::make_unique<Rank>(gpu, largest));
    std::vector<Nccl::Comm> comms(gpus.size(), nullptr);
    nccl().check(nccl().init_all(comms.data(), size_, gpus.data()), "join the GPUs of this host");
    for (std::size_t i = 0; i < comms.size(); ++i) ranks_[i]->comm = comms[i];
  }

  void join_group(const ProcessGroup& group, std::size_t largest) {
    size_ = group.size;
    // torchrun shows every process all GPUs, others show each its own.
    ranks_.push_back(std::make_unique<Rank>(group.local_rank % count(), largest));
    const Nccl::Id id = shared_id(group, stop_);
    use(ranks_.front()->gpu);
    nccl().check(nccl().init_rank(&ranks_.front()->comm, size_, id, group.rank),
                 fmt::format("join a group of {} processes", size_));
  }

  /// Looks again and again, because a rank that is gone would be waited for without end.
  void wait(Rank& rank, Duration end) {
    use(rank.gpu);
    while (!rank.stream.done()) {
      int failed = 0;
      nccl().check(nccl().async_error(rank.comm, &failed), "tell its state");
      const bool late = now() > end;
      const bool broken = failed != 0 && failed != Nccl::in_progress;
      if (!late && !broken && !stop_.load(std::memory_order_relaxed)) continue;
      abort();
      if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
      nccl().check(broken ? failed : 0, "all-reduce");
      throw HostError(
          fmt::format("an all-reduce over {} GPUs did not end in {:g} s", size_, patience.base()));
    }
  }

  void abort() {
    for (const auto& rank : ranks_) {
      // On the way out with another error, which says more than this one's status would.
      static_cast<void>(nccl().abort(rank->comm));
      rank->comm = nullptr;
    }
  }

  static void leave(Rank& rank) {
    if (rank.comm == nullptr) return;
    static_cast<void>(cudaSetDevice(rank.gpu));
    static_cast<void>(nccl().destroy(rank.comm));
    rank.comm = nullptr;
  }

  const std::atomic<bool>& stop_;
  int size_ = 0;
  std::vector<std::unique_ptr<Rank>> ranks_;
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

std::shared_ptr<Communicator> communicator(const ProcessGroup& group, Bytes largest,
                                           const std::atomic<bool>& stop) {
  return std::make_shared<Communicator>(group, static_cast<std::size_t>(largest.base()), stop);
}

int ranks(const Communicator& communicator) {
  return communicator.size();
}

Timed allreduce(std::shared_ptr<Communicator> communicator, Bytes size) {
  const auto count = static_cast<std::size_t>(size.base()) / sizeof(float);
  return [communicator = std::move(communicator), count] { return communicator->allreduce(count); };
}

}  // namespace feedrate::bench::gpu
