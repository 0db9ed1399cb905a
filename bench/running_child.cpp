#include "bench/running_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's kill
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/probe.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace feedrate::bench {
namespace {

constexpr Duration grace = seconds(2.0);  ///< between the polite and the other signal
/// A series of a loader with many workers is a line of many samples; a program without any newline
/// must not fill the memory.
constexpr std::size_t longest_line = std::size_t{16} << 20;

std::string system_text(int error) {
  return std::strerror(error);
}

struct Pipe {
  OpenFile read;
  OpenFile write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw HostError("no pipe: " + system_text(errno));
  return {OpenFile(ends[0]), OpenFile(ends[1])};
}

/// What comes from a pipe, cut into lines.
class Lines {
 public:
  Lines(OpenFile from, std::function<void(const std::string&)> line)
      : from_(std::move(from)), line_(std::move(line)) {
    fcntl(from_.get(), F_SETFL, O_NONBLOCK);
  }
  [[nodiscard]] int descriptor() const { return from_.get(); }
  [[nodiscard]] bool open() const { return from_.ok(); }

  /// What is there now, as far as a pipe can hold it: a program that never stops writing must not
  /// keep us from looking at the clock.
  void read() {
    std::array<char, 4096> part;
    for (int parts = 0; parts < 32 && from_.ok(); ++parts) {
      const ssize_t got = ::read(from_.get(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return finish();
      take(part.data(), static_cast<std::size_t>(got));
    }
  }

  void finish() {
    from_ = OpenFile();
    if (!rest_.empty()) line_(std::exchange(rest_, ""));
  }

 private:
  void take(const char* text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const bool ends = text[i] == '\n' || text[i] == '\r';
      if (!ends) {
        if (rest_.size() == longest_line) {
          throw InputError("the program printed a line of more than 16 MB");
        }
        rest_ += text[i];
      } else if (!rest_.empty()) {
        line_(std::exchange(rest_, ""));
      }
    }
  }

  OpenFile from_;
  std::function<void(const std::string&)> line_;
  std::string rest_;
};

struct SpawnSettings {
  SpawnSettings() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&files);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t files{};
};

pid_t spawn(const std::vector<std::string>& program, int input, int output, int errors) {
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, errors, STDERR_FILENO);
  // A group of its own, and signals as a shell would hand them on.
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&settings.attributes, &signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&settings.attributes, &signals);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  posix_spawnattr_setflags(&settings.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &settings.files, &settings.attributes,
                                 arguments.data(), environ);
  if (error == ENOENT || error == EACCES || error == ENOEXEC) {
    throw InputError(fmt::format("cannot run {}: {}", program.front(), system_text(error)));
  }
  if (error != 0) throw HostError("cannot start a program: " + system_text(error));
  return child;
}

/// The leader of a process group, ended with all that it started on every way out.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  /// It has ended, though it is not forgotten: its number still means its group.
  [[nodiscard]] bool ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == id_;
  }

  /// Ends what is left of the group; its status as waitpid tells it.
  int end() {
    if (id_ == 0) return 0;
    kill(-id_, SIGTERM);
    wait_a_moment();
    kill(-id_, SIGKILL);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

  /// Until it has ended by itself, though not for long.
  void wait_a_moment() const {
    const Duration late = now() + grace;
    while (id_ != 0 && !ended() && now() < late) poll(nullptr, 0, 10);
  }

 private:
  pid_t id_;
};

void wait_for_lines(const Lines& output, const Lines& errors) {
  constexpr int longest_ms = 50;
  // A closed pipe has the descriptor -1, which poll passes over.
  std::array<pollfd, 2> waiting = {pollfd{output.descriptor(), POLLIN, 0},
                                   pollfd{errors.descriptor(), POLLIN, 0}};
  poll(waiting.data(), waiting.size(), longest_ms);
}

}  // namespace

class RunningChild::State {
 public:
  State(const std::vector<std::string>& program, const OpenFile& input,
        std::function<void(const std::string&)> line)
      : output_pipe_(make_pipe()),
        errors_pipe_(make_pipe()),
        child_(spawn(program, input.get(), output_pipe_.write.get(), errors_pipe_.write.get())),
        output_(std::move(output_pipe_.read), std::move(line)),
        errors_(std::move(errors_pipe_.read),
                [this](const std::string& text) { end_.last_error = text; }) {
    output_pipe_.write = OpenFile();
    errors_pipe_.write = OpenFile();
  }

  std::optional<ChildEnd> listen(const std::function<Duration()>& limit,
                                 const std::atomic<bool>& stop,
                                 const std::function<bool()>& enough) {
    const Duration start = now();
    for (bool ended = false; !ended && !end_.timed_out;) {
      wait_for_lines(output_, errors_);
      ended = child_.ended();
      output_.read();
      errors_.read();
      if (stop.load(std::memory_order_relaxed)) {
        child_.end();
        throw Interrupted();
      }
      if (enough()) return std::nullopt;
      end_.timed_out = !ended && now() - start >= limit();
    }
    return finish();
  }

  void wait_a_moment() const { child_.wait_a_moment(); }

 private:
  ChildEnd finish() {
    const int status = child_.end();
    errors_.read();
    if (end_.timed_out) return end_;
    output_.finish();
    errors_.finish();
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end_.status = WEXITSTATUS(status);
    return end_;
  }

  ChildEnd end_;
  Pipe output_pipe_;
  Pipe errors_pipe_;
  Child child_;
  Lines output_;
  Lines errors_;
};

RunningChild::RunningChild(const std::vector<std::string>& program, const OpenFile& input,
                           std::function<void(const std::string&)> line)
    : state_(std::make_unique<State>(program, input, std::move(line))) {}

RunningChild::~RunningChild() = default;

std::optional<ChildEnd> RunningChild::listen(const std::function<Duration()>& limit,
                                             const std::atomic<bool>& stop,
                                             const std::function<bool()>& enough) {
  return state_->listen(limit, stop, enough);
}

void RunningChild::wait_a_moment() const {
  state_->wait_a_moment();
}

}  // namespace feedrate::bench
