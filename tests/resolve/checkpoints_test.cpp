// What a scenario has to say of checkpoints, and what follows where it does not.
#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Resolved with_checkpoint(const char* checkpoint, const Settings& more) {
  Settings settings = {{"job.checkpoint", checkpoint}};
  settings.insert(settings.end(), more.begin(), more.end());
  return resolve::resolve(test::job(settings), test::catalog());
}

const Settings fails = {{"cluster.failures", R"({"mttf": "100 h"})"}};
const Settings of_a_model = {{"cluster.failures", R"({"mttf": "100 h"})"},
                             {"job.allreduce.parameters", "1e9"}};

}  // namespace

TEST_CASE("checkpoints: an empty object asks for every default") {
  const Resolved all = with_checkpoint("{}", of_a_model);
  CHECK(all.inputs.best_interval);
  // 12 bytes of each of a billion parameters.
  CHECK(all.terms.checkpoint.base() == Approx(12e9));
  CHECK(all.inputs.checkpoint_time > Duration{});
  CHECK(with_checkpoint(R"({"size": "12 GB"})", of_a_model).inputs.checkpoint_time ==
        all.inputs.checkpoint_time);
}

TEST_CASE("checkpoints: a size that does not follow from the model is asked for") {
  for (const char* checkpoint : {"{}", R"({"kept": 3})"}) {
    try {
      with_checkpoint(checkpoint, fails);
      FAIL("a checkpoint without a size");
    } catch (const InputError& error) {
      const std::string said = error.what();
      CHECK(said.find("/job/checkpoint/size") != std::string::npos);
      CHECK(said.find("/job/step/model_parameters") != std::string::npos);
    }
  }
}

TEST_CASE("checkpoints: a restart alone is how a job without any begins again") {
  const Resolved none = with_checkpoint(R"({"restart": "10 min"})", of_a_model);
  CHECK_FALSE(none.inputs.best_interval);
  CHECK(none.inputs.checkpoint_time == Duration{});
  CHECK(none.inputs.interruptions->restart == minutes(10.0));
}

TEST_CASE("checkpoints: without an interval they are written where something ends the job early") {
  CHECK_FALSE(with_checkpoint("{}", {}).inputs.best_interval);
  const Settings block = {{"cluster.purchase", "capacity_block"},
                          {"cluster.booked", "24 h"},
                          {"cluster.price", "3 USD/h"}};
  CHECK(with_checkpoint(R"({"size": "1 GB"})", block).inputs.best_interval);
}

TEST_CASE("checkpoints: EFS takes a third of what it lets read, where reads are metered so") {
  const auto rate_of = [](const char* more) {
    Settings settings = {
        {"/source", std::string(R"({"service": "efs", "capacity": "1 GB")") + more + "}"}};
    settings.insert(settings.end(), of_a_model.begin(), of_a_model.end());
    const Resolved found = with_checkpoint(R"({"size": "12 GB", "interval": "1 h"})", settings);
    return 12e9 / found.inputs.checkpoint_time.base();
  };
  const double paid =
      rate_of(R"(, "throughput_mode": "provisioned", "provisioned_throughput": "100 MB/s")");
  CHECK(paid == Approx(100e6 * assumed::checkpoint_share.value).epsilon(1e-3));
}
