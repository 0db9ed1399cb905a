#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "observe/job_observer.hpp"
#include "report/diagnose_report.hpp"
#include "report/reports.hpp"
#include "schema/diagnosis.hpp"
#include "schema/observation.hpp"
#include "schema/samples.hpp"
#include "study/diagnose.hpp"
#include "words/readings.hpp"

namespace feedrate::cli {
namespace {

struct DiagnoseArguments {
  std::vector<std::string> files;                     ///< samples, a scenario, or both
  std::array<std::string, reading_count> readings{};  ///< as typed; "" where not given
  std::vector<std::string> thresholds;
  SimulationOptions simulation;
  OutputOptions output;
};

std::string flag_of(const ReadingRow& row) {
  return fmt::format("--{}", row.name);
}

struct Files {
  std::string samples, scenario;  ///< "" for none
};

Files told_apart(const std::vector<std::string>& files) {
  Files out;
  for (const std::string& file : files) {
    // Standard input can be read once, and is a scenario as of other commands.
    const bool samples = file != "-" && schema::holds_samples(file);
    std::string& place = samples ? out.samples : out.scenario;
    if (!place.empty()) {
      throw InputError(fmt::format("expected one {}, got {} and {}",
                                   samples ? "file of samples" : "scenario", in_quotes(place),
                                   in_quotes(file)));
    }
    place = file;
  }
  return out;
}

/// What an observation tells of the job's course, read ahead of its samples.
observe::JobObserver course_of(const std::string& path) {
  observe::JobObserver observer;
  schema::ObservationReader reader(path);
  while (const auto line = reader.next()) {
    if (const auto* const sample = std::get_if<Sample>(&*line)) {
      const bool tells =
          observe::is_of_step(sample->metric) ||
          (sample->metric == MetricId::process_cpu && role_in(sample->name) == ProcessRole::worker);
      if (tells) observer.add(*sample);
      continue;
    }
    std::visit([&](const auto& of) { observer.add(of); }, *line);
  }
  return observer;
}

/// Means of the file's samples, and the quantiles that rules ask for. Of an observation that tells
/// the job's steps, those of the time for which it stands.
void add_samples(Readings& readings, const std::string& path, std::vector<std::string>& remarks) {
  std::vector<std::string_view> columns;
  for (const ReadingRow& row : all_readings()) {
    if (row.kind == ReadingKind::share && row.quantile == 0.0) columns.push_back(row.name);
  }
  std::vector<observe::SeenTime> typical;
  if (schema::holds_observation(path)) {
    const observe::JobObserver course = course_of(path);
    typical = course.typical_time();
    if (const auto start = course.start()) readings[ReadingId::start] = start->base();
  }
  const schema::Samples samples = schema::load_samples(path, columns, [&](const Sample& sample) {
    return typical.empty() || observe::lies_in(typical, sample.at);
  });
  remarks.insert(remarks.end(), samples.remarks.begin(), samples.remarks.end());
  if (samples.left_out > 0) {
    double of = 0.0;
    for (const observe::SeenTime& time : typical) of += time.end - time.begin;
    remarks.push_back(words::read_in_typical_time(path, seconds(of), samples.left_out));
  }
  add_shares(readings, samples.shares);
}

void add_flags(Readings& readings, const DiagnoseArguments& arguments,
               std::vector<std::string>& remarks) {
  std::vector<Problem> problems;
  for (const ReadingRow& row : all_readings()) {
    const std::string& text = arguments.readings[static_cast<std::size_t>(row.id)];
    if (text.empty()) continue;
    try {
      readings[row.id] = words::parse_reading(row, text, flag_of(row));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      continue;
    }
    const auto number = number_of(text);
    if (row.kind == ReadingKind::share && number && *number > 0.0 && *number < 1.0) {
      remarks.push_back(fmt::format(
          "{} {} is taken as {}: percentages are written as monitors show them, so a third is 33",
          flag_of(row), text, words::reading_text(row.kind, *readings[row.id])));
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

Simulated simulated(const std::string& path, const SimulationOptions& options) {
  const schema::Document document = load_with_settings(path, options);
  const Scenario scenario = scenario_of(document);
  const std::optional<HostProfile> host = host_of(options);
  std::set<std::string> instances;
  add_instances(instances, scenario);
  add_instances(instances, host);
  const Catalog catalog = catalog_of(instances);
  const HostProfile* const profile = host ? &*host : nullptr;
  study::RunOptions run = run_options(options);
  run.try_workers = true;
  return with_places(document, [&] {
    Simulated out{scenario.name, path, study::run(scenario, catalog, profile, run), {}, {}};
    out.readings = study::simulated_readings(out.result, scenario, catalog, profile);
    out.cause = study::simulated_cause(out.result);
    return out;
  });
}

Thresholds thresholds_of(const std::vector<std::string>& texts) {
  Thresholds thresholds;
  std::vector<Problem> problems;
  for (const std::string& text : texts) {
    try {
      words::set_thresholds(thresholds, text, "--threshold");
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return thresholds;
}

int diagnose(const DiagnoseArguments& arguments) {
  const Thresholds thresholds = thresholds_of(arguments.thresholds);
  const Files files = told_apart(arguments.files);
  const bool asks = !arguments.simulation.settings.empty() || !arguments.simulation.host.empty();
  if (files.scenario.empty() && asks) {
    throw InputError("--set and --host change a simulation: expected a scenario to apply them to");
  }
  std::vector<std::string> remarks;
  Readings readings;
  if (!files.samples.empty()) add_samples(readings, files.samples, remarks);
  add_flags(readings, arguments, remarks);
  complete(readings);
  if (!readings.any()) {
    throw InputError(
        "expected what monitors show, such as --gpu 35 --cpu 13, or a file of samples; `feedrate "
        "run SCENARIO` says what they would show");
  }
  std::optional<Simulated> beside;
  if (!files.scenario.empty()) beside = simulated(files.scenario, arguments.simulation);
  Diagnosis diagnosis = study::diagnose(readings, thresholds, std::move(beside));
  diagnosis.remarks = std::move(remarks);
  deliver(arguments.output, files_read(arguments.files, arguments.simulation),
          {.report = [&] { return report::diagnose_report(diagnosis); },
           .brief = [&] { return report::diagnose_brief(diagnosis); },
           .json = [&] { return schema::write_diagnosis(diagnosis); },
           .csv = [&] { return report::diagnose_csv(diagnosis); },
           .remarks = diagnosis.remarks});
  return fine;
}

std::string_view type_of(ReadingKind kind) {
  switch (kind) {
    case ReadingKind::share: return "PERCENT";
    case ReadingKind::time: return "TIME";
    case ReadingKind::steps: return "STEPS";
    case ReadingKind::ratio: return "RATIO";
  }
  return "";
}

}  // namespace

Command add_diagnose(Parser& parent) {
  const auto arguments = std::make_shared<DiagnoseArguments>();
  Parser* app = parent.add_subcommand(
      "diagnose", "Which published rules of thumb fit what monitors show, and what they advise");
  app->add_option("files", arguments->files,
                  "Samples (CSV with a header of the flags' names, an observation, or SageMaker "
                  "Debugger's JSON lines), a scenario to compare with, or both")
      ->type_name("FILE");
  for (const ReadingRow& row : all_readings()) {
    if (!row.typed) continue;
    Option* const option =
        app->add_option(flag_of(row), arguments->readings[static_cast<std::size_t>(row.id)],
                        std::string(row.help))
            ->type_name(std::string(type_of(row.kind)))
            ->group("What monitors show");
    refuse_empty(*option);
  }
  app->add_option("--threshold", arguments->thresholds,
                  "Change thresholds of the rules: low=20%,high=80%; the report lists all of them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  add_full_flag(*app, arguments->output);
  app->add_flag("--rules", arguments->output.full,
                "The same as --full, which adds each rule with its verdict, and the thresholds")
      ->group("Output");
  app->footer(
      "Percentages are written as monitors show them (35 or \"35 %\"); several with commas are\n"
      "averaged. A flag takes precedence over samples of the same name.\n"
      "Examples:\n"
      "  feedrate diagnose --gpu 35 --cpu 13 --disk 2 --network 1 --ram 20 --start 12min\n"
      "  feedrate diagnose --gpu 41,38,44,40 --cpu 100 --step-ratio 1.9 --threshold gpu-low=50%\n"
      "  feedrate diagnose samples.csv my.json --set num_workers=2 --format json");
  return {app, [arguments] { return diagnose(*arguments); }};
}

}  // namespace feedrate::cli
