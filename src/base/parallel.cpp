#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace feedrate {

std::size_t threads_for(int jobs, std::size_t count) {
  const std::size_t wanted =
      jobs > 0 ? static_cast<std::size_t>(jobs) : std::max(1U, std::thread::hardware_concurrency());
  return std::max<std::size_t>(1, std::min(wanted, count));
}

void in_threads(std::size_t threads, const std::function<void()>& loop) {
  struct Joined {
    std::vector<std::thread> others;
    ~Joined() {
      for (std::thread& other : others) other.join();
    }
  } joined;
  try {
    for (std::size_t t = 1; t < threads; ++t) joined.others.emplace_back(loop);
  } catch (const std::system_error&) {
    // Fewer do the same work.
  }
  loop();
}

void for_each_index(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex noting;
  std::size_t failed_at = count;
  std::exception_ptr failure;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(noting);
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
        failed = true;
      }
    }
  };
  in_threads(threads_for(jobs, count), loop);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace feedrate
