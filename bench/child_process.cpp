#include "bench/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "bench/open_file.hpp"
#include "bench/running_child.hpp"

namespace feedrate::bench {

std::string ChildEnd::text() const {
  const std::string words = last_error.empty() ? "" : fmt::format(": {}", last_error);
  if (timed_out) return "did not end within its time limit" + words;
  if (signal != 0)
    return fmt::format("was terminated by signal {} ({}){}", signal, strsignal(signal), words);
  return fmt::format("ended with exit status {}{}", status, words);
}

ChildEnd run_child(const std::vector<std::string>& program, Duration limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line) {
  return run_child(
      program, [limit] { return limit; }, stop, line);
}

ChildEnd run_child(const std::vector<std::string>& program, const std::function<Duration()>& limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line) {
  RunningChild running(program, OpenFile(::open("/dev/null", O_RDONLY | O_CLOEXEC)), line);
  return running.listen(limit, stop, [] { return false; }).value();
}

namespace {

struct Sockets {
  OpenFile ours;
  OpenFile theirs;
};

}  // namespace

class Companion::State {
 public:
  explicit State(const std::vector<std::string>& program) : State(program, make_sockets()) {}

  ~State() {
    input_ = OpenFile();
    if (!gone_) running_.wait_a_moment();
  }

  std::optional<ChildEnd> ask(const std::string& question, const std::string& last, Duration limit,
                              const std::atomic<bool>& stop,
                              const std::function<void(const std::string&)>& line) {
    answered_ = false;
    line_ = [&](const std::string& text) {
      if (text == last) {
        answered_ = true;
      } else {
        line(text);
      }
    };
    // Where it has ended, its end tells more than that nobody reads.
    const std::string words = question + "\n";
    static_cast<void>(::send(input_.get(), words.data(), words.size(), MSG_NOSIGNAL));
    gone_ = true;
    auto end = running_.listen([limit] { return limit; }, stop, [this] { return answered_; });
    gone_ = end.has_value();
    return end;
  }

 private:
  State(const std::vector<std::string>& program, Sockets sockets)
      : input_(std::move(sockets.ours)),
        running_(program, sockets.theirs, [this](const std::string& text) {
          if (line_) line_(text);
        }) {}

  /// A pipe that nobody reads any more would end us with a signal.
  static Sockets make_sockets() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw HostError(std::string("no socket: ") + std::strerror(errno));
    }
    return {OpenFile(ends[0]), OpenFile(ends[1])};
  }

  bool answered_ = false;
  bool gone_ = false;
  std::function<void(const std::string&)> line_;
  OpenFile input_;
  RunningChild running_;
};

Companion::Companion(const std::vector<std::string>& program)
    : state_(std::make_unique<State>(program)) {}

Companion::~Companion() = default;

std::optional<ChildEnd> Companion::ask(const std::string& question, const std::string& last,
                                       Duration limit, const std::atomic<bool>& stop,
                                       const std::function<void(const std::string&)>& line) {
  return state_->ask(question, last, limit, stop, line);
}

}  // namespace feedrate::bench
