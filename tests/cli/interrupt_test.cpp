// A signal that nobody looks at ends the program after all.
#include "cli/interrupt.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "catch.hpp"

using feedrate::cli::Interrupt;

namespace {

/// How a process of its own ends that does this, as waitpid tells it.
int ended(const std::function<void()>& work) {
  const pid_t id = fork();
  if (id == 0) {
    work();
    _exit(7);
  }
  int status = 0;
  REQUIRE(waitpid(id, &status, 0) == id);
  return status;
}

}  // namespace

TEST_CASE("interrupt: a signal that nobody looks at ends the program when patience is over") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const int status = ended([&] {
      const Interrupt interrupt(1);
      std::raise(signal);
      while (true) pause();
    });
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
  }
}

TEST_CASE("interrupt: one that is looked at in time ends nothing, nor does one without patience") {
  for (const unsigned patience : {0U, 1U}) {
    const int status = ended([&] {
      {
        const Interrupt interrupt(patience);
        std::raise(SIGTERM);
        if (!interrupt.flag()) _exit(1);
      }
      sleep(2);  // no alarm is left
    });
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
}
