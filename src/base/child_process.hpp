#pragma once
// Other programs, and the one place that starts them: each is waited for, so that none stays as a
// zombie, and ended on every way out, by an exception too.
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/open_file.hpp"
#include "base/units.hpp"

namespace feedrate {

/// How a program ended.
struct ProcessEnd {
  int status = 0;  ///< its exit status, or
  int signal = 0;  ///< the signal that ended it

  [[nodiscard]] bool fine() const { return status == 0 && signal == 0; }
  /// As a shell tells it: 128 + n where signal n ended it.
  [[nodiscard]] int shell_status() const { return signal != 0 ? 128 + signal : status; }
};

/// Of a status as waitpid and system return it.
ProcessEnd process_end(int raw);

/// There is no such program, or it is none that can be executed.
class NoSuchProgram : public InputError {
  using InputError::InputError;
};

/// Whom signals reach.
enum class ChildGroup {
  ours,  ///< the terminal's Ctrl-C reaches it as it reaches us; ours reach it alone
  own,   ///< none but ours, which reach all that it started
};

/// Descriptors that it gets; -1: the one of ours.
struct ChildFiles {
  int input = -1;
  int output = -1;
  int errors = -1;
};

class ChildProcess {
 public:
  /// Starts `command`, a program (found by PATH where its name has no slash) and its arguments, no
  /// shell. Signals are as a shell would hand them on, whatever this process ignores or handles:
  /// none blocked, and SIGINT, SIGTERM, SIGPIPE and SIGXFSZ end it. NoSuchProgram, or HostError
  /// where it cannot be started for another reason.
  ChildProcess(const std::vector<std::string>& command, ChildGroup group,
               const ChildFiles& files = {});
  ~ChildProcess() { end(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// It has ended, though it is not forgotten: what the kernel tells of it can still be read, and
  /// its number still means its group.
  [[nodiscard]] bool ended() const;
  /// Waits until it has ended, no longer than `patience`.
  void wait_for_end(Duration patience) const;
  /// Nothing once it was waited for.
  void send(int signal) const;
  /// Waits for its end, however long it takes.
  ProcessEnd wait();
  /// Sends SIGTERM where it still runs. One of our group may then take its time to end; a group of
  /// its own gets SIGKILL after two seconds, and all that is left of it where its first process has
  /// ended already.
  ProcessEnd end();

 private:
  pid_t id_ = 0;  ///< 0 once it was waited for
  ChildGroup group_;
  ProcessEnd end_;
};

/// A program that we listen to, and may talk to.
class HeardChild {
 public:
  enum class Input {
    none,   ///< empty, so that it cannot wait for the user
    spoken  ///< what say() gives it
  };
  using Take = std::function<void(std::string_view part)>;

  /// As ChildProcess. `output` and `errors` get what it writes, in parts of any length.
  HeardChild(const std::vector<std::string>& command, ChildGroup group, Input input, Take output,
             Take errors);

  /// To its standard input, as far as it reads that, while we listen.
  void say(std::string_view text);
  /// Its standard input ends with what was said; now, where some of that was not read yet.
  void hang_up();
  /// Hands on what comes, and waits for `patience` at most until something does. True once it has
  /// ended, and what it wrote was handed on; its end counts, not that of its pipes, which programs
  /// that it left running may hold.
  bool listen(Duration patience);
  /// As those of ChildProcess. `end` also hands on what was still written to standard error: why it
  /// went.
  void wait_for_end(Duration patience) const { child_.wait_for_end(patience); }
  ProcessEnd end();

 private:
  struct Pipes;
  HeardChild(const std::vector<std::string>& command, ChildGroup group, Pipes pipes, Take output,
             Take errors);
  void speak();

  OpenFile input_;
  OpenFile output_;
  OpenFile errors_;
  Take take_output_;
  Take take_errors_;
  std::string unsaid_;
  bool hung_up_ = false;
  ChildProcess child_;
};

/// A program that was run to its end.
struct ChildOutcome {
  ProcessEnd end;
  std::string out;
  std::string err;
};

/// Runs `command` (as ChildProcess, in our group) with `input` as its standard input. HostError
/// where it takes longer than `most_time` or writes more than `most_output` bytes; it is ended
/// then.
ChildOutcome run_child(const std::vector<std::string>& command, std::string_view input,
                       Duration most_time = minutes(5.0), std::size_t most_output = 64'000'000);

}  // namespace feedrate
