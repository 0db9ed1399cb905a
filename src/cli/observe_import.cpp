#include "cli/observe_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/printable.hpp"
#include "base/quote.hpp"
#include "base/spool.hpp"
#include "base/unit_text.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "formats/recordings/import_observations.hpp"

namespace feedrate::cli {
formats::ImportOptions import_options(const ImportFlags& flags) {
  formats::ImportOptions options;
  options.step_regex = flags.step_regex;
  if (!flags.start.empty()) {
    options.start = formats::parse_moment(flags.start);
    if (!options.start) {
      refuse_flag("--start", "expected a time such as 2026-11-22T11:21:46+01:00, got " +
                                 in_quotes(flags.start));
    }
  }
  if (!flags.time_zone.empty()) {
    options.zone = formats::parse_zone(flags.time_zone);
    if (!options.zone) {
      refuse_flag("--time-zone", "expected an offset from UTC, such as +01:00, -0530 or UTC, got " +
                                     in_quotes(flags.time_zone));
    }
  }
  if (!flags.interval.empty()) {
    const ParsedQuantity interval = parse_quantity(flags.interval, dimension_of(Duration{}));
    if (!interval.ok()) refuse_flag("--interval", interval.problem);
    if (interval.base <= 0.0) {
      refuse_flag("--interval", "expected a time above 0, got " + in_quotes(flags.interval));
    }
    options.interval = seconds(interval.base);
  }
  return options;
}

namespace {

/// "train.log: 20 records of timm", and a line for each thing that has to be known of it.
std::string told(const formats::ImportedFile& file) {
  std::vector<std::string> kept;
  for (const auto& [format, count] : file.kept) {
    kept.push_back(fmt::format("{} {} of {}", count, count == 1 ? "record" : "records", format));
  }
  std::vector<std::string> skipped;
  for (const auto& [why, count] : file.skipped)
    skipped.push_back(fmt::format("{} ({})", printable(why), count));
  if (kept.empty()) kept.emplace_back("no record is used");
  std::string text = fmt::format("{}: {}", printable(file.name), fmt::join(kept, ", "));
  if (!skipped.empty()) text += fmt::format("\n  not used: {}", fmt::join(skipped, ", "));
  for (const std::string& remark : file.remarks) text += "\n  " + printable(remark);
  return text;
}

void print(const formats::ImportedObservation& observation) {
  constexpr std::size_t block = 100'000;
  std::string text = schema::observation_line(observation.header());
  observation.for_each([&](const schema::ObservationLine& line) {
    text += schema::observation_line(line);
    if (text.size() < block) return;
    write_stdout(text);
    text.clear();
  });
  write_stdout(text);
}

}  // namespace

void write_observation(const std::string& path, const formats::ImportedObservation& observation) {
  Spool spool(path, Rights::owners_alone);
  spool.append(schema::observation_line(observation.header()));
  observation.for_each(
      [&](const schema::ObservationLine& line) { spool.append(schema::observation_line(line)); });
  spool.finish();
}

void say_imported(const formats::ImportedObservation& observation) {
  for (const formats::ImportedFile& file : observation.files()) write_stderr_lines(told(file));
}

void add_import_flags(Parser& app, ImportFlags& flags) {
  const auto add = [&](const char* flag, std::string& into, const std::string& about,
                       const char* type, const char* value = "") {
    refuse_empty(
        *app.add_option(flag, into, about)->type_name(type)->default_is(value)->group("Import"));
  };
  add("--step-regex", flags.step_regex,
      fmt::format("Regular expression for lines of steps in a form of your own, with named groups "
                  "such as (?<time>[0-9.]+): {}",
                  fmt::join(formats::step_group_names(), ", ")),
      "REGEX");
  add("--start", flags.start,
      "Start time of a log that contains no times, so that it can be combined with files that do",
      "TIME");
  add("--time-zone", flags.time_zone,
      "Offset from UTC of times without a time zone, such as +01:00", "OFFSET", "UTC");
}

void add_observe_import_flags(Parser& app, ObserveImportArguments& arguments) {
  app.add_option("--import", arguments.files,
                 "Import what other tools recorded: logs, samples and traces, plain or gzip; "
                 "several files, in any order, become one observation")
      ->type_name("FILE")
      ->group("Import");
  add_import_flags(app, arguments.how);
}

std::string import_formats_text() {
  std::string text = "Formats of --import, recognized by their content:\n";
  for (const formats::ImportFormat& format : formats::import_formats()) {
    text += fmt::format("  {}\n", format.name);
  }
  return text;
}

int observe_import(const ObserveImportArguments& arguments) {
  const formats::ImportOptions options = import_options(arguments.how);
  if (!arguments.output.empty()) {
    refuse_to_overwrite("--output", arguments.output, arguments.files);
  }
  const formats::ImportedObservation observation =
      formats::import_observations(arguments.files, options);
  if (arguments.output.empty()) {
    print(observation);
  } else {
    write_observation(arguments.output, observation);
  }
  say_imported(observation);
  return fine;
}

}  // namespace feedrate::cli
