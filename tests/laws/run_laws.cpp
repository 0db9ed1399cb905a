// What a run says beside the time and the bill: efficiencies, what each stage could carry, what is
// lost to scaling, which inputs matter. Over generated jobs, of what was simulated of each.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/advise.hpp"
#include "study/bottleneck.hpp"
#include "study/drawn_jobs.hpp"
#include "study/other_workers.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using testing_resolve::catalog;

struct Ran {
  Scenario scenario;
  Result result;
  resolve::Resolved resolved;
  pipeline::Outcome outcome;
};

/// Calls `check` with so many generated jobs that can run.
template <class Check>
void for_ran(unsigned seed, int count, Check check) {
  const auto draw = [](Generator& random) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.3)) settings.emplace_back("/job/epochs", "1");
    if (random.chance(0.2)) {
      settings.emplace_back("/job/epochs", "null");
      settings.emplace_back("/job/steps", fmt::format("{:g}", random.whole(10.0, 9e3)));
    }
    if (random.chance(0.3)) {
      settings.emplace_back("/job/allreduce", R"({"gradient_bytes": "300 MB", "busbw": "4 GB/s"})");
    }
    if (random.chance(0.3)) {
      settings.emplace_back("/job/checkpoint",
                            R"({"interval": "7 min", "size": "9 GB", "bandwidth": "1 GB/s"})");
    }
    const Scenario scenario = testing_resolve::scenario_with(settings);
    auto resolved = resolve::resolve(scenario, catalog(), nullptr);
    const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs);
    return Ran{scenario, study::run(scenario, catalog(), nullptr), std::move(resolved), outcome};
  };
  testing_study::for_possible(seed, count, 10, draw, [&](const Ran& of, Generator&) { check(of); });
}

TEST_CASE("run: figures are those of what was simulated, and the time is busy or waits") {
  for_ran(71, 60, [](const Ran& of) {
    const Result& r = of.result;
    const pipeline::Outcome& o = of.outcome;
    CHECK(r.times.total == o.total.wall);
    CHECK(r.times.startup == o.startup);
    CHECK(r.times.staging == o.staging);
    CHECK(r.times.first_epoch == o.first.wall);
    CHECK(r.times.epoch == o.later.wall);
    CHECK(r.gpus == of.resolved.inputs.ranks * of.resolved.inputs.instances);
    CHECK(r.straggling == o.total.straggling);
    const Duration epochs = r.times.total - r.times.startup - r.times.staging;
    CHECK(r.gpu_busy == Approx(r.gpu_busy_time / epochs));
    const Duration trained =
        epochs - r.stages[Stage::checkpoint].stall - r.stages[Stage::interruption].stall;
    CHECK(*r.throughput * trained / samples(1.0) == Approx(o.trained_samples));
    CHECK(r.steps == Approx(of.resolved.inputs.epochs * r.steps_per_epoch +
                            of.resolved.inputs.unfinished_steps));
    Duration sum = r.gpu_busy_time;
    Money idle;
    for (const Stage stage : all_stages()) {
      sum += r.stages[stage].stall;
      idle += r.stages[stage].idle_gpu;
      CHECK(r.stages[stage].idle_gpu == r.bill.idle_gpu_by_stage[stage]);
    }
    CHECK(sum.base() == Approx(r.times.total.base()));
    CHECK(idle.base() == Approx(r.bill.idle_gpu.base()));
    CHECK_FALSE(r.bands);
  });
}

TEST_CASE("run: against one instance alone, what is lost adds up stage by stage") {
  int several = 0;
  for_ran(72, 80, [&](const Ran& of) {
    const Result& many = of.result;
    if (many.instances == 1.0) {
      CHECK(many.efficiency == 1.0);
      CHECK_FALSE((many.job_efficiency || many.lost_to_scaling || many.lost_to_stragglers));
      return;
    }
    Result one;
    try {
      one = study::run(resolve::on_one_instance(of.scenario), catalog(), nullptr);
    } catch (const InputError&) {
      return;
    }
    ++several;
    const double n = many.instances;
    REQUIRE(many.job_efficiency);
    CHECK(*many.job_efficiency == Approx(one.times.total / (n * many.times.total)));
    // As their throughputs compare, but for what whole batches of more ranks leave out or repeat.
    const auto alone =
        resolve::resolve(resolve::on_one_instance(of.scenario), catalog(), nullptr).inputs;
    const double more = of.outcome.trained_samples / pipeline::trained_samples(alone);
    CHECK(*many.efficiency * more == Approx(*many.throughput / (n * *one.throughput)));
    const auto lost = [&](Duration of_one, Duration time) {
      return (time - of_one / n) / many.times.total;
    };
    double sum = 0.0;
    for (const Stage stage : all_stages()) {
      double expected = lost(one.stages[stage].stall, many.stages[stage].stall);
      if (stage == Stage::gpu) expected += lost(one.gpu_busy_time, many.gpu_busy_time);
      CHECK((*many.lost_to_scaling)[stage] == Approx(expected).margin(1e-9));
      sum += (*many.lost_to_scaling)[stage];
    }
    CHECK(sum == Approx(1.0 - *many.job_efficiency).margin(1e-9));
    CHECK(*many.lost_to_stragglers == Approx(lost(one.straggling, many.straggling)).margin(1e-9));
  });
  CHECK_DRAWN(several > 20);
}

TEST_CASE("run: each stage says what it could carry, and is used as much of it as is carried") {
  int first_only = 0;
  for_ran(73, 80, [&](const Ran& of) {
    const pipeline::Inputs& in = of.resolved.inputs;
    const bool later = of.outcome.epochs > 1.0;
    const auto kind = later ? pipeline::EpochKind::later : pipeline::EpochKind::first;
    const auto& ends = of.outcome.ends;
    const auto last = pipeline::capacities(in, kind, pipeline::epochs_begun(in), ends);
    const auto first = pipeline::capacities(in, pipeline::EpochKind::first, 1.0, ends);
    const double steady = of.outcome.samples / of.outcome.later.wall.base();
    for (const Stage stage : all_stages()) {
      INFO(name_of(stage));
      const StageStats& said = of.result.stages[stage];
      const double carries = last[stage].base();
      if (carries > 0.0) {
        REQUIRE(said.capacity);
        CHECK(said.capacity->base() == carries);
        CHECK(said.utilization == Approx(std::min(1.0, steady / carries)));
      } else if (first[stage].base() > 0.0) {
        ++first_only;
        CHECK(said.capacity->base() == Approx(of.outcome.epochs * first[stage].base()));
        CHECK(said.utilization == 0.0);
      } else {
        CHECK_FALSE(said.capacity);
      }
      if (said.burst_end) {
        REQUIRE(said.capacity);
        CHECK(said.burst_end->before > *said.capacity);
        CHECK(said.burst_end->after <= of.outcome.training());
        CHECK(std::any_of(ends.begin(), ends.end(), [&](const pipeline::CreditEnd& end) {
          return end.stage == stage && end.limit == said.burst_end->limit;
        }));
      }
      // No better known than the worst of its inputs.
      Origin origin = Origin::given;
      bool any = false;
      for (const InputUsed& input : of.result.inputs) {
        if (input.stage != stage) continue;
        origin = any ? std::min(origin, input.from.origin)
                     : std::min(Origin::measured, input.from.origin);
        any = true;
      }
      CHECK(said.provenance == origin);
    }
  });
  CHECK_DRAWN(first_only > 3);
}

TEST_CASE("run: a stage whose burst ends is shown as what holds afterwards") {
  // 1,100 GiB of gp2 sustain 3,300 operations a second, 200 GiB 600 after a burst of 3,000.
  const auto disk = [](const char* volume, const char* epochs) {
    const Scenario scenario = testing_resolve::scenario_with(
        {{"/source", R"({"service": "local"})"},
         {"/disk", std::string(R"({"kind": "ebs", "volume_type": "gp2", "size": ")") + volume +
                       R"(", "page_cache": "0 B"})"},
         {"/dataset/samples", "2000000"},
         {"/dataset/bytes_per_sample", "90 KB"},
         {"/loader/num_workers", "8"},
         {"/preprocess", R"([{"operation": "decode", "cpu": "0.1 ms"}])"},
         {"/job/step", R"({"per_sample": "10 us"})"},
         {"/job/epochs", epochs}});
    return study::run(scenario, catalog(), nullptr).stages[Stage::disk];
  };
  const StageStats lasting = disk("200 GiB", "1");
  const StageStats ended = disk("200 GiB", "9");
  REQUIRE(lasting.capacity);
  REQUIRE(ended.capacity);
  CHECK_FALSE(lasting.burst_end);
  REQUIRE(ended.burst_end);
  CHECK(ended.burst_end->limit == "gp2 burst credits");
  CHECK(ended.burst_end->before.base() == Approx(lasting.capacity->base()));
  CHECK(ended.capacity->base() < 0.25 * lasting.capacity->base());
  CHECK(*ended.utilization > 0.9);
  CHECK_FALSE(disk("1100 GiB", "9").burst_end);
}

TEST_CASE("run: inputs matter whose stage gains or keeps GPUs waiting, and each gain is a run") {
  int gains = 0, waits = 0;
  for_ran(74, 60, [&](const Ran& of) {
    const Bottleneck& found = of.result.bottleneck;
    for (const InputUsed& input : of.result.inputs) {
      INFO(input.key);
      const bool gaining = std::any_of(found.gains.begin(), found.gains.end(),
                                       [&](const auto& one) { return one.first == input.stage; });
      const double share = of.result.stages[input.stage].stall / of.result.times.total;
      CHECK(input.matters == (gaining || share >= 0.02));
      waits += !gaining && share >= 0.02 ? 1 : 0;
    }
    double best = 0.0;
    std::size_t listed = 0;
    for (const Stage stage : all_stages()) {
      INFO(name_of(stage));
      // A network carries gradients as well.
      pipeline::Inputs faster = pipeline::twice_as_fast(of.resolved.inputs, stage);
      // Where half of the job or more comes before any data, that is start-up, too.
      const bool of_job = 2.0 * faster.startup >= of.outcome.total.wall;
      if (stage == Stage::startup && of_job) faster.startup /= 2.0;
      const pipeline::Outcome outcome = pipeline::simulate(faster);
      const double gain = study::gain_of_faster(of.resolved.inputs, of.outcome, outcome);
      // But for a part of a checkpoint at fixed times.
      const reliability::InterruptedJob& job = of.outcome.interrupted.job;
      const Duration one = job.interval > Duration{} ? job.writing.stop(job.interval) : Duration{};
      const double plain = 1.0 - outcome.total.wall / of.outcome.total.wall;
      CHECK(std::abs(gain - plain) <= one / of.outcome.total.wall + 1e-12);
      const auto said = std::find_if(found.gains.begin(), found.gains.end(),
                                     [&](const auto& each) { return each.first == stage; });
      REQUIRE((said != found.gains.end()) == (gain >= study::least_gain));
      if (said == found.gains.end()) continue;
      ++listed;
      CHECK(said->second == Approx(gain));
      best = std::max(best, gain);
    }
    CHECK(found.gains.size() == listed);
    CHECK(found.stage.has_value() == (listed > 0));
    // GPUs that would save more than they work do so by what others are spared.
    const bool passed_over = study::passes_over_gpus(found);
    if (!passed_over) CHECK(found.gain_if_twice_as_fast == Approx(best));
    if (passed_over) CHECK(best > of.outcome.total.busy / of.outcome.total.wall);
    CHECK(std::is_sorted(found.gains.begin(), found.gains.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; }));
    gains += static_cast<int>(listed);
  });
  CHECK_DRAWN(gains > 40);
  CHECK_DRAWN(waits > 0);
}

TEST_CASE("run: other workers are asked for where workers could help, and are a run with them") {
  int asked = 0, better = 0, few = 0;
  for_ran(75, 25, [&](const Ran& of) {
    study::RunOptions options;
    options.try_workers = true;
    const Result result = study::run(of.scenario, catalog(), nullptr, options);
    const Bottleneck& found = result.bottleneck;
    // Behind a start-up that takes half of the job, it is the next stage's to say.
    const bool starts = found.stage == Stage::startup && found.gains.size() > 1 &&
                        2.0 * result.times.startup >= result.times.total;
    const std::optional<Stage> stage = starts ? found.gains[1].first : found.stage;
    const bool loads = stage == Stage::download || stage == Stage::network ||
                       stage == Stage::disk || stage == Stage::decode || stage == Stage::collate;
    REQUIRE(found.workers.has_value() == (loads && !of.scenario.loader.remote));
    CHECK_FALSE(of.result.bottleneck.workers);
    if (!found.workers) return;
    ++asked;
    const OtherWorkers& said = *found.workers;
    CHECK(said.now == of.resolved.inputs.workers);
    CHECK(said.replaces_inline == (of.scenario.loader.kind.family() == LoaderKind::inline_));
    CHECK(said.tried == study::workers_tried(of.resolved).most);
    CHECK(said.best >= std::min(1.0, said.now));
    CHECK(said.best <= said.tried);
    CHECK_FALSE((said.then && said.best <= study::workers_tried(of.resolved).twice));
    const auto with = [&](double workers) -> std::optional<Duration> {
      Scenario other = of.scenario;
      other.loader.num_workers = WorkerCount(workers);
      if (other.loader.kind.family() == LoaderKind::inline_)
        other.loader.kind = LoaderKind::pytorch;
      try {
        return study::run(other, catalog(), nullptr).times.total;
      } catch (const InputError&) {
        return std::nullopt;
      }
    };
    if (said.best != said.now) {
      ++better;
      CHECK(said.gain == Approx(1.0 - *with(said.best) / result.times.total));
      // Nearly as good as any other number, and the fewest.
      for (double n = said.now + 1.0; n <= std::min(said.tried, said.now + 24.0); n += 1.0) {
        const auto time = with(n);
        if (time) CHECK(*time >= 0.985 * *with(said.best));
      }
    } else {
      CHECK(said.gain == 0.0);
    }
    const bool too_few = said.best > said.now && said.gain >= study::least_gain &&
                         said.gain >= 0.5 * found.gain_if_twice_as_fast;
    CHECK(study::too_few_workers(found) == too_few);
    few += too_few ? 1 : 0;
  });
  CHECK_DRAWN(asked > 5);
  CHECK_DRAWN(better > 2);
  CHECK_DRAWN(few > 0);
}

TEST_CASE("run: where the events are stated they say how many workers are enough") {
  // Two samples a batch whose cost varies as much as it is large: in closed form six workers do.
  const schema::Document document = schema::parse_document(
      R"({"dataset": {"samples": 20000, "bytes_per_sample": "1 MB",
                      "bytes_on_gpu_per_sample": "4 MB", "size_cv": 1},
          "disk": {"bandwidth": "1 GB/s", "latency": "0.1 ms", "page_cache": "0 B"},
          "loader": {"num_workers": 4, "batch_size": 2, "persistent_workers": true,
                     "worker_startup": "0.1 s", "contention": 0, "oversubscription": 0},
          "cluster": {"vcpus": 48, "cores": 24, "price": "1 USD/h", "gpus_per_instance": 4,
                      "pinned_bandwidth": "12 GB/s"},
          "preprocess": [{"operation": "decode", "cpu": "300 ms"}],
          "job": {"epochs": 3, "step": {"per_sample": "80 ms"}}})",
      "det.json");
  const auto make = [&](const study::Setting& set) {
    schema::Document changed = document;
    for (const auto& [key, value] : set) schema::set_value(changed, key, value);
    return schema::read_scenario(changed);
  };
  const auto job = [&](double workers) {
    return make({{"num_workers", fmt::format("{:g}", workers)}});
  };
  study::RunOptions options;
  options.events = true;
  const auto time = [&](double workers) {
    const Result result = study::run(job(workers), catalog(), nullptr, options);
    REQUIRE(result.by_events);
    return result.times.total;
  };
  options.try_workers = true;
  const Result result = study::run(job(4.0), catalog(), nullptr, options);
  REQUIRE(result.by_events.value().stated);
  const OtherWorkers said = result.bottleneck.workers.value();
  CHECK(said.best > 6.0);
  CHECK(said.gain == Approx(1.0 - time(said.best) / result.times.total).margin(0.01));
  for (const double more : {1.2, 1.5, 2.0}) {
    CHECK(time(std::ceil(more * said.best)) >= 0.98 * time(said.best));
  }
  // And so does the advice.
  study::AdviseOptions asked;
  asked.events = true;
  asked.draws = 0;
  const Advice advice = study::advise(make, catalog(), nullptr, asked);
  const auto row = std::find_if(advice.remedies.begin(), advice.remedies.end(),
                                [](const Remedied& one) { return one.what.name == "num_workers"; });
  REQUIRE(row != advice.remedies.end());
  CHECK(row->set == study::Setting{{"num_workers", fmt::format("{:g}", said.best)}});
  CHECK(row->after.value().time == time(said.best));
}

}  // namespace
