#pragma once
// A command that runs while it is observed: with our own input and output, and our terminal.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace feedrate::cli {

class ObservedCommand {
 public:
  /// Starts it, found by PATH where its name has no slash. InputError: there is no such program.
  explicit ObservedCommand(const std::vector<std::string>& command);
  /// Asks it to end where it still runs, and waits until it has.
  ~ObservedCommand();
  ObservedCommand(const ObservedCommand&) = delete;
  ObservedCommand& operator=(const ObservedCommand&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// It has ended, though it is not forgotten: what the kernel tells of it can still be read.
  [[nodiscard]] bool ended() const;
  void send(int signal) const;
  /// Waits for its end. Its exit status; 128 + n where signal n ended it.
  int wait();

 private:
  pid_t id_ = 0;
};

}  // namespace feedrate::cli
