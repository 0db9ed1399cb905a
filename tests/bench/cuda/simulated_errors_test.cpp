// GPU hosts that lack something or fail on the way: a reason in words, what was measured kept, and
// an end in time.
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda/simulated_host.hpp"
#include "catch.hpp"

using namespace feedrate;
using test::SimulatedEnd;
using test::SimulatedRun;
using test::Variables;

namespace {

const std::vector<std::string> all = {"h2d", "gpu", "gpu-preprocess", "allreduce", "--quick"};

struct Case {
  const char* name;
  Variables host;
  std::vector<std::string> arguments;
  int status;
  std::vector<std::string> words;  ///< in what it prints
};

/// As long as a terminal is not involved, remarks are broken into lines.
std::string joined(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' || c == ' ') {
      if (line.empty() || line.back() != ' ') line += ' ';
    } else {
      line += c;
    }
  }
  return line;
}

void check(const Case& one, const SimulatedEnd& end) {
  INFO(one.name << "\n" << end.err << end.out);
  CHECK(end.status == one.status);
  CHECK(end.bugs.empty());
  const std::string printed = joined(end.err + end.out);
  for (const std::string& words : one.words) {
    INFO(words);
    CHECK(printed.find(words) != std::string::npos);
  }
}

void check_all(const std::vector<Case>& cases) {
  constexpr std::size_t at_once = 3;
  for (std::size_t first = 0; first < cases.size(); first += at_once) {
    std::vector<std::unique_ptr<SimulatedRun>> runs;
    for (std::size_t i = first; i < cases.size() && i < first + at_once; ++i) {
      Variables host = cases[i].host;
      host.insert({"COMPUTE", "0"});
      runs.push_back(std::make_unique<SimulatedRun>(host, cases[i].arguments));
    }
    for (std::size_t i = 0; i < runs.size(); ++i) check(cases[first + i], runs[i]->end());
  }
}

}  // namespace

TEST_CASE("simulated GPUs: a host without a GPU that can be used says what is missing") {
  check_all({
      {"no driver", {{"DRIVER", "0"}}, all, 3, {"no NVIDIA driver is installed here"}},
      {"old driver",
       {{"DRIVER", "12040"}},
       all,
       3,
       {"the NVIDIA driver is too old: it supports CUDA 12.4, this build needs 13.0"}},
      {"no GPU", {{"GPUS", "0"}}, all, 3, {"no CUDA-capable device is detected"}},
      {"GPUs that others hold",
       {{"FAIL", "cudaGetDeviceCount:1+:46"}},
       {"gpu", "--quick"},
       3,
       {"busy or unavailable"}},
  });
}

TEST_CASE("simulated GPUs: what a host lacks is left out with a word, the rest is measured") {
  check_all({
      {"one GPU", {}, {"allreduce", "--quick"}, 3, {"all-reduce needs at least two GPUs"}},
      {"no NCCL",
       {{"GPUS", "2"}, {"WITHOUT", "nccl"}},
       all,
       3,
       {"NCCL is missing", "3 of 4 probes measured"}},
      {"no cuBLAS",
       {{"WITHOUT", "cublas"}},
       {"gpu", "--quick"},
       0,
       {"matmul in tf32: only cuBLAS multiplies with tensor cores"}},
      {"no NVML", {{"WITHOUT", "nvml"}}, {"gpu", "--quick"}, 0, {"libnvidia-ml.so.1"}},
      {"before Ampere",
       {{"CAPABILITY", "75"}},
       {"gpu", "--quick"},
       0,
       {"GPUs before Ampere have neither tf32 nor bf16"}},
      {"a display",
       {{"WATCHDOG", "1"}},
       {"h2d", "--quick"},
       0,
       {"copies beside a kernel: left out, the GPU serves a display"}},
  });
}

TEST_CASE("simulated GPUs: memory that does not suffice makes copies smaller or ends a probe") {
  check_all({
      {"little memory to pin",
       {{"PINNED_MEMORY", "500000"}},
       {"h2d", "--quick"},
       0,
       {"copies of 1.04858 MB were left out", "1 of 1 probes measured"}},
      {"none", {{"PINNED_MEMORY", "1000"}}, {"h2d", "--quick"}, 3, {"has no 0.0041 MB left"}},
      {"a small GPU",
       {{"GPU_MEMORY", "20000000"}},
       {"gpu", "--quick"},
       0,
       {"memory was left out at the largest"}},
      {"a GPU that is full", {{"GPU_MEMORY", "1000"}}, {"gpu-preprocess", "--quick"}, 3, {"left"}},
  });
}

TEST_CASE("simulated GPUs: a GPU that fails on the way leaves what was measured before") {
  const SimulatedEnd end = test::simulated_calibrate(
      {{"COMPUTE", "0"}, {"FAIL", "cudaMemcpyAsync:300:700"}}, {"h2d", "gpu", "--quick"});
  INFO(end.err << end.out);
  CHECK(end.status == 3);
  CHECK(end.bugs.empty());
  CHECK(end.measured);
  CHECK_FALSE(end.set.measurements.empty());
  CHECK(end.err.find("an illegal memory access was encountered (cudaErrorIllegalAddress)") !=
        std::string::npos);
}

TEST_CASE("simulated GPUs: a MIG instance is measured by its own name") {
  const SimulatedEnd end =
      test::simulated_calibrate({{"COMPUTE", "0"}, {"MIG", "1"}}, {"gpu", "h2d", "--quick"});
  INFO(end.err << end.out);
  CHECK(end.status == 0);
  CHECK(end.bugs.empty());
  REQUIRE(end.set.host.gpus.size() == 1);
  CHECK(end.set.host.gpus[0].find("MIG 1g.10gb") != std::string::npos);
}

TEST_CASE("simulated GPUs: Ctrl-C in each probe keeps what was measured until then") {
  for (const char* probe : {"h2d", "gpu", "gpu-preprocess", "allreduce"}) {
    SimulatedRun run(
        {{"GPUS", "2"}, {"COMPUTE", "0"}, {"SPEED", "10"}, {"GPU_MEMORY", "1500000000"}},
        {probe, "--time-limit", "40 s"});
    run.interrupt_after_a_round();
    const SimulatedEnd end = run.end(30.0);
    INFO(probe << "\n" << end.err << end.out);
    CHECK(end.status == 3);
    CHECK(end.bugs.empty());
    REQUIRE(end.measured);
    CHECK_FALSE(end.set.measurements.empty());
    REQUIRE(end.set.probes.size() == 1);
    CHECK(end.set.probes[0].reason == "interrupted");
  }
}

TEST_CASE("simulated GPUs: an all-reduce that never ends is given up with a word") {
  check_all({
      {"the tenth hangs",
       {{"GPUS", "2"}, {"SPEED", "30"}, {"STALL", "ncclAllReduce:10"}},
       {"allreduce", "--quick"},
       3,
       {"an all-reduce over 2 GPUs did not end within"}},
      {"a rank is lost",
       {{"GPUS", "2"}, {"FAIL", "asynchronous error of NCCL:3+:6"}},
       {"allreduce", "--quick"},
       3,
       {"remote process exited or there was a network error"}},
  });
}

TEST_CASE("simulated GPUs: a group that NCCL does not connect is given up with a word") {
  check_all({
      {"the GPUs of the host",
       {{"GPUS", "2"}, {"SPEED", "30"}, {"HANG", "ncclCommInitAll:1"}},
       {"allreduce", "--quick"},
       3,
       {"NCCL did not connect 2 GPUs within"}},
  });
}
