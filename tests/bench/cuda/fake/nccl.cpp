// libnccl.so.2 of the simulated host: an all-reduce takes as long as the settings say and
// multiplies the buffer by the number of ranks, which is its sum where all of them hold the same.
#include <atomic>
#include <chrono>
#include <cstring>

#include "simulated.hpp"

using namespace simulated;

namespace {

enum Result { success = 0, unhandled_cuda_error = 1, invalid_argument = 4, in_progress = 7 };
constexpr int fp32 = 7;
constexpr std::size_t id_bytes = 128;

struct Id {
  char bytes[id_bytes];
};

/// What work that hangs looks at, while the communicator may be gone.
struct Shared {
  std::atomic<bool> aborted{false};
};

struct Comm {
  int ranks;
  int gpu;
  bool one_process;
  bool joins_for_ever = false;  ///< the others never come
  bool finalized = false;
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
};

thread_local int depth = 0;

Comm* comm_of(void* comm, const char* who) {
  if (comm == nullptr) bug(std::string(who) + " without a communicator");
  return static_cast<Comm*>(comm);
}

/// As nccl.h: the fields that a program may set come first.
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
};

int join(void** into, int ranks, int rank, bool blocking) {
  if (ranks <= 0 || rank < 0 || rank >= ranks) {
    bug("ncclCommInitRank of a rank that the group does not have");
    return invalid_argument;
  }
  const bool alone = stalls("ncclCommInitRank");
  while (alone && blocking) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *into = new Comm{ranks, current_gpu(), false, alone};
  return blocking ? success : in_progress;
}

/// 2(n - 1) steps, each of one n-th of the bytes.
double duration(const Comm& comm, double bytes) {
  const double steps = 2.0 * (comm.ranks - 1);
  const double network = setting("FEEDRATE_SIM_NETWORK", settings().nvlink);
  double rate = comm.one_process ? settings().nvlink : network;
  if (comm.one_process && !settings().peer) rate = settings().pcie / 2.0;
  return settings().launch + steps * settings().nccl_latency + steps / comm.ranks * bytes / rate;
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  if (const int status = refused("ncclGetVersion")) return status;
  *version = 22803;
  return success;
}

const char* ncclGetErrorString(int status) {
  switch (status) {
    case success: return "no error";
    case unhandled_cuda_error: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case 2: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case 3: return "internal error - please report this issue to the NCCL developers";
    case invalid_argument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case 5: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case 6: return "remote process exited or there was a network error";
    case in_progress: return "NCCL operation in progress";
    default: return "unknown result code";
  }
}

const char* ncclGetLastError(void*) {
  return "";
}

int ncclGetUniqueId(Id* id) {
  if (const int status = refused("ncclGetUniqueId")) return status;
  std::memset(id->bytes, 0x5A, id_bytes);
  return success;
}

int ncclCommInitAll(void** comms, int count, const int* gpus) {
  if (const int status = refused("ncclCommInitAll")) return status;
  while (stalls("ncclCommInitAll")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int i = 0; i < count; ++i) comms[i] = new Comm{count, gpus[i], true};
  return success;
}

int ncclCommInitRank(void** comm, int ranks, Id, int rank) {
  if (const int status = refused("ncclCommInitRank")) return status;
  return join(comm, ranks, rank, true);
}

int ncclCommInitRankConfig(void** comm, int ranks, Id, int rank, const Config* config) {
  if (const int status = refused("ncclCommInitRankConfig")) return status;
  return join(comm, ranks, rank, config == nullptr || config->blocking != 0);
}

int ncclCommGetAsyncError(void* comm, int* failed) {
  *failed = success;
  if (const int status = refused("ncclCommGetAsyncError")) return status;
  const Comm* one = comm_of(comm, "ncclCommGetAsyncError");
  if (one == nullptr) return invalid_argument;
  *failed = refused("asynchronous error of NCCL");
  if (*failed == success && one->joins_for_ever) *failed = in_progress;
  return success;
}

int ncclGroupStart() {
  if (const int status = refused("ncclGroupStart")) return status;
  ++depth;
  return success;
}

int ncclGroupEnd() {
  if (depth == 0) {
    bug("ncclGroupEnd without ncclGroupStart");
    return 5;
  }
  --depth;
  return refused("ncclGroupEnd");
}

int ncclAllReduce(const void* from, void* into, std::size_t count, int type, int, void* comm,
                  cudaStream_t stream) {
  if (const int status = refused("ncclAllReduce")) return status;
  const Comm* one = comm_of(comm, "ncclAllReduce");
  const auto on = stream_of(stream, "ncclAllReduce");
  if (one == nullptr || !on) return invalid_argument;
  if (one->joins_for_ever) bug("ncclAllReduce while the communicator is still being made");
  if (on->gpu != one->gpu) bug("ncclAllReduce on a stream of another GPU");
  const std::size_t bytes = count * (type == fp32 ? 4 : 2);
  const bool right = check_reach("ncclAllReduce reads", from, bytes, one->gpu) &&
                     check_reach("ncclAllReduce writes", into, bytes, one->gpu);
  if (!right) return invalid_argument;
  if (stalls("ncclAllReduce")) {
    on->add(stalled([shared = one->shared] { return shared->aborted.load(); }), true);
    return success;
  }
  const double took = duration(*one, static_cast<double>(bytes));
  on->add([=, ranks = one->ranks](double began) {
    const bool computes = type == fp32 && really_done(static_cast<double>(bytes));
    for (std::size_t i = 0; computes && i < count; ++i) {
      static_cast<float*>(into)[i] = static_cast<const float*>(from)[i] * static_cast<float>(ranks);
    }
    return began + took;
  });
  return success;
}

int ncclCommFinalize(void* comm) {
  if (const int status = refused("ncclCommFinalize")) return status;
  Comm* one = comm_of(comm, "ncclCommFinalize");
  if (one == nullptr) return invalid_argument;
  one->finalized = true;
  return success;
}

int ncclCommDestroy(void* comm) {
  const int status = refused("ncclCommDestroy");
  Comm* one = comm_of(comm, "ncclCommDestroy");
  // It waits for what will never come.
  while (one != nullptr && one->joins_for_ever) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  delete one;
  return status;
}

int ncclCommAbort(void* comm) {
  const int status = refused("ncclCommAbort");
  Comm* one = comm_of(comm, "ncclCommAbort");
  if (one != nullptr) one->shared->aborted = true;
  delete one;
  return status;
}
}
