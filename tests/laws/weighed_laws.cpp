// What each uncertain input does to a job is what drawing it alone does: its ends, and its
// part of the variance by integration.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "catch.hpp"
#include "reliability/interruptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/documents/host.hpp"
#include "seed.hpp"
#include "study/drawn_job.hpp"
#include "study/drawn_jobs.hpp"
#include "study/model_error.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

struct Weighed {
  Scenario scenario;
  const HostProfile* host;
  Result result;
  std::map<std::string, const InputUsed*> uncertain{};  ///< each name once

  [[nodiscard]] study::DrawnJob with(const resolve::Draw& draw) const {
    return study::drawn_job(scenario, catalog(), host, draw);
  }
  /// One input at that share of all that it might be, all others as they are stated.
  [[nodiscard]] study::DrawnJob with(const std::string& key, double share) const {
    return with([&](std::string_view other) { return other == key ? share : 0.5; });
  }
  [[nodiscard]] static double end_of(const InputUsed& input, bool high) {
    if (!input.range.empty()) return high ? 1.0 : 0.0;
    return high ? 0.95 : 0.05;
  }
};

template <class Check>
void for_weighed(unsigned seed, int count, Check check) {
  static const HostProfile profile =
      schema::read_host_profile(FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json");
  const auto draw = [](Generator& random) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.3)) {
      settings.emplace_back("/cluster/failures", "{}");
      settings.emplace_back("/job/epochs", "4000");
    }
    const HostProfile* const host = random.chance(0.4) ? &profile : nullptr;
    study::RunOptions options;
    options.weigh = true;
    const Scenario scenario = testing_resolve::scenario_with(settings);
    return Weighed{scenario, host, study::run(scenario, catalog(), host, options)};
  };
  testing_study::for_possible(seed, count, 10, draw, [&](Weighed of, Generator&) {
    for (const InputUsed& input : of.result.inputs) {
      CHECK(input.effect.has_value() == !input.low.empty());
      if (input.effect) of.uncertain.emplace(input.key, &input);
    }
    check(of);
  });
}

TEST_CASE("weighed: an input's effect is that of its ends, and it matters from a hundredth on") {
  int mattering = 0, measured = 0;
  for_weighed(81, 20, [&](const Weighed& of) {
    const study::DrawnJob stated = of.with([](std::string_view) { return 0.5; });
    CHECK(of.result.certainty->stated == stated.outcome.total.wall);
    for (const auto& [key, input] : of.uncertain) {
      INFO(key);
      const study::DrawnJob low = of.with(key, Weighed::end_of(*input, false));
      const study::DrawnJob high = of.with(key, Weighed::end_of(*input, true));
      CHECK(input->effect->time_at_low == low.outcome.total.wall);
      CHECK(input->effect->time_at_high == high.outcome.total.wall);
      CHECK(input->effect->money_at_low == low.bill.money);
      CHECK(input->effect->money_at_high == high.bill.money);
      double most = 0.0;
      for (const study::DrawnJob* job : {&low, &high}) {
        most = std::max(most, std::abs(job->outcome.total.wall / stated.outcome.total.wall - 1.0));
        if (stated.bill.money > Money{}) {
          most = std::max(most, std::abs(job->bill.money / stated.bill.money - 1.0));
        }
      }
      CHECK(input->matters == (most >= 0.01));
      mattering += input->matters ? 1 : 0;
      measured += input->range.empty() ? 1 : 0;
    }
  });
  CHECK_DRAWN(mattering > 20);
  CHECK_DRAWN(measured > 3);
}

TEST_CASE("weighed: shares of the variance are those of integrating each input by itself") {
  int inputs = 0, interrupted = 0, rare = 0;
  for_weighed(82, 8, [&](const Weighed& of) {
    const study::DrawnJob stated = of.with([](std::string_view) { return 0.5; });
    const auto spread = [](const std::vector<double>& values) {
      double mean = 0.0, squares = 0.0;
      for (const double value : values) mean += value / static_cast<double>(values.size());
      for (const double value : values) squares += (value - mean) * (value - mean);
      return squares / static_cast<double>(values.size());
    };
    std::map<std::string, double> variances;
    double all = stated.outcome.variance;
    const reliability::InterruptedJob& job = stated.outcome.interrupted.job;
    if (stated.inputs.interruptions) {
      ++interrupted;
      const int plays =
          std::min(500, reliability::plays_for(stated.outcome.interrupted.mean.interruptions));
      std::vector<double> walls;
      for (const auto& course : reliability::draw_courses(job, 1, plays)) {
        walls.push_back(course.wall.base());
      }
      const double n = static_cast<double>(walls.size());
      all += spread(walls) * n / (n - 1.0);
    }
    const double own = all;
    // What one draw in 400 meets alone, as a link that binds no sooner, is beyond the nodes by
    // which shares are integrated.
    bool by_one_alone = false;
    for (const ModelDoubt& doubt : of.result.certainty->model) {
      std::vector<double> times;
      constexpr int steps = 400;  // Student's t has long tails
      for (int k = 0; k < steps; ++k) {
        const std::string key(study::draw_key(doubt.error_class));
        times.push_back(of.with(key, (k + 0.5) / steps).outcome.total.wall.base());
      }
      variances[std::string(name_of(doubt.error_class))] = spread(times);
      const std::vector<double> inner(times.begin() + 1, times.end() - 1);
      by_one_alone = by_one_alone || spread(inner) < 0.1 * spread(times);
      all += spread(times);
      CHECK(doubt.effect.variance_share > 0.0);
    }
    for (const auto& [key, input] : of.uncertain) {
      // A measured value's distribution is normal, an assumption's even.
      std::vector<double> times;
      constexpr int steps = 40;
      for (int k = 0; k < steps; ++k) {
        times.push_back(of.with(key, (k + 0.5) / steps).outcome.total.wall.base());
      }
      variances[key] = spread(times);
      all += variances[key];
    }
    rare += by_one_alone ? 1 : 0;
    if (by_one_alone) return;
    for (const auto& [key, input] : of.uncertain) {
      INFO(key);
      // The whole is as uncertain as the model's part of it, below.
      const double share = all > 0.0 ? variances[key] / all : 0.0;
      CHECK(input->effect->variance_share == Approx(share).margin(0.06 + 0.1 * share));
      ++inputs;
    }
    for (const ModelDoubt& doubt : of.result.certainty->model) {
      INFO(name_of(doubt.error_class));
      CHECK(doubt.effect.variance_share ==
            Approx(variances[std::string(name_of(doubt.error_class))] / all).margin(0.1));
    }
    // No nearer than the model's errors, whose tails are long.
    CHECK(of.result.certainty->own_variance_share == Approx(own / all).margin(0.1));
  });
  CHECK_DRAWN(inputs > 30);
  CHECK_DRAWN(interrupted > 0);
  CHECK_DRAWN(rare < 4);  // of 8: half of the jobs at least are judged
}

}  // namespace
