#pragma once
// An end for work that looks at a flag alone.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/units.hpp"

namespace feedrate::bench {

/// Its flag is set once `stop` is, or once it has been on for longer than allowed in total.
class Alarm {
 public:
  Alarm(Duration allowed, const std::atomic<bool>& stop);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

  /// On while this lives.
  class On {
   public:
    explicit On(Alarm& alarm) : alarm_(alarm) { alarm_.turn(true); }
    On(const On&) = delete;
    On& operator=(const On&) = delete;
    ~On() { alarm_.turn(false); }

   private:
    Alarm& alarm_;
  };

  [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }

 private:
  void turn(bool on);
  void watch();

  const std::atomic<bool>& stop_;
  std::atomic<bool> flag_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  Duration left_;
  Duration since_;  ///< on since
  bool on_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace feedrate::bench
