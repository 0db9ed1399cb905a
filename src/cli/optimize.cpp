#include <fmt/format.h>

#include <memory>

#include "api/scenario_maker.hpp"
#include "base/exit_status.hpp"
#include "cli/commands.hpp"
#include "cli/constraint_flags.hpp"
#include "cli/filter_help.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_inputs.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/optimum.hpp"
#include "study/optimize.hpp"

namespace feedrate::cli {
namespace {

constexpr const char* over_flag = "--over";
/// Draws that say how sure the choice is, where --replications does not.
constexpr int default_draws = 100;

struct OptimizeArguments {
  std::string scenario;
  std::vector<std::string> over;
  std::string instances;
  ConstraintOptions constraints;
  std::string minimize = "total";
  int jobs = 0;
  SimulationOptions simulation;
  OutputOptions output;
};

Minimized minimized(const std::string& word) {
  if (word == "cost" || word == "money") return Minimized::money;
  if (word == "time") return Minimized::time;
  return Minimized::total;
}

study::Axes axes_of(const SweepPoints& points, const schema::Document& document) {
  study::Axes axes;
  for (const api::Vary& vary : points.grid().varied()) {
    study::Axis& axis = axes.axes.emplace_back();
    axis.key = vary.key;
    axis.values = vary.values;
    axis.setting = [&vary](std::size_t value) {
      study::Setting set = {{vary.key, vary.values[value]}};
      for (const api::Vary& other : vary.with) set.emplace_back(other.key, other.values[value]);
      return set;
    };
  }
  axes.scenario = [&points](std::size_t point) { return points.at(point).scenario; };
  axes.make = [lean = api::without_cases(document)](const study::Setting& set) {
    schema::Document changed = lean;
    for (const auto& [key, value] : set) schema::set_value(changed, key, value, over_flag);
    return scenario_of(changed);
  };
  return axes;
}

int optimize(const OptimizeArguments& arguments) {
  for (const std::string& text : arguments.over) {
    static_cast<void>(api::parse_vary(text, over_flag));
  }
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const SweepPoints points(
      document, varied_by("optimize", arguments.instances, arguments.over, over_flag, document),
      over_flag);
  study::OptimizeOptions options;
  options.minimized = minimized(arguments.minimize);
  options.constraints = constraints_of(arguments.constraints, points.first().currency);
  const World world = world_of(points, arguments.simulation);
  options.run = weighing_options(arguments.simulation);
  options.draws =
      arguments.simulation.replications > 0 ? arguments.simulation.replications : default_draws;
  options.jobs = arguments.jobs;
  const study::Axes axes = axes_of(points, document);
  Progress progress("optimize");
  const Optimum optimum = with_places(document, [&] {
    return study::optimize(
        axes, world.catalog, world.profile(), options,
        [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  });
  const Scenario& first = points.first();
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.report =
               [&] {
                 return report::shown_in(
                     first.currency, [&] { return report::optimum_report(optimum, first.name); });
               },
           .json = [&] { return schema::write_optimum(optimum, first.name, arguments.scenario); },
           .csv = [&] { return report::optimum_csv(optimum); },
           .remarks = report::optimum_remarks(optimum)});
  return optimum.winner ? fine : verdict_against;
}

}  // namespace

Command add_optimize(Parser& parent) {
  const auto arguments = std::make_shared<OptimizeArguments>();
  Parser* app = parent.add_subcommand(
      "optimize", "Find the best of up to a million settings within a deadline and a budget");
  app->add_option("scenario", arguments->scenario, "Scenario file")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--over", arguments->over,
                  "Values to choose from: KEY=A,B,C or KEY=FROM:TO:STEP or KEY=FROM:TO:*FACTOR, as "
                  "in sweep --vary; several keys form a grid")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  refuse_empty(*app->add_option("--instances", arguments->instances,
                                "All instances, purchase options and regions in the catalogue that "
                                "meet the conditions KEY OP VALUE, separated by commas")
                    ->type_name("FILTER"));
  add_constraint_flags(*app, arguments->constraints);
  allow_only(*app->add_option("--minimize", arguments->minimize,
                              "What to minimize: total (the bill plus the value of the hours; the "
                              "default), cost (the bill alone) or time"),
             {"total", "cost", "time"}, {"money"});
  add_jobs_flag(*app, arguments->jobs);
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "All points are simulated, up to a million. If an hour has no value\n"
      "(job.value_of_hour), the total is the bill. Of equally good points, the one that\n"
      "changes the fewest keys of the scenario is taken, then the first. A point that cannot\n"
      "be simulated or priced is counted and left out. The winner's figures are those of\n"
      "feedrate run with the --set flags that are printed. Exit status 1 if no point meets\n"
      "the deadline and the budget.\n" +
      filter_help() +
      "Examples:\n"
      "  feedrate optimize my.json --over num_workers=1:16:1 --over instances=1:8:1 --deadline '3 "
      "h'\n"
      "  feedrate optimize my.json --instances 'gpu>=A10G, region=us-east-1' --over "
      "num_workers=auto,4,8 --budget '40 USD' --minimize time\n"
      "  feedrate optimize my.json --over 'batch_size=32:512:*2' --minimize cost --format json");
  return {app, [arguments] { return optimize(*arguments); }};
}

}  // namespace feedrate::cli
