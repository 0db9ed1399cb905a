#pragma once
// Threads that wait for work and start it together.
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/units.hpp"
#include "bench/clock.hpp"

namespace feedrate::bench {

/// 1, 2, 4 … and `most` itself.
std::vector<int> user_counts(int most);

class Team;

/// How long `one(thread)` takes in the mean while `threads` of the team call it again and again for
/// `length` or a little longer. The first calls are not counted, so that queues are as full as they
/// stay; what is under way at the end counts by its part. All stay busy until the last one is past
/// the end, so that none runs on a machine that has become idle. Once it is to give up it ends
/// early, with a number that means nothing.
Duration time_of_one(Team& team, int threads, Duration length, const Until& give_up,
                     const std::function<void(int)>& one);

/// Threads that live as long as the team, so that a sample never pays for making them.
class Team {
 public:
  explicit Team(int threads);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  /// Runs `work(0…active-1)`, one a thread; from the common start to the last one's end. What one
  /// of them throws is thrown here once all have ended.
  Duration run(int active, const std::function<void(int)>& work);

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }

 private:
  void serve(int index);
  void close();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* work_ = nullptr;
  unsigned round_ = 0;
  int active_ = 0;
  int ready_ = 0;    ///< threads that wait for the start of this round
  int running_ = 0;  ///< that have not ended it
  bool started_ = false;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace feedrate::bench
