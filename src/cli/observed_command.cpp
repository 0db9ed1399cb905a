#include "cli/observed_command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/errors.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace feedrate::cli {

ObservedCommand::ObservedCommand(const std::vector<std::string>& command) {
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  // Signals as a shell would hand them on: we have handlers and ignore one.
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error =
      posix_spawnp(&id_, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return;
  id_ = 0;
  const std::string text = fmt::format("cannot run {}: {}", command.front(), std::strerror(error));
  if (error == ENOENT || error == EACCES || error == ENOEXEC) throw InputError(text);
  throw HostError(text);
}

ObservedCommand::~ObservedCommand() {
  if (id_ == 0) return;
  send(SIGTERM);
  wait();
}

bool ObservedCommand::ended() const {
  siginfo_t info{};
  return id_ == 0 ||
         (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == id_);
}

void ObservedCommand::send(int signal) const {
  if (id_ != 0) ::kill(id_, signal);
}

int ObservedCommand::wait() {
  int status = 0;
  while (waitpid(id_, &status, 0) < 0) {
    if (errno != EINTR) return 0;
  }
  id_ = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace feedrate::cli
