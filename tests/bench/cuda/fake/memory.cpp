// Allocations: each ends at a page that nobody may touch, so that work which leaves it is caught in
// the act; what is given back is gone.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <map>

#include "simulated.hpp"

namespace simulated {
namespace {

enum class Kind { device, pinned, registered };

struct Allocation {
  std::size_t bytes;
  int gpu;
  Kind kind;
  char* mapped;
  std::size_t mapped_bytes;
};

struct Memory {
  std::mutex mutex;
  std::map<const char*, Allocation> live;
  std::map<const char*, std::size_t> given_back;
};

Memory& memory() {
  static Memory& all = *new Memory;
  return all;
}

constexpr std::size_t page = 4096;
constexpr std::size_t alignment = 256;
constexpr unsigned char canary = 0xA5;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::device: return "GPU memory";
    case Kind::pinned: return "pinned memory";
    case Kind::registered: break;
  }
  return "registered memory";
}

/// A pointer that leaves its memory while the simulated GPU works, or that the program uses itself.
void on_fault(int signal, siginfo_t* info, void*) {
  char text[160];
  const int size = std::snprintf(text, sizeof text,
                                 "simulated CUDA: BUG: memory at %p was used, which nobody has\n",
                                 info->si_addr);
  static_cast<void>(!write(2, text, static_cast<std::size_t>(size)));
  std::signal(signal, SIG_DFL);
}

void catch_faults() {
  static const bool once = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    return true;
  }();
  static_cast<void>(once);
}

double used(Kind kind, int gpu) {
  double sum = 0.0;
  for (const auto& [at, one] : memory().live) {
    const bool same = one.kind == kind && (kind != Kind::device || one.gpu == gpu);
    if (same) sum += static_cast<double>(one.bytes);
  }
  return sum;
}

cudaError_t allocate(void** into, std::size_t bytes, Kind kind, double limit) {
  forget_repeats();
  *into = nullptr;
  const std::lock_guard lock(memory().mutex);
  const int gpu = current_gpu();
  if (used(kind, gpu) + static_cast<double>(bytes) > limit) return cudaErrorMemoryAllocation;
  catch_faults();
  const std::size_t usable = rounded_up(rounded_up(bytes, alignment), page);
  const std::size_t all = usable + 2 * page;
  void* mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return cudaErrorMemoryAllocation;
  char* first = static_cast<char*>(mapped) + page;
  mprotect(first, usable, PROT_READ | PROT_WRITE);
  char* at = first + usable - rounded_up(bytes, alignment);
  std::memset(at + bytes, canary, rounded_up(bytes, alignment) - bytes);
  memory().live[at] = {bytes, gpu, kind, static_cast<char*>(mapped), all};
  memory().given_back.erase(at);
  *into = at;
  return cudaSuccess;
}

cudaError_t give_back(void* what, Kind kind, const char* call) {
  const std::lock_guard lock(memory().mutex);
  const auto at = static_cast<const char*>(what);
  const auto found = memory().live.find(at);
  if (found == memory().live.end() || found->second.kind != kind) {
    bug(fmt::format("{} of what is no {}{}", call, name_of(kind),
                    memory().given_back.count(at) != 0 ? " any more" : ""));
    return cudaErrorInvalidValue;
  }
  const Allocation one = found->second;
  for (const char* slack = at + one.bytes; slack < at + rounded_up(one.bytes, alignment); ++slack) {
    if (kind == Kind::registered) break;
    if (static_cast<unsigned char>(*slack) == canary) continue;
    bug(fmt::format("{} bytes of {} were written beyond their end", one.bytes, name_of(kind)));
    break;
  }
  if (one.mapped != nullptr) munmap(one.mapped, one.mapped_bytes);
  memory().given_back[at] = one.bytes;
  memory().live.erase(found);
  return cudaSuccess;
}

}  // namespace

Range range_of(const void* what, std::size_t bytes) {
  const std::lock_guard lock(memory().mutex);
  const auto at = static_cast<const char*>(what);
  Range range;
  const auto next = memory().live.upper_bound(at);
  if (next != memory().live.begin()) {
    const auto& [begin, one] = *std::prev(next);
    if (at < begin + rounded_up(one.bytes, 1) || (one.bytes == 0 && at == begin)) {
      range.gpu = one.kind == Kind::device ? one.gpu : -1;
      range.pinned = one.kind != Kind::device;
      range.left = static_cast<std::size_t>(begin + one.bytes - at);
      if (bytes > range.left) {
        range.wrong = fmt::format("{} bytes from {} bytes before the end of {}", bytes, range.left,
                                  name_of(one.kind));
      }
      return range;
    }
  }
  range.wrong = memory().given_back.count(at) != 0 ? "memory that was given back"
                                                   : "memory that CUDA did not give";
  return range;
}

bool check_reach(const std::string& who, const void* what, std::size_t bytes, int gpu) {
  const Range range = range_of(what, bytes);
  if (!range.wrong.empty()) {
    bug(who + ": " + range.wrong);
    return false;
  }
  if (range.gpu < 0 || range.gpu == gpu) return true;
  bug(fmt::format("{} on GPU {}: memory of GPU {}", who, gpu, range.gpu));
  return false;
}

std::string leaked_memory() {
  const std::lock_guard lock(memory().mutex);
  std::string all;
  for (const auto& [at, one] : memory().live) {
    all += fmt::format("{}{} bytes of {}", all.empty() ? "" : ", ", one.bytes, name_of(one.kind));
  }
  return all;
}

}  // namespace simulated

using namespace simulated;

extern "C" {

cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  SIMULATED_CALL("cudaMemGetInfo");
  const std::lock_guard lock(memory().mutex);
  *all = static_cast<std::size_t>(settings().gpu_memory);
  *left = *all - static_cast<std::size_t>(used(Kind::device, current_gpu()));
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** into, std::size_t bytes) {
  SIMULATED_CALL("cudaMalloc");
  return keep(allocate(into, bytes, Kind::device, settings().gpu_memory));
}

// Statuses of giving back may be those of earlier work: it is done all the same.
cudaError_t cudaFree(void* what) {
  const cudaError_t status = enter("cudaFree");
  if (what == nullptr) return keep(status);
  const Range range = range_of(what, 0);
  if (range.gpu >= 0) finish_gpu(range.gpu);
  const cudaError_t done = give_back(what, Kind::device, "cudaFree");
  return keep(status != cudaSuccess ? status : done);
}

cudaError_t cudaHostAlloc(void** into, std::size_t bytes, unsigned) {
  SIMULATED_CALL("cudaHostAlloc");
  return keep(allocate(into, bytes, Kind::pinned, settings().pinned_memory));
}

cudaError_t cudaMallocHost(void** into, std::size_t bytes) {
  SIMULATED_CALL("cudaMallocHost");
  return keep(allocate(into, bytes, Kind::pinned, settings().pinned_memory));
}

cudaError_t cudaFreeHost(void* what) {
  const cudaError_t status = enter("cudaFreeHost");
  if (what == nullptr) return keep(status);
  finish_gpu(-1);
  const cudaError_t done = give_back(what, Kind::pinned, "cudaFreeHost");
  return keep(status != cudaSuccess ? status : done);
}

cudaError_t cudaHostRegister(void* what, std::size_t bytes, unsigned) {
  SIMULATED_CALL("cudaHostRegister");
  const std::lock_guard lock(memory().mutex);
  if (used(Kind::pinned, 0) + static_cast<double>(bytes) > settings().pinned_memory) {
    return keep(cudaErrorMemoryAllocation);
  }
  memory().live[static_cast<char*>(what)] = {bytes, -1, Kind::registered, nullptr, 0};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* what) {
  const cudaError_t status = enter("cudaHostUnregister");
  finish_gpu(-1);
  const cudaError_t done = give_back(what, Kind::registered, "cudaHostUnregister");
  return keep(status != cudaSuccess ? status : done);
}

cudaError_t cudaHostGetDevicePointer(void** seen, void* what, unsigned) {
  SIMULATED_CALL("cudaHostGetDevicePointer");
  const Range range = range_of(what, 0);
  if (!range.pinned) {
    bug("cudaHostGetDevicePointer of memory that is not pinned");
    return keep(cudaErrorInvalidValue);
  }
  *seen = what;
  return cudaSuccess;
}
}
