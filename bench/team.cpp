#include "bench/team.hpp"

#include <algorithm>
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

Duration time_of_one(Team& team, int threads, Duration length, const Until& give_up,
                     const std::function<void(int)>& one) {
  // A window that holds hardly one of them would count the quick ones too often.
  constexpr double least_in_window = 8.0;
  std::vector<double> rates(static_cast<std::size_t>(threads), 0.0);
  std::atomic<int> before_start = threads;
  std::atomic<int> before_end = threads;
  std::atomic<bool> failed = false;
  const auto over = [&] { return give_up || failed; };
  // Everybody else works on while one of them has not got so far.
  const auto wait_for = [&](std::atomic<int>& missing, int thread) {
    --missing;
    while (missing > 0 && !over()) one(thread);
  };
  const auto rate_within = [&](Duration window, int thread) {
    double done = 0.0;
    const Duration end = now() + window;
    for (Duration from = now(); from < end && !over();) {
      one(thread);
      const Duration to = now();
      done += to <= end ? 1.0 : (end - from) / (to - from);
      from = to;
    }
    return done / window.base();
  };
  team.run(threads, [&](int thread) {
    try {
      const Duration start = now();
      one(thread);
      const Duration first = now() - start;
      wait_for(before_start, thread);
      rates[static_cast<std::size_t>(thread)] =
          rate_within(std::max(length, first * least_in_window), thread);
      wait_for(before_end, thread);
    } catch (...) {
      failed = true;
      throw;
    }
  });
  return seconds(threads / std::accumulate(rates.begin(), rates.end(), 0.0));
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
