#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "api/diagnose_work.hpp"
#include "base/byte_order_mark.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/shell_pipe.hpp"
#include "base/statistics.hpp"
#include "base/text_file.hpp"
#include "base/trimmed.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "formats/screens.hpp"
#include "observe/job_observer.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "schema/documents/observation.hpp"
#include "schema/documents/samples.hpp"
#include "study/diagnose.hpp"
#include "words/readings.hpp"

namespace feedrate::cli {
namespace {

struct DiagnoseArguments {
  std::vector<std::string> files;                     ///< samples, a scenario, or both
  std::array<std::string, reading_count> readings{};  ///< as typed; "" where not given
  std::string gpus, cpus;  ///< over which CloudWatch's metrics are summed up; "" where not given
  std::vector<std::string> thresholds;
  SimulationOptions simulation;
  OutputOptions output;
};

std::string flag_of(const ReadingRow& row) {
  return fmt::format("--{}", row.name);
}

/// A text that was read to its end: standard input and pipes can be read once.
struct GivenText {
  std::string name;  ///< as messages call it
  std::string text;
};

struct GivenFiles {
  std::string observation;  ///< "" for none
  std::optional<GivenText> samples, scenario;
  std::vector<GivenText> screens;
};

bool is_pipe(const std::string& file) {
  return file == standard_input_path || names_shell_pipe(file);
}

GivenText read_whole(const std::string& file) {
  if (file == standard_input_path) return {std::string(standard_input_name), read_standard_input()};
  return {file, read_text_file(file, schema::longest_samples)};
}

GivenFiles told_apart(const std::vector<std::string>& files) {
  GivenFiles out;
  std::string first_samples, first_scenario;
  const auto only = [](std::string& first, const std::string& file, const char* what) {
    if (!first.empty()) {
      throw InputError(
          fmt::format("expected one {}, got {} and {}", what, in_quotes(first), in_quotes(file)));
    }
    first = file;
  };
  for (const std::string& file : files) {
    // An observation may be far larger than memory.
    if (!is_pipe(file) && schema::holds_observation(file) && schema::holds_samples(file)) {
      only(first_samples, file, "file of samples");
      out.observation = file;
      continue;
    }
    GivenText text = read_whole(file);
    refuse_utf16(text.text, text.name);
    const std::string_view start = trimmed(text.text, formats::document_blank);
    if (formats::holds_screens(text.text)) {
      out.screens.push_back(std::move(text));
    } else if (start.starts_with('{')) {
      only(first_scenario, file, "scenario");
      out.scenario = std::move(text);
    } else {
      only(first_samples, file, "file of samples");
      out.samples = std::move(text);
    }
  }
  return out;
}

/// What an observation tells of the job's course, read ahead of its samples.
observe::JobObserver course_of(const std::string& path) {
  observe::JobObserver observer;
  schema::ObservationReader reader(path);
  while (const auto line = reader.next()) {
    if (const auto* const sample = std::get_if<Sample>(&*line)) {
      observer.add_course(*sample);
      continue;
    }
    std::visit([&](const auto& of) { observer.add(of); }, *line);
  }
  return observer;
}

/// The samples of the time for which an observation stands, where it tells the job's steps.
schema::Samples samples_of(const std::string& path, std::span<const std::string_view> columns,
                           Readings& readings) {
  const observe::JobObserver course = course_of(path);
  const std::vector<observe::SeenTime> typical = course.typical_time();
  course.add_course(readings);
  schema::Samples samples = schema::load_samples(path, columns, [&](const Sample& sample) {
    return typical.empty() || observe::lies_in(typical, sample.at);
  });
  if (samples.left_out > 0) {
    double of = 0.0;
    for (const observe::SeenTime& time : typical) of += time.end - time.begin;
    samples.remarks.push_back(words::read_in_typical_time(path, seconds(of), samples.left_out));
  }
  return samples;
}

/// Means of the files' samples, and the quantiles that rules ask for.
void add_samples(Readings& readings, const GivenFiles& files, const formats::SummedOver& over,
                 std::vector<std::string>& remarks) {
  std::vector<std::string_view> columns;
  for (const ReadingRow& row : all_readings()) {
    if (row.kind == ReadingKind::share && row.typed) columns.push_back(row.name);
  }
  Shares all;
  const auto add = [&](schema::Samples samples) {
    remarks.insert(remarks.end(), samples.remarks.begin(), samples.remarks.end());
    for (const auto& [reading, shares] : samples.shares) {
      std::vector<double>& of = all[reading];
      of.insert(of.end(), shares.begin(), shares.end());
    }
  };
  if (!files.observation.empty()) add(samples_of(files.observation, columns, readings));
  if (files.samples) {
    add(schema::parse_samples(files.samples->text, files.samples->name, columns));
  }
  std::map<std::string, std::pair<std::string, double>> first;  // of a reading its file and mean
  for (const GivenText& screen : files.screens) {
    schema::Samples samples = formats::read_screens(screen.text, screen.name, over);
    for (const auto& [name, shares] : samples.shares) {
      const double share = mean(shares);
      const auto [before, fresh] = first.try_emplace(name, screen.name, share);
      constexpr double alike = 0.1;
      const ReadingRow* const row = find_reading(name);
      if (fresh || row == nullptr || std::abs(before->second.second - share) < alike) continue;
      samples.remarks.push_back(words::read_as_one(*row, before->second.first,
                                                   before->second.second, screen.name, share));
    }
    add(std::move(samples));
  }
  add_shares(readings, all);
  if (!files.observation.empty() || files.samples) return;
  // Of a screen or two, the 95 % quantile says no more than the mean does.
  constexpr std::size_t enough = 20;
  for (const ReadingRow& row : all_readings()) {
    if (row.quantile == 0.0) continue;
    const auto found = all.find(std::string(reading(row.samples_of).name));
    if (found != all.end() && found->second.size() < enough) readings[row.id].reset();
  }
}

std::vector<api::TypedReading> typed_in(const DiagnoseArguments& arguments) {
  std::vector<api::TypedReading> typed;
  for (const ReadingRow& row : all_readings()) {
    const std::string& text = arguments.readings[static_cast<std::size_t>(row.id)];
    if (!text.empty()) typed.push_back({&row, text, flag_of(row)});
  }
  return typed;
}

Simulated simulated(const GivenText& text, const SimulationOptions& options) {
  schema::Document document = schema::parse_document(text.text, text.name, allowed_files(options));
  apply_settings(document, options);
  const Scenario scenario = scenario_of(document);
  const std::optional<HostProfile> host = host_of(options);
  std::set<std::string> instances;
  add_instances(instances, scenario);
  add_instances(instances, host);
  return api::simulated_beside(document, scenario, text.name, catalog_of(instances),
                               host ? &*host : nullptr, options);
}

/// InputError where a number of GPUs or CPUs is none.
formats::SummedOver over_of(const DiagnoseArguments& arguments) {
  const auto count = [](const char* flag, const std::string& text) -> std::optional<double> {
    if (text.empty()) return std::nullopt;
    const auto number = number_of(text);
    if (!number || *number < 1.0 || *number != std::floor(*number) || *number > 1e6) {
      refuse_flag(flag, fmt::format("expected a whole number, 1 or more, got {}", in_quotes(text)));
    }
    return number;
  };
  return {count("--gpus", arguments.gpus), count("--cpus", arguments.cpus)};
}

int diagnose(const DiagnoseArguments& arguments) {
  const Thresholds thresholds = api::thresholds_of(arguments.thresholds, "--threshold");
  const GivenFiles files = told_apart(arguments.files);
  const bool asks = !arguments.simulation.settings.empty() || !arguments.simulation.host.empty();
  if (!files.scenario && asks) {
    throw InputError("--set and --host change a simulation: expected a scenario to apply them to");
  }
  std::vector<std::string> remarks;
  Readings readings;
  add_samples(readings, files, over_of(arguments), remarks);
  api::add_readings(readings, typed_in(arguments));
  api::complete_readings(readings, "--");
  if (!readings.any()) {
    throw InputError(
        "expected what monitors show, such as --gpu 35 --cpu 13, a file of samples or pasted "
        "screens; `feedrate run SCENARIO` says what they would show");
  }
  std::optional<Simulated> beside;
  if (files.scenario) beside = simulated(*files.scenario, arguments.simulation);
  const Diagnosis diagnosis =
      api::diagnosed(readings, thresholds, std::move(beside), std::move(remarks));
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
      "diagnose",
      "What keeps the GPUs waiting, from what monitors show or screens that are pasted");
  app->add_option(
         "files", arguments->files,
         "What nvidia-smi, top, iostat -x or sar -n DEV printed, pasted as it is, or "
         "CloudWatch's JSON; samples (CSV with a header of the flags' names, an "
         "observation, or SageMaker Debugger's JSON lines); a scenario to compare with; \"-\" "
         "is standard input")
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
  refuse_empty(*app->add_option("--gpus", arguments->gpus,
                                "GPUs of the instance, over which SageMaker's GPUUtilization in "
                                "CloudWatch is summed up")
                    ->type_name("N"));
  refuse_empty(*app->add_option("--cpus", arguments->cpus,
                                "CPUs of the instance, over which SageMaker's CPUUtilization is "
                                "summed up; EC2's is not")
                    ->type_name("N"));
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
      "  feedrate diagnose --gpu 35 --cpu 13\n"
      "  (nvidia-smi; top -b -n 1; iostat -x 1 2) | feedrate diagnose -\n"
      "  feedrate diagnose --gpu 35 --cpu 13 --disk 2 --network 1 --ram 20 --start 12min\n"
      "  feedrate diagnose --gpu 41,38,44,40 --cpu 100 --step-ratio 1.9 --threshold gpu-low=50%\n"
      "  feedrate diagnose samples.csv my.json --set num_workers=2 --format json");
  return {app, [arguments] { return diagnose(*arguments); }};
}

}  // namespace feedrate::cli
