#pragma once
// Ctrl-C while something is measured or simulated: what was done until then is kept.
#include <atomic>
#include <string>

namespace feedrate::cli {

/// While it lives, the first SIGINT or SIGTERM sets the flag; one that comes a second or two later
/// ends the program, and so does the first after `patience_s` seconds, if any, in which this still
/// lives: whoever looks at the flag only now and then may be at something long.
class Interrupt {
 public:
  explicit Interrupt(unsigned patience_s = 0);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;
  /// The signal that set it; 0: none. One that a terminal sent went to what we started too.
  [[nodiscard]] int signal() const;
  [[nodiscard]] bool by_terminal() const;
};

/// Tells `message` and ends the program as the signal would have by itself, so that a script that
/// runs it stops too. Returns the exit status where the signal is ignored.
int end_by_signal(int signal, const std::string& message);

}  // namespace feedrate::cli
