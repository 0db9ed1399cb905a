#include <memory>

#include "api/constraints.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/unit_text.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/scenario_runs.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"

namespace feedrate::cli {
namespace {

struct ShowbackArguments {
  std::vector<std::string> scenarios;
  std::string by = "team";
  std::string commitment;
  SimulationOptions simulation;
  OutputOptions output;
};

std::optional<HourlyPrice> committed(const std::string& text, const std::optional<Currency>& own) {
  if (text.empty()) return std::nullopt;
  const api::InUsd given = api::in_usd(text, own);
  const ParsedQuantity parsed =
      parse_quantity(given.text, dimension_of(HourlyPrice{}), {"a price", "50 USD/h"});
  if (!parsed.ok()) refuse_flag("--commitment", parsed.problem);
  const HourlyPrice price = HourlyPrice::of(given.worth * parsed.base);
  if (!(price > HourlyPrice{}) || price > usd_per_hour(1e9)) {
    refuse_flag("--commitment",
                "expected a price above 0, 1e9 USD/h at most, got " + in_quotes(text));
  }
  return price;
}

int showback(const ShowbackArguments& arguments) {
  if (arguments.by.empty()) throw InputError("--by: expected the name of a tag, got nothing");
  const ScenarioRuns runs = run_each_once(arguments.scenarios, arguments.simulation);
  const std::optional<HourlyPrice> commitment =
      committed(arguments.commitment, runs.common_currency());
  const Showback made = showback_of(runs, arguments.by, commitment);
  deliver(arguments.output, files_read(arguments.scenarios, arguments.simulation),
          {.currency = runs.common_currency(),
           .report = [&] { return report::showback_report(made); },
           .json = [&] { return schema::write_showback(made); },
           .csv = [&] { return report::showback_csv(made); },
           .remarks = made.remarks});
  return fine;
}

}  // namespace

Command add_showback(Parser& parent) {
  const auto arguments = std::make_shared<ShowbackArguments>();
  Parser* app = parent.add_subcommand(
      "showback", "Who pays for what: the jobs of several teams, a month of them, and idle GPUs");
  app->add_option("scenarios", arguments->scenarios, "Scenario files; - reads standard input")
      ->type_name("SCENARIO")
      ->expected(1, 1000)
      ->required();
  app->add_option("--by", arguments->by, "Tag of accounting.tags that jobs are grouped by")
      ->type_name("TAG")
      ->default_is("team")
      ->group("Showback");
  app->add_option("--commitment", arguments->commitment,
                  "A savings plan that the jobs share, such as '50 USD/h': what of it they use in "
                  "a month, and what pays for nothing")
      ->type_name("PRICE")
      ->group("Showback");
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "A scenario says whose it is and how often it runs:\n"
      "  \"accounting\": {\"tags\": {\"team\": \"vision\"}, \"runs_per_month\": 20}\n"
      "Examples:\n"
      "  feedrate showback jobs/*.json\n"
      "  feedrate showback jobs/*.json --commitment '50 USD/h'\n"
      "  feedrate showback jobs/*.json --by project --format csv --output showback.csv");
  return {app, [arguments] { return showback(*arguments); }};
}

}  // namespace feedrate::cli
