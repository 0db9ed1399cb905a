// What a container may use is less than the machine has: its limits count, of either version of
// control groups, its own and those around it.
#include <fmt/format.h>

#include <random>

#include "bench/host.hpp"
#include "bench/observe/control_limits.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

using namespace feedrate;
using bench::observe::cpu_limit;
using bench::observe::memory_limit;
using bench::observe::Roots;
using testing_cli::Folder;

namespace {

/// A kernel's files for a process in the group /a/b/c.
struct FakeGroups {
  Folder folder;
  Roots roots{folder / "proc", folder / "sys", folder / "cgroup"};

  explicit FakeGroups(const std::string& groups) {
    if (!groups.empty()) folder.write("proc/self/cgroup", groups);
  }
  void set(const std::string& file, const std::string& text) const {
    folder.write("cgroup/" + file, text + "\n");
  }
};

const std::vector<std::string> around = {"a/b/c/", "a/b/", "a/", ""};

TEST_CASE("faults: the tightest of the limits around a process holds, whichever it is") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) {
    const bool second = random() % 2 == 0;
    const FakeGroups groups(second ? "0::/a/b/c\n" : "4:memory:/a/b/c\n3:cpu:/a/b/c\n0::/\n");
    std::optional<double> cpus, memory;
    for (const std::string& group : around) {
      const double period = 10000.0 * static_cast<double>(1 + random() % 10);
      const double quota = 1000.0 * static_cast<double>(1 + random() % 4000);
      const double size = 4096.0 * static_cast<double>(1 + random() % 1'000'000'000);
      const bool limits_cpus = random() % 2 == 0;
      const bool limits_memory = random() % 2 == 0;
      if (second) {
        groups.set(group + "cpu.max",
                   limits_cpus ? fmt::format("{:.0f} {:.0f}", quota, period) : "max 100000");
        groups.set(group + "memory.max", limits_memory ? fmt::format("{:.0f}", size) : "max");
      } else {
        groups.set("cpu/" + group + "cpu.cfs_quota_us",
                   limits_cpus ? fmt::format("{:.0f}", quota) : "-1");
        groups.set("cpu/" + group + "cpu.cfs_period_us", fmt::format("{:.0f}", period));
        groups.set("memory/" + group + "memory.limit_in_bytes",
                   limits_memory ? fmt::format("{:.0f}", size) : "9223372036854771712");
      }
      if (limits_cpus) cpus = std::min(cpus.value_or(quota / period), quota / period);
      if (limits_memory) memory = std::min(memory.value_or(size), size);
    }
    INFO((second ? "version 2" : "version 1"));
    REQUIRE(cpu_limit(groups.roots).has_value() == cpus.has_value());
    if (cpus) CHECK(*cpu_limit(groups.roots) == Approx(*cpus).epsilon(1e-12));
    REQUIRE(memory_limit(groups.roots).has_value() == memory.has_value());
    if (memory) CHECK(memory_limit(groups.roots)->base() == *memory);
  }
}

TEST_CASE("faults: a container that sees its own groups as the outermost has their limits") {
  // Its path is that of the host, where nothing is mounted.
  const FakeGroups docker("3:cpu:/docker/4711\n4:memory:/docker/4711\n");
  docker.set("cpu/cpu.cfs_quota_us", "50000");
  docker.set("cpu/cpu.cfs_period_us", "100000");
  docker.set("memory/memory.limit_in_bytes", "1073741824");
  CHECK(cpu_limit(docker.roots) == 0.5);
  CHECK(memory_limit(docker.roots)->base() == 0x1p30);
  // Nor does it need /proc for that.
  const FakeGroups bare("");
  bare.set("cpu.max", "250000 100000");
  bare.set("memory.max", "4096");
  CHECK(cpu_limit(bare.roots) == 2.5);
  CHECK(memory_limit(bare.roots)->base() == 4096.0);
}

TEST_CASE("faults: files of limits that say nothing sensible limit nothing") {
  for (const char* const text : {"", "max", "-1 100000", "0 100000", "1e999 1", "nan nan", "x y",
                                 "100000", "100000 0", "\xff\xfe"}) {
    const FakeGroups groups("0::/\n");
    groups.set("cpu.max", text);
    groups.set("memory.max",
               std::string(text) == "100000" || std::string(text) == "100000 0" ? "max" : text);
    INFO(text);
    CHECK_FALSE(cpu_limit(groups.roots));
    CHECK_FALSE(memory_limit(groups.roots));
  }
  const FakeGroups none("");
  CHECK_FALSE(cpu_limit(none.roots));
  CHECK_FALSE(memory_limit(none.roots));
}

TEST_CASE("faults: this process may use at least a thread, and no more than the machine has") {
  CHECK(bench::usable_threads() >= 1);
  CHECK(bench::usable_memory() > Bytes{});
}

TEST_CASE("faults: threads that a limit refuses are done without") {
  using testing_cli::Outcome;
  using testing_cli::shell;
  const std::string sweep =
      "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:40:1 --jobs 64 "
      "--format csv";
  const Outcome plain = shell(sweep);
  // The limit does not hold for root.
  if (shell("setpriv --reuid 65534 --regid 65534 --clear-groups feedrate --version").status == 0) {
    const Outcome few = shell(
        "setpriv --reuid 65534 --regid 65534 --clear-groups bash -c 'ulimit "
        "-u 2; exec " +
        sweep + "'");
    CHECK(few.status == 0);
    CHECK(few.out == plain.out);
  }
}

#ifndef FEEDRATE_SANITIZED  // the sanitizer reserves terabytes of address space
TEST_CASE("faults: little memory is a word and a status, and no crash") {
  using testing_cli::has;
  using testing_cli::Outcome;
  using testing_cli::shell;
  const std::string sweep =
      "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:40:1 --jobs 1 "
      "--format csv";
  const Outcome plain = shell(sweep);
  for (const int megabytes : {40, 60, 90, 130}) {
    const Outcome little = shell(fmt::format("ulimit -v {}; exec {}", megabytes * 1000, sweep));
    INFO(megabytes << " MB: " << little.status << '\n' << little.err);
    const bool whole = little.status == 0 && little.out == plain.out;
    const bool told =
        little.status == 3 && little.out.empty() && has(little.err, "feedrate: out of memory");
    // The loader itself, before there is a program.
    const bool not_started = little.status == 127 && little.out.empty();
    CHECK((whole || told || not_started));
  }
}
#endif

}  // namespace
