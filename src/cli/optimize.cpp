#include <algorithm>
#include <memory>

#include "api/optimize_work.hpp"
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
#include "schema/documents/documents.hpp"
#include "schema/requests/request.hpp"

namespace feedrate::cli {
namespace {

constexpr const char* over_flag = "--over";

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
  const auto words = schema::minimize_words();
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? Minimized::money  // its former word
                              : static_cast<Minimized>(found - words.begin());
}

int optimize(const OptimizeArguments& arguments) {
  for (const std::string& text : arguments.over) {
    static_cast<void>(api::parse_vary(text, over_flag));
  }
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const SweepPoints points(
      document, varied_by("optimize", arguments.instances, arguments.over, over_flag, document),
      over_flag);
  const api::OptimizeAsked asked{minimized(arguments.minimize),
                                 constraints_of(arguments.constraints, points.first().currency),
                                 arguments.jobs};
  const World world = world_of(points, arguments.simulation);
  refuse_to_overwrite("--output", arguments.output.file,
                      files_read({&arguments.scenario, 1}, arguments.simulation));
  Progress progress("optimize");
  const Optimum optimum = api::optimum_of(
      points, document, world.catalog, world.profile(), asked, arguments.simulation, over_flag,
      [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  const Scenario& first = points.first();
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.currency = first.currency,
           .report = [&] { return report::optimum_report(optimum, first.name); },
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
  allow_only(
      *app->add_option("--minimize", arguments->minimize,
                       "What to minimize: total (the bill plus the value of the hours), cost "
                       "(the bill alone) or time")
           ->default_is("total"),
      {schema::minimize_words().begin(), schema::minimize_words().end()}, {"money"});
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
