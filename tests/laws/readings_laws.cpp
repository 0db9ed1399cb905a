// What a run predicts of the readings, what it calls the cause, and where the two that stand beside
// each other differ enough to matter.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "model/readings.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/diagnose.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

TEST_CASE("readings: workers by threads, and a step beside one of a single GPU alone") {
  Generator random(131);
  int several = 0, inlines = 0, doubled = 0, checked = 0;
  for (int i = 0; i < 300 && checked < 80; ++i) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.3)) settings.emplace_back("/job/efficiency", "0.8");
    try {
      const Scenario scenario = testing_resolve::scenario_with(settings);
      const Result result = study::run(scenario, catalog(), nullptr);
      const Readings said = study::simulated_readings(result, scenario, catalog(), nullptr);
      const auto resolved = resolve::resolve(scenario, catalog(), nullptr);
      const double loaders = resolved.inputs.workers * resolved.inputs.ranks;
      const bool inline_now = scenario.loader.kind.family() == LoaderKind::inline_;
      REQUIRE(said[ReadingId::workers_per_cpu].has_value() == !inline_now);
      if (!inline_now) {
        CHECK(*said[ReadingId::workers_per_cpu] ==
              Approx(loaders / resolved.machine->vcpus->value));
      }
      inlines += inline_now ? 1 : 0;
      CHECK(said[ReadingId::gpu] == result.monitors->gpu);
      const auto step = [](const Result& of) { return of.times.epoch / of.steps_per_epoch; };
      if (!inline_now) {
        Scenario twice = scenario;
        twice.loader.num_workers = WorkerCount(2.0 * resolved.inputs.workers);
        std::optional<Result> more;
        try {
          more = study::run(twice, catalog(), nullptr);
        } catch (const InputError&) {
        }
        REQUIRE(said[ReadingId::more_workers].has_value() == more.has_value());
        if (more) CHECK(*said[ReadingId::more_workers] == Approx(step(*more) / step(result)));
        doubled += more ? 1 : 0;
      }

      Scenario alone = scenario;
      alone.cluster.instances = 1.0;
      alone.cluster.gpus_per_instance = 1.0;
      alone.job.efficiency.reset();
      std::optional<Result> one;
      try {
        one = study::run(alone, catalog(), nullptr);
      } catch (const InputError&) {
      }
      REQUIRE(said[ReadingId::step_ratio].has_value() == one.has_value());
      ++checked;
      if (!one) continue;
      CHECK(*said[ReadingId::step_ratio] == Approx(step(result) / step(*one)));
      several += result.gpus > 1.0 ? 1 : 0;
    } catch (const InputError&) {
      continue;
    }
  }
  CHECK(checked == 80);
  CHECK_DRAWN(several > 10);
  CHECK_DRAWN(inlines > 5);
  CHECK_DRAWN(doubled > 30);
}

TEST_CASE("readings: the cause is the bottleneck's, and workers where others would do most of it") {
  Result result;
  const auto cause = [&](std::optional<Stage> stage) {
    result.bottleneck.stage = stage;
    return study::simulated_cause(result);
  };
  CHECK(cause(std::nullopt) == Cause::other);
  for (const Stage stage : all_stages()) {
    INFO(name_of(stage));
    const bool cores = stage == Stage::decode || stage == Stage::collate;
    const bool fed = stage == Stage::gpu || stage == Stage::gpu_preprocess;
    const bool comes = stage == Stage::download || stage == Stage::network;
    const Cause expected = comes                  ? Cause::streaming
                           : stage == Stage::disk ? Cause::disk
                           : cores                ? Cause::cores
                           : fed                  ? Cause::fed
                                                  : Cause::other;
    CHECK(cause(stage) == expected);
  }
  // What starts anew in each epoch is a cause, what starts a job once is none.
  result.times.total = seconds(100.0);
  for (const double once : {0.0, 10.0, 100.0}) {
    result.times.startup = seconds(once);
    CHECK(cause(Stage::startup) == (once < 100.0 ? Cause::epoch_start : Cause::other));
  }
  // Data that come before training are another cause than those that come while it runs.
  result.stages[Stage::download].stall = seconds(100.0);
  for (const double staging : {0.0, 49.0, 51.0, 100.0}) {
    result.times.staging = seconds(staging);
    for (const Stage stage : {Stage::download, Stage::network}) {
      CHECK(cause(stage) == (staging > 50.0 ? Cause::download : Cause::streaming));
    }
  }
  Generator random(132);
  for (int i = 0; i < 300; ++i) {
    OtherWorkers& workers = result.bottleneck.workers.emplace();
    workers.now = random.whole(1.0, 8.0);
    workers.best = random.whole(1.0, 8.0);
    workers.gain = random.uniform(0.0, 0.03);
    result.bottleneck.gain_if_twice_as_fast = random.uniform(0.0, 0.06);
    const bool most = workers.gain >= 0.5 * result.bottleneck.gain_if_twice_as_fast;
    // Where fewer are faster, there are not too few of them.
    const bool more = workers.best > workers.now;
    CHECK((cause(Stage::decode) == Cause::workers) == (more && workers.gain >= 0.01 && most));
  }
}

TEST_CASE("readings: a share differs by a tenth of all, other readings by a fifth of the larger") {
  Generator random(133);
  int matter = 0;
  for (int i = 0; i < 300; ++i) {
    Readings observed;
    Simulated simulated;
    std::size_t both = 0;
    for (const ReadingRow& row : all_readings()) {
      if (random.chance(0.7)) observed[row.id] = random.uniform(0.0, 1.0);
      if (random.chance(0.7)) {
        simulated.readings[row.id] =
            observed[row.id] && random.chance(0.6)
                ? std::max(0.0, *observed[row.id] + random.uniform(-0.3, 0.3))
                : random.uniform(0.0, 1.0);
      }
      both += observed[row.id] && simulated.readings[row.id] ? 1 : 0;
    }
    const Diagnosis made = study::diagnose(observed, Thresholds(), simulated);
    CHECK(made.differences.size() == both);
    // Of what the rules say, only more workers may be refuted, and only by what is known.
    std::vector<Cause> said = study::causes_of(study::judge(observed, Thresholds()));
    const bool refuted = std::any_of(
        conditions_for_more_workers().begin(), conditions_for_more_workers().end(),
        [&](const Condition& condition) {
          const auto& known = observed[condition.reading];
          return known && (*known >= Thresholds()[condition.threshold]) != condition.at_least;
        });
    if (refuted) std::erase(said, Cause::workers);
    CHECK(made.causes == said);
    CHECK(made.by_prediction.size() == made.rules.size());
    for (const auto& one : made.differences) {
      const auto& row = *std::find_if(all_readings().begin(), all_readings().end(),
                                      [&](const ReadingRow& of) { return of.id == one.reading; });
      CHECK(one.observed == *observed[one.reading]);
      CHECK(one.predicted == *simulated.readings[one.reading]);
      const double apart = std::abs(one.observed - one.predicted);
      const double least =
          row.kind == ReadingKind::share ? 0.1 : 0.2 * std::max(one.observed, one.predicted);
      CHECK(one.matters == (apart >= least && apart > 0.0));
      matter += one.matters ? 1 : 0;
    }
    CHECK(study::diagnose(observed, Thresholds()).differences.empty());
  }
  CHECK_DRAWN(matter > 100);
}

TEST_CASE("readings: the loader is a cause where no other says more of it") {
  const std::vector<Cause> more = {Cause::disk, Cause::cores, Cause::workers, Cause::streaming};
  const std::vector<Cause> all = {Cause::download, Cause::disk,        Cause::cores,
                                  Cause::workers,  Cause::streaming,   Cause::loader,
                                  Cause::fed,      Cause::epoch_start, Cause::other};
  for (unsigned bits = 0; bits < 512; ++bits) {
    std::vector<Cause> causes;
    bool told = false;
    for (unsigned k = 0; k < all.size(); ++k) {
      if ((bits >> k & 1U) == 0) continue;
      causes.push_back(all[k]);
      told = told || std::find(more.begin(), more.end(), all[k]) != more.end();
    }
    std::vector<Cause> expected = causes;
    if (told) std::erase(expected, Cause::loader);
    CHECK(study::distinct(causes) == expected);
  }
}

}  // namespace
