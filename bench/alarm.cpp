#include "bench/alarm.hpp"

#include <chrono>

#include "bench/clock.hpp"

namespace feedrate::bench {

Alarm::Alarm(Duration allowed, const std::atomic<bool>& stop)
    : stop_(stop), left_(allowed), thread_([this] { watch(); }) {}

Alarm::~Alarm() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Alarm::turn(bool on) {
  {
    const std::lock_guard lock(mutex_);
    const Duration at = now();
    if (on_) left_ = left_ - (at - since_);
    on_ = on;
    since_ = at;
  }
  changed_.notify_all();
}

void Alarm::watch() {
  constexpr auto glance = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (!on_) {
      changed_.wait(lock);
      continue;
    }
    if (stop_ || now() - since_ >= left_) flag_ = true;
    changed_.wait_for(lock, glance);
  }
}

}  // namespace feedrate::bench
