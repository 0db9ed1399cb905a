// One draw of a job is its mean with its own variability on top, and the bands of many are the
// quantiles of drawing them one by one.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/bottleneck.hpp"
#include "study/drawn_job.hpp"
#include "study/drawn_jobs.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using study::DrawnJob;
using testing_resolve::catalog;

/// Calls `check` with so many generated jobs whose steps vary, some of which are interrupted.
template <class Check>
void for_drawn(unsigned seed, int count, Check check) {
  struct Stated {
    Scenario scenario;
    Result mean;
    bool interrupted = false;
  };
  const auto draw = [](Generator& random) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    settings.emplace_back("/job/step/cv", fmt::format("{:.2f}", random.uniform(0.1, 0.6)));
    if (random.chance(0.5)) settings.emplace_back("/dataset/samples", "20000");
    if (random.chance(0.3)) settings.emplace_back("/job/epochs", "1");
    const bool interrupted = random.chance(0.4);
    if (interrupted) settings.emplace_back("/cluster/failures/mttf", "4 h");
    const Scenario scenario = testing_resolve::scenario_with(settings);
    return Stated{scenario, study::run(scenario, catalog(), nullptr), interrupted};
  };
  testing_study::for_possible(seed, count, 10, draw, [&](const Stated& of, Generator& random) {
    check(of.scenario, of.mean, of.interrupted, random);
  });
}

double half(std::string_view) {
  return 0.5;
}

TEST_CASE(
    "drawn: a deviate of its own moves the epochs by their standard deviation, and the bill") {
  int several = 0;
  for_drawn(111, 60, [&](const Scenario& scenario, const Result& ran, bool, Generator& random) {
    const DrawnJob mean = study::drawn_job(scenario, catalog(), nullptr, half);
    CHECK(mean.outcome.total.wall == ran.times.total);
    CHECK(mean.before_wobble == ran.times.total);
    CHECK(mean.bill.money == ran.bill.money);
    const double deviate = random.uniform(-2.5, 2.5);
    const DrawnJob one = study::drawn_job(scenario, catalog(), nullptr, half, {deviate, {}});
    const double moved = deviate * std::sqrt(mean.outcome.variance);
    const double share = moved / mean.outcome.trained.wall.base();
    REQUIRE(share > -1.0);
    CHECK((one.outcome.total.wall - mean.outcome.total.wall).base() == Approx(moved).margin(1e-6));
    CHECK(one.outcome.trained.wall.base() ==
          Approx(mean.outcome.trained.wall.base() * (1.0 + share)));
    CHECK(one.outcome.total.busy.base() ==
          Approx((mean.outcome.total.busy + share * mean.outcome.trained.busy).base()));
    // One epoch of several varies as much more as the mean of them varies less.
    const double each = std::max(-1.0, share * std::sqrt(std::max(1.0, mean.outcome.epochs)));
    CHECK(one.outcome.first.wall.base() ==
          Approx(mean.outcome.first.wall.base() * (1.0 + each)).margin(1e-9));
    CHECK(one.outcome.later.wall.base() ==
          Approx(mean.outcome.later.wall.base() * (1.0 + each)).margin(1e-9));
    CHECK(one.before_wobble == mean.before_wobble);
    several += mean.outcome.epochs > 1.0 ? 1 : 0;

    CHECK(study::figure_of(one, FigureId::total_time) == one.outcome.total.wall.base());
    CHECK(study::figure_of(one, FigureId::epoch) == one.outcome.later.wall.base());
    CHECK(study::figure_of(one, FigureId::money) == one.bill.money.base());
    CHECK(study::figure_of(one, FigureId::total_cost) == one.bill.total.base());
    const Duration training = one.outcome.total.wall - ran.times.startup - ran.times.staging;
    CHECK(study::figure_of(one, FigureId::gpu_busy) == Approx(one.outcome.total.busy / training));
    CHECK(study::figure_of(mean, FigureId::throughput) == Approx(ran.throughput->base()));
    CHECK(study::figure_of(mean, FigureId::gpu_busy) == Approx(ran.gpu_busy));
  });
  CHECK_DRAWN(several > 10);
}

TEST_CASE("drawn: bands are quantiles of draws one by one, bottlenecks their shares") {
  constexpr int draws = 12;
  int shared = 0, courses = 0;
  for_drawn(
      112, 15, [&](const Scenario& scenario, const Result& ran, bool interrupted, Generator&) {
        study::RunOptions options;
        options.replications = draws;
        options.seed = 9;
        const Result result = study::run(scenario, catalog(), nullptr, options);
        REQUIRE(result.bands);
        const Bands& bands = *result.bands;
        CHECK(bands.replications == draws);
        std::vector<double> times, epochs, money, busy;
        PerStage<double> bottlenecks;
        double never = 0.0;
        for (std::uint64_t d = 1; d <= draws; ++d) {
          const DrawnJob job = study::drawn_job(
              scenario, catalog(), nullptr,
              [&](std::string_view key) { return uniform_of(9, d, key); }, study::Own::of(9, d));
          const pipeline::Interrupted& in = job.outcome.interrupted;
          const bool endless = in.counted.wall > 1e4 * (in.job.launch + in.job.work);
          CHECK(study::never_ends(job.outcome) == endless);
          never += endless ? 1.0 : 0.0;
          if (!endless) {
            times.push_back(job.outcome.total.wall.base());
            epochs.push_back(job.outcome.later.wall.base());
            money.push_back(job.bill.money.base());
            busy.push_back(study::figure_of(job, FigureId::gpu_busy));
          }
          // Of interrupted jobs, where their mean is, not the course that was drawn.
          pipeline::SimulationOptions mean;
          const Duration base =
              interrupted ? pipeline::simulate(job.inputs, mean).total.wall : job.before_wobble;
          const Bottleneck found = study::find_bottleneck(job.inputs, base);
          if (found.stage) bottlenecks[*found.stage] += 1.0 / draws;
          courses += interrupted ? 1 : 0;
        }
        CHECK(bands.never_ends == Approx(never / draws));
        if (times.empty()) return;
        const auto check = [](const Band& band, std::vector<double> values) {
          std::sort(values.begin(), values.end());
          CHECK(band[0] == Approx(quantile_of_draws(values, 0.05)));
          CHECK(band[1] == Approx(quantile_of_draws(values, 0.5)));
          CHECK(band[2] == Approx(quantile_of_draws(values, 0.95)));
        };
        check(bands.total_s, times);
        check(bands.epoch_s, epochs);
        check(bands.money_usd, money);
        check(bands.gpu_busy, busy);
        int stages = 0;
        for (const Stage stage : all_stages()) {
          CHECK(bands.bottleneck_probability[stage] == Approx(bottlenecks[stage]).margin(1e-12));
          stages += bottlenecks[stage] > 0.0 ? 1 : 0;
        }
        shared += stages > 1 ? 1 : 0;
        if (ran.bottleneck.stage) {
          CHECK(result.bottleneck.probability ==
                bands.bottleneck_probability[*ran.bottleneck.stage]);
        }
      });
  CHECK_DRAWN(shared > 1);
  CHECK_DRAWN(courses > 10);
}

}  // namespace
