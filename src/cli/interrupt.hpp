#pragma once
// Ctrl-C while something is measured: what was measured until then is kept.
#include <atomic>

namespace feedrate::cli {

/// While it lives, the first SIGINT or SIGTERM sets the flag; one that comes a second or two later
/// ends the program.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;
};

}  // namespace feedrate::cli
