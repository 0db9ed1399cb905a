#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's kill
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace feedrate {
namespace {

constexpr Duration between_signals = seconds(2.0);
/// A child's end is no event that poll would tell of.
constexpr Duration glance = milliseconds(10.0);

Duration since_start() {
  return seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

int milliseconds_of(Duration time) {
  return static_cast<int>(std::ceil(std::max(0.0, time.base()) * 1e3));
}

void nap(Duration length) {
  poll(nullptr, 0, milliseconds_of(length));
}

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

pid_t spawn(const std::vector<std::string>& command, ChildGroup group, const ChildFiles& given) {
  SpawnSettings settings;
  const std::array<int, 3> files = {given.input, given.output, given.errors};
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (files[number] < 0) continue;
    posix_spawn_file_actions_adddup2(&settings.files, files[number], static_cast<int>(number));
  }
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&settings.attributes, &signals);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&settings.attributes, &signals);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  const int grouped = group == ChildGroup::own ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(
      &settings.attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | grouped));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &settings.files, &settings.attributes,
                                 arguments.data(), environ);
  if (error == 0) return child;
  const std::string text = fmt::format("cannot run {}: {}", command.front(), std::strerror(error));
  if (error == ENOENT || error == EACCES || error == ENOEXEC) throw NoSuchProgram(text);
  throw HostError(text);
}

/// A pipe may hold a mebibyte, and more than that is not read at a time: a program that never stops
/// writing must not keep us from looking at the clock.
void drain(OpenFile& from, const HeardChild::Take& take) {
  std::array<char, 65536> part;
  for (int parts = 0; parts < 32 && from.ok(); ++parts) {
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      from = OpenFile();
    } else {
      take({part.data(), static_cast<std::size_t>(got)});
    }
  }
}

}  // namespace

ProcessEnd process_end(int raw) {
  if (WIFSIGNALED(raw)) return {0, WTERMSIG(raw)};
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 0, 0};
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, ChildGroup group,
                           const ChildFiles& files)
    : id_(spawn(command, group, files)), group_(group) {}

bool ChildProcess::ended() const {
  siginfo_t info{};
  return id_ == 0 ||
         (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == id_);
}

void ChildProcess::wait_for_end(Duration patience) const {
  const Duration late = since_start() + patience;
  while (!ended() && since_start() < late) nap(glance);
}

void ChildProcess::send(int signal) const {
  if (id_ != 0) ::kill(group_ == ChildGroup::own ? -id_ : id_, signal);
}

ProcessEnd ChildProcess::wait() {
  int raw = 0;
  while (id_ != 0 && waitpid(id_, &raw, 0) < 0) {
    if (errno != EINTR) raw = id_ = 0;
  }
  if (id_ != 0) end_ = process_end(raw);
  id_ = 0;
  return end_;
}

ProcessEnd ChildProcess::end() {
  send(SIGTERM);
  if (group_ == ChildGroup::own) {
    wait_for_end(between_signals);
    send(SIGKILL);
  }
  return wait();
}

struct HeardChild::Pipes {
  struct Ends {
    OpenFile ours;
    OpenFile theirs;
  };

  explicit Pipes(Input input) : output(pipe_from_child()), errors(pipe_from_child()) {
    if (input == Input::spoken) {
      speech = socket_to_child();
    } else {
      speech.theirs = OpenFile(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
  }

  static Ends pipe_from_child() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw HostError("no pipe: " + system_reason());
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {OpenFile(ends[0]), OpenFile(ends[1])};
  }

  /// Writing to a pipe without a reader would end us with a signal.
  static Ends socket_to_child() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw HostError("no socket: " + system_reason());
    }
    return {OpenFile(ends[0]), OpenFile(ends[1])};
  }

  Ends speech;
  Ends output;
  Ends errors;
};

HeardChild::HeardChild(const std::vector<std::string>& command, ChildGroup group, Input input,
                       Take output, Take errors)
    : HeardChild(command, group, Pipes(input), std::move(output), std::move(errors)) {}

HeardChild::HeardChild(const std::vector<std::string>& command, ChildGroup group, Pipes pipes,
                       Take output, Take errors)
    : input_(std::move(pipes.speech.ours)),
      output_(std::move(pipes.output.ours)),
      errors_(std::move(pipes.errors.ours)),
      take_output_(std::move(output)),
      take_errors_(std::move(errors)),
      child_(command, group,
             {pipes.speech.theirs.get(), pipes.output.theirs.get(), pipes.errors.theirs.get()}) {}

void HeardChild::say(std::string_view text) {
  unsaid_ += text;
  speak();
}

void HeardChild::hang_up() {
  hung_up_ = true;
  speak();
}

void HeardChild::speak() {
  std::size_t said = 0;
  while (said < unsaid_.size() && input_.ok()) {
    const ssize_t sent = ::send(input_.get(), unsaid_.data() + said, unsaid_.size() - said,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) said += static_cast<std::size_t>(sent);
    if (sent > 0 || (sent < 0 && errno == EINTR)) continue;
    if (sent < 0 && errno == EAGAIN) break;
    input_ = OpenFile();  // Nobody reads it; its end, which is soon heard, tells why.
  }
  unsaid_.erase(0, said);
  if (hung_up_ && unsaid_.empty()) input_ = OpenFile();
}

bool HeardChild::listen(Duration patience) {
  const bool speaking = input_.ok() && !unsaid_.empty();
  // A closed one has the descriptor -1, which poll passes over.
  std::array<pollfd, 3> files = {pollfd{output_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0},
                                 pollfd{speaking ? input_.get() : -1, POLLOUT, 0}};
  const bool silent = !output_.ok() && !errors_.ok();
  poll(files.data(), files.size(), milliseconds_of(silent ? std::min(glance, patience) : patience));
  const bool ended = child_.ended();
  drain(output_, take_output_);
  drain(errors_, take_errors_);
  if (speaking) speak();
  return ended;
}

ProcessEnd HeardChild::end() {
  const ProcessEnd how = child_.end();
  drain(errors_, take_errors_);
  return how;
}

ChildOutcome run_child(const std::vector<std::string>& command, std::string_view input,
                       Duration most_time, std::size_t most_output) {
  ChildOutcome outcome;
  const Duration late = since_start() + most_time;
  HeardChild child(
      command, ChildGroup::ours, HeardChild::Input::spoken,
      [&](std::string_view part) { outcome.out += part; },
      [&](std::string_view part) { outcome.err += part; });
  child.say(input);
  child.hang_up();
  while (!child.listen(milliseconds(50.0))) {
    if (since_start() > late) {
      throw HostError(
          fmt::format("{} did not end within {:g} s", command.front(), most_time.base()));
    }
    if (outcome.out.size() + outcome.err.size() > most_output) {
      throw HostError(fmt::format("{} wrote more than {:g} MB", command.front(),
                                  static_cast<double>(most_output) / 1e6));
    }
  }
  outcome.end = child.end();
  return outcome;
}

}  // namespace feedrate
