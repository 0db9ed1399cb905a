#include "cli/observe_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/line_file.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/inputs.hpp"
#include "cli/observe_import.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "observe/job_observer.hpp"
#include "report/advise_report.hpp"
#include "report/observe_fit_report.hpp"
#include "report/render.hpp"
#include "schema/import_observations.hpp"
#include "schema/observation.hpp"
#include "schema/scenario.hpp"
#include "study/advise.hpp"
#include "study/observed_scenario.hpp"

namespace feedrate::cli {
namespace {

struct ObserveFitArguments {
  std::vector<std::string> files;
  std::string batch_size, gpus, workers, samples, throughput, instance;
  ImportFlags how;
  std::string file;  ///< of the scenario
  std::string format = "text";
};

/// A scenario is one JSON document that is no line of an observation: it has no Type.
bool is_scenario(const std::string& path) {
  LineReader lines(path);
  std::string text;
  while (const auto line = lines.next()) {
    const std::size_t first = line->find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (text.empty() && (*line)[first] != '{') return false;
    text += *line;
    if (text.find("\"Type\"") != std::string::npos) return false;
    if (text.find("\"traceEvents\"") != std::string::npos) return false;
    for (const char* key : {"\"dataset\"", "\"loader\"", "\"cluster\"", "\"include\"", "\"job\""}) {
      if (text.find(key) != std::string::npos) return true;
    }
    constexpr std::size_t enough = 100'000;
    if (text.size() > enough) return false;
  }
  return false;
}

bool is_observation(const std::string& path) {
  LineReader lines(path);
  const auto line = lines.next();
  return line && line->find("\"Type\"") != std::string_view::npos;
}

std::optional<double> number_of(const std::string& text, const char* flag, bool whole) {
  if (text.empty()) return std::nullopt;
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool fine = used == text.size() && std::isfinite(value) && value <= 1e12 &&
                    (whole ? value >= 0.0 && std::floor(value) == value : value > 0.0);
  if (fine) return value;
  throw InputError(std::vector<Problem>{
      {"", 0, flag,
       fmt::format("expected a {}, got {}", whole ? "whole number" : "number above 0",
                   in_quotes(text))}});
}

std::optional<double> above_zero(const std::string& text, const char* flag) {
  const auto value = number_of(text, flag, true);
  if (value && *value < 1.0) {
    throw InputError(std::vector<Problem>{
        {"", 0, flag, fmt::format("expected a whole number above 0, got {}", in_quotes(text))}});
  }
  return value;
}

ToldOfJob told_by(const ObserveFitArguments& arguments) {
  ToldOfJob told;
  told.batch_size = above_zero(arguments.batch_size, "--batch-size");
  told.gpus = above_zero(arguments.gpus, "--gpus");
  told.workers = number_of(arguments.workers, "--num-workers", true);
  told.samples = above_zero(arguments.samples, "--samples");
  told.throughput = number_of(arguments.throughput, "--throughput", false);
  return told;
}

/// `say`: what is recognised in the files.
observe::JobObserver read(const std::vector<std::string>& files, const ImportFlags& how, bool say) {
  const schema::ImportOptions options = import_options(how);
  observe::JobObserver job;
  const auto take = [&](const schema::ObservationLine& line) {
    std::visit([&](const auto& of) { job.add(of); }, line);
  };
  if (files.size() == 1 && (files.front() == "-" || is_observation(files.front()))) {
    schema::for_each_line(files.front(), take);
    return job;
  }
  const schema::ImportedObservation observation = schema::import_observations(files, options);
  if (say) say_imported(observation);
  job.add(observation.header());
  observation.for_each(take);
  return job;
}

/// An observed job as a scenario that can be run.
struct Fitted {
  ObservedJob job;
  study::ObservedScenario observed;
  std::string text;  ///< of the scenario
};

Fitted fitted(const std::vector<std::string>& files, const ImportFlags& how, const ToldOfJob& told,
              const std::string& instance, const std::string& name, bool say) {
  const observe::JobObserver observer = read(files, how, say);
  ObservedJob job = observer.finish(told, name);
  if (!instance.empty()) job.instance = instance;
  study::ObservedScenario observed = study::observed_scenario(job);
  std::string text = schema::write_scenario(observed.scenario);
  // What is written must be a job: with its complaints nothing is.
  const Scenario again = schema::read_scenario(schema::parse_document(text, "observed job"));
  std::set<std::string> instances;
  add_instances(instances, again);
  const study::RunOptions options;
  static_cast<void>(study::run(again, catalog_of(instances), nullptr, options));
  return {std::move(job), std::move(observed), std::move(text)};
}

int fit_observed(const ObserveFitArguments& arguments) {
  std::vector<std::string> files = arguments.files;
  const ToldOfJob told = told_by(arguments);
  std::string scenario_file;
  if (files.size() > 1 && files.back() != "-" && is_scenario(files.back())) {
    scenario_file = files.back();
    files.pop_back();
  }
  if (!arguments.file.empty()) {
    refuse_to_overwrite("--output", arguments.file, arguments.files);
    expect_writable(arguments.file);
  }
  const auto [job, observed, text] = fitted(files, arguments.how, told, arguments.instance,
                                            fmt::format("{}", fmt::join(files, ", ")), true);
  std::optional<study::ObservedComparison> comparison;
  if (!scenario_file.empty()) {
    const schema::Document document = load_with_settings(scenario_file, {});
    const api::ScenarioMaker make(document);
    std::set<std::string> names;
    add_instances(names, make.scenario());
    const study::ObservedScenario& seen = observed;
    comparison = with_places(document, [&] {
      return study::compare_observed(seen, make.scenario(), make, catalog_of(names), nullptr);
    });
  }
  if (!arguments.file.empty()) write_text_file(arguments.file, text);
  const ObservedJob& of = job;
  const study::ObservedScenario& seen = observed;
  const std::string& written = text;
  deliver({arguments.format, ""}, arguments.files,
          {.report =
               [&] {
                 return report::observe_fit_report(of, seen, comparison ? &*comparison : nullptr,
                                                   arguments.file);
               },
           .json = [&] { return written; },
           .csv = {},
           .remarks = {}});
  return fine;
}

}  // namespace

std::string advice_on_observed(const std::vector<std::string>& files, const ToldOfJob& told,
                               const std::string& instance, const std::string& name) {
  const Fitted one = fitted(files, {}, told, instance, name, false);
  const report::Style style = style_of_file();
  const std::string seen =
      report::to_text(report::observe_fit_report(one.job, one.observed, nullptr, ""), style);
  // A rate alone is as fast as it is for whatever reason.
  if (!one.job.wait && !one.job.gpu_busy && !one.job.exposed_copy) {
    return seen +
           "\nNothing is advised: the output tells how fast steps are, and not what they wait "
           "for.\n"
           "One reading decides: the time of each step that waits for its batch, as PyTorch's\n"
           "ImageNet example prints it (Time 0.251 Data 0.180), or how busy the GPU is.\n";
  }
  const api::ScenarioMaker make(schema::parse_document(one.text, "observed job"));
  const Catalog catalog = whole_catalog();
  study::AdviseOptions options;
  options.events = true;
  const Advice advice = with_places(
      make.document(), [&] { return study::advise(std::cref(make), catalog, nullptr, options); });
  report::Report advised = report::advise_brief(advice, make.scenario().name);
  advised.blocks.back() = report::Paragraph{
      "`feedrate observe --output FILE` keeps the recording, of which `feedrate observe fit FILE "
      "-o "
      "job.json` makes a scenario; `feedrate advise job.json --full` has every remedy."};
  return seen + "\n" + report::to_text(advised, style);
}

Command add_observe_fit(Parser& observe) {
  const auto arguments = std::make_shared<ObserveFitArguments>();
  Parser* app =
      observe.add_subcommand("fit",
                             "Turn an observed job into a scenario: what a sample demands of each "
                             "resource, and the observed figures as cases");
  app->add_option("observations", arguments->files,
                  "Observations, or logs and traces as --import takes them; a scenario after them "
                  "is compared with what was observed")
      ->type_name("OBS... [SCENARIO]")
      ->required();
  const auto add = [&](const char* flag, std::string& into, const char* about, const char* type) {
    refuse_empty(*app->add_option(flag, into, about)->type_name(type)->group("Job"));
  };
  add("--batch-size", arguments->batch_size, "Samples per GPU and step", "N");
  add("--gpus", arguments->gpus, "GPUs that train together", "N");
  add("--num-workers", arguments->workers, "Loader workers per GPU; 0: none", "N");
  add("--samples", arguments->samples, "Samples in an epoch", "N");
  add("--throughput", arguments->throughput,
      "Samples per second of all GPUs together, if no step was recorded", "N");
  add("--instance", arguments->instance, "Instance type of the machine", "NAME");
  add_import_flags(*app, arguments->how);
  refuse_empty(
      *app->add_option("--interval", arguments->how.interval,
                       "Time from one row to the next in tables without times (default: 1s)")
           ->type_name("TIME")
           ->group("Import"));
  refuse_empty(*app->add_option("-o,--output", arguments->file, "Write the scenario to this file")
                    ->type_name("FILE")
                    ->group("Output"));
  allow_only(*app->add_option("-f,--format", arguments->format, "Output format; json: the scenario")
                  ->group("Output"),
             {"text", "json", "markdown"});
  app->footer(
      "The flags describe what the job's records do not contain. The scenario lists where each\n"
      "number comes from (/about/fitted), how certain it is (/errors), what could not be seen\n"
      "(/about/expectation), and what was observed (/cases).\n"
      "Examples:\n"
      "  feedrate observe fit before.jsonl train.log --batch-size 64 --gpus 1 -o job.json\n"
      "  feedrate cases job.json\n"
      "  feedrate run job.json --set num_workers=8\n"
      "  feedrate observe fit before.jsonl train.log --batch-size 64 --gpus 1 mine.json");
  return {app, [arguments] { return fit_observed(*arguments); }};
}

}  // namespace feedrate::cli
