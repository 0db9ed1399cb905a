// The observer against processes that really run here: what it says they did is what they did.
#include "bench/observe/observer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's kill
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "bench/clock.hpp"
#include "tests/bench/observe/fake_host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using namespace feedrate::bench::observe;

namespace {

constexpr Duration interval = milliseconds(200.0);

double cpu_seconds_so_far() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void burn(double cpu_seconds) {
  while (cpu_seconds_so_far() < cpu_seconds) {
  }
}

/// A process that does `work` and then waits to be ended.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : id_(fork()) {
    if (id_ != 0) return;
    work();
    for (;;) pause();
  }
  ~Child() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] pid_t id() const { return id_; }

 private:
  pid_t id_;
};

/// Sums of what is seen, in the metric's unit times seconds, by role ("worker") or name ("cpu0").
using Sums = std::map<std::pair<MetricId, std::string>, double>;

/// Looks until `enough` or so many seconds are over; the law holds at each look.
Sums watch(Observer& observer, double most_seconds,
           const std::function<bool(const Sums&)>& enough) {
  Sums sums;
  Duration before = now();
  const Duration end = before + seconds(most_seconds);
  observer.look(utc_clock());
  Duration all;
  double of_processes = 0.0;
  double of_machine = 0.0;
  while (now() < end && !enough(sums)) {
    poll(nullptr, 0, static_cast<int>(interval.base() * 1e3));
    const Seen seen = observer.look(utc_clock());
    const Duration length = now() - before;
    before = now();
    all += length;
    for (const Sample& sample : seen.samples) {
      const bool process = metric(sample.metric).type == "process";
      const std::string name = process ? std::string(name_of(role_in(sample.name))) : sample.name;
      sums[{sample.metric, name}] += sample.value * length.base();
      if (sample.metric == MetricId::cpu_busy) of_machine += sample.value * length.base();
      if (sample.metric == MetricId::process_cpu) of_processes += sample.value * length.base();
    }
  }
  // Sums over processes are no more than the machine's, but for the ticks in which both count.
  const double ticks = 100.0 * 0.01 * 2.0 * (all / interval) + 10.0;
  CHECK(of_processes <= of_machine + ticks);
  return sums;
}

TEST_CASE("observer: the CPU time of a job's processes, by role, is what they used") {
  // Names as PyTorch gives them.
  const Child trainer([] {
    prctl(PR_SET_NAME, "pt_main_thread");
    for (int i = 0; i < 2; ++i) {
      if (fork() != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      prctl(PR_SET_NAME, "pt_data_worker");
      poll(nullptr, 0, 600);
      burn(0.4);
      for (;;) pause();
    }
    poll(nullptr, 0, 600);
    burn(0.2);
  });
  poll(nullptr, 0, 200);
  Observer observer({trainer.id(), ""}, interval);
  CHECK(observer.header().pid == trainer.id());
  CHECK(observer.header().cpus >= 1.0);
  const auto cpu = [](const Sums& sums, const char* role) {
    const auto found = sums.find({MetricId::process_cpu, role});
    return found == sums.end() ? 0.0 : found->second / 100.0;
  };
  const Sums sums = watch(observer, 20.0, [&](const Sums& so_far) {
    return cpu(so_far, "worker") >= 0.77 && cpu(so_far, "trainer") >= 0.17;
  });
  // The kernel counts in hundredths of a second.
  CHECK(cpu(sums, "worker") == Approx(0.8).margin(0.1));
  CHECK(cpu(sums, "trainer") == Approx(0.2).margin(0.06));
  CHECK_FALSE(observer.ended());
}

TEST_CASE("observer: bytes that a process reads, from the page cache and in all") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("data", std::string(8'000'000, 'x'));
  const Child reader([&] {
    poll(nullptr, 0, 500);
    std::string text(1'000'000, ' ');
    for (int round = 0; round < 3; ++round) {
      const int open_file = open(file.c_str(), O_RDONLY);
      while (read(open_file, text.data(), text.size()) > 0) {
      }
      close(open_file);
    }
  });
  Observer observer({reader.id(), ""}, interval);
  const auto read_by = [](const Sums& sums) {
    double all = 0.0;
    for (const auto& [key, value] : sums) {
      const bool counts =
          key.first == MetricId::process_cached_read || key.first == MetricId::process_device_read;
      if (counts) all += value;
    }
    return all;
  };
  const Sums sums =
      watch(observer, 20.0, [&](const Sums& so_far) { return read_by(so_far) >= 23.9e6; });
  CHECK(read_by(sums) == Approx(24e6).epsilon(0.05));  // lengths are measured twice
}

TEST_CASE("observer: the end of a process is seen, after its last samples") {
  Child child([] {});
  Observer observer({child.id(), ""}, interval);
  observer.look(utc_clock());
  CHECK_FALSE(observer.ended());
  kill(child.id(), SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child.id()), &info, WEXITED | WNOWAIT);
  const Seen seen = observer.look(utc_clock());
  CHECK(has(seen.samples, MetricId::process_cpu));
  CHECK(observer.ended());
  CHECK_THROWS_AS(Observer({4'194'304, ""}, interval), InputError);
}

TEST_CASE("observer: what cannot be seen is said once, and the rest is seen") {
  const FakeHost host;
  host.tell("proc/stat", "cpu0 1 0 0 1 0 0 0 0 0 0\n");
  Observer observer({}, interval, host.roots(), "libno-such-library.so.1");
  const Seen first = observer.look(seconds(1.0));
  CHECK(first.samples.empty());
  std::string said;
  for (const ObservationRemark& remark : first.remarks) said += remark.text + "\n";
  CHECK(said.find("no GPU is seen: libno-such-library.so.1") != std::string::npos);
  CHECK(said.find("/proc/diskstats cannot be read") != std::string::npos);
  host.tell("proc/stat", "cpu0 2 0 0 2 0 0 0 0 0 0\n");
  const Seen second = observer.look(seconds(1.5), milliseconds(30.0));
  CHECK(value_of(second.samples, MetricId::cpu_busy, "cpu0") == 50.0);
  CHECK(second.samples.front().late == milliseconds(30.0));
  CHECK(second.remarks.empty());
  const Seen third = observer.look(seconds(2.0), milliseconds(19.0));
  for (const Sample& sample : third.samples) CHECK_FALSE(sample.late);
}

/// A line of /proc/PID/stat in which only the flags differ.
std::string stat_line(int flags) {
  return fmt::format("5 (job) S 1 5 5 0 -1 {} 10 0 0 0 1 1 0 0 20 0 1 0 100 1000 10", flags);
}

constexpr int forked_without_exec = 0x40;

TEST_CASE("observer: a job that was only just forked has the command that it then runs") {
  const FakeHost host;
  host.tell("proc/5/stat", stat_line(forked_without_exec));
  host.tell("proc/5/cmdline", std::string("bash\0start.sh\0", 14));
  std::thread exec([&] {
    poll(nullptr, 0, 20);
    host.tell("proc/5/cmdline", std::string("python\0train.py\0", 16));
    host.tell("proc/5/stat", stat_line(0));
  });
  Observer observer({5, ""}, interval, host.roots(), "libno-such-library.so.1");
  exec.join();
  CHECK(observer.header().command == "python train.py");
  for (const ObservationRemark& remark : observer.look(seconds(1.0)).remarks) {
    CHECK(remark.text.find("now runs") == std::string::npos);
  }
}

TEST_CASE("observer: what a subshell runs in the end is said when it does") {
  const FakeHost host;
  host.tell("proc/5/stat", stat_line(forked_without_exec));
  host.tell("proc/5/cmdline", std::string("bash\0start.sh\0", 14));
  Observer observer({5, ""}, interval, host.roots(), "libno-such-library.so.1");
  CHECK(observer.header().command == "bash start.sh");
  observer.look(seconds(1.0));
  host.tell("proc/5/cmdline", std::string("python\0train.py\0", 16));
  host.tell("proc/5/stat", stat_line(0));
  const Seen seen = observer.look(seconds(2.0));
  REQUIRE(seen.remarks.size() == 1);
  CHECK(seen.remarks.front().text == "process 5 now runs python train.py");
  CHECK(observer.look(seconds(3.0)).remarks.empty());
}

TEST_CASE("observer: what a process waits for a CPU is what its kernel's queue says") {
  const auto waited = [](const std::string& before, const std::string& after) {
    const FakeHost host;
    host.tell("proc/5/stat", stat_line(0));
    host.tell("proc/5/schedstat", before);
    Observer observer({5, ""}, interval, host.roots(), "libno-such-library.so.1");
    observer.look(seconds(1.0));
    host.tell("proc/5/schedstat", after);
    std::vector<double> seen;
    for (const Sample& sample : observer.look(seconds(3.0)).samples) {
      if (sample.metric == MetricId::process_cpu_wait) seen.push_back(sample.value);
    }
    return seen;
  };
  // 0.5 s of 2 s.
  CHECK(waited("1000000 1000000000 3\n", "2000000 1500000000 9\n") == std::vector<double>{25.0});
  // Kernels that keep no such counts write zeros, or no file.
  CHECK(waited("0 0 0\n", "0 0 0\n").empty());
  CHECK(waited("", "").empty());
  CHECK(waited("1 2 3\n", "5").empty());
}

TEST_CASE(
    "observer: a process that a lock of others blocks is told from one that waits otherwise") {
  const auto locked = [](const std::string& call) {
    const FakeHost host;
    host.tell("proc/5/stat", stat_line(0));
    host.tell("proc/5/syscall", call);
    Observer observer({5, ""}, interval, host.roots(), "libno-such-library.so.1");
    observer.look(seconds(1.0));
    std::vector<double> seen;
    for (const Sample& sample : observer.look(seconds(2.0)).samples) {
      if (sample.metric == MetricId::process_lock_wait) seen.push_back(sample.value);
    }
    return seen;
  };
  const auto call = [](long number, long second) {
    return fmt::format("{} 0x7f10 {:#x} 0x0 0x0 0x0 0x0 0x7ffd 0x7f11\n", number, second);
  };
  const std::vector<double> yes = {100.0};
  const std::vector<double> no = {0.0};
  // A semaphore of multiprocessing: FUTEX_WAIT_BITSET with the system's clock.
  CHECK(locked(call(SYS_futex, 0x189)) == yes);
  CHECK(locked(call(SYS_futex, 0x80)) == yes);
  CHECK(locked(call(SYS_flock, 2)) == yes);
  CHECK(locked(call(SYS_fcntl, 7)) == yes);
  CHECK(locked(call(SYS_fcntl, 3)) == no);
  CHECK(locked(call(SYS_futex, 0x81)) == no);  // it wakes others
  CHECK(locked(call(SYS_read, 0x189)) == no);
  CHECK(locked("running\n") == no);
  CHECK(locked("-1 0x7ffd 0x7f11\n") == no);
  // Who may not see it.
  CHECK(locked("").empty());
}

TEST_CASE("observer: a look costs less than a hundredth of a core at half a second") {
  const Child child([] {});
  Observer observer({child.id(), ""}, milliseconds(500.0));
  observer.look(utc_clock());
  constexpr int looks = 50;
  const double begin = cpu_seconds_so_far();
  for (int i = 0; i < looks; ++i) {
    poll(nullptr, 0, 2);
    observer.look(utc_clock());
  }
  const double each = (cpu_seconds_so_far() - begin) / looks;
  INFO(1e3 * each << " ms a look");
  CHECK(each < 0.01 * 0.5);
}

}  // namespace
