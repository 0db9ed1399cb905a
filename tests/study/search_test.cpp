// "largest KEY in A..B with METRIC >= X": how it is read, and what it answers.
#include "study/search.hpp"

#include <cmath>

#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/cases.hpp"
#include "words/searches.hpp"

using namespace feedrate;
using feedrate::words::parse_search;

namespace {

std::vector<std::string> complaints(const std::string& text) {
  try {
    parse_search(text, "/here");
  } catch (const InputError& error) {
    std::vector<std::string> messages;
    for (const Problem& problem : error.problems()) {
      CHECK(problem.pointer == "/here");
      messages.push_back(problem.message);
    }
    return messages;
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

SearchAnswer answer(const std::string& text, const testing_resolve::Settings& settings = {},
                    int draws = 0) {
  const api::ScenarioMaker make(testing_resolve::document_with(settings));
  study::RunOptions options;
  options.replications = draws;
  return study::search(parse_search(text, "--find"), {}, make, testing_resolve::catalog(), nullptr,
                       options);
}

}  // namespace

TEST_CASE("search: what is written is what is sought") {
  const Search search =
      parse_search(" smallest /loader/num_workers in 2 .. 16 with hours <= 24 ", "");
  CHECK(search.extreme == Extreme::smallest);
  CHECK(search.key == "/loader/num_workers");
  CHECK(search.from == 2.0);
  CHECK(search.to == 16.0);
  CHECK(search.condition.metric == "hours");
  CHECK(search.condition.comparison == Comparison::less_equal);
  CHECK(search.condition.bound == 24.0);
  CHECK(parse_search("largest instances in 1..64 with gpu_busy >= 90%", "").condition.bound == 0.9);
  CHECK(parse_search("largest instances in 1..64 with gpu_busy > 0.9", "").condition.bound == 0.9);
  CHECK(parse_search("largest instances in 1..64 with total_s <= 2 h", "").condition.bound ==
        7200.0);
  CHECK(parse_search("largest instances in 1..1 with bottleneck is gpu", "").condition.metric ==
        "bottleneck is gpu");
  CHECK(parse_search("largest instances in 0..1000000000 with gpu_busy >= 0.123456789012345", "")
            .to == 1e9);
}

TEST_CASE("search: what cannot be read is told, all of it") {
  struct Wrong {
    const char* text;
    const char* says;
  };
  const Wrong all[] = {
      {"largest", "largest KEY in A..B with METRIC >= X"},
      {"largest instances with gpu_busy >= 0.9", "largest KEY in A..B"},
      {"largest instances in 1..4", "largest KEY in A..B"},
      {"largets instances in 1..4 with gpu_busy >= 0.9", "did you mean \"largest\""},
      {"largest in 1..4 with gpu_busy >= 0.9", "expected a key"},
      {"largest instances in 1-4 with gpu_busy >= 0.9", "such as 1..64, got \"1-4\""},
      {"largest instances in one..4 with gpu_busy >= 0.9", "whole numbers"},
      {"largest instances in 1.5..4 with gpu_busy >= 0.9", "whole numbers"},
      {"largest instances in -1..4 with gpu_busy >= 0.9", "whole numbers"},
      {"largest instances in 1..99999999999999999999 with gpu_busy >= 0.9", "whole numbers"},
      {"largest instances in 4..1 with gpu_busy >= 0.9", "write 1..4"},
      {"largest instances in 1..4 with gpu_bussy >= 0.9", "did you mean \"gpu_busy\""},
      {"largest instances in 1..4 with gpu_busy", "expected a condition such as"},
      {"largest instances in 1..4 with gpu_busy >= much", "expected a number"},
      {"largest instances in 1..4 with gpu_busy >= 90", "90%"},
      {"largest instances in 1..4 with gpu_busy >= 5 s", "expected a number, got \"5 s\""},
      {"largest instances in 1..4 with total_s increase <= 5%", "itself"},
      {"largest instances in 1..4 with warn: gpu_busy >= 90%", "without \"warn:\""},
      {"largest instances in 1..4 with bottleneck is dcode", "did you mean \"decode\""}};
  for (const Wrong& wrong : all) {
    const auto said = complaints(wrong.text);
    INFO(wrong.text);
    REQUIRE(said.size() == 1);
    INFO(said.front());
    CHECK(has(said.front(), wrong.says));
  }
  CHECK(complaints("largst x in 4..1 with gpu_busy >= 90").size() == 3);
}

TEST_CASE("search: an answer at the end of its range may be more, and none is an answer") {
  const auto workers = answer("smallest num_workers in 1..32 with gpu_busy >= 50%");
  REQUIRE(workers.there);
  REQUIRE(workers.beyond);
  CHECK(workers.there->holds);
  CHECK_FALSE(workers.beyond->holds);
  CHECK(workers.beyond->at == workers.there->at - 1.0);
  CHECK(workers.beyond->waits_for == Stage::decode);
  CHECK(workers.tried_all);
  CHECK_FALSE(workers.at_end());
  const auto end = answer("largest epochs in 1..7 with gpu_busy >= 1%");
  REQUIRE(end.there);
  CHECK(end.there->at == 7.0);
  CHECK(end.at_end());
  const auto none = answer("largest epochs in 2..7 with hours >= 1000");
  CHECK_FALSE(none.there);
  REQUIRE(none.beyond);
  CHECK(none.beyond->at == 7.0);  // which comes nearest
}

TEST_CASE("search: a value that cannot be simulated does not hold, and says why") {
  // p3.2xlarge has one GPU.
  const auto gpus = answer("largest gpus_per_instance in 1..64 with gpu_busy >= 1%");
  REQUIRE(gpus.there);
  CHECK(gpus.there->at == 1.0);
  REQUIRE(gpus.beyond);
  REQUIRE(gpus.beyond->problems.size() == 1);
  CHECK_THROWS_AS(answer("largest gpus_per_instance in 2..64 with gpu_busy >= 1%"), InputError);
  CHECK_THROWS_AS(answer("largest no_such_key in 2..64 with gpu_busy >= 1%"), InputError);
}

TEST_CASE("search: what does not rise or fall evenly is said") {
  const auto after = answer("largest num_workers in 1..40 with bottleneck is not decode");
  REQUIRE(after.there);
  REQUIRE(after.exception);
  CHECK(after.exception->at == 1.0);
  CHECK_FALSE(after.exception->holds);
}

TEST_CASE("search: what holds again where numbers divide evenly is found, as by trying them all") {
  // 100 instances have their samples in as many full batches; 96 to 99 wait for the last one.
  for (const char* const file :
       {"scenarios/input_modes_efs.json", "scenarios/input_modes_fastfile.json"}) {
    const api::ScenarioMaker make(
        schema::load_document(FEEDRATE_SOURCE_DIR "/" + std::string(file)));
    for (const char* const share : {"50%", "55%", "80%"}) {
      const std::string condition = std::string(" with gpu_busy >= ") + share;
      const SearchAnswer found =
          study::search(parse_search("largest instances in 1..130" + condition, "--find"), {}, make,
                        testing_resolve::catalog(), nullptr, {});
      double most = 0.0;
      for (int n = 1; n <= 130; ++n) {
        const std::string one = std::to_string(n);
        const SearchAnswer there = study::search(
            parse_search("largest instances in " + one + ".." + one + condition, "--find"), {},
            make, testing_resolve::catalog(), nullptr, {});
        if (there.there) most = n;
      }
      INFO(file << condition);
      CHECK((found.there ? found.there->at : 0.0) == most);
    }
  }
}

TEST_CASE("search: a condition that holds for each multiple of something comes to an end") {
  // Batches of 3 micro-batches: every third size is a plan.
  const api::ScenarioMaker make(schema::parse_document(
      R"({"dataset": {"samples": 1000000000, "bytes_per_sample": "1 B",
                      "bytes_on_gpu_per_sample": "1 B"},
          "loader": {"kind": "pytorch", "num_workers": 0, "batch_size": 3},
          "cluster": {"instance": "p4d.24xlarge", "instances": 2},
          "job": {"epochs": 1, "step": {"model_parameters": 7e9, "tokens_per_sample": 2048},
                  "parallel": {"tensor": 8, "pipeline": 2, "layers": 32, "hidden_size": 4096,
                               "micro_batches": 3}}})",
      "here"));
  const SearchAnswer found =
      study::search(parse_search("largest batch_size in 1..1000000000 with total_s >= 0", "--find"),
                    {}, make, testing_resolve::catalog(), nullptr, {});
  REQUIRE(found.there);
  CHECK(std::fmod(found.there->at, 3.0) == 0.0);
  CHECK(found.tried > 4'000);
  CHECK(found.tried < 6'000);
  CHECK_FALSE(found.tried_all);
}

TEST_CASE("search: where the events say another than the mean, the answer is theirs") {
  const api::ScenarioMaker make(
      schema::load_document(FEEDRATE_SOURCE_DIR "/scenarios/dali_threads.json"));
  const Search two = parse_search("largest gpus_per_instance in 1..8 with gpu_busy >= 90%", "");
  const auto sought = [&](bool events) {
    study::RunOptions options;
    options.events = events;
    return study::search(two, {}, make, testing_resolve::catalog(), nullptr, options);
  };
  const SearchAnswer by_mean = sought(false);
  REQUIRE(by_mean.there);
  CHECK(by_mean.by_events == 0);
  const SearchAnswer by_events = sought(true);
  REQUIRE(by_events.there);
  CHECK(by_events.there->at == 2.0);
  CHECK(by_mean.there->at == 1.0);
  CHECK(by_events.by_mean == by_mean.there->at);
  CHECK(by_events.by_events >= 2);
  CHECK_FALSE(by_events.exception);
}

TEST_CASE("search: rounding makes no exception") {
  // The parallel efficiency that is given is the busy share, whatever the number of instances.
  const api::ScenarioMaker make(schema::parse_document(
      R"({"name": "t", "cluster": {"instance": "p3.2xlarge", "instances": 8},
          "job": {"duration_on_one_instance": "24 h", "efficiency": 0.9}})",
      "t.json"));
  const SearchAnswer found =
      study::search(parse_search("largest instances in 2..200 with gpu_busy >= 90%", "--find"), {},
                    make, testing_resolve::catalog(), nullptr, {});
  REQUIRE(found.there);
  CHECK(found.there->at == 200.0);
  CHECK_FALSE(found.exception);
}

TEST_CASE("search: draws surround the answer, and the same seed gives the same ones") {
  const std::string text = "smallest num_workers in 1..64 with gpu_busy >= 90%";
  const auto drawn = answer(text, {}, 60);
  REQUIRE(drawn.there);
  REQUIRE(drawn.band);
  CHECK(drawn.draws == 60);
  CHECK((*drawn.band)[0] <= drawn.there->at);
  CHECK((*drawn.band)[2] >= drawn.there->at);
  CHECK((*drawn.band)[0] < (*drawn.band)[2]);
  CHECK(answer(text, {}, 60).band == drawn.band);
  CHECK_FALSE(answer("largest epochs in 1..4 with steps >= 1", {}, 60).band);
}

TEST_CASE("search: cases take the same searches") {
  const api::ScenarioMaker make(testing_resolve::document_with({}));
  Scenario scenario = make.scenario();
  Case asked;
  asked.metric = "smallest num_workers in 1..32 with gpu_busy >= 50%";
  asked.measured = 4.0;
  scenario.cases = {asked};
  asked.relative_to = {{"/preprocess/0/cpu", "1.5 ms"}};
  scenario.cases.push_back(asked);
  const auto results = study::run_cases(scenario, make, testing_resolve::catalog(), nullptr);
  const auto direct = answer(asked.metric);
  const auto reference = answer(asked.metric, {{"/preprocess/0/cpu", "1.5 ms"}});
  REQUIRE(direct.there);
  REQUIRE(reference.there);
  CHECK(results[0].predicted == direct.there->at);
  CHECK(results[1].predicted == direct.there->at / reference.there->at - 1.0);
  scenario.cases[0].metric = "smallest num_workers in 32..1 with gpu_bussy >= 50%";
  try {
    study::run_cases(scenario, make, testing_resolve::catalog(), nullptr);
    FAIL("a search that cannot be read was run");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 2);
    CHECK(error.problems().front().pointer == "/cases/0/metric");
  }
}
