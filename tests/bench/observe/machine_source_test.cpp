// What the kernel's files say, of machines that a test has written down.
#include "bench/observe/machine.hpp"
#include "tests/bench/observe/fake_host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using namespace feedrate::bench::observe;

namespace {

/// Two looks half a second apart, `change` between them.
template <class Change>
Look second_look(Source& source, const Change& change) {
  Look first;
  first.at = seconds(100.0);
  source.look(first);
  CHECK(first.samples.empty());
  change();
  Look second;
  second.at = seconds(100.5);
  second.length = seconds(0.5);
  source.look(second);
  return second;
}

TEST_CASE("observe: CPUs from /proc/stat") {
  const FakeHost host;
  host.tell("proc/stat",
            "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 50 1000 10 0 0 5 0 0\n"
            "cpu1 0 0 0 0 0 0 0 0 0 0\nintr 5\nbtime 1700000000\n");
  CHECK(cpus_of(host.roots()) == 2.0);
  CHECK(boot_time_of(host.roots()) == seconds(1.7e9));
  const auto source = cpu_source(host.roots());
  const Look look = second_look(*source, [&] {
    // 20 ticks of user, 5 of the system, 10 idle, 10 waiting, 5 stolen; time waited may go back.
    host.tell("proc/stat",
              "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 120 0 55 1010 20 0 0 10 0 0\n"
              "cpu1 0 0 0 50 0 0 0 0 0 0\nintr 6\n");
  });
  CHECK(look.samples.size() == 6);
  CHECK(value_of(look.samples, MetricId::cpu_busy, "cpu0") == 50.0);
  CHECK(value_of(look.samples, MetricId::cpu_io_wait, "cpu0") == 20.0);
  CHECK(value_of(look.samples, MetricId::cpu_steal, "cpu0") == 10.0);
  CHECK(value_of(look.samples, MetricId::cpu_busy, "cpu1") == 0.0);
}

TEST_CASE("observe: cores are counted once, whatever hardware threads they have") {
  const FakeHost host;
  CHECK(cores_of(host.roots()) == 0.0);
  std::string text;
  for (const auto& [package, core] : {std::pair(0, 0), {0, 1}, {0, 0}, {0, 1}, {1, 0}, {1, 0}}) {
    text += "processor\t: 1\nphysical id\t: " + std::to_string(package) +
            "\ncore id\t\t: " + std::to_string(core) + "\n\n";
  }
  host.tell("proc/cpuinfo", text);
  CHECK(cores_of(host.roots()) == 3.0);
  host.tell("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\n");
  CHECK(cores_of(host.roots()) == 0.0);
}

TEST_CASE("observe: whole disks only, and their sums as Debugger has them") {
  const FakeHost host;
  host.tell("sys/block/nvme0n1/device/model", "disk");
  host.tell("sys/block/nvme1n1/device/model", "disk");
  const std::string others =
      " 7 0 loop0 99 0 99 0 0 0 0 0 0 99 0\n253 0 dm-0 1 0 1 0 0 0 0 0 0 1 0\n";
  host.tell("proc/diskstats", others +
                                  "259 0 nvme0n1 10 0 2000 7 5 0 100 7 0 40 0\n"
                                  "259 1 nvme0n1p1 10 0 2000 7 5 0 100 7 0 40 0\n"
                                  "259 2 nvme1n1 0 0 0 0 0 0 0 0 0 0 0\n");
  const auto source = disk_source(host.roots());
  const Look look = second_look(*source, [&] {
    host.tell("proc/diskstats", others +
                                    "259 0 nvme0n1 20 0 4000 7 6 0 200 7 0 290 0\n"
                                    "259 1 nvme0n1p1 20 0 4000 7 6 0 200 7 0 290 0\n"
                                    "259 2 nvme1n1 1 0 1000 0 0 0 0 0 0 900 0\n");
  });
  CHECK(value_of(look.samples, MetricId::disk_busy, "nvme0n1") == 50.0);
  CHECK(value_of(look.samples, MetricId::disk_busy, "nvme1n1") == 100.0);  // never over
  CHECK(value_of(look.samples, MetricId::disk_read, "nvme0n1") == 2000 * 512 / 0.5);
  CHECK(value_of(look.samples, MetricId::disk_write, "nvme0n1") == 100 * 512 / 0.5);
  CHECK(value_of(look.samples, MetricId::disk_reads, "nvme0n1") == 20.0);
  CHECK(value_of(look.samples, MetricId::io_read, "") == 3000 * 512 / 0.5);
  CHECK(value_of(look.samples, MetricId::io_operations, "") == (10 + 1 + 1) / 0.5);
  CHECK(look.samples.size() == 2 * 4 + 3);
}

TEST_CASE("observe: links with a device, of a process's own network; the line rate where known") {
  const FakeHost host;
  host.tell("sys/class/net/eth0/device/vendor", "x");
  host.tell("sys/class/net/eth0/speed", "1000\n");
  host.tell("sys/class/net/docker0/speed", "-1\n");
  const std::string head = "Inter-| Receive | Transmit\n face |bytes packets\n";
  host.tell("proc/42/net/dev", head +
                                   "    lo: 1000 0 0 0 0 0 0 0 1000 0 0 0 0 0 0 0\n"
                                   "  eth0:1000 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n"
                                   " ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                                   "docker0: 77 0 0 0 0 0 0 0 77 0 0 0 0 0 0 0\n");
  const auto source = link_source(host.roots(), "42");
  const Look look = second_look(*source, [&] {
    host.tell("proc/42/net/dev", head +
                                     "    lo: 3000 0 0 0 0 0 0 0 3000 0 0 0 0 0 0 0\n"
                                     "  eth0:31251000 0 0 0 0 0 0 0 1500 0 0 0 0 0 0 0\n"
                                     " ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                                     "docker0: 10077 0 0 0 0 0 0 0 77 0 0 0 0 0 0 0\n");
  });
  CHECK(value_of(look.samples, MetricId::link_busy, "eth0") == 50.0);
  CHECK(value_of(look.samples, MetricId::link_receive, "lo") == 4000.0);
  CHECK(value_of(look.samples, MetricId::network_receive, "Platform") == 62.5e6);
  CHECK(value_of(look.samples, MetricId::network_transmit, "Platform") == 2000.0);
  CHECK(look.samples.size() == 3 * 2 + 1 + 2);
}

TEST_CASE("observe: memory without what can be dropped, shared memory included") {
  const FakeHost host;
  host.tell("proc/meminfo",
            "MemTotal: 1000 kB\nMemFree: 200 kB\nMemAvailable: 600 kB\nBuffers: 50 kB\n"
            "Cached: 350 kB\nDirty: 7 kB\nShmem: 100 kB\nSReclaimable: 0 kB\n");
  CHECK(memory_of(host.roots()) == bytes(1024000.0));
  const auto source = memory_source(host.roots());
  const Look look = second_look(*source, [] {});
  CHECK(value_of(look.samples, MetricId::memory_used, "") == 50.0);
  CHECK(value_of(look.samples, MetricId::page_cache_bytes, "") == 300.0 * 1024.0);
  CHECK(value_of(look.samples, MetricId::dirty_bytes, "") == 7.0 * 1024.0);
}

TEST_CASE("observe: pressure, and a kernel without it") {
  const FakeHost host;
  const auto tell = [&](const char* resource, int some, int full) {
    host.tell(std::string("proc/pressure/") + resource,
              "some avg10=1.00 avg60=0.00 avg300=0.00 total=" + std::to_string(some) +
                  "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(full) + "\n");
  };
  for (const char* resource : {"cpu", "io", "memory"}) tell(resource, 1000, 0);
  const auto source = pressure_source(host.roots());
  const Look look = second_look(*source, [&] { tell("io", 251000, 125000); });
  CHECK(value_of(look.samples, MetricId::pressure_some, "io") == 50.0);
  CHECK(value_of(look.samples, MetricId::pressure_full, "io") == 25.0);
  CHECK(value_of(look.samples, MetricId::pressure_some, "memory") == 0.0);
  const FakeHost without;
  const auto none = pressure_source(without.roots());
  const Look nothing = second_look(*none, [] {});
  CHECK(nothing.samples.empty());
  CHECK(nothing.remarks.size() == 1);
}

TEST_CASE("observe: the quotas around a job, of both versions of control groups") {
  const FakeHost host;
  host.tell("proc/42/cgroup", "4:memory:/x\n2:cpu,cpuacct:/jobs/a\n0::/pods/b\n");
  host.tell("cgroup/cpu,cpuacct/jobs/a/cpu.cfs_quota_us", "-1\n");
  host.tell("cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "200000\n");
  host.tell("cgroup/cpu,cpuacct/jobs/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  host.tell("cgroup/pods/b/cpu.max", "150000 100000\n");
  host.tell("cgroup/pods/b/cpu.stat",
            "usage_usec 5\nnr_periods 10\nnr_throttled 1\nthrottled_usec 100\n");
  host.tell("cgroup/pods/cpu.max", "max 100000\n");
  const auto source = quota_source(host.roots(), "42");
  const Look look = second_look(*source, [&] {
    host.tell("cgroup/cpu,cpuacct/jobs/cpu.stat",
              "nr_periods 5\nnr_throttled 5\nthrottled_time 1000000000\n");
    host.tell("cgroup/pods/b/cpu.stat", "nr_periods 20\nnr_throttled 6\nthrottled_usec 50100\n");
  });
  CHECK(value_of(look.samples, MetricId::throttled_periods, "/pods/b") == 50.0);
  CHECK(value_of(look.samples, MetricId::throttled_cores, "/pods/b") == 10.0);
  CHECK(value_of(look.samples, MetricId::throttled_periods, "/jobs") == 100.0);
  CHECK(value_of(look.samples, MetricId::throttled_cores, "/jobs") == 200.0);
  CHECK(look.samples.size() == 4);
}

TEST_CASE("observe: files that are missing, cut or full of nonsense are said or passed over") {
  const char* const texts[] = {"",
                               "\n",
                               "cpu0",
                               "cpu0 -1 x 9999999999999999999999 \n\n:::\n",
                               "a: b\nlo:\n",
                               "1 2 sda\n1\n"};
  for (const char* text : texts) {
    const FakeHost host;
    for (const char* file : {"proc/stat", "proc/diskstats", "proc/self/net/dev", "proc/meminfo",
                             "proc/pressure/cpu", "proc/self/cgroup"}) {
      host.tell(file, text);
    }
    for (const auto& source :
         {cpu_source(host.roots()), disk_source(host.roots()), link_source(host.roots(), "self"),
          memory_source(host.roots()), pressure_source(host.roots()),
          quota_source(host.roots(), "self"), disk_limit_source(host.roots(), "self")}) {
      const Look look = second_look(*source, [] {});
      for (const Sample& sample : look.samples) CHECK(sample.value >= 0.0);
    }
  }
}

}  // namespace
