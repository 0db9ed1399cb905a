// All-reduce by a group of processes, as torchrun starts them, on this machine alone.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/simulated_host.hpp"
#include "bench/free_port.hpp"
#include "catch.hpp"

using namespace feedrate;
using test::SimulatedEnd;
using test::SimulatedRun;
using test::Variables;

namespace {

/// One below a port that nobody listens on: the group meets above MASTER_PORT.
std::string master_port() {
  return std::to_string(test::free_port() - 1);
}

std::unique_ptr<SimulatedRun> start_rank(int rank, int ranks, const std::string& port,
                                         Variables host) {
  host.insert({{"GPUS", std::to_string(ranks)},
               {"COMPUTE", "0"},
               {"RANK", std::to_string(rank)},
               {"LOCAL_RANK", std::to_string(rank)},
               {"WORLD_SIZE", std::to_string(ranks)},
               {"MASTER_ADDR", "127.0.0.1"},
               {"MASTER_PORT", port}});
  return std::make_unique<SimulatedRun>(host, std::vector<std::string>{"allreduce", "--quick"});
}

}  // namespace

TEST_CASE("simulated GPUs: processes of a group measure together, and the first keeps it") {
  for (const int ranks : {2, 4}) {
    const std::string port = master_port();
    std::vector<std::unique_ptr<SimulatedRun>> group;
    for (int rank = 0; rank < ranks; ++rank) group.push_back(start_rank(rank, ranks, port, {}));
    for (int rank = 0; rank < ranks; ++rank) {
      const SimulatedEnd end = group[static_cast<std::size_t>(rank)]->end();
      INFO("rank " << rank << " of " << ranks << "\n" << end.err << end.out);
      CHECK(end.status == 0);
      CHECK(end.bugs.empty());
      CHECK(end.measured == (rank == 0));
      if (rank != 0) continue;
      CHECK(std::any_of(end.set.measurements.begin(), end.set.measurements.end(),
                        [&](const Measurement& what) {
                          return what.quantity == "allreduce" && what.at.at("ranks") == ranks;
                        }));
    }
  }
}

TEST_CASE("simulated GPUs: a group whose last process never comes is given up with a word") {
  const auto first = start_rank(0, 2, master_port(), {{"SPEED", "30"}});
  const SimulatedEnd end = first->end();
  INFO(end.err << end.out);
  CHECK(end.status == 3);
  CHECK(end.bugs.empty());
  CHECK(end.err.find("0 of 1 other processes connected to port") != std::string::npos);
}

TEST_CASE("simulated GPUs: a group that NCCL does not connect is given up by all its processes") {
  const std::string port = master_port();
  const Variables stuck = {{"SPEED", "30"}, {"STALL", "ncclCommInitRank:1"}};
  const auto first = start_rank(0, 2, port, stuck);
  const auto second = start_rank(1, 2, port, stuck);
  for (const auto& run : {first.get(), second.get()}) {
    const SimulatedEnd end = run->end();
    INFO(end.err << end.out);
    CHECK(end.status == 3);
    CHECK(end.bugs.empty());
    CHECK(end.err.find("NCCL did not connect 2 GPUs") != std::string::npos);
  }
}
