#include "cli/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/errors.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace feedrate::cli {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw HostError(what + ": " + std::strerror(errno));
}

/// Both ends of a pipe, closed with the object; children inherit neither.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int end(std::size_t i) const { return ends_[i]; }
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};  // read, write
};

// Reads what is there; false at the end.
bool drain(int from, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t n = read(from, buffer.data(), buffer.size());
  if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

// Feeds and reads at the same time: neither side may wait for the other.
void talk(Pipe& in, Pipe& out, Pipe& err, const std::string& input, ChildOutcome& outcome) {
  fcntl(in.end(1), F_SETFL, O_NONBLOCK);
  std::size_t written = 0;
  bool out_open = true, err_open = true;
  while (out_open || err_open) {
    const bool feeding = in.end(1) >= 0;
    std::array<pollfd, 3> files = {{{out_open ? out.end(0) : -1, POLLIN, 0},
                                    {err_open ? err.end(0) : -1, POLLIN, 0},
                                    {feeding ? in.end(1) : -1, POLLOUT, 0}}};
    if (poll(files.data(), files.size(), -1) < 0 && errno != EINTR) fail("poll");
    if (files[0].revents != 0) out_open = drain(out.end(0), outcome.out);
    if (files[1].revents != 0) err_open = drain(err.end(0), outcome.err);
    if (files[2].revents == 0) continue;
    const ssize_t n = write(in.end(1), input.data() + written, input.size() - written);
    if (n > 0) written += static_cast<std::size_t>(n);
    const bool gone = n < 0 && errno != EAGAIN && errno != EINTR;
    if (gone || written == input.size()) in.close_end(1);
  }
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& command, const std::string& input) {
  Pipe in, out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.end(0), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.end(1), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.end(1), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ChildOutcome outcome;
  if (failure == ENOENT) {
    outcome.not_found = true;
    return outcome;
  }
  if (failure != 0) {
    errno = failure;
    fail(command.front());
  }
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  talk(in, out, err, input, outcome);
  int raw = 0;
  while (waitpid(child, &raw, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
  return outcome;
}

}  // namespace feedrate::cli
