#include "api/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "api/case_problems.hpp"
#include "fit/scaling.hpp"

namespace feedrate::api {

namespace {

/// As it was read from its file, or with what holds for all of its points.
bool is_whole(const schema::Document& document) {
  return document.root() == document.base();
}

}  // namespace

Scenario scenario_of(const schema::Document& document) {
  const auto read = [&] { return schema::read_scenario(document); };
  Scenario scenario =
      is_whole(document) ? with_cases_checked(document, read, document.root() == document.written())
                         : read();
  if (scenario.job.scaling) {
    scenario.job.scaling_fit = with_places(document, [&] {
      return fit::fit_scaling(*scenario.job.scaling, scenario.job.scaling_batch_sizes.value_or(
                                                         std::vector<std::pair<double, double>>{}));
    });
  }
  return scenario;
}

namespace {

bool is_instance(const std::string& name) {
  return !name.empty() && name != any_machine && name != unknown_machine;
}

}  // namespace

void add_instances(std::set<std::string>& names, const std::optional<HostProfile>& host) {
  if (host && is_instance(host->instance)) names.insert(host->instance);
}

void add_instances(std::set<std::string>& names, const Scenario& scenario) {
  if (scenario.cluster.instance) names.insert(*scenario.cluster.instance);
  if (scenario.loader.remote) names.insert(scenario.loader.remote->instance);
  const MeasuredOn& on = scenario.measured_on;
  for (const auto& name : {on.gpu_times, on.cpu_times, on.loader_times, on.remote_times}) {
    if (name && is_instance(*name)) names.insert(*name);
  }
}

void require_alike(const Scenario& scenario, std::string_view who) {
  const std::vector<double>& gpus = scenario.cluster.unequal_gpus;
  if (gpus.empty()) return;
  throw InputError(
      std::vector<Problem>{{"", 0, "/cluster/gpus_per_instance",
                            fmt::format("expected one number for all instances, because {} varies "
                                        "how many there are, got a list: {:g}",
                                        who, fmt::join(gpus, ", "))}});
}

study::RunOptions run_options(const Depth& depth) {
  study::RunOptions run;
  run.exact = depth.exact;
  run.replications = depth.replications;
  run.seed = depth.seed;
  return run;
}

study::RunOptions stated_options(const Depth& depth) {
  study::RunOptions run = run_options(depth);
  run.events = !depth.mean;
  return run;
}

study::RunOptions weighing_options(const Depth& depth) {
  constexpr int draws = 100;
  study::RunOptions run = stated_options(depth);
  run.weigh = true;
  run.gains = study::Gains::all;
  run.try_workers = true;
  if (run.replications > 0) return run;
  run.replications = draws;
  run.bottlenecks = false;
  return run;
}

}  // namespace feedrate::api
