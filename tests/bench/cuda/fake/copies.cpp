// Copies and memset: what they move, and how long that takes.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "simulated.hpp"

namespace simulated {
namespace {

/// A direction of the bus between the host and its GPUs: copies of one GPU come one after the
/// other, those of several share what the host can move.
class Bus {
 public:
  /// When a copy that could begin at `began` begins and ends.
  double take(int gpu, double began, double bytes, double rate, double rate_of_all) {
    const std::lock_guard lock(mutex_);
    double& free_at = free_at_[gpu];
    const double begins = std::max(began, free_at);
    const auto busy = std::count_if(free_at_.begin(), free_at_.end(), [&](const auto& other) {
      return other.first != gpu && other.second > begins;
    });
    const double share = rate_of_all / static_cast<double>(busy + 1);
    free_at = begins + settings().copy_latency + bytes / std::min(rate, share);
    return free_at;
  }

 private:
  std::mutex mutex_;
  std::map<int, double> free_at_;
};

Bus& bus(cudaMemcpyKind kind) {
  static auto& both = *new std::array<Bus, 2>;
  return both[kind == cudaMemcpyHostToDevice ? 0 : 1];
}

/// What the addresses say, for cudaMemcpyDefault and to hold against what the program says.
cudaMemcpyKind kind_of(const Range& into, const Range& from) {
  if (into.gpu >= 0) return from.gpu >= 0 ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from.gpu >= 0 ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

struct Copy {
  void* into;
  const void* from;
  std::size_t bytes;
  cudaMemcpyKind kind;
  bool pinned;  ///< all of it that is the host's
  bool right = true;
};

/// GPU memory must have been given; the host's may be anybody's, unless it is pinned.
Copy checked(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind, int gpu,
             const std::string& who) {
  const Range there = range_of(into, bytes);
  const Range here = range_of(from, bytes);
  const bool up = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool down = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  bool right = true;
  if (up || there.pinned) right = check_reach(who + " into", into, bytes, gpu);
  if (down || here.pinned) right = check_reach(who + " from", from, bytes, gpu) && right;
  const cudaMemcpyKind seen = kind_of(there, here);
  if (right && kind != cudaMemcpyDefault && kind != seen) {
    bug(who + " in another direction than it says");
    right = false;
  }
  const bool pinned = (there.gpu >= 0 || there.pinned) && (here.gpu >= 0 || here.pinned);
  return {into, from, bytes, kind == cudaMemcpyDefault ? seen : kind, pinned, right};
}

Stream::Work work_of(const Copy& copy, int gpu) {
  return [copy, gpu](double began) {
    const auto amount = static_cast<double>(copy.bytes);
    if (really_done(amount)) std::memmove(copy.into, copy.from, copy.bytes);
    forget_repeats();
    if (copy.kind == cudaMemcpyDeviceToDevice) {
      return began + settings().launch + 2.0 * amount / settings().hbm;
    }
    const double rate = copy.pinned ? settings().pcie : settings().pageable;
    return bus(copy.kind).take(gpu, began, amount, rate, settings().pcie_of_all);
  };
}

cudaError_t start(const Copy& copy, const std::shared_ptr<Stream>& on, const char* call) {
  if (!copy.right) return cudaErrorInvalidValue;
  if (stalls(call)) {
    on->add(stalled(), true);
  } else {
    on->add(work_of(copy, on->gpu));
  }
  return cudaSuccess;
}

cudaError_t set(void* into, int value, std::size_t bytes, const std::shared_ptr<Stream>& on,
                const char* call) {
  if (!check_reach(call, into, bytes, on->gpu)) return cudaErrorInvalidValue;
  on->add([=](double began) {
    const auto amount = static_cast<double>(bytes);
    if (really_done(amount)) std::memset(into, value, bytes);
    forget_repeats();
    return began + settings().launch + amount / settings().hbm;
  });
  return cudaSuccess;
}

}  // namespace
}  // namespace simulated

using namespace simulated;

extern "C" {

cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  SIMULATED_CALL("cudaMemcpyAsync");
  const auto on = stream_of(stream, "cudaMemcpyAsync");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  const Copy copy = checked(into, from, bytes, kind, on->gpu, "cudaMemcpyAsync");
  const cudaError_t status = start(copy, on, "cudaMemcpyAsync");
  // From and to pageable memory the caller stands by.
  if (!copy.pinned) on->finish();
  return keep(status);
}

cudaError_t cudaMemcpy(void* into, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  SIMULATED_CALL("cudaMemcpy");
  const auto on = stream_of(nullptr, "cudaMemcpy");
  const Copy copy = checked(into, from, bytes, kind, on->gpu, "cudaMemcpy");
  const cudaError_t status = start(copy, on, "cudaMemcpy");
  on->finish();
  return keep(status);
}

cudaError_t cudaMemsetAsync(void* into, int value, std::size_t bytes, cudaStream_t stream) {
  SIMULATED_CALL("cudaMemsetAsync");
  const auto on = stream_of(stream, "cudaMemsetAsync");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  return keep(set(into, value, bytes, on, "cudaMemsetAsync"));
}

cudaError_t cudaMemset(void* into, int value, std::size_t bytes) {
  SIMULATED_CALL("cudaMemset");
  const auto on = stream_of(nullptr, "cudaMemset");
  const cudaError_t status = set(into, value, bytes, on, "cudaMemset");
  on->finish();
  return keep(status);
}
}
