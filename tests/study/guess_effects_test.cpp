// What the guesses of a new scenario do to its job.
#include "study/guess_effects.hpp"

#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;

TEST_CASE("guesses: what changes the job most comes first, each as a run with it says") {
  const api::ScenarioMaker make(testing_resolve::document_with({}));
  const std::vector<study::Guess> guesses = {{"/job/startup", "1 s", "2 s"},
                                             {"/preprocess/0/cpu", "1 ms", "30 ms"},
                                             {"/dataset/samples", "100000", "50000000"},
                                             {"/job/startup", "0 s", "100 h"}};
  const auto effects = study::guess_effects(guesses, make, testing_resolve::catalog());
  REQUIRE(effects.size() == 4);
  for (std::size_t i = 1; i < effects.size(); ++i) CHECK(effects[i - 1].share >= effects[i].share);
  CHECK(effects.front().guess == 3);
  CHECK(effects.back().guess == 0);
  for (const study::GuessEffect& effect : effects) {
    const study::Guess& guess = guesses[effect.guess];
    REQUIRE(effect.at_low);
    CHECK(effect.at_low->base() ==
          study::run(make({{guess.key, guess.low}}), testing_resolve::catalog(), nullptr)
              .times.total.base());
  }
}

TEST_CASE("guesses: an end that cannot be simulated is no time") {
  const api::ScenarioMaker make(testing_resolve::document_with({{"/cluster/memory", "20 GB"}}));
  const std::vector<study::Guess> guesses = {{"/loader/num_workers", "1", "4000"}};
  const auto effects = study::guess_effects(guesses, make, testing_resolve::catalog());
  REQUIRE(effects.size() == 1);
  CHECK(effects.front().at_low);
  CHECK_FALSE(effects.front().at_high);
}
