// Every call of CUDA, cuBLAS, NCCL and NVML that the probes make fails once: no crash, no hang, no
// leak, no wrong use of CUDA on the way out, and each probe either goes on or says why not.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/probes.hpp"
#include "bench/rounds.hpp"
#include "catch.hpp"
#include "simulated.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

using SteadyClock = std::chrono::steady_clock;

struct Outcome {
  bool late = false;
  int signal = 0;
  std::map<std::string, long> calls;
  std::vector<std::string> bugs;
  std::vector<std::string> reasons;  ///< of probes that ended early
};

/// All GPU probes, a few samples of everything: its clock makes every share of time a short one.
void run_all_probes(std::ostream& report) {
  Settings settings;
  settings.quick = true;
  Surroundings around;
  around.canary = false;
  around.counters = [] { return Counters{}; };
  around.core_clock = [] { return std::nullopt; };
  double time = 0.0;
  around.clock = [&time] { return seconds(time += 0.002); };
  const Probe* const chosen[] = {&probe_h2d, &probe_gpu, &probe_gpu_preprocess, &probe_allreduce};
  const std::atomic<bool> stop{false};
  MeasurementSet set;
  run_probes(chosen, settings, set, stop, {}, around);
  for (const ProbeOutcome& outcome : set.probes) {
    if (!outcome.reason.empty())
      report << "reason " << outcome.probe << ": " << outcome.reason << "\n";
  }
}

/// In a process of its own, whose answer comes through a pipe.
class Child {
 public:
  explicit Child(const std::string& fail) : fail_(fail), started_(SteadyClock::now()) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      answer(ends[1]);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }

  [[nodiscard]] const std::string& fail() const { return fail_; }

  Outcome end() {
    Outcome outcome;
    std::string text;
    char buffer[4096];
    constexpr std::chrono::seconds patience(30);
    while (true) {
      pollfd ready{pipe_, POLLIN, 0};
      poll(&ready, 1, 100);
      if (ready.revents != 0) {
        const ssize_t got = read(pipe_, buffer, sizeof buffer);
        if (got <= 0) break;
        text.append(buffer, static_cast<std::size_t>(got));
      } else if (SteadyClock::now() - started_ > patience) {
        outcome.late = true;
        kill(process_, SIGKILL);
        break;
      }
    }
    close(pipe_);
    int raw = 0;
    waitpid(process_, &raw, 0);
    if (WIFSIGNALED(raw) && !outcome.late) outcome.signal = WTERMSIG(raw);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.rfind(' ');
      if (line.rfind("call ", 0) == 0) {
        outcome.calls[line.substr(5, space - 5)] = std::stol(line.substr(space));
      }
      if (line.rfind("bug ", 0) == 0) outcome.bugs.push_back(line.substr(4));
      if (line.rfind("reason ", 0) == 0) outcome.reasons.push_back(line.substr(7));
    }
    return outcome;
  }

 private:
  [[noreturn]] void answer(int into) {
    setenv("FEEDRATE_SIM_GPUS", "2", 1);
    setenv("FEEDRATE_SIM_COMPUTE", "0", 1);
    setenv("FEEDRATE_SIM_MULTIPROCESSORS", "2", 1);
    setenv("FEEDRATE_SIM_SPEED", "50", 1);
    setenv("FEEDRATE_SIM_FAIL", fail_.c_str(), 1);
    std::ostringstream report;
    run_all_probes(report);
    simulated::report_leaks();
    for (const auto& [name, count] : simulated::counted()) {
      report << "call " << name << " " << count << "\n";
    }
    for (const std::string& bug : simulated::wrong()) report << "bug " << bug << "\n";
    const std::string text = report.str();
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t wrote = write(into, text.data() + sent, text.size() - sent);
      if (wrote <= 0) break;
      sent += static_cast<std::size_t>(wrote);
    }
    _exit(0);
  }

  std::string fail_;
  SteadyClock::time_point started_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

/// Statuses that a library may return: out of memory, lost for good, and one that passes.
std::vector<int> statuses(const std::string& call) {
  if (call.rfind("cuda", 0) == 0) return {2, 700, 999};
  if (call.rfind("nvml", 0) == 0) return {3, 15};
  return {1, 6};
}

void check(const std::string& fail, const Outcome& outcome) {
  INFO("FEEDRATE_SIM_FAIL=" << fail);
  for (const std::string& reason : outcome.reasons) UNSCOPED_INFO(reason);
  for (const std::string& bug : outcome.bugs) UNSCOPED_INFO("BUG: " << bug);
  CHECK_FALSE(outcome.late);
  CHECK(outcome.signal == 0);
  CHECK(outcome.bugs.empty());
}

}  // namespace

TEST_CASE("failures: every call of every library may fail, at first, later and at last") {
  const Outcome untroubled = Child("").end();
  check("", untroubled);
  CHECK(untroubled.reasons.empty());
  REQUIRE(untroubled.calls.size() > 20);
  // Each status has its turn at some call's first, second or last time.
  std::vector<std::string> troubles;
  for (const auto& [call, count] : untroubled.calls) {
    const std::vector<int> all = statuses(call);
    for (const long ordinal : std::set<long>{1, std::min(2L, count), count}) {
      const int status = all[troubles.size() % all.size()];
      troubles.push_back(call + ":" + std::to_string(ordinal) + ":" + std::to_string(status));
    }
  }
  constexpr std::size_t at_once = 6;
  for (std::size_t first = 0; first < troubles.size(); first += at_once) {
    std::vector<Child> children;
    for (std::size_t i = first; i < std::min(first + at_once, troubles.size()); ++i) {
      children.emplace_back(troubles[i]);
    }
    for (Child& child : children) check(child.fail(), child.end());
  }
}
