// Steps that were measured one by one, from the file to the job's time.
#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::Settings;

namespace {

/// A job whose GPUs are fed, with this step.
Result with_step(const std::string& step, const std::string& instances = "4") {
  return study::run(
      testing_resolve::scenario_with({{"/preprocess", "[]"},
                                      {"/job/step", step},
                                      {"/job/allreduce", R"({"gradient_bytes": "1 MB"})"},
                                      {"/cluster/instances", instances}}),
      catalog(), nullptr);
}

std::string problem_with(const std::string& step) {
  try {
    with_step(step);
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
  return "";
}

}  // namespace

TEST_CASE(
    "step times: alone they are the step, and for one GPU that is fed their mean is what counts") {
  const Result one = with_step(R"({"times": [[3, "100 ms"], [1, "300 ms"]]})", "1");
  const Result even = with_step(R"({"fixed": "150 ms"})", "1");
  CHECK(one.times.total / even.times.total == Approx(1.0).epsilon(0.005));
  bool named = false;
  for (const InputUsed& input : one.inputs) named = named || input.key == "/job/step/times";
  CHECK(named);
}

TEST_CASE("step times: beside a step they are how it varies, whatever they were measured in") {
  const Result here = with_step(R"({"fixed": "150 ms", "times": [[3, "100 ms"], [1, "300 ms"]]})");
  const Result scaled = with_step(R"({"fixed": "150 ms", "times": [[6, "2 ms"], [2, "6 ms"]]})");
  CHECK(here.times.total / scaled.times.total == Approx(1.0).epsilon(1e-9));
  // Of four GPUs one draws the long step at 1 - 0.75^4 of the steps.
  const double slowest = 100.0 + 200.0 * (1.0 - 0.75 * 0.75 * 0.75 * 0.75);
  const Result even = with_step(R"({"fixed": "150 ms", "cv": 0})");
  const Duration more = (here.times.epoch - even.times.epoch) / here.steps_per_epoch;
  CHECK(more / milliseconds(1.0) == Approx(slowest - 150.0).epsilon(0.02));
  const Result same = with_step(R"({"fixed": "150 ms", "times": [[5, "100 ms"]]})");
  CHECK(same.times.total == even.times.total);
}

TEST_CASE("step times: what cannot be is refused where it stands") {
  const auto says = [](const std::string& step, const std::string& what) {
    INFO(step << ": " << problem_with(step));
    CHECK(problem_with(step).find(what) != std::string::npos);
  };
  says(R"({"fixed": "1 s", "cv": 0.1, "times": [[1, "1 s"], [1, "2 s"]]})",
       "expected either the times of single steps or their cv, got both");
  says(R"({"times": [[3, "0 s"]]})", "expected a step that takes time, got none above 0 s");
  says(R"({"times": [[0, "1 s"]]})", "expected a whole number from 1");
  says(R"({"times": [[1.5, "1 s"]]})", "expected a whole number from 1");
  says(R"({"times": [["1 s", 1]]})", "expected a whole number from 1");
  says(R"({"times": []})", "expected a list of");
}
