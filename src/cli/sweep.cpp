#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/spool.hpp"
#include "cli/commands.hpp"
#include "cli/constraint_flags.hpp"
#include "cli/filter_help.hpp"
#include "cli/inputs.hpp"
#include "cli/instance_filter.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_inputs.hpp"
#include "cli/terminal.hpp"
#include "cli/vary.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "report/sweep_words.hpp"
#include "schema/result.hpp"
#include "study/decision.hpp"
#include "study/run.hpp"
#include "study/sweep.hpp"
#include "study/sweep_stream.hpp"

namespace feedrate::cli {
namespace {

struct SweepArguments {
  std::string scenario;
  std::vector<std::string> vary;
  std::string instances;  // a filter; empty: those of the scenario and of --vary
  ConstraintOptions constraints;
  int jobs = 0;  // 0: one a core
  SimulationOptions simulation;
  OutputOptions output;
};

/// Results that are kept whole, for text, JSON and Markdown: at some 33 kB each, a gigabyte.
constexpr std::size_t most_kept = 30'000;

/// Rows are written while points are simulated and forgotten; the marks of the few points that
/// stand out are set when all are known.
int sweep_to_csv(const SweepArguments& arguments, const schema::Document& document,
                 const SweepPoints& points, const Constraints& constraints) {
  const World world = world_of(points, arguments.simulation);
  study::RunOptions options = run_options(arguments.simulation);
  options.list_inputs = false;
  const std::string& file = arguments.output.file;
  if (!file.empty()) {
    refuse_to_overwrite("--output", file,
                        files_read({&arguments.scenario, 1}, arguments.simulation));
  }
  Spool spool(file);
  spool.append(report::sweep_csv_header(points.setting(0), constraints));
  std::uint64_t end = spool.size();
  Progress progress("sweep");
  study::SweepStream stream;
  stream.points = points.size();
  stream.point = [&](std::size_t i) { return points.at(i); };
  stream.run = [&](const study::SweepInput& input) {
    return with_places(document, [&] {
      return study::run(input.scenario, world.catalog, world.profile(), options);
    });
  };
  stream.add_row = [&](std::string& out, const SweepPoint& point) {
    report::add_sweep_row(out, point, constraints);
  };
  stream.write = [&](std::string_view rows) { spool.append(rows); };
  const study::StreamedSweep swept = study::stream_sweep(
      stream, arguments.jobs,
      [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  const study::Standing standing = study::standing(swept.points);
  const std::set<std::size_t> pareto(standing.pareto.begin(), standing.pareto.end());
  for (std::size_t i = 0; i < swept.bytes.size(); ++i) {
    end += swept.bytes[i];
    // Whoever is fastest or cheapest is in the Pareto set too.
    if (!pareto.contains(i)) continue;
    const std::string marks =
        report::sweep_marks(i == standing.fastest, i == standing.cheapest, true);
    spool.overwrite(end - 1 - marks.size(), marks);
  }
  if (file.empty()) {
    spool.read([](std::string_view text) { write_stdout(text); });
  } else {
    spool.finish();
  }
  if (constraints.any()) {
    const study::Meeting meeting = study::meeting(swept.points, constraints);
    const std::string cheapest =
        meeting.cheapest ? study::setting_words(points.setting(*meeting.cheapest)) : "";
    write_stderr("remark: " +
                 report::meeting_words(constraints, meeting.points, points.size(), cheapest));
  }
  if (swept.unanswered > 0) {
    write_stderr("remark: " + report::unanswered_words(swept.unanswered, points.size()) +
                 "; the column \"problem\" says why");
  }
  return 0;
}

int sweep(const SweepArguments& arguments) {
  for (const std::string& text : arguments.vary) static_cast<void>(parse_vary(text));
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  std::vector<Vary> varied =
      varied_by("sweep", arguments.instances, arguments.vary, "--vary", document);
  if (arguments.output.format != "csv") {
    if (const std::size_t size = Grid(varied).size(); size > most_kept) {
      throw InputError(
          {{.file = "",
            .line = 0,
            .pointer = "--vary",
            .message = fmt::format("expected at most {} points with --format {}, "
                                   "which needs them all in memory, got {}; --format "
                                   "csv takes up to {}",
                                   most_kept, arguments.output.format, size, max_points)}});
    }
  }
  const SweepPoints points(document, std::move(varied));
  const Constraints constraints = constraints_of(arguments.constraints, points.first().currency);
  if (arguments.output.format == "csv") {
    return sweep_to_csv(arguments, document, points, constraints);
  }
  std::vector<study::SweepInput> inputs;
  for (std::size_t i = 0; i < points.size(); ++i) inputs.push_back(points.at(i));
  const World world = world_of(points, arguments.simulation);
  Progress progress("sweep");
  const HostProfile* const host = world.profile();
  const Sweep result = with_places(document, [&] {
    Sweep made = study::sweep(
        inputs, world.catalog, host, run_options(arguments.simulation), arguments.jobs,
        [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
    made.decision =
        study::decide(made, inputs, world.catalog, host, run_options(arguments.simulation).seed);
    study::hold_against(made, constraints);
    return made;
  });
  const std::string name = points.first().name;
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.report =
               [&] {
                 return report::shown_in(points.first().currency,
                                         [&] { return report::sweep_report(result, name); });
               },
           .json = [&] { return schema::write_sweep(result, name, arguments.scenario); },
           .csv = [&] { return report::sweep_csv(result); },
           .remarks = {}});
  return 0;
}

}  // namespace

Command add_sweep(CLI::App& parent) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* app = parent.add_subcommand(
      "sweep", "Simulate a scenario at many settings: the fastest, the cheapest, the Pareto set");
  app->add_option("scenario", arguments->scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--vary", arguments->vary,
                  "Values for a key: KEY=A,B,C or KEY=FROM:TO:STEP or KEY=FROM:TO:*FACTOR; several "
                  "keys make a grid")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  refuse_empty(*app->add_option("--instances", arguments->instances,
                                "Instances, purchases and regions of the catalogue that fit all "
                                "conditions KEY OP VALUE, separated by commas")
                    ->type_name("FILTER"));
  add_constraint_flags(*app, arguments->constraints);
  app->add_option("-j,--jobs", arguments->jobs, "Points simulated at a time; default: one a core")
      ->type_name("J")
      ->check(CLI::Range(1, 4096));
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "With --format csv, points are written as they are simulated, up to a million of them in\n"
      "little memory; the other formats keep every result (33 kB) and take 30000 points. A point\n"
      "that cannot be simulated or priced says why, and the rest is swept.\n" +
      filter_help() +
      "Examples:\n"
      "  feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:8:1\n"
      "  feedrate sweep my.json --instances 'gpu>=A10G, region=us-east-1, price<40'\n"
      "  feedrate sweep my.json --vary instances=1:64:*2 --vary "
      "instance=ml.p3.2xlarge,ml.g5.2xlarge\n"
      "  feedrate sweep my.json --vary instances=1:8:1 --deadline '3 h' --budget '40 USD'\n"
      "  feedrate sweep my.json --vary efficiency=0.1:1:0.1 --format csv --output sweep.csv");
  return {app, [arguments] { return sweep(*arguments); }};
}

}  // namespace feedrate::cli
