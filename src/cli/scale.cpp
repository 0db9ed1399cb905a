#include <fmt/format.h>

#include <memory>

#include "api/scale_work.hpp"
#include "api/vary.hpp"
#include "base/exit_status.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/report_page.hpp"
#include "cli/sweep_inputs.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "study/scale.hpp"

namespace feedrate::cli {
namespace {

struct ScaleArguments {
  std::string scenario;
  std::vector<std::string> vary;
  std::string deadline;
  std::string value_of_hour;
  std::uint64_t to = 1024;
  bool per_gpu = false;
  bool strong = false;
  std::string html;
  int jobs = 0;
  SimulationOptions simulation;
  OutputOptions output;
};

/// The rows of one machine as the values of a sweep: what belongs to a number changes along with
/// it.
api::Vary rows_of(const ScaleCurve& curve) {
  api::Vary rows{"instances", {}};
  std::vector<api::Vary> with = {{"batch_size", {}}, {"/job/steps", {}}};
  for (const ScaleRow& row : curve.rows) {
    if (!row.point.answered()) continue;
    rows.values.push_back(fmt::format("{:.0f}", row.instances));
    const study::Setting& set = row.point.set;
    const auto add = [&](api::Vary& to, const std::string& key) {
      for (const auto& [name, value] : set) {
        if (name == key) to.values.push_back(value);
      }
    };
    add(with[0], "/loader/batch_size");
    add(with[1], "/job/steps");
  }
  for (api::Vary& one : with) {
    if (one.values.size() == rows.values.size()) rows.with.push_back(std::move(one));
  }
  return rows;
}

int scale(const ScaleArguments& arguments) {
  const api::ScaleTexts asked{arguments.vary,          arguments.deadline,
                              arguments.value_of_hour, static_cast<long>(arguments.to),
                              arguments.strong,        arguments.jobs};
  const std::vector<api::Vary> varied = api::scale_varied(asked);
  const schema::Document document =
      api::scale_document(load_with_settings(arguments.scenario, arguments.simulation), asked);
  const SweepPoints points(document, varied);
  const Scenario& first = points.first();
  const study::ScaleOptions options = api::scale_options(first, asked, arguments.simulation);
  const World world = world_of(points, arguments.simulation);
  refuse_to_overwrite("--output", arguments.output.file,
                      files_read({&arguments.scenario, 1}, arguments.simulation));
  Progress progress("scale");
  const Scaling scaling = api::scaling_over(
      points, document, world.catalog, world.profile(), options, arguments.simulation, "--",
      [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  if (!arguments.html.empty()) {
    PageRequest page;
    page.scenario = arguments.scenario;
    page.document = document;
    page.varied = varied;
    page.varied.push_back(rows_of(scaling.curves[scaling.best]));
    page.output = arguments.html;
    page.output_flag = "--html";
    page.jobs = arguments.jobs;
    page.simulation = arguments.simulation;
    write_page(page);
  }
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.currency = first.currency,
           .report = [&] { return report::scale_report(scaling, first.name); },
           .brief = [&] { return report::scale_brief(scaling, first.name); },
           .json = [&] { return schema::write_scaling(scaling, first.name, arguments.scenario); },
           .csv = [&] { return report::scale_csv(scaling); },
           .remarks = report::scale_remarks(scaling)});
  return scaling.in_time() ? fine : verdict_against;
}

}  // namespace

Command add_scale(Parser& parent) {
  const auto arguments = std::make_shared<ScaleArguments>();
  Parser* app = parent.add_subcommand(
      "scale", "How many instances pay off: time, cost and efficiency by number of instances");
  app->add_option("scenario", arguments->scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  refuse_empty(*app->add_option("--deadline", arguments->deadline,
                                "Longest acceptable time of the whole job: \"3 h\"")
                    ->type_name("TIME"));
  refuse_empty(
      *app->add_option(
              "--value-of-hour", arguments->value_of_hour,
              "What an hour of waiting costs you, instead of the scenario's value: \"40 USD/h\"")
           ->type_name("PRICE"));
  allow_whole_numbers(*app->add_option("--to", arguments->to, "Largest number of instances")
                           ->type_name("N")
                           ->default_is("1024"),
                      1, static_cast<std::uint64_t>(study::most_instances));
  Option* per_gpu =
      app->add_flag("--per-gpu-batch,--weak", arguments->per_gpu,
                    "Keep the batch of each GPU: the global batch grows with the instances");
  app->add_flag("--strong", arguments->strong,
                "Keep the global batch: each GPU's share of it shrinks")
      ->excludes(per_gpu);
  app->add_option("--vary", arguments->vary,
                  "Values for another key, each with its own table: KEY=A,B,C, as in sweep")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  refuse_empty(
      *app->add_option("--html", arguments->html,
                       "Also write the page of feedrate report, with charts by number of instances")
           ->type_name("FILE"));
  add_jobs_flag(*app, arguments->jobs);
  add_scenario_flags(*app, arguments->simulation);
  add_mean_flag(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  add_full_flag(*app, arguments->output);
  app->footer(
      "Every whole number of instances up to --to is simulated, so the answers do not depend on\n"
      "which rows are shown. Exit status 1 if no number of instances meets the deadline.\n"
      "Examples:\n"
      "  feedrate scale scenarios/caltech256_p3.json --value-of-hour '40 USD/h' --to 64\n"
      "  feedrate scale my.json --deadline '3 h' --strong\n"
      "  feedrate scale my.json --vary instance=ml.p3.2xlarge,ml.g5.2xlarge --deadline '3 h'\n"
      "  feedrate scale my.json --value-of-hour '40 USD/h' --html scaling.html");
  return {app, [arguments] { return scale(*arguments); }};
}

}  // namespace feedrate::cli
