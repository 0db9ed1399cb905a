#include "bench/child_process.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/probe.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

struct Run {
  std::vector<std::string> lines;
  ChildEnd end;
};

Run run(const std::string& script, Duration limit = seconds(20.0)) {
  Run all;
  all.end = run_child(shell(script), limit, never,
                      [&](const std::string& line) { all.lines.push_back(line); });
  return all;
}

/// One that has ended counts as gone, though nobody may have asked for its status yet.
bool alive(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return static_cast<bool>(file >> number >> name >> state) && state != "Z";
}

void wait_until_gone(int process) {
  for (int i = 0; i < 500 && alive(process); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

TEST_CASE("child: its lines come one by one, the last one also without an end") {
  const Run all = run("echo one; printf 'two\\r\\n\\nthree'");
  CHECK(all.lines == std::vector<std::string>{"one", "two", "three"});
  CHECK(all.end.fine());
}

TEST_CASE("child: a failure tells its status and its last words") {
  const Run all = run("echo fine; echo no such GPU >&2; exit 3");
  CHECK_FALSE(all.end.fine());
  CHECK(all.end.status == 3);
  CHECK(all.end.text() == "ended with exit status 3: no such GPU");
  CHECK(all.lines == std::vector<std::string>{"fine"});
}

TEST_CASE("child: one that a signal ended says which") {
  const Run all = run("kill -SEGV $$");
  CHECK(all.end.signal == SIGSEGV);
  CHECK(all.end.text().find("signal 11") != std::string::npos);
}

TEST_CASE("child: a program that does not exist is the user's mistake") {
  CHECK_THROWS_AS(run_child({"/no/such/program"}, seconds(5.0), never, [](const auto&) {}),
                  InputError);
}

TEST_CASE("child: its standard input is empty, so that it cannot wait for the user") {
  CHECK(run("cat; echo done").lines == std::vector<std::string>{"done"});
}

TEST_CASE("child: one that hangs is ended at its limit, with all that it started") {
  const Duration start = now();
  const Run all = run("sleep 1000 & echo $!; echo working >&2; wait", seconds(0.3));
  CHECK(all.end.timed_out);
  CHECK(all.end.text() == "did not end within 0.3 s, its time limit: working");
  CHECK((now() - start).base() < 15.0);
  REQUIRE(all.lines.size() == 1);
  const int grandchild = std::stoi(all.lines.front());
  wait_until_gone(grandchild);
  CHECK_FALSE(alive(grandchild));
}

TEST_CASE("child: one that ignores the polite signal is ended all the same") {
  const Run all = run("trap '' TERM; echo ready; while :; do sleep 0.05; done", seconds(0.3));
  CHECK(all.end.timed_out);
}

TEST_CASE("child: what it leaves running does not keep us waiting") {
  const Run all = run("sleep 1000 & echo $!");
  CHECK(all.end.fine());
  REQUIRE(all.lines.size() == 1);
  const int grandchild = std::stoi(all.lines.front());
  wait_until_gone(grandchild);
  CHECK_FALSE(alive(grandchild));
}

TEST_CASE("child: one that writes without end is ended at its limit") {
  const Run all = run("yes", seconds(0.2));
  CHECK(all.end.timed_out);
  CHECK(all.lines.size() > 10);
}

TEST_CASE("child: Ctrl-C ends it") {
  std::atomic<bool> stop{false};
  int child = 0;
  const auto on_line = [&](const std::string& line) {
    child = std::stoi(line);
    stop = true;
  };
  CHECK_THROWS_AS(run_child(shell("echo $$; exec sleep 1000"), seconds(60.0), stop, on_line),
                  Interrupted);
  REQUIRE(child > 0);
  CHECK_FALSE(alive(child));
}

TEST_CASE("child: it is ended when its lines are refused") {
  int child = 0;
  const auto refuse = [&](const std::string& line) {
    child = std::stoi(line);
    throw InputError("no");
  };
  CHECK_THROWS_AS(run_child(shell("echo $$; exec sleep 1000"), seconds(60.0), never, refuse),
                  InputError);
  REQUIRE(child > 0);
  CHECK_FALSE(alive(child));
}

TEST_CASE("child: a long line arrives whole; one without an end is an error, not a full memory") {
  const Run long_line = run("head -c 300000 /dev/zero | tr '\\0' x; echo; echo next");
  REQUIRE(long_line.lines.size() == 2);
  CHECK(long_line.lines[0] == std::string(300000, 'x'));
  CHECK(long_line.lines[1] == "next");
  CHECK_THROWS_AS(run("tr '\\0' x < /dev/zero"), InputError);
}

TEST_CASE("companion: one program answers again and again") {
  std::vector<std::string> lines;
  const auto keep = [&](const std::string& line) { lines.push_back(line); };
  Companion echo(shell("n=0; while read a b; do n=$((n+1)); echo $n $b; echo done; done"));
  CHECK_FALSE(echo.ask("say one", "done", seconds(20.0), never, keep));
  CHECK_FALSE(echo.ask("say two words", "done", seconds(20.0), never, keep));
  CHECK(lines == std::vector<std::string>{"1 one", "2 two words"});
}

TEST_CASE("companion: one that dies between two questions says how, and sends no signal to us") {
  std::vector<std::string> lines;
  const auto keep = [&](const std::string& line) { lines.push_back(line); };
  Companion brief(shell("read a; echo $a; echo done; echo no more >&2; exit 3"));
  CHECK_FALSE(brief.ask("one", "done", seconds(20.0), never, keep));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto end = brief.ask("two", "done", seconds(20.0), never, keep);
  REQUIRE(end);
  CHECK(end->text() == "ended with exit status 3: no more");
  CHECK(lines == std::vector<std::string>{"one"});
}

TEST_CASE("companion: one that gives no answer is ended at its limit, what it said is kept") {
  std::vector<std::string> lines;
  Companion slow(shell("read a; echo $$; exec sleep 1000"));
  const auto end = slow.ask("one", "done", seconds(0.3), never,
                            [&](const std::string& line) { lines.push_back(line); });
  REQUIRE(end);
  CHECK(end->timed_out);
  REQUIRE(lines.size() == 1);
  CHECK_FALSE(alive(std::stoi(lines.front())));
}

TEST_CASE("companion: Ctrl-C ends it in the middle of an answer") {
  std::atomic<bool> stop{false};
  int child = 0;
  Companion slow(shell("read a; echo $$; exec sleep 1000"));
  CHECK_THROWS_AS(slow.ask("one", "done", seconds(60.0), stop,
                           [&](const std::string& line) {
                             child = std::stoi(line);
                             stop = true;
                           }),
                  Interrupted);
  REQUIRE(child > 0);
  CHECK_FALSE(alive(child));
}

TEST_CASE("companion: with its input gone it ends by itself, and else it is ended") {
  const Duration start = now();
  { const Companion polite(shell("while read a; do :; done")); }
  CHECK((now() - start).base() < 1.5);
  int child = 0;
  {
    Companion deaf(shell("echo $$; echo done; exec sleep 1000"));
    deaf.ask("one", "done", seconds(20.0), never,
             [&](const std::string& line) { child = std::stoi(line); });
    CHECK(alive(child));
  }
  REQUIRE(child > 0);
  CHECK_FALSE(alive(child));
}
