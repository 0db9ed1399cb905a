#include "study/ladder.hpp"

#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/parallel.hpp"
#include "study/scale_out.hpp"
#include "words/advice.hpp"

namespace feedrate::study {
namespace {

/// As fast as memory: reading a sample takes no time.
constexpr const char* no_source = R"({"service": "local"})";
constexpr const char* memory_disk =
    R"({"kind": "other", "bandwidth": "1000 GB/s", "latency": "0 s", "open_latency": "0 s"})";

struct Plan {
  Rung rung;
  Setting set;
  std::string why_not;
};

std::vector<Plan> plans(const Scenario& scenario, double gpus_per_instance) {
  const bool whole_job = scenario.job.duration_on_one_instance.has_value();
  const std::string_view given = whole_job ? words::given_whole : "";
  Setting alone = {{"/cluster/instances", "1"}};
  if (!scenario.cluster.unequal_gpus.empty()) {
    alone.emplace_back("/cluster/gpus_per_instance",
                       exact_text(scenario.cluster.unequal_gpus.front()));
  }
  if (scenario.job.efficiency) alone.emplace_back("/job/efficiency", "null");
  Setting one_gpu = alone;
  one_gpu.emplace_back("/cluster/gpus_per_instance", "1");
  Setting in_memory = one_gpu;
  in_memory.emplace_back("/source", no_source);
  in_memory.emplace_back("/disk", memory_disk);
  // Checkpoints that go where the data come from go to memory, too.
  const auto& checkpoint = scenario.job.checkpoint;
  if (checkpoint && !checkpoint->bandwidth && !checkpoint->to) {
    in_memory.emplace_back("/job/checkpoint/bandwidth", "1000 GB/s");
  }
  return {{Rung::one_gpu_in_memory, in_memory, std::string(given)},
          {Rung::one_gpu, one_gpu, std::string(given)},
          {Rung::one_instance, alone,
           std::string(gpus_per_instance <= 1.0 && !whole_job ? words::one_gpu_each : "")},
          {Rung::cluster,
           {},
           std::string(scenario.cluster.instances <= 1.0 ? words::one_instance_alone : "")}};
}

void add_efficiency(RungResult& rung, const Result& result) {
  rung.efficiency = result.efficiency;
  const auto alone = cost_alone(result);
  if (!alone || !result.efficiency || result.bill.hour_value <= Money{}) return;
  rung.break_even = CostByEfficiency(result).efficiency_at(*alone);
}

}  // namespace

JobFigures figures_of_job(const Result& result) {
  JobFigures figures;
  figures.time = result.times.total;
  figures.money = result.bill.money;
  figures.total = result.bill.total;
  const Duration working = result.times.total - result.times.startup;
  if (working > Duration{}) figures.gpu_busy = result.gpu_busy_time / working;
  figures.throughput = result.throughput;
  figures.bottleneck = result.bottleneck.stage;
  return figures;
}

std::vector<RungResult> ladder(const MakeScenario& make, const Catalog& catalog,
                               const HostProfile* host, double target, const RunOptions& as_asked) {
  RunOptions options = as_asked;
  options.list_inputs = false;
  const Scenario scenario = make({});
  const Result whole = run(scenario, catalog, host, options);
  const std::vector<Plan> all = plans(scenario, whole.gpus / whole.instances);
  std::vector<RungResult> rungs(all.size());
  for_each_index(all.size(), 0, [&](std::size_t i) {
    RungResult& rung = rungs[i];
    rung.rung = all[i].rung;
    rung.set = all[i].set;
    rung.why_not = all[i].why_not;
    if (!rung.why_not.empty()) return;
    try {
      const Result result = run(make(all[i].set), catalog, host, options);
      rung.figures = figures_of_job(result);
      if (result.instances > 1.0) add_efficiency(rung, result);
    } catch (const InputError& error) {
      rung.why_not = error.problems().front().message;
    }
  });
  const bool works = trains(rungs, figures_of_job(whole));
  std::optional<Throughput> before;
  for (RungResult& rung : rungs) {
    if (!rung.figures) continue;
    rung.share = rung.figures->gpu_busy;
    if (!works) {
      const auto rate = rung.figures->throughput;
      rung.share = before && rate ? std::min(1.0, *rate / *before) : 1.0;
      before = rate;
    }
    rung.met = rung.share >= target;
  }
  // Each rung is as fast as the one before, so only the first can be what is slow.
  const bool all_met =
      std::all_of(rungs.begin(), rungs.end(), [](const RungResult& rung) { return rung.met; });
  if (!works && all_met && rungs.front().figures) rungs.front().met = false;
  return rungs;
}

Rung rung_to_start_on(const std::vector<RungResult>& ladder) {
  for (const RungResult& rung : ladder) {
    if (rung.figures && !rung.met) return rung.rung;
  }
  return Rung::fed;
}

}  // namespace feedrate::study
