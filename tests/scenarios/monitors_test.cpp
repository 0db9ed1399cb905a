// What was seen on monitors, where a source says it, against what is predicted of the same setting;
// and what the rules of thumb make of that.
#include "scenarios/shipped.hpp"

using namespace testing_scenarios;

namespace {

struct Seen {
  const char* scenario;  ///< with its settings
  double gpu_least, gpu_most;
  double cpu_least, cpu_most;
  const char* fits;  ///< a rule that has to fit what is predicted
};

// Caltech-256 (AWS blog): one worker of eight vCPUs, GPU at most 50 %; seven, 95 %.
// Hyundai (AWS blog): CPU always at 100 %, GPUs badly used. Ray alone (blog): CPU high, GPU low.
const Seen published[] = {
    {"caltech256_p3.json --set num_workers=1", 0.20, 0.50, 0.10, 0.20, "workers"},
    {"caltech256_p3.json", 0.94, 1.00, 0.25, 0.90, "fed"},
    // "Always at 100 %", of a curve: by events 98.5 %, with the start and the last round of epochs.
    {"hyundai_p3_16xlarge.json --set instances=1 --set '/preprocess/0/cpu=1.24 s'", 0.30, 0.60,
     0.98, 1.00, "longer-step"},
    {"hyundai_p3_16xlarge.json --set instances=1 --set '/preprocess/0/cpu=1.24 s' --set "
     "gpus_per_instance=1",
     0.95, 1.00, 0.10, 0.60, "fed"},
    {"ray_hetero_g5_c5.json --set /loader/remote=null", 0.30, 0.60, 0.90, 1.00, "preprocessing"},
};

}  // namespace

TEST_CASE("monitors: published utilisations are predicted, and fit the rule of their cause") {
  for (const Seen& seen : published) {
    INFO(seen.scenario);
    const Run run(seen.scenario);
    const double gpu = run("monitors.gpu_kernels");
    const double cpu = run("monitors.cpu_busy");
    CHECK(gpu >= seen.gpu_least);
    CHECK(gpu <= seen.gpu_most);
    CHECK(cpu >= seen.cpu_least);
    CHECK(cpu <= seen.cpu_most);
    const auto json = json_of(std::string("diagnose --gpu 50 scenarios/") + seen.scenario);
    std::vector<std::string> fitting;
    for (const auto& rule : at(*json, "simulated.rules_that_fit").items) {
      fitting.push_back(rule->text);
    }
    CHECK(std::find(fitting.begin(), fitting.end(), seen.fits) != fitting.end());
  }
}

TEST_CASE("monitors: the free remedy of Caltech-256 with one worker is four of them") {
  const auto json = json_of("run scenarios/caltech256_p3.json --set num_workers=1");
  const auto& workers = at(*json, "result.bottleneck.workers");
  CHECK(at(workers, "best").number == 4.0);
  const Run now("caltech256_p3.json --set num_workers=1");
  const Run then("caltech256_p3.json --set num_workers=4");
  CHECK(at(workers, "gain").number == Approx(1.0 - then.seconds() / now.seconds()).epsilon(1e-9));
}
