#include "bench/team.hpp"

#include <numeric>
#include <string>
#include <system_error>

#include "base/errors.hpp"
#include "bench/clock.hpp"

namespace feedrate::bench {

std::vector<int> user_counts(int most) {
  std::vector<int> counts;
  for (int n = 1; n < most; n *= 2) counts.push_back(n);
  counts.push_back(most);
  return counts;
}

double samples_within(Team& team, int threads, Duration length, const std::atomic<bool>& stop,
                      const std::function<void(int)>& one) {
  std::vector<double> done(static_cast<std::size_t>(threads), 0.0);
  std::atomic<int> before_end = threads;
  team.run(threads, [&](int thread) {
    const Duration end = now() + length;
    double count = 0.0;
    try {
      for (Duration from = now(); from < end && !stop;) {
        one(thread);
        const Duration to = now();
        count += to <= end ? 1.0 : (end - from) / (to - from);
        from = to;
      }
      done[static_cast<std::size_t>(thread)] = count;
      --before_end;
      while (before_end > 0 && !stop) one(thread);
    } catch (...) {
      before_end = 0;
      throw;
    }
  });
  return std::accumulate(done.begin(), done.end(), 0.0);
}

Team::Team(int threads) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error& error) {
    close();
    throw HostError("starting " + std::to_string(threads) + " threads failed: " + error.what());
  }
}

Team::~Team() {
  close();
}

void Team::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Duration Team::run(int active, const std::function<void(int)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  failure_ = nullptr;
  active_ = active;
  ready_ = 0;
  running_ = size();
  started_ = false;
  ++round_;
  changed_.notify_all();
  // Waking a thread takes microseconds: the clock starts when all are awake.
  changed_.wait(lock, [&] { return ready_ == size(); });
  const Duration start = now();
  started_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return running_ == 0; });
  const Duration took = now() - start;
  if (failure_) std::rethrow_exception(failure_);
  return took;
}

void Team::serve(int index) {
  std::unique_lock lock(mutex_);
  for (unsigned seen = 0;;) {
    changed_.wait(lock, [&] { return closing_ || round_ != seen; });
    if (closing_) return;
    seen = round_;
    if (++ready_ == size()) changed_.notify_all();
    changed_.wait(lock, [&] { return started_; });
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (index < active_) (*work_)(index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace feedrate::bench
