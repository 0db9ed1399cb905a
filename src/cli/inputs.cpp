#include "cli/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "cli/vary.hpp"
#include "fit/scaling.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/host.hpp"

namespace feedrate::cli {

void apply_settings(schema::Document& document, const SimulationOptions& options) {
  for (const std::string& text : options.settings) {
    const auto [key, value] = parse_setting(text, "--set");
    schema::set_value(document, key, value);
  }
  document.keep_as_base();
}

schema::Document load_with_settings(const std::string& path, const SimulationOptions& options) {
  schema::Document document = schema::load_document(path);
  apply_settings(document, options);
  return document;
}

void require_alike(const Scenario& scenario, std::string_view who) {
  const std::vector<double>& gpus = scenario.cluster.unequal_gpus;
  if (gpus.empty()) return;
  throw InputError(std::vector<Problem>{
      {"", 0, "/cluster/gpus_per_instance",
       fmt::format("expected one number for all instances, of which {} varies how many there are, "
                   "got a list: {:g}",
                   who, fmt::join(gpus, ", "))}});
}

Scenario scenario_of(const schema::Document& document) {
  Scenario scenario = schema::read_scenario(document);
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

Catalog catalog_of(const std::set<std::string>& instances) {
  return schema::read_catalog(schema::find_pricing_folder(FEEDRATE_SOURCE_PRICING),
                              std::vector<std::string>(instances.begin(), instances.end()));
}

Catalog whole_catalog() {
  return schema::read_whole_catalog(schema::find_pricing_folder(FEEDRATE_SOURCE_PRICING));
}

std::optional<HostProfile> host_of(const SimulationOptions& options) {
  if (options.host.empty()) return std::nullopt;
  return schema::read_host_profile(options.host);
}

study::RunOptions run_options(const SimulationOptions& options) {
  study::RunOptions run;
  run.exact = options.exact;
  run.replications = options.replications;
  run.seed = options.seed;
  return run;
}

study::RunOptions weighing_options(const SimulationOptions& options) {
  constexpr int draws = 100;
  study::RunOptions run = run_options(options);
  run.weigh = true;
  run.try_workers = true;
  if (run.replications > 0) return run;
  run.replications = draws;
  run.bottlenecks = false;
  return run;
}

std::vector<std::string> files_read(std::span<const std::string> scenarios,
                                    const SimulationOptions& options) {
  std::vector<std::string> files(scenarios.begin(), scenarios.end());
  if (!options.host.empty()) files.push_back(options.host);
  return files;
}

}  // namespace feedrate::cli
