#include "bench/step_command.hpp"

#include <atomic>
#include <string>

#include "base/errors.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};

std::string refusal(const std::string& command, StepLines& steps) {
  try {
    run_step_command(command, {seconds(20.0), seconds(20.0)}, never, steps);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& command) {
  StepLines steps;
  return refusal(command, steps);
}

}  // namespace

TEST_CASE("step command: steps are kept by model and batch size, in their order") {
  StepLines steps;
  const std::string script =
      "echo '# a comment'; echo 32 0.5; echo; echo '64 1e0'; echo '32\t0.25'; "
      "echo '# model vit'; echo 32 2";
  CHECK(run_step_command(script, {seconds(20.0), seconds(20.0)}, never, steps).empty());
  const auto& all = steps.measurements();
  REQUIRE(all.size() == 3);
  CHECK(all[0].quantity == "step");
  CHECK(all[0].unit == "samples");
  CHECK(all[0].work == 32.0);
  CHECK(all[0].at.at("batch") == 32.0);
  CHECK(all[0].how.empty());
  CHECK(all[0].times == std::vector<Duration>{seconds(0.5), seconds(0.25)});
  CHECK(all[1].work == 64.0);
  CHECK(all[2].how.at("model") == "vit");
  CHECK(all[2].times == std::vector<Duration>{seconds(2.0)});
}

TEST_CASE("step command: garbage is refused with its line, its steps before are kept") {
  StepLines steps;
  CHECK(refusal("echo 32 0.5; echo Epoch 1: loss 0.3", steps) ==
        "--step-command, line 2: expected SAMPLES SECONDS such as 256 0.341, "
        "got \"Epoch 1: loss 0.3\"");
  REQUIRE(steps.measurements().size() == 1);
  for (const char* line : {"32", "32 0", "0 1", "-1 1", "32 nan", "32 inf", "32 0.5 1", "32 0.5s",
                           "1e999 1", "32,0.5", "\\001\\377 x"}) {
    INFO(line);
    CHECK(refusal(std::string("printf '%b\\n' '") + line + "'").find("line 1: expected SAMPLES") !=
          std::string::npos);
  }
}

TEST_CASE("step command: one that fails tells its exit status and its last words") {
  StepLines steps;
  CHECK(refusal("echo 8 1; echo 'CUDA out of memory' >&2; exit 7", steps) ==
        "--step-command ended with exit status 7: CUDA out of memory");
  CHECK(steps.measurements().size() == 1);
  CHECK(refusal("no-such-program-anywhere").find("exit status 127") != std::string::npos);
}

TEST_CASE("step command: one that prints no step is refused") {
  CHECK(refusal("true") ==
        "--step-command printed no step: expected a line SAMPLES SECONDS for each step");
  CHECK(refusal("echo '# nothing yet'").find("printed no step") != std::string::npos);
}

TEST_CASE("step command: one that hangs is ended, and what it printed counts") {
  StepLines steps;
  const std::string remark =
      run_step_command("echo 8 1; sleep 1000", {seconds(0.3), seconds(0.3)}, never, steps);
  CHECK(remark == "--step-command was stopped after 0.3 s; its steps until then count");
  CHECK(steps.measurements().size() == 1);
  StepLines none;
  CHECK_THROWS_AS(run_step_command("sleep 1000", {seconds(0.2), seconds(0.2)}, never, none),
                  InputError);
}

TEST_CASE("step command: less left for a slow start than usual is no error: the usual counts") {
  StepLines steps;
  const std::string remark =
      run_step_command("echo 8 1; sleep 1000", {seconds(0.3), seconds(0.1)}, never, steps);
  CHECK(remark == "--step-command was stopped after 0.3 s; its steps until then count");
  CHECK(steps.measurements().size() == 1);
}

TEST_CASE("step command: Ctrl-C ends it") {
  const std::atomic<bool> pressed{true};
  StepLines steps;
  CHECK_THROWS_AS(run_step_command("sleep 1000", {seconds(60.0), seconds(60.0)}, pressed, steps),
                  Interrupted);
}

TEST_CASE("step command: it needs no GPU, and a failure leaves what came before") {
  Settings settings;
  settings.step_command = "echo '# model toy'; echo 16 0.125; echo 16 0.25; echo oops";
  const MeasurementSet set = test::measured(probe_gpu, settings);
  REQUIRE(set.probes.size() == 1);
  CHECK(set.probes[0].measured);
  CHECK(set.probes[0].reason.find("line 4") != std::string::npos);
  REQUIRE_FALSE(set.measurements.empty());
  const Measurement& step = set.measurements.back();
  CHECK(step.probe == "gpu");
  CHECK(step.quantity == "step");
  CHECK(step.how.at("model") == "toy");
  CHECK(step.times == std::vector<Duration>{seconds(0.125), seconds(0.25)});
}

TEST_CASE("step command: parts of a step and what it is of stand behind a #") {
  StepLines steps;
  for (const char* line :
       {"# model resnet50", "# how precision bf16", "# how memory_format channels_last", "32 0.5",
        "# launch 32 0.1", "# gpu 32 0.4", "# waited 32 0.6", "# launch 32 0.2", "# model vit",
        "32 1"}) {
    steps.read(line);
  }
  const auto& all = steps.measurements();
  REQUIRE(all.size() == 5);
  const std::map<std::string, std::string> how = {
      {"model", "resnet50"}, {"precision", "bf16"}, {"memory_format", "channels_last"}};
  const char* quantities[] = {"step", "step_launch", "step_gpu", "step_waited"};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all[i].quantity == quantities[i]);
    CHECK(all[i].how == how);
    CHECK(all[i].work == 32.0);
  }
  CHECK(all[1].times == std::vector<Duration>{seconds(0.1), seconds(0.2)});
  CHECK(all[4].how == std::map<std::string, std::string>{{"model", "vit"}});
}

TEST_CASE("step command: a comment that only looks like a part of a step is passed over") {
  StepLines steps;
  for (const char* line : {"# launch is slow", "# gpu 32 fast", "# waited 32 0", "# gpu 32 0.1 0.2",
                           "# how do I", "# how model x", "# model", "#gpu 32 0.1"}) {
    INFO(line);
    CHECK_NOTHROW(steps.read(line));
    CHECK(steps.measurements().empty());
  }
}

TEST_CASE("step command: parts of a step without a step are no step") {
  CHECK(refusal("echo '# launch 32 0.1'").find("printed no step") != std::string::npos);
}
