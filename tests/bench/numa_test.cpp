#include "bench/numa.hpp"

#include <sched.h>

#include <thread>

#include "base/temporary_folder.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using test::TemporaryFolder;

namespace {

using Cpus = std::vector<int>;

int first_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  int cpu = 0;
  while (CPU_ISSET(cpu, &set) == 0) ++cpu;
  return cpu;
}

void add_gpu(const TemporaryFolder& sys, const std::string& bus, int node,
             const std::string& cpus) {
  sys.write("bus/pci/devices/" + bus + "/numa_node", std::to_string(node) + "\n");
  sys.write("bus/pci/devices/" + bus + "/local_cpulist", cpus + "\n");
}

}  // namespace

TEST_CASE("NUMA: lists of CPUs as the kernel writes them") {
  CHECK(cpu_list("0-3,8,10-11") == Cpus{0, 1, 2, 3, 8, 10, 11});
  CHECK(cpu_list("5") == Cpus{5});
  CHECK(cpu_list("8-9,0-1") == Cpus{0, 1, 8, 9});
  for (const char* wrong : {"", "a", "3-1", "1-", "-1", "1,,2", "0-99999999", " 1"}) {
    INFO(wrong);
    CHECK(cpu_list(wrong).empty());
  }
}

TEST_CASE("NUMA: near and far CPUs of a GPU, of those that may be used") {
  // CPUs of this machine are the first of each node, so that they may be used; all others not.
  const int here = first_allowed();
  const std::string cpu = std::to_string(here);
  const TemporaryFolder sys;
  sys.write("devices/system/node/online", "0-2\n");
  sys.write("devices/system/node/node0/cpulist", cpu + ",900-963\n");
  sys.write("devices/system/node/node0/distance", "10 20 32\n");
  sys.write("devices/system/node/node1/cpulist", cpu + "\n");
  sys.write("devices/system/node/node1/distance", "20 10 20\n");
  sys.write("devices/system/node/node2/cpulist", "\n");  // memory only
  sys.write("devices/system/node/node3/cpulist", "964-1000\n");
  add_gpu(sys, "0000:3b:00.0", 0, cpu + ",900-963");
  add_gpu(sys, "0000:5e:00.0", -1, cpu);
  add_gpu(sys, "0000:86:00.0", 3, "964-1000");
  const Numa numa(sys.at(""));
  REQUIRE(numa.nodes().size() == 2);
  CHECK(numa.near("0000:3B:00.0") == Cpus{here});
  CHECK(numa.far("0000:3B:00.0") == Cpus{here});
  CHECK(numa.near("0000:5e:00.0").empty());  // the kernel does not know
  CHECK(numa.far("0000:5e:00.0").empty());
  CHECK(numa.near("0000:86:00.0").empty());  // none of its CPUs may be used
  CHECK(numa.near("0000:ff:00.0").empty());
  CHECK(numa.near("").empty());
}

TEST_CASE("NUMA: one node is no choice, and no kernel's word is none") {
  const TemporaryFolder sys;
  sys.write("devices/system/node/node0/cpulist", std::to_string(first_allowed()));
  add_gpu(sys, "0000:3b:00.0", 0, std::to_string(first_allowed()));
  CHECK(Numa(sys.at("")).near("0000:3b:00.0").empty());
  CHECK(Numa(sys.at("")).far("0000:3b:00.0").empty());
  CHECK(Numa(sys.at("none")).nodes().empty());
}

TEST_CASE("NUMA: of several other nodes the one that is farthest") {
  const int here = first_allowed();
  const std::string cpu = std::to_string(here);
  const TemporaryFolder sys;
  sys.write("devices/system/node/online", "0-1\n");
  sys.write("devices/system/node/node0/cpulist", cpu);
  sys.write("devices/system/node/node0/distance", "10 32\n");
  sys.write("devices/system/node/node1/cpulist", cpu);
  add_gpu(sys, "0000:3b:00.0", 0, cpu);
  CHECK(Numa(sys.at("")).far("0000:3b:00.0") == Cpus{here});
}

TEST_CASE("NUMA: a thread is bound by itself, and no other") {
  const Cpus one = {first_allowed()};
  bool bound = false;
  int cpus = 0;
  std::thread([&] {
    bound = run_on(one);
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    cpus = CPU_COUNT(&set);
  }).join();
  CHECK(bound);
  CHECK(cpus == 1);
  CHECK(run_on({}));
  CHECK_FALSE(run_on({1023}));
}
