#pragma once
// Running another program: its lines as they come, its end, and never longer than allowed.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate::bench {

struct ChildEnd {
  bool timed_out = false;
  Duration limit;          ///< the time that it had
  int status = 0;          ///< its exit status, or
  int signal = 0;          ///< the signal that ended it
  std::string last_error;  ///< the last line that it wrote to its standard error

  [[nodiscard]] bool fine() const { return !timed_out && status == 0 && signal == 0; }
  /// "ended with status 3 (its last words: …)".
  [[nodiscard]] std::string text() const;
};

/// Runs `program` (found by PATH when its name has no slash) with an empty standard input, in a
/// process group of its own. `line` gets each line of its standard output. When `limit` is over, or
/// `stop` is set, or `line` throws, the whole group is ended, politely first. InputError: there is
/// no such program, or it printed a line of more than 16 MB or more than 256 MB in all;
/// Interrupted: `stop` was set.
ChildEnd run_child(const std::vector<std::string>& program, Duration limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line);
/// The same with a limit that may depend on what was printed.
ChildEnd run_child(const std::vector<std::string>& program, const std::function<Duration()>& limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line);

/// A program that lives from question to question: it reads lines and answers each. Ended with all
/// that it started when this goes; its standard input closes first, so that it can end by itself.
class Companion {
 public:
  /// As run_child.
  explicit Companion(const std::vector<std::string>& program);
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// Sends `question` and hands on each line of the answer until `last` comes. How it ended where
  /// it did so instead, or did not get so far within `limit`: nothing can be asked after that, nor
  /// after an exception, which are those of run_child.
  std::optional<ChildEnd> ask(const std::string& question, const std::string& last, Duration limit,
                              const std::atomic<bool>& stop,
                              const std::function<void(const std::string&)>& line);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace feedrate::bench
