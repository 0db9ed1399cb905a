// Kernels: they really run, thread after thread and block after block, on a thread of the host.
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <ucontext.h>

#include <chrono>
#include <csetjmp>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "simulated.hpp"

namespace simulated {
namespace {

constexpr unsigned most_threads = 1024;
constexpr std::size_t stack_bytes = 65536;

thread_local double kernel_began = 0.0;
thread_local bool asked_for_the_clock = false;  ///< by the thread that runs

/// The threads of a block that meet at __syncthreads: each has a stack of its own. They are
/// switched by longjmp, because swapcontext asks the kernel of the host each time.
class Block {
 public:
  Block(const std::function<void()>& body, dim3 size) : body_(body), size_(size) {
    fibers_.resize(std::size_t{size.x} * size.y * size.z);
    for (Fiber& fiber : fibers_) {
      fiber.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    }
  }

  void run() {
    for (Fiber& fiber : fibers_) begin(fiber);
    for (std::size_t left = fibers_.size(); left > 0;) {
      std::size_t ended = 0;
      for (std::size_t i = 0; i < fibers_.size(); ++i) {
        if (fibers_[i].ended) continue;
        resume(i);
        ended += fibers_[i].ended ? 1 : 0;
      }
      // All meet, or all end.
      if (ended != 0 && ended != left) bug("__syncthreads that only a part of a block reached");
      left -= ended;
    }
  }

  void meet() {
    if (_setjmp(fibers_[running_].at) == 0) _longjmp(scheduler_, 1);
  }

 private:
  struct Fiber {
    std::unique_ptr<char[]> stack;
    ucontext_t first{};
    std::jmp_buf at{};
    bool begun = false;
    bool ended = false;
  };

  static void enter();

  static void begin(Fiber& fiber) {
    fiber.begun = false;
    fiber.ended = false;
    getcontext(&fiber.first);
    fiber.first.uc_stack.ss_sp = fiber.stack.get();
    fiber.first.uc_stack.ss_size = stack_bytes;
    fiber.first.uc_link = nullptr;
    makecontext(&fiber.first, &Block::enter, 0);
  }

  void resume(std::size_t i) {
    running_ = i;
    const auto index = static_cast<unsigned>(i);
    threadIdx = {index % size_.x, index / size_.x % size_.y, index / size_.x / size_.y};
    Fiber& fiber = fibers_[i];
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.begun) _longjmp(fiber.at, 1);
    fiber.begun = true;
    setcontext(&fiber.first);
  }

  const std::function<void()>& body_;
  dim3 size_;
  std::vector<Fiber> fibers_;
  std::size_t running_ = 0;
  std::jmp_buf scheduler_{};
};

thread_local Block* block_that_meets = nullptr;

void Block::enter() {
  Block& self = *block_that_meets;
  self.body_();
  self.fibers_[self.running_].ended = true;
  _longjmp(self.scheduler_, 1);
}

template <typename Work>
void for_each_index(dim3 size, uint3& index, const Work& work) {
  for (index.z = 0; index.z < size.z; ++index.z) {
    for (index.y = 0; index.y < size.y; ++index.y) {
      for (index.x = 0; index.x < size.x; ++index.x) work();
    }
  }
}

/// Threads in two dimensions meet, those in one do not: a fiber costs as much as a hundred of them.
void run(const Launch& kernel) {
  const dim3 threads = kernel.how.blockDim;
  gridDim = {kernel.how.gridDim.x, kernel.how.gridDim.y, kernel.how.gridDim.z};
  blockDim = {threads.x, threads.y, threads.z};
  if (threads.y > 1) {
    Block block(kernel.body, threads);
    block_that_meets = &block;
    for_each_index(kernel.how.gridDim, blockIdx, [&] { block.run(); });
    block_that_meets = nullptr;
    return;
  }
  for_each_index(kernel.how.gridDim, blockIdx, [&] {
    for_each_index(threads, threadIdx, [&] {
      asked_for_the_clock = false;
      kernel.body();
    });
  });
}

/// The bytes that a kernel's pointers reach: it is taken to read or write all of them. Below 0:
/// there is one that it cannot use.
double reach(const Launch& kernel, int gpu) {
  double sum = 0.0;
  for (const void* pointer : kernel.pointers) {
    if (!check_reach("a kernel", pointer, 1, gpu)) return -1.0;
    sum += static_cast<double>(range_of(pointer, 0).left);
  }
  return sum;
}

/// Kernels that ran since memory last changed by other means, with the pointers they had: a probe
/// repeats one a thousand times, and would compute the same.
std::mutex repeats_guard;
std::map<std::pair<const void*, std::vector<const void*>>, int> repeats;

bool ran_enough(const Launch& kernel) {
  constexpr int enough = 2;
  const std::scoped_lock lock(repeats_guard);
  return ++repeats[{kernel.kernel, kernel.pointers}] > enough;
}

}  // namespace

void forget_repeats() {
  const std::scoped_lock lock(repeats_guard);
  repeats.clear();
}

cudaError_t launch(Launch kernel) {
  SIMULATED_CALL("cudaLaunchKernelExC");
  const auto on = stream_to_use(kernel.how.stream, "a kernel");
  if (!on) return keep(cudaErrorInvalidResourceHandle);
  const dim3 block = kernel.how.blockDim;
  const dim3 grid = kernel.how.gridDim;
  const unsigned threads = block.x * block.y * block.z;
  if (threads == 0 || threads > most_threads || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      grid.y > 65535 || grid.z > 65535) {
    bug(fmt::format("a kernel of {} x {} x {} blocks of {} threads", grid.x, grid.y, grid.z,
                    threads));
    return keep(cudaErrorInvalidConfiguration);
  }
  if (stalls("cudaLaunchKernelExC")) {
    on->add(stalled(), true);
    return cudaSuccess;
  }
  const double bytes = reach(kernel, on->gpu);
  if (bytes < 0.0) return keep(cudaErrorInvalidValue);
  const bool waits = kernel.waits && !kernel.pointers.empty();
  on->add(
      [kernel = std::move(kernel), bytes, waits](double began) {
        kernel_began = began;
        if (waits) sleep_until(began);
        if (kernel.waits || (really_done(bytes) && !ran_enough(kernel))) run(kernel);
        const double ends = began + settings().launch + bytes / settings().hbm;
        return waits ? now() : ends;
      },
      waits);
  return cudaSuccess;
}

}  // namespace simulated

void __syncthreads() {
  if (simulated::block_that_meets != nullptr) return simulated::block_that_meets->meet();
  simulated::bug("__syncthreads in a block of one dimension, which are run as if none met");
}

void __threadfence() {}

void __threadfence_system() {}

void __nanosleep(unsigned nanoseconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
}

// Threads that run one after the other all begin when the kernel did.
long long clock64() {
  double time = simulated::kernel_began;
  if (simulated::asked_for_the_clock) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    time = simulated::now();
  }
  simulated::asked_for_the_clock = true;
  return static_cast<long long>(time * simulated::settings().sm_clock);
}
