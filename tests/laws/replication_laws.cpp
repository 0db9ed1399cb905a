// What must hold of replications whenever they are stopped.
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/documents/result.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/replicate.hpp"
#include "study/run.hpp"
#include "study/search.hpp"
#include "words/replications.hpp"
#include "words/searches.hpp"

using namespace feedrate;

namespace {

const Catalog& prices() {
  return testing_resolve::catalog();
}

Scenario shipped(const std::string& name) {
  return schema::read_scenario(
      schema::load_document(FEEDRATE_SOURCE_DIR "/scenarios/" + name + ".json"));
}

std::string json_of(Result result) {
  return schema::write_result({"name", "file", std::move(result), {}});
}

TEST_CASE("replications: stopped after k of n, the answer is that of k, and says so") {
  for (const char* const name : {"caltech256_p3", "spot_checkpoints", "input_modes_efs"}) {
    const Scenario scenario = shipped(name);
    for (const int k : {1, 2, 17, 40}) {
      for (const bool bottlenecks : {true, false}) {
        INFO(name << ", " << k << " replications");
        study::RunOptions options;
        options.bottlenecks = bottlenecks;
        options.replications = k;
        const Result asked = study::run(scenario, prices(), nullptr, options);
        options.replications = 1000;
        int done = 0;
        options.enough = [&] { return ++done == k; };
        Result stopped = study::run(scenario, prices(), nullptr, options);
        REQUIRE(stopped.bands);
        CHECK(stopped.bands->replications == k);
        REQUIRE(stopped.caveats.size() == asked.caveats.size() + 1);
        CHECK(stopped.caveats.back() == words::stopped_after(k, 1000, "ranges"));
        stopped.caveats.pop_back();
        CHECK(json_of(stopped) == json_of(asked));
      }
    }
  }
  CHECK(words::stopped_after(312, 5000, "ranges") ==
        "Stopped after 312 of 5,000 replications: the ranges are from these.");
}

TEST_CASE("replications: a search that is stopped answers as one of fewer draws") {
  const schema::Document document =
      schema::load_document(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json");
  const study::MakeScenario make = [&](const study::Setting& set) {
    schema::Document changed = document;
    for (const auto& [key, value] : set) schema::set_value(changed, key, value);
    return schema::read_scenario(changed);
  };
  const Search asked =
      words::parse_search("largest gpus_per_instance in 1..16 with gpu_busy >= 80%", "--find");
  study::RunOptions options;
  for (const int k : {1, 5, 12}) {
    options.replications = k;
    options.enough = {};
    const SearchAnswer of_k = study::search(asked, {}, make, prices(), nullptr, options);
    options.replications = 100;
    int done = 0;
    options.enough = [&] { return ++done == k; };
    const SearchAnswer stopped = study::search(asked, {}, make, prices(), nullptr, options);
    CHECK(stopped.draws == k);
    CHECK(stopped.band == of_k.band);
    CHECK(stopped.there->at == of_k.there->at);
  }
}

TEST_CASE("replications: progress rises by one and ends at all of them") {
  study::RunOptions options;
  options.replications = 25;
  double last = 0.0;
  options.progress = [&](study::Phase phase, double done, double all) {
    CHECK(phase == study::Phase::replications);
    CHECK(done == last + 1.0);
    CHECK(all == 25.0);
    last = done;
  };
  static_cast<void>(study::run(shipped("caltech256_p3"), prices(), nullptr, options));
  CHECK(last == 25.0);
}

TEST_CASE("exact: progress never falls back within the job, and looking changes nothing") {
  const Scenario scenario = shipped("mlperf_storage_micron");
  study::RunOptions options;
  options.exact = true;
  const Result plain = study::run(scenario, prices(), nullptr, options);
  double last = 0.0;
  double all = 0.0;
  int calls = 0;
  options.progress = [&](study::Phase phase, double done, double total) {
    if (phase != study::Phase::steps) return;
    ++calls;
    CHECK(done >= last);
    CHECK(done <= total);
    last = done;
    all = total;
  };
  const Result watched = study::run(scenario, prices(), nullptr, options);
  CHECK(last == all);
  CHECK(all == plain.steps);
  // Many times in each of its epochs, not only after them.
  CHECK_DRAWN(calls > 5);
  CHECK(json_of(watched) == json_of(plain));

  struct Enough {};
  int looks = 0;
  options.progress = [&](study::Phase, double, double) {
    if (++looks == 3) throw Enough{};
  };
  CHECK_THROWS_AS(study::run(scenario, prices(), nullptr, options), Enough);
}

}  // namespace
