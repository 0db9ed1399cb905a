// bench/pytorch/step_time.py, read by the code that reads it in the gpu probe.
#include <atomic>
#include <string>

#include "bench/child_process.hpp"
#include "bench/step_command.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};
const std::string script = FEEDRATE_SOURCE_DIR "/bench/pytorch/step_time.py";

struct Run {
  std::string output;
  ChildEnd end;
};

Run run(const std::string& command) {
  Run all;
  all.end = run_child({"/bin/sh", "-c", command}, minutes(2.0), never,
                      [&](const std::string& line) { all.output += line + '\n'; });
  return all;
}

}  // namespace

TEST_CASE("step_time.py: its manual needs no PyTorch") {
  const Run manual = run("python3 " + script + " --help");
  CHECK(manual.end.fine());
  for (const char* flag :
       {"--batch-sizes", "--device", "--amp", "--model", "--in-a-row", "--channels-last"}) {
    CHECK(manual.output.find(flag) != std::string::npos);
  }
}

TEST_CASE("step_time.py: wrong arguments are refused before anything is loaded") {
  CHECK(run("python3 " + script + " --batch-sizes 8,x")
            .end.last_error.find("expected batch sizes such as 32,64, got '8,x'") !=
        std::string::npos);
  CHECK(run("python3 " + script + " --steps 0").end.status == 2);
  CHECK(run("python3 " + script + " --model nothing").end.status == 2);
}

TEST_CASE("step_time.py: without PyTorch it says what to install") {
  // -S -I: a python without any installed package.
  const Run bare = run("python3 -S -I " + script + " --device cpu");
  CHECK(bare.end.status == 1);
  CHECK(bare.end.last_error.find("python3-torch") != std::string::npos);
}

TEST_CASE("step_time.py: its steps are read by the gpu probe") {
  const std::string python = run("/usr/bin/python3 -c 'import torch, torchvision'").end.fine()
                                 ? "/usr/bin/python3"
                                 : "python3";
  if (!run(python + " -c 'import torch, torchvision'").end.fine()) {
    WARN("no PyTorch and torchvision here: step_time.py was not run");
    return;
  }
  StepLines steps;
  const std::string command = python + " " + script +
                              " --device cpu --model resnet18 --batch-sizes 3,2 --side 32 "
                              "--steps 3 --in-a-row 1 --warm-up 1 --channels-last";
  CHECK(run_step_command(command, {minutes(4.0), minutes(4.0)}, never, steps).empty());
  const auto& all = steps.measurements();
  REQUIRE(all.size() == 2);
  CHECK(all[0].how.at("model") == "resnet18");
  CHECK(all[0].how.at("precision") == "fp32");
  CHECK(all[0].how.at("memory_format") == "channels_last");
  CHECK_FALSE(all[0].how.at("torch").empty());
  CHECK(all[0].at.at("batch") == 3.0);
  CHECK(all[1].at.at("batch") == 2.0);
  CHECK(all[0].times.size() == 3);
  CHECK(all[1].times.size() == 3);
}
