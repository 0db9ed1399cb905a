#include <fmt/format.h>

#include <memory>

#include "api/case_work.hpp"
#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/loader_work.hpp"
#include "cli/parser.hpp"
#include "cli/with_probes.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "schema/documents/host.hpp"
#include "study/case_summary.hpp"
#include "study/validate.hpp"

namespace feedrate::cli {
namespace {

struct ValidateArguments {
  std::string profile;
  std::string measured;
  std::string save;
  std::string max_error = "10%";
  std::string min_coverage = "80%";
  LoaderOptions loader;
  OutputOptions output;
};

/// "10%" or "0.1" as 0.1.
double share_of(const char* flag, const std::string& text) {
  const auto number = leading_number(text);
  const bool percent = number && (number->rest == "%" || number->rest == " %");
  const double share = !number ? -1.0 : percent ? number->value / 100.0 : number->value;
  const bool known = percent || (number && number->rest.empty());
  if (!known || share < 0.0 || share > 10.0) {
    throw InputError(
        {{.file = "",
          .line = 0,
          .pointer = flag,
          .message = fmt::format("expected a share such as 10% or 0.1, got {}", in_quotes(text))}});
  }
  return share;
}

/// What was measured: the user's file, with those that it names added to `read`, or a loader that
/// runs now.
schema::Document measured_document(const ValidateArguments& arguments, const HostProfile& profile,
                                   FilesRead& read) {
  if (!arguments.measured.empty()) {
    AllowedFiles allowed;
    allowed.read = &read;
    return schema::load_document(arguments.measured, allowed);
  }
  const LoaderRuns runs = with_probes().run_loader(arguments.loader, profile);
  const std::string text = schema::write_scenario(study::native_scenario(runs));
  if (!arguments.save.empty()) write_text_file(arguments.save, text);
  return schema::parse_document(text, arguments.save.empty() ? "native loader" : arguments.save);
}

/// Every case with its band, and each repeat as its turn's canary lets expect it.
ScenarioCases compared(const schema::Document& document, const HostProfile& profile) {
  const api::ScenarioMaker make(document, "case");
  with_places(document, [&] {
    study::expect_copy_rates(profile, make.scenario(),
                             [&](const study::Setting& set) { return make(set); });
  });
  const Catalog catalog = whole_catalog();
  study::RunOptions drawn;
  drawn.replications = 200;
  drawn.events = true;  // as `run` predicts
  drawn.bottlenecks = false;
  drawn.list_inputs = false;
  // What is validated is the profile with the errors that it states itself: it has measured all
  // that these loops do, and their steps are what they were set to.
  const ClassErrors none({});
  drawn.class_errors = &none;
  ScenarioCases cases = api::cases_of(document, catalog, &profile, drawn);
  for (const double slower : study::slower_in_turns(cases.scenario.about, profile)) {
    const HostProfile then = study::slowed(profile, slower);
    study::RunOptions plain;
    plain.events = true;
    plain.list_inputs = false;
    const ScenarioCases turn = api::cases_of(document, catalog, &then, plain);
    for (std::size_t i = 0; i < cases.cases.size(); ++i) {
      if (error_kind(cases.cases[i].what) != ErrorKind::relative) continue;
      cases.cases[i].adjusted.push_back(turn.cases[i].predicted);
    }
  }
  cases.summary = study::summary_of({&cases, 1});
  return cases;
}

int validate(const ValidateArguments& arguments) {
  if (arguments.measured.empty()) with_probes();  // before a profile is read from a pipe
  study::Bars bars;
  bars.max_error = share_of("--max-error", arguments.max_error);
  bars.min_coverage = share_of("--min-coverage", arguments.min_coverage);
  const HostProfile profile = schema::read_host_profile(arguments.profile);
  std::vector<std::string> inputs = arguments.measured.empty()
                                        ? std::vector{arguments.profile}
                                        : std::vector{arguments.profile, arguments.measured};
  refuse_to_overwrite("--save", arguments.save, inputs);
  const std::vector<WrittenFile> outputs = {{"--save", arguments.save},
                                            {"--output", arguments.output.file}};
  refuse_one_file(outputs);
  for (const std::string& file : {arguments.save, arguments.output.file}) {
    if (!file.empty()) expect_writable(file);  // now, not after minutes of measuring
  }
  FilesRead named;
  const schema::Document document = measured_document(arguments, profile, named);
  const ScenarioCases cases = compared(document, profile);
  with_places(document, [&] { return study::expect_predictions(cases.summary); });
  for (std::string& path : named.paths()) inputs.push_back(std::move(path));
  deliver(arguments.output, inputs,
          {.report = [&] { return report::validate_report(cases, profile.name, bars); },
           .json = [&] { return schema::write_validation(cases, profile.name); },
           .csv =
               [&] {
                 return report::to_csv(report::cases_table({&cases, 1}));
               },
           .remarks = {}});
  return study::holds(cases.summary, bars) ? fine : verdict_against;
}

}  // namespace

Command add_validate(Parser& parent) {
  const auto arguments = std::make_shared<ValidateArguments>();
  Parser* app = parent.add_subcommand(
      "validate",
      "Compare predictions with measurements on this host: run a real loader and report the error");
  app->add_option("profile", arguments->profile, "Host profile, as `feedrate calibrate` writes it")
      ->type_name("PROFILE")
      ->required();
  app->add_option("--min-coverage", arguments->min_coverage,
                  "Exit status 1 if less than this share of the measured figures lies in their 90 "
                  "% intervals (judged only with 20 figures or more)")
      ->type_name("SHARE")
      ->capture_default_str();
  Option* measured =
      app->add_option("--measured", arguments->measured,
                      "Take the measured cases of this scenario instead of running a loader")
          ->type_name("FILE");
  app->add_option("--max-error", arguments->max_error,
                  "Exit status 1 if the mean absolute error is above this share")
      ->type_name("SHARE")
      ->capture_default_str();
  refuse_empty(*measured);
  refuse_empty(
      *app->add_option("--save", arguments->save, "Save what was measured as a scenario with cases")
           ->type_name("FILE")
           ->excludes(measured));
  add_loader_flags(*app, arguments->loader, *measured);
  add_output_flags(*app, arguments->output);
  app->footer(
      "Exit status 1 if the mean absolute error of the predictions is above --max-error, or if\n"
      "their 90 % intervals contain less than --min-coverage of the measured figures.\n"
      "Examples:\n"
      "  feedrate validate host.json --data /data/imagenet/train\n"
      "  feedrate validate host.json --save native.json --max-error 5%\n"
      "  feedrate validate host.json --measured pytorch.json");
  return {app, [arguments] { return validate(*arguments); }};
}

}  // namespace feedrate::cli
