// Parallel efficiency, held for every shipped scenario: of the epochs, and of the whole job.
#include "model/efficiency.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "scenarios/shipped.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

Result on(const Scenario& asked, double instances) {
  static const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  Scenario scenario = asked;
  scenario.cluster.instances = instances;
  study::RunOptions options;
  options.list_inputs = false;
  return study::run(scenario, catalog, nullptr, options);
}

Duration epochs_of(const Result& result) {
  return result.times.total - result.times.startup - result.times.staging;
}

Scenario shipped(const std::string& file) {
  return schema::read_scenario(
      schema::load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + file));
}

}  // namespace

TEST_CASE("efficiency: the job's is T(1)/(N T(N)) of the times that the report shows") {
  int several = 0;
  for (const std::string& file : testing_scenarios::shipped()) {
    const Scenario scenario = shipped(file);
    if (scenario.job.parallel) continue;  // a replica takes several instances
    const Result one = on(scenario, 1.0);
    CHECK(one.efficiency == 1.0);
    CHECK_FALSE(one.job_efficiency);
    for (const double instances : {2.0, 8.0}) {
      INFO(file << ", instances " << instances);
      const Result all = on(scenario, instances);
      REQUIRE(all.job_efficiency);
      // Jobs of steps train on more samples with more instances.
      Scenario same = scenario;
      if (same.job.steps) *same.job.steps *= instances;
      CHECK(*all.job_efficiency * instances * all.times.total.base() ==
            Approx(on(same, 1.0).times.total.base()));
      REQUIRE(all.lost_to_scaling);
      double lost = 0.0;
      for (const Stage stage : all_stages()) lost += (*all.lost_to_scaling)[stage];
      CHECK(lost == Approx(1.0 - *all.job_efficiency).margin(1e-9));
      double parts = 0.0;
      for (const EfficiencyLoss& part : efficiency_losses(all)) parts += part.share;
      CHECK(parts == Approx(lost).margin(1e-9));
      ++several;
      // What no number of instances shortens makes the whole job's the smaller of the two.
      const Duration fixed = all.times.startup + all.times.staging;
      const Duration alone = one.times.startup + one.times.staging;
      if (fixed >= alone && epochs_of(all) < epochs_of(one) && *all.efficiency <= 1.0) {
        CHECK(*all.job_efficiency <= *all.efficiency * (1.0 + 1e-12));
      }
    }
  }
  CHECK(several > 20);
}

TEST_CASE("efficiency: one instance that its block ends too early for is no measure of several") {
  const auto booked = [](const char* hours) {
    schema::Document document = schema::parse_document(
        R"({"name": "t",
            "cluster": {"instance": "p5.48xlarge", "region": "us-east-1", "price": "40 USD/h",
                        "purchase": "capacity_block"},
            "job": {"duration_on_one_instance": "44 h", "efficiency": 1}})",
        "t.json");
    schema::set_value(document, "/cluster/booked", hours);
    return on(schema::read_scenario(document), 2.0);
  };
  const Result two = booked("24 h");
  CHECK(two.times.total.base() == Approx(22.0 * 3600.0));
  CHECK(*two.efficiency == Approx(1.0));
  CHECK_FALSE(two.job_efficiency);
  CHECK_FALSE(two.lost_to_scaling);
  CHECK(efficiency_losses(two).empty());
  CHECK(*booked("48 h").job_efficiency == Approx(1.0));
}

TEST_CASE("efficiency: a dataset that each instance copies first holds the whole job back") {
  const Result all = on(shipped("input_modes.json"), 8.0);
  REQUIRE(all.efficiency);
  CHECK(*all.efficiency > 0.97 * resolve::assumed::unknown_communication.value);
  CHECK(*all.job_efficiency < 0.3);
}
