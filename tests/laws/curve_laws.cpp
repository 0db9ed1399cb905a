// A job over numbers of instances, in few of them: what is shown, what is best, where a shared
// limit begins to bind, and which of several machines is chosen, by going through all.
#include <algorithm>
#include <cmath>
#include <set>

#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "study/scale.hpp"
#include "study/scale_out.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

struct Curved {
  api::ScenarioMaker make;
  study::ScaleOptions options;
  ScaleCurve curve;
};

/// Calls `check` with so many curves, every second of which keeps the global batch.
template <class Check>
void for_curves(unsigned seed, int count, Check check) {
  Generator random(seed);
  int checked = 0;
  for (int i = 0; i < 20 * count && checked < count; ++i) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.3)) settings.emplace_back("/loader/batch_size", "5");
    if (random.chance(0.3)) settings.emplace_back("/job/value_of_hour", "90 USD/h");
    if (random.chance(0.4)) {
      settings.emplace_back("/job/epochs", "null");
      settings.emplace_back("/job/steps", fmt::format("{:g}", random.whole(50.0, 2e4)));
    }
    if (random.chance(0.4)) {
      settings.emplace_back("/source", fmt::format(R"({{"service": "nfs", "input_mode": "{}",
                            "bandwidth": "{:.0f} MB/s", "bandwidth_per_connection": "400 MB/s",
                            "first_byte_latency": "1 ms", "shared": true}})",
                                                   random.chance(0.5) ? "mount" : "File",
                                                   random.log_uniform(50.0, 5000.0)));
    }
    if (random.chance(0.3)) {
      // On many instances no rank has a whole batch.
      settings.emplace_back("/dataset/samples", "500");
      settings.emplace_back("/loader/drop_last", "true");
    }
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    study::ScaleOptions options;
    options.to = static_cast<long>(random.whole(1.0, 14.0));
    options.jobs = 1;
    if (checked % 2 == 1) options.kept = BatchKept::global;
    try {
      const Result now = study::run(make({}), catalog(), nullptr);
      if (random.chance(0.6)) {
        options.deadline = random.log_uniform(0.15, 2.0) * now.times.total;
      }
      INFO("seed " << seed << ", curve " << i);
      check(Curved{make, options,
                   study::scale_curve({}, std::cref(make), catalog(), nullptr, options)});
      ++checked;
    } catch (const InputError&) {
      continue;
    }
  }
  CHECK(checked == count);
}

TEST_CASE("curve: settings keep samples, and the batch where it is to be kept") {
  Generator random(101);
  for (int i = 0; i < 300; ++i) {
    Scenario job;
    job.cluster.instances = random.whole(1.0, 9.0);
    if (random.chance(0.8)) job.loader.batch_size = random.whole(1.0, 300.0);
    if (random.chance(0.6)) job.job.steps = random.whole(1.0, 1e5);
    const double n = random.whole(1.0, 20.0);
    const bool global = random.chance(0.5);
    const study::Setting set =
        study::instances_setting(job, n, global ? BatchKept::global : BatchKept::per_gpu);
    std::map<std::string, double> values;
    for (const auto& [key, value] : set) values[key] = std::stod(value);
    CHECK(values.at("/cluster/instances") == n);
    const double before = job.loader.batch_size.value_or(1.0);
    double batch = before;
    REQUIRE(values.contains("/loader/batch_size") == (global && job.loader.batch_size));
    if (global && job.loader.batch_size) {
      batch = std::max(1.0, std::round(before * job.cluster.instances / n));
      CHECK(values.at("/loader/batch_size") == batch);
    }
    REQUIRE(values.contains("/job/steps") == job.job.steps.has_value());
    if (!job.job.steps) continue;
    // No sample fewer, and no whole step more.
    const double samples = *job.job.steps * before * job.cluster.instances;
    const double steps = values.at("/job/steps");
    CHECK(steps * batch * n >= samples * (1.0 - 1e-9));
    CHECK((steps - 1.0) * batch * n < samples * (1.0 + 1e-9));
  }
  for (double to = 1.0; to <= 70.0; to += 1.0) {
    std::vector<double> expected;
    for (double n = 1.0; n <= to; n += 1.0) {
      double odd = n;
      while (odd == 2.0 * std::floor(odd / 2.0)) odd /= 2.0;
      if (odd == 1.0 || odd == 3.0) expected.push_back(n);
    }
    CHECK(study::scale_ladder(to) == expected);
  }
}

TEST_CASE("curve: what is shown, least, fastest and in time is that of running every number") {
  int late = 0, timely = 0, unanswered = 0, rounded = 0;
  for_curves(102, 30, [&](const Curved& of) {
    const ScaleCurve& curve = of.curve;
    const Scenario& job = of.make.scenario();
    const bool global = of.options.kept == BatchKept::global;
    const double all_samples = std::floor(*job.loader.batch_size * job.cluster.instances);
    double to = static_cast<double>(of.options.to);
    REQUIRE(curve.end_of_batch.has_value() == (global && all_samples < to));
    if (curve.end_of_batch) CHECK(*curve.end_of_batch == all_samples);
    if (curve.end_of_batch) to = all_samples;
    CHECK(curve.to == to);
    std::map<double, Result> each;
    for (double n = 1.0; n <= to; n += 1.0) {
      try {
        each.emplace(n, study::run(of.make(study::instances_setting(job, n, of.options.kept)),
                                   catalog(), nullptr));
      } catch (const InputError&) {
      }
    }
    CHECK(curve.unanswered == to - static_cast<double>(each.size()));
    unanswered += curve.unanswered > 0.0 ? 1 : 0;
    // What keeps the global batch comes before what rounds it.
    const auto rounds = [&](double n) { return global && study::gpu_share(job, n).off() > 1e-9; };
    std::map<double, Result> kept = each;
    std::erase_if(kept, [&](const auto& one) { return rounds(one.first); });
    const auto in_time = [&](const auto& one) {
      return !of.options.deadline || one.second.times.total <= *of.options.deadline;
    };
    std::optional<double> least, fastest, fewest, cheapest;
    const bool any_kept_in_time = std::any_of(kept.begin(), kept.end(), in_time);
    for (const auto& [n, result] : kept.empty() ? each : kept) {
      if (!least || result.bill.total < each.at(*least).bill.total) least = n;
      if (!fastest || result.times.total < each.at(*fastest).times.total) fastest = n;
    }
    for (const auto& [n, result] : any_kept_in_time ? kept : each) {
      if (!of.options.deadline || result.times.total > *of.options.deadline) continue;
      if (!fewest) fewest = n;
      if (!cheapest || result.bill.total < each.at(*cheapest).bill.total) cheapest = n;
    }
    const auto same = [](const std::optional<ScalePoint>& point, const std::optional<double>& n) {
      REQUIRE(point.has_value() == n.has_value());
      if (n) CHECK(point->instances == *n);
    };
    same(curve.least, least);
    same(curve.fastest, fastest);
    same(curve.fewest_in_time, fewest);
    same(curve.least_in_time, cheapest);
    const auto there = [&](double n) { return each.contains(n) ? std::optional(n) : std::nullopt; };
    // The next ones that keep it as well.
    const auto beside = [&](double step) {
      double n = *least + step;
      while (n >= 1.0 && n <= to && rounds(n) && !rounds(*least)) n += step;
      return there(n);
    };
    same(curve.before, beside(-1.0));
    same(curve.after, beside(1.0));
    (fewest ? timely : late) += of.options.deadline ? 1 : 0;

    std::set<double> shown;
    for (const double n : study::scale_ladder(to)) shown.insert(n);
    if (job.cluster.instances <= to) shown.insert(job.cluster.instances);
    std::optional<double> quickest;  // whatever it makes of the batch
    for (const auto& [n, result] : each) {
      if (!quickest || result.times.total < each.at(*quickest).times.total) quickest = n;
    }
    for (const auto& n : {least, fastest, quickest, fewest, cheapest, beside(-1.0), beside(1.0)}) {
      if (n) shown.insert(*n);
    }
    // The first that a shared limit binds, between two that are shown.
    std::optional<double> bound;
    for (const double n : shown) {
      const auto binds = [&](double k) {
        return each.contains(k) && each.at(k).shared_limit && each.at(k).shared_limit->binds;
      };
      if (!binds(n)) continue;
      bound = n;
      while (*bound > 1.0 && binds(*bound - 1.0)) *bound -= 1.0;
      break;
    }
    REQUIRE(curve.bound.has_value() == bound.has_value());
    if (bound) CHECK(curve.bound->from == *bound);
    if (bound) shown.insert(*bound);
    std::vector<double> rows;
    for (const ScaleRow& row : curve.rows) {
      rows.push_back(row.instances);
      CHECK(row.point.answered() == each.contains(row.instances));
      const double share = *job.loader.batch_size * job.cluster.instances / row.instances;
      CHECK(row.rounded == (global && share != std::round(share)));
      rounded += row.rounded ? 1 : 0;
      CHECK_FALSE(row.chance_in_time);
      if (!row.point.answered()) continue;
      const Result& ran = each.at(row.instances);
      CHECK(row.point.result.times.total == ran.times.total);
      CHECK(row.point.result.bill.total == ran.bill.total);
      if (!global) CHECK(row.point.result.efficiency == ran.efficiency);
      // Beside the fewest that have a result.
      const double first = each.begin()->first;
      REQUIRE(row.point.scale_out.has_value() == (row.instances > first));
      if (row.instances == first) continue;
      CHECK(row.point.scale_out->instances == first);
      CHECK(row.point.scale_out->time ==
            Approx(ran.times.total / each.at(first).times.total - 1.0));
    }
    CHECK(rows == std::vector<double>(shown.begin(), shown.end()));
  });
  CHECK_DRAWN(late > 1);
  CHECK_DRAWN(timely > 5);
  CHECK_DRAWN(unanswered > 0);
  CHECK_DRAWN(rounded > 5);
}

TEST_CASE("curve: with the global batch kept all of it on one instance is what is told against") {
  int compared = 0;
  for_curves(103, 20, [&](const Curved& of) {
    if (of.options.kept != BatchKept::global) return;
    const ScaleRow& first = of.curve.rows.front();
    const bool one_ran = first.instances == 1.0 && first.point.answered();
    for (const ScaleRow& row : of.curve.rows) {
      if (row.instances == 1.0 || !row.point.answered()) continue;
      const Result& many = row.point.result;
      REQUIRE(many.job_efficiency.has_value() == one_ran);
      if (!one_ran) continue;
      const Result& one = first.point.result;
      const auto epochs = [](const Result& r) {
        return r.times.total - r.times.startup - r.times.staging -
               r.stages[Stage::checkpoint].stall;
      };
      ++compared;
      CHECK(*many.efficiency == Approx(epochs(one) / (row.instances * epochs(many))));
      for (const Stage stage : all_stages()) {
        Duration lost = many.stages[stage].stall - one.stages[stage].stall / row.instances;
        if (stage == Stage::gpu) {
          lost += many.gpu_busy_time - one.gpu_busy_time / row.instances;
        }
        CHECK((*many.lost_to_scaling)[stage] == Approx(lost / many.times.total).margin(1e-9));
      }
    }
  });
  CHECK_DRAWN(compared > 10);
}

TEST_CASE(
    "curve: of several machines the one that costs least in time is chosen, else the fastest") {
  Generator random(104);
  int in_time = 0, late = 0, free = 0;
  for (int i = 0; i < 400; ++i) {
    study::ScaleOptions options;
    if (random.chance(0.7)) options.deadline = hours(1.0);
    if (random.chance(0.5)) options.kept = BatchKept::global;
    std::vector<ScaleCurve> curves(static_cast<std::size_t>(random.whole(1.0, 4.0)));
    const auto point = [&] {
      const Money total = usd(random.whole(1.0, 9.0));
      return ScalePoint{random.whole(1.0, 9.0), {seconds(random.whole(1.0, 9e3)), total, total}};
    };
    for (ScaleCurve& curve : curves) {
      curve.least = point();
      curve.fastest = point();
      if (options.deadline && random.chance(0.4))
        curve.least_in_time = curve.fewest_in_time = point();
      ScaleRow& row = curve.rows.emplace_back();
      row.point.result.instances = 3.0;
      row.point.result.gpus = 24.0;
    }
    Scenario job;
    job.loader.batch_size = random.whole(1.0, 64.0);
    job.cluster.instances = random.whole(1.0, 4.0);
    if (random.chance(0.5)) job.job.value_of_hour = usd(random.whole(0.0, 2.0)) / hours(1.0);
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const auto& one = curves[k].least_in_time;
      if (one && (!best || one->outlay.total < curves[*best].least_in_time->outlay.total)) best = k;
    }
    const bool met = best.has_value();
    for (std::size_t k = 0; k < curves.size() && !met; ++k) {
      const Outlay& a = options.deadline ? curves[k].fastest.outlay : curves[k].least.outlay;
      if (!best) {
        best = k;
        continue;
      }
      const Outlay& b =
          options.deadline ? curves[*best].fastest.outlay : curves[*best].least.outlay;
      if (options.deadline ? a.time < b.time : a.total < b.total) best = k;
    }
    const Scaling made = study::scaling_of(curves, job, options);
    CHECK(made.best == *best);
    CHECK(made.in_time() == (met || !options.deadline));
    CHECK(made.kept == options.kept);
    CHECK(made.deadline == options.deadline);
    REQUIRE(made.global_batch.has_value() == (options.kept == BatchKept::global));
    if (made.global_batch) {
      CHECK(*made.global_batch == *job.loader.batch_size * job.cluster.instances * 8.0);
    }
    const bool worth = job.job.value_of_hour && *job.job.value_of_hour > HourlyPrice{};
    CHECK(made.hour.has_value() == worth);
    CHECK(made.curves.size() == curves.size());
    (met ? in_time : options.deadline ? late : free) += 1;
  }
  CHECK_DRAWN(in_time > 50);
  CHECK_DRAWN(late > 50);
  CHECK_DRAWN(free > 50);
}

}  // namespace
