#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "api/check_work.hpp"
#include "api/vary.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/file_lock.hpp"
#include "base/quote.hpp"
#include "base/shell_pipe.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "report/check_report.hpp"
#include "schema/documents/documents.hpp"
#include "study/check.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

struct CheckArguments {
  std::vector<std::string> scenarios;
  std::string baseline;
  api::CheckRules rules;
  std::vector<std::string> reports;  ///< FORMAT=FILE
  SimulationOptions simulation;
  OutputOptions output;
};

const std::vector<std::string> formats = {"text",  "json",   "markdown",
                                          "junit", "github", "benchmark"};

std::string rendered(const Verdict& verdict, const std::string& format, bool to_file, bool full) {
  if (format == "json") return schema::write_verdict(verdict);
  if (format == "benchmark") return schema::write_benchmark(verdict);
  if (format == "markdown") return report::check_markdown(verdict);
  if (format == "junit") return report::check_junit(verdict);
  if (format == "github") return report::check_github(verdict);
  return report::to_text(full ? report::check_report(verdict) : report::check_brief(verdict),
                         to_file ? style_of_file() : style_of_stdout());
}

/// FORMAT=FILE of --report.
std::pair<std::string, std::string> parse_report(const std::string& text) {
  auto [format, file] = api::parse_setting(text, "--report");
  if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
    throw InputError(std::vector<Problem>{
        {"", 0, "--report",
         fmt::format("expected FORMAT=FILE with one of {}, got {}{}", fmt::join(formats, ", "),
                     in_quotes(format), did_you_mean(format, formats))}});
  }
  return {format, file};
}

void refuse_input(const std::string& file, const CheckArguments& arguments, const char* flag) {
  std::vector<std::string> inputs = files_read(arguments.scenarios, arguments.simulation);
  inputs.push_back(arguments.baseline);
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!fs::equivalent(file, input, ignored)) continue;
    throw InputError(std::vector<Problem>{
        {"", 0, flag, fmt::format("expected another file than {}", in_quotes(input))}});
  }
}

/// What messages call a baseline that came through a pipe, which counts as lying in the folder in
/// which the check was started.
constexpr const char* piped_baseline = "baseline";

/// Without links, as far as they lead to something that has a place of its own: a pipe has none.
fs::path real_path(const std::string& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? fs::absolute(path).lexically_normal() : real;
}

bool is_pipe_of_shell(const std::string& path) {
  std::error_code failed;
  return names_shell_pipe(path) && fs::is_fifo(path, failed);
}

/// The scenario's file from the folder of the baseline, so that an entry does not depend on where
/// the check is started.
std::string key_of(const std::string& path, const std::string& baseline) {
  const fs::path folder =
      is_pipe_of_shell(baseline) ? fs::current_path() : real_path(baseline).parent_path();
  return real_path(path).lexically_relative(folder).generic_string();
}

/// An empty one where --update may make the file; InputError where it is needed or wrong.
schema::Baseline read_baseline_of(const CheckArguments& arguments) {
  const bool update = arguments.rules.update;
  if (is_pipe_of_shell(arguments.baseline)) {
    if (update) {
      throw InputError(std::vector<Problem>{
          {"", 0, "--baseline", "expected a file for --update to write, got a pipe"}});
    }
    return schema::parse_baseline(read_text_file(arguments.baseline), piped_baseline);
  }
  if (is_there(arguments.baseline)) return schema::read_baseline(arguments.baseline);
  if (!update) {
    throw InputError(std::vector<Problem>{
        {arguments.baseline, 0, "", "expected a baseline, got no such file: --update creates it"}});
  }
  schema::Baseline empty;
  empty.file = arguments.baseline;
  return empty;
}

/// Puts the entries into the baseline's file as it is now: what others put into it since it was
/// read for the check stays, and they wait for each other.
void update_baseline(const CheckArguments& arguments, const api::Checked& checked) {
  const HeldFile held(arguments.baseline);
  schema::Baseline baseline = read_baseline_of(arguments);
  std::vector<schema::BaselineEntry>& entries = baseline.entries;
  std::erase_if(entries, [&](const auto& entry) { return checked.replaced.contains(entry.key); });
  entries.insert(entries.end(), checked.entries.begin(), checked.entries.end());
  write_text_file(arguments.baseline, schema::write_baseline(baseline));
}

api::Checked checked_of(const CheckArguments& arguments) {
  api::expect_rules(arguments.rules, "--");
  api::CheckInputs inputs;
  inputs.baseline = read_baseline_of(arguments);
  for (const std::string& path : arguments.scenarios) {
    inputs.scenarios.push_back({path, key_of(path, arguments.baseline), [&arguments, path] {
                                  return load_with_settings(path, arguments.simulation);
                                }});
  }
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  inputs.host = host ? &*host : nullptr;
  inputs.catalog = catalog_of;
  inputs.catalog_files = &files_on_disk();
  inputs.depth = arguments.simulation;
  return api::check_scenarios(std::move(inputs), arguments.rules, "--");
}

int check(const CheckArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> reports;
  for (const std::string& text : arguments.reports) reports.push_back(parse_report(text));
  const auto refuse_inputs = [&] {
    for (const auto& [format, file] : reports) refuse_input(file, arguments, "--report");
    if (!arguments.output.file.empty()) refuse_input(arguments.output.file, arguments, "--output");
  };
  refuse_inputs();
  std::vector<WrittenFile> outputs = {{"--output", arguments.output.file}};
  for (const auto& [format, file] : reports) outputs.push_back({"--report", file});
  refuse_one_file(outputs);
  api::Checked checked = checked_of(arguments);
  refuse_inputs();  // now also those that the scenarios name
  Verdict& verdict = checked.verdict;
  if (arguments.rules.update && verdict.errors.empty()) {
    update_baseline(arguments, checked);
    study::note_update(verdict);
  }
  const OutputOptions& output = arguments.output;
  for (const auto& [format, file] : reports) {
    write_text_file(file, rendered(verdict, format, true, output.full));
  }
  const std::string text = rendered(verdict, output.format, !output.file.empty(), output.full);
  if (output.file.empty()) {
    // Where there is nothing but errors, people read them once, below.
    if (output.format != "text" || !verdict.scenarios.empty()) write_stdout(text);
  } else {
    write_text_file(output.file, text);
  }
  std::vector<Problem> problems;
  for (const ScenarioErrors& of : verdict.errors) {
    problems.insert(problems.end(), of.problems.begin(), of.problems.end());
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const bool against =
      verdict.level == Level::fail && !arguments.rules.warn_only && !arguments.rules.update;
  return against ? verdict_against : fine;
}

void add_flags(Parser& app, CheckArguments& arguments) {
  app.add_option("scenarios", arguments.scenarios, "Scenario files; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app.add_option("-b,--baseline", arguments.baseline, "Baseline file to compare with")
      ->type_name("FILE")
      ->required();
  app.add_option("--max-increase", arguments.rules.max_increase,
                 "Largest allowed increase of a figure: cost=5%,time=10 min; without any limit: 5 "
                 "% of cost, "
                 "total_cost and time")
      ->type_name("METRIC=LIMIT,...")
      ->allow_extra_args(false);
  app.add_option("--max-change", arguments.rules.max_change,
                 "Largest allowed change of a figure in either direction: time=1%, or all=0.0001% "
                 "of every figure")
      ->type_name("METRIC=LIMIT,...")
      ->allow_extra_args(false);
  app.add_option(
         "--threshold", arguments.rules.thresholds,
         "A limit such as \"money_usd < 120\", \"warn: gpu_busy > 90%\", \"total_s increase "
         "< 5%\"; may be given several times")
      ->type_name("EXPRESSION")
      ->allow_extra_args(false);
  app.add_option(
         "--max-price-age", arguments.rules.max_price_age,
         "Fail if the source of a price on the bill is older than this: 180d; warn:180d only warns")
      ->type_name("AGE");
  app.add_flag("--warn-only", arguments.rules.warn_only, "Exit 0 even if a limit is exceeded");
  app.add_flag("--strict", arguments.rules.strict,
               "Fail if a scenario is not in the baseline, or if the file of a scenario in the "
               "baseline no longer exists");
  const Option* update = app.add_flag("--update", arguments.rules.update,
                                      "Update the baseline with the current figures, and exit 0");
  app.add_flag(
         "--hold-prices", arguments.rules.hold_prices,
         "Judge at the prices of the catalogue that the baseline holds, and tell beside it what "
         "today's alone change: limits then find what code and scenarios changed, not prices")
      ->excludes(update);
  app.add_option("--report", arguments.reports,
                 "Also write the verdict to a file in another format; may be given several times")
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false);
}

}  // namespace

Command add_check(Parser& parent) {
  const auto arguments = std::make_shared<CheckArguments>();
  Parser* app = parent.add_subcommand(
      "check", "Compare scenarios with a baseline: fail when time or cost rises, and say why");
  add_flags(*app, *arguments);
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output, formats);
  app->add_flag("--full", arguments->output.full,
                "Print all of the report as text, not what matters first; the other formats are "
                "whole anyway")
      ->group("Output");
  app->footer(
      "Exit status 1 if a limit is exceeded, 2 if a scenario cannot be checked. docs/ci.md has\n"
      "examples to copy for CI systems.\n"
      "Examples:\n"
      "  feedrate check scenarios/*.json --baseline baseline.json --update\n"
      "  feedrate check scenarios/*.json --baseline baseline.json --max-increase cost=5%,time=10%\n"
      "  feedrate check my.json --baseline baseline.json --format markdown --report "
      "junit=check.xml");
  return {app, [arguments] { return check(*arguments); }};
}

}  // namespace feedrate::cli
