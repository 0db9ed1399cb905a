#include <algorithm>
#include <memory>

#include "api/case_work.hpp"
#include "base/exit_status.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "report/case_words.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/documents/class_errors.hpp"
#include "schema/documents/documents.hpp"
#include "study/case_summary.hpp"
#include "study/learned_numbers.hpp"

namespace feedrate::cli {
namespace {

struct CasesArguments {
  std::vector<std::string> scenarios;
  SimulationOptions simulation;
  std::string class_errors;
  std::string priors;
  OutputOptions output;
};

int cases(const CasesArguments& arguments) {
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  // A case may name any instance, so all of them are read.
  Catalog catalog = whole_catalog();
  std::vector<std::string> read = arguments.scenarios;
  if (std::count(read.begin(), read.end(), standard_input_path) > 1) {
    throw InputError("expected \"-\" once: standard input can be read only once");
  }
  std::optional<ClassErrors> errors;
  if (!arguments.class_errors.empty()) {
    errors =
        schema::parse_class_errors(read_text_file(arguments.class_errors), arguments.class_errors);
    read.push_back(arguments.class_errors);
  }
  if (!arguments.priors.empty()) {
    catalog.relearned = schema::parse_priors(read_text_file(arguments.priors), arguments.priors,
                                             study::learned_numbers());
    read.push_back(arguments.priors);
  }
  study::RunOptions options = api::case_options(arguments.simulation);
  options.class_errors = errors ? &*errors : nullptr;
  std::vector<ScenarioCases> made;
  std::vector<Problem> problems;
  {
    Progress progress("cases");
    for (const std::string& path : arguments.scenarios) {
      progress.update(made.size(), arguments.scenarios.size());
      const std::vector<Problem> of = problems_of([&] {
        const schema::Document document = load_with_settings(path, arguments.simulation);
        made.push_back(api::cases_of(document, catalog, host ? &*host : nullptr, options, true));
        std::vector<Problem> refused;
        for (const RefusedCase& each : made.back().refused) {
          refused.insert(refused.end(), each.problems.begin(), each.problems.end());
        }
        if (!refused.empty()) throw InputError(std::move(refused));
      });
      problems.insert(problems.end(), of.begin(), of.end());
    }
  }
  // What is wrong with one case, or one file, is told below the others.
  const bool all_refused = std::all_of(made.begin(), made.end(), [](const ScenarioCases& of) {
    return of.cases.empty() && !of.refused.empty();
  });
  if (all_refused) throw InputError(std::move(problems));
  const CaseSummary all = study::summary_of(made);
  // CSV is one row per case, so its summary goes where remarks do.
  const std::vector<std::string> remarks = report::summary_sentences(all);
  deliver(arguments.output, files_read(read, arguments.simulation),
          {.report = [&] { return report::cases_report(made, all); },
           .json = [&] { return schema::write_cases(made, all); },
           .csv = [&] { return report::to_csv(report::cases_table(made)); },
           .remarks = remarks});
  if (!problems.empty()) throw InputError(std::move(problems));
  const bool all_within = std::all_of(made.begin(), made.end(), [](const auto& of) {
    return std::all_of(of.cases.begin(), of.cases.end(),
                       [](const CaseResult& result) { return result.within; });
  });
  return all_within ? fine : verdict_against;
}

}  // namespace

Command add_cases(Parser& parent) {
  const auto arguments = std::make_shared<CasesArguments>();
  Parser* app = parent.add_subcommand("cases",
                                      "Run the measured cases of scenarios: predicted and measured "
                                      "values side by side, with the error");
  app->add_option("scenarios", arguments->scenarios, "Scenario files; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  add_simulation_flags(*app, arguments->simulation);
  Option* const errors =
      app->add_option("--class-errors", arguments->class_errors,
                      "Table of the model's own errors to draw from instead of the learned one, as "
                      "JSON: {\"NAME\": [the numbers of a row of src/model/class_errors.inc]}")
          ->type_name("FILE")
          ->group("Simulation");
  refuse_empty(*errors);
  Option* const priors =
      app->add_option(
             "--priors", arguments->priors,
             "Numbers to take for those that are assumed and were learned from studies, in "
             "the JSON of bench/evidence/priors --without STUDY")
          ->type_name("FILE")
          ->group("Simulation");
  refuse_empty(*priors);
  add_output_flags(*app, arguments->output);
  app->footer(
      "Exit status 1 if a case is outside its tolerance, 2 if one cannot be simulated; the others\n"
      "are shown.\n"
      "Examples:\n"
      "  feedrate cases scenarios/caltech256_p3.json\n"
      "  feedrate cases scenarios/*.json --format markdown\n"
      "  feedrate cases my.json --format json | jq .summary.median_absolute_error");
  return {app, [arguments] { return cases(*arguments); }};
}

}  // namespace feedrate::cli
