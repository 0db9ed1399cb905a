#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "api/vary.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/check_work.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "report/check_report.hpp"
#include "schema/verdict.hpp"
#include "study/check.hpp"

namespace feedrate::cli {
namespace {

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
  std::vector<std::string> inputs = arguments.scenarios;
  inputs.push_back(arguments.baseline);
  if (!arguments.simulation.host.empty()) inputs.push_back(arguments.simulation.host);
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(file, input, ignored)) continue;
    throw InputError(std::vector<Problem>{
        {"", 0, flag, fmt::format("expected another file than {}", in_quotes(input))}});
  }
}

int check(const CheckArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> reports;
  for (const std::string& text : arguments.reports) reports.push_back(parse_report(text));
  for (const auto& [format, file] : reports) refuse_input(file, arguments, "--report");
  if (!arguments.output.file.empty()) refuse_input(arguments.output.file, arguments, "--output");

  Checked checked = check_scenarios(arguments);
  Verdict& verdict = checked.verdict;
  if (arguments.update && verdict.errors.empty()) {
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
  const bool against = verdict.level == Level::fail && !arguments.warn_only && !arguments.update;
  return against ? verdict_against : fine;
}

void add_flags(Parser& app, CheckArguments& arguments) {
  app.add_option("scenarios", arguments.scenarios, "Scenario files; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app.add_option("-b,--baseline", arguments.baseline, "Baseline file to compare with")
      ->type_name("FILE")
      ->required();
  app.add_option("--max-increase", arguments.max_increase,
                 "Largest allowed increase of a figure: cost=5%,time=10 min; without any limit: 5 "
                 "% of cost, "
                 "total_cost and time")
      ->type_name("METRIC=LIMIT,...")
      ->allow_extra_args(false);
  app.add_option("--max-change", arguments.max_change,
                 "Largest allowed change of a figure in either direction: time=1%, or all=0.0001% "
                 "of every figure")
      ->type_name("METRIC=LIMIT,...")
      ->allow_extra_args(false);
  app.add_option(
         "--threshold", arguments.thresholds,
         "A limit such as \"money_usd < 120\", \"warn: gpu_busy > 90%\", \"total_s increase "
         "< 5%\"; may be given several times")
      ->type_name("EXPRESSION")
      ->allow_extra_args(false);
  app.add_option(
         "--max-price-age", arguments.max_price_age,
         "Fail if the source of a price on the bill is older than this: 180d; warn:180d only warns")
      ->type_name("AGE");
  app.add_flag("--warn-only", arguments.warn_only, "Exit 0 even if a limit is exceeded");
  app.add_flag("--strict", arguments.strict,
               "Fail if a scenario is not in the baseline, or if the file of a scenario in the "
               "baseline no longer exists");
  const Option* update = app.add_flag("--update", arguments.update,
                                      "Update the baseline with the current figures, and exit 0");
  app.add_flag(
         "--hold-prices", arguments.hold_prices,
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
