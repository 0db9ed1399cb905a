#include "base/child_process.hpp"

#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace feedrate;

namespace {

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

/// Its kernel's number is nobody's any more, or that of another's child.
bool forgotten(pid_t child) {
  return ::kill(child, 0) != 0;
}

TEST_CASE("process: what goes in comes out, whatever its length, and both streams are kept apart") {
  std::mt19937_64 random(17);
  for (const std::size_t length : {0, 1, 4095, 65536, 65537, 300'000, 3'000'000}) {
    std::string text(length, ' ');
    for (char& c : text) c = static_cast<char>(random());
    const ChildOutcome outcome = run_child(shell("tee /dev/stderr"), text);
    INFO(length << " bytes");
    CHECK(outcome.end.fine());
    CHECK((outcome.out == text));
    CHECK((outcome.err == text));
  }
}

TEST_CASE("process: every exit status and every signal is told as a shell tells it") {
  for (int status = 0; status < 256; status += 5) {
    const ChildOutcome outcome = run_child(shell("exit " + std::to_string(status)), "");
    CHECK(outcome.end.status == status);
    CHECK(outcome.end.shell_status() == status);
    CHECK(outcome.end.fine() == (status == 0));
  }
  for (const int signal : {SIGINT, SIGTERM, SIGKILL, SIGPIPE, SIGSEGV}) {
    const ChildOutcome outcome = run_child(shell("kill -" + std::to_string(signal) + " $$"), "");
    CHECK(outcome.end.signal == signal);
    CHECK(outcome.end.shell_status() == 128 + signal);
  }
}

TEST_CASE("process: one that does not read what it is given ends as it wants, and nobody is hurt") {
  const ChildOutcome outcome =
      run_child(shell("exec <&-; echo deaf; exit 4"), std::string(9'000'000, 'x'));
  CHECK(outcome.out == "deaf\n");
  CHECK(outcome.end.status == 4);
}

TEST_CASE("process: what cannot be run is told with its name and the reason") {
  CHECK_THROWS_AS(run_child({"/no/such/program"}, ""), NoSuchProgram);
  CHECK_THROWS_AS(run_child({"feedrate-no-such-program"}, ""), NoSuchProgram);
  CHECK_THROWS_WITH(run_child({"/dev/null"}, ""), "cannot run /dev/null: Permission denied");
}

TEST_CASE("process: the last thing that a process knows of its child is how it ended") {
  ChildProcess child(shell("exit 7"), ChildGroup::ours);
  const pid_t id = child.id();
  child.wait_for_end(seconds(20.0));
  REQUIRE(child.ended());
  CHECK_FALSE(forgotten(id));
  for (int again = 0; again < 3; ++again) {
    CHECK(child.wait().status == 7);
    CHECK(child.end().status == 7);
    CHECK(child.ended());
  }
  CHECK(forgotten(id));
  child.send(SIGKILL);  // reaches nobody
}

TEST_CASE("process: it is ended with its object, and a group of its own with all that it started") {
  pid_t id = 0;
  {
    const ChildProcess child(shell("exec sleep 1000"), ChildGroup::ours);
    id = child.id();
  }
  CHECK(forgotten(id));
  pid_t grandchild = 0;
  {
    std::string said;
    HeardChild child(
        shell("trap '' TERM; sleep 1000 & echo $!; wait; wait"), ChildGroup::own,
        HeardChild::Input::none, [&](std::string_view part) { said += part; },
        [](std::string_view) {});
    while (said.find('\n') == std::string::npos) child.listen(seconds(1.0));
    grandchild = std::stoi(said);
    CHECK_FALSE(forgotten(grandchild));
  }
  for (int i = 0; i < 500 && !forgotten(grandchild); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(forgotten(grandchild));
}

TEST_CASE("process: signals are those of a shell, whatever this process does with them") {
  struct Ignored {
    Ignored() { before = ::signal(SIGPIPE, SIG_IGN); }
    ~Ignored() { ::signal(SIGPIPE, before); }
    void (*before)(int);
  } const ignored;
  CHECK(run_child(shell("kill -PIPE $$; echo alive"), "").end.signal == SIGPIPE);
}

TEST_CASE("process: it is in our group or in one of its own, as asked") {
  const auto group_of = [](ChildGroup group) {
    std::string said;
    HeardChild child(
        shell("ps -o pgid= -p $$"), group, HeardChild::Input::none,
        [&](std::string_view part) { said += part; }, [](std::string_view) {});
    while (!child.listen(seconds(1.0))) {
    }
    return std::stoi(said);
  };
  CHECK(group_of(ChildGroup::ours) == ::getpgrp());
  CHECK(group_of(ChildGroup::own) != ::getpgrp());
}

}  // namespace
