// What holds for every shipped scenario.
#include <map>

#include "scenarios/shipped.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"

using namespace testing_scenarios;

TEST_CASE("scenarios: each opens with its source and what is expected of it, and runs") {
  CHECK(shipped().size() >= 19);
  for (const std::string& name : shipped()) {
    INFO(name);
    const std::string path = FEEDRATE_SOURCE_DIR "/scenarios/" + name;
    const feedrate::Scenario scenario =
        feedrate::schema::read_scenario(feedrate::schema::load_document(path));
    CHECK_FALSE(scenario.name.empty());
    CHECK_FALSE(scenario.about.source.empty());
    CHECK_FALSE(scenario.about.expectation.empty());
    CHECK(Run(name).seconds() > 0.0);
  }
}

TEST_CASE("scenarios: what is fitted is said to be, and only that") {
  for (const std::string& name : shipped()) {
    INFO(name);
    const std::string path = FEEDRATE_SOURCE_DIR "/scenarios/" + name;
    const feedrate::Scenario scenario =
        feedrate::schema::read_scenario(feedrate::schema::load_document(path));
    const bool any = std::any_of(scenario.cases.begin(), scenario.cases.end(),
                                 [](const feedrate::Case& one) { return one.fitted; });
    CHECK(any == !scenario.about.fitted.empty());
    for (const feedrate::Case& one : scenario.cases) {
      INFO(one.name);
      // A point may be reported without a limit only with the reason why it can miss.
      if (!one.tolerance) CHECK_FALSE(one.note.empty());
    }
  }
}

TEST_CASE("scenarios: every measured case lies within its tolerance") {
  for (const std::string& name : feedrate::test::some_of(shipped(), 2)) {
    const testing_cli::Outcome outcome = testing_cli::shell("feedrate cases scenarios/" + name);
    INFO(name << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 0);
  }
}

namespace {

double epochs_of(const std::string& name) {
  const std::string path = FEEDRATE_SOURCE_DIR "/scenarios/" + name;
  return feedrate::schema::read_scenario(feedrate::schema::load_document(path))
      .job.epochs.value_or(1.0);
}

}  // namespace

TEST_CASE("scenarios: what --exact simulates is the mean, within 4 %, of short epochs within 9 %") {
  // Long jobs are shortened to what can be run whole in a test.
  const std::map<std::string, std::string> shorter = {
      {"albert_p3dn.json", " --set samples=1280000"},
      {"nvme_vs_ebs.json", " --set samples=348000 --set page_cache='9.6 GB'"},
      {"mlperf_storage_micron.json", " --set samples=2840000 --set epochs=1"},
      {"aws_hetero_tf.json", " --set samples=819200"},
      {"iarai_s3.json", " --set samples=12000"}};
  for (const std::string& name : feedrate::test::some_of(shipped(), 3)) {
    INFO(name);
    const auto found = shorter.find(name);
    const std::string job = name + (found == shorter.end() ? "" : found->second);
    const Run mean(job);
    const Run exact(job + " --exact");
    CHECK(mean("time.staging_s") == exact("time.staging_s"));
    // One draw of few batches differs from their mean.
    const double steps = mean("effort.steps") / epochs_of(name);
    const double within = steps < 100.0 ? 0.09 : 0.04;
    CHECK(mean("time.epoch_s") == Approx(exact("time.epoch_s")).epsilon(within));
    CHECK(mean.busy() == Approx(exact.busy()).epsilon(within));
  }
}
