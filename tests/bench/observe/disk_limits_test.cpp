// What control groups let a job read of a disk, of machines that a test has written down.
#include <algorithm>

#include "bench/observe/machine.hpp"
#include "tests/bench/observe/fake_host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using namespace feedrate::bench::observe;

namespace {

const char* const disks = " 254 0 vda 1 0 8 0\n 259 0 nvme0n1 1 0 8 0\n";

/// The look that comes half a second after the one before.
Look looked(Source& source, bool first = false) {
  Look look;
  look.at = seconds(100.0);
  if (!first) look.length = seconds(0.5);
  source.look(look);
  return look;
}

TEST_CASE("observe: limits of version 2, the smallest of each disk and the nearest of all") {
  const FakeHost host;
  host.tell("proc/diskstats", disks);
  host.tell("proc/42/cgroup", "0::/pods/a\n");
  host.tell(
      "cgroup/pods/a/io.max",
      "254:0 rbps=4000000 wbps=max riops=max wiops=9\n259:0 rbps=max wbps=5 riops=max wiops=1\n");
  host.tell("cgroup/pods/a/io.stat", "254:0 rbytes=1000 wbytes=5 rios=1 wios=1 dbytes=0 dios=0\n");
  host.tell("cgroup/pods/io.max", "254:0 rbps=5000000 wbps=max riops=200 wiops=max\n");
  host.tell("cgroup/pods/io.stat", "");
  const auto source = disk_limit_source(host.roots(), "42");
  CHECK(looked(*source, true).samples.empty());
  host.tell("cgroup/pods/a/io.stat", "254:0 rbytes=1001000 wbytes=5 rios=11 wios=1\n");
  host.tell("cgroup/pods/io.stat", "254:0 rbytes=2000000 wbytes=5 rios=90 wios=1\n");
  const Look look = looked(*source);
  // The inner group has read half of what it may; those beside it nearly all of the outer one's.
  CHECK(value_of(look.samples, MetricId::disk_limit_busy, "vda") == 90.0);
  CHECK(value_of(look.samples, MetricId::disk_limit_bytes, "vda") == 4e6);
  CHECK(value_of(look.samples, MetricId::disk_limit_reads, "vda") == 200.0);
  CHECK(look.samples.size() == 3);  // only writes to the other disk are limited
}

TEST_CASE("observe: a limit of version 1 binds its own group, not those within it") {
  const FakeHost host;
  host.tell("proc/diskstats", disks);
  host.tell("proc/42/cgroup", "7:blkio:/jobs/a\n2:cpu,cpuacct:/\n0::/\n");
  for (const std::string group : {"cgroup/blkio/jobs/a/", "cgroup/blkio/jobs/"}) {
    const bool own = group.ends_with("a/");
    host.tell(group + "blkio.throttle.read_bps_device",
              own ? "259:0 1000000\n999:0 5\n" : "259:0 10\n254:0 10\n");
    host.tell(group + "blkio.throttle.read_iops_device", own ? "" : "259:0 1\n");
    host.tell(group + "blkio.throttle.io_service_bytes", "Total 0\n");
    host.tell(group + "blkio.throttle.io_serviced", "Total 0\n");
  }
  const auto source = disk_limit_source(host.roots(), "42");
  CHECK(looked(*source, true).samples.empty());
  host.tell("cgroup/blkio/jobs/a/blkio.throttle.io_service_bytes",
            "259:0 Read 600000\n259:0 Write 7\n259:0 Total 600007\nTotal 600007\n");
  const Look look = looked(*source);
  CHECK(value_of(look.samples, MetricId::disk_limit_busy, "nvme0n1") == 120.0);  // a burst
  CHECK(value_of(look.samples, MetricId::disk_limit_bytes, "nvme0n1") == 1e6);
  CHECK_FALSE(has(look.samples, MetricId::disk_limit_reads));
  CHECK(value_of(look.samples, MetricId::disk_limit_bytes, "999:0") == 5.0);  // a disk without name
}

TEST_CASE(
    "observe: a limit that is set, changed and lifted while the job runs, and another group") {
  const FakeHost host;
  host.tell("proc/diskstats", disks);
  host.tell("proc/42/cgroup", "0::/a\n");
  host.tell("cgroup/a/io.max", "");
  host.tell("cgroup/a/io.stat", "254:0 rbytes=9000000 rios=9\n");
  host.tell("cgroup/b/io.max", "254:0 rbps=7 riops=max\n");
  host.tell("cgroup/b/io.stat", "");
  const auto source = disk_limit_source(host.roots(), "42");
  CHECK(looked(*source, true).samples.empty());
  CHECK(looked(*source).samples.empty());
  host.tell("cgroup/a/io.max", "254:0 rbps=1000000 riops=max\n");
  // How near it is takes two looks at what was read.
  CHECK(looked(*source).samples.size() == 1);
  host.tell("cgroup/a/io.stat", "254:0 rbytes=9250000 rios=10\n");
  CHECK(value_of(looked(*source).samples, MetricId::disk_limit_busy, "vda") == 50.0);
  host.tell("cgroup/a/io.max", "254:0 rbps=500000 riops=max\n");
  CHECK(value_of(looked(*source).samples, MetricId::disk_limit_bytes, "vda") == 5e5);
  host.tell("cgroup/a/io.max", "");
  CHECK(looked(*source).samples.empty());
  host.tell("proc/42/cgroup", "0::/b\n");
  CHECK(value_of(looked(*source).samples, MetricId::disk_limit_bytes, "vda") == 7.0);
}

TEST_CASE("observe: beside groups of version 1, those of version 2 have a folder of their own") {
  const FakeHost host;
  host.tell("proc/diskstats", disks);
  host.tell("proc/42/cgroup", "4:memory:/x\n0::/a\n");
  host.tell("cgroup/unified/cgroup.controllers", "io\n");
  host.tell("cgroup/unified/a/io.max", "254:0 riops=50 rbps=max\n");
  host.tell("cgroup/unified/a/io.stat", "");
  const auto source = disk_limit_source(host.roots(), "42");
  looked(*source, true);
  host.tell("cgroup/unified/a/io.stat", "254:0 rbytes=5 rios=20\n");
  const Look look = looked(*source);
  CHECK(value_of(look.samples, MetricId::disk_limit_busy, "vda") == 80.0);
  CHECK(value_of(look.samples, MetricId::disk_limit_reads, "vda") == 50.0);
  CHECK(look.samples.size() == 2);
}

TEST_CASE("observe: limits that are missing, cut or nonsense are none") {
  for (const char* text :
       {"", "\n", "254:0", "254:0 rbps=", "254:0 rbps=max riops=max", "254:0 0", "rbps=5",
        "254:0 rbps=-5 riops=x", "254:0 -1", ":::: = = =\n\n 254:0\n"}) {
    const FakeHost host;
    host.tell("proc/diskstats", text);
    host.tell("proc/self/cgroup", "7:blkio:/a\n0::/a\nx\n");
    for (const char* file :
         {"cgroup/a/io.max", "cgroup/a/io.stat", "cgroup/blkio/a/blkio.throttle.read_bps_device",
          "cgroup/blkio/a/blkio.throttle.io_service_bytes"}) {
      host.tell(file, text);
    }
    const auto source = disk_limit_source(host.roots(), "self");
    looked(*source, true);
    INFO(text);
    CHECK(looked(*source).samples.empty());
  }
}

}  // namespace
