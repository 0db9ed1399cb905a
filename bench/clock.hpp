#pragma once
// The clock of every measurement.
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>

#include "base/units.hpp"

namespace feedrate::bench {

/// Since some fixed moment; never set back.
inline Duration now() {
  return seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

/// "2026-05-01T12:00:00Z"
inline std::string utc_now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// When work that goes on and on is to give up.
class Until {
 public:
  /// Once `stop` is set, or at `end`, where there is one. Both outlive this.
  Until(const std::atomic<bool>& stop, const Duration* end = nullptr) : stop_(stop), end_(end) {}
  explicit operator bool() const { return stop_ || (end_ != nullptr && now() >= *end_); }

 private:
  const std::atomic<bool>& stop_;
  const Duration* end_;
};

}  // namespace feedrate::bench
