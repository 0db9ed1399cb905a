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
  /// The signal that set it; 0: none. One that a terminal sent went to what we started too.
  [[nodiscard]] int signal() const;
  [[nodiscard]] bool by_terminal() const;
};

}  // namespace feedrate::cli
