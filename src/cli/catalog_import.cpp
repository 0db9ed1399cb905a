#include "cli/catalog_import.hpp"

#include <optional>

#include "base/exit_status.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "formats/prices/catalog_import.hpp"
#include "report/csv.hpp"
#include "report/import_report.hpp"
#include "schema/catalog/catalog_reader.hpp"

namespace feedrate::cli {

Parser* add_catalog_import(Parser& parent, ImportArguments& arguments) {
  Parser* app = parent.add_subcommand(
      "import",
      "Bring prices up to date from a file: an AWS Price List bulk file (AmazonEC2 with EBS "
      "and NAT gateways, AmazonSageMaker, AmazonS3, AmazonEFS, AmazonFSx), a page of Azure's "
      "Retail Prices API, a vms.csv of the SkyPilot catalogue, or a CSV of your own with the "
      "columns instance, region, price (USD/h)");
  app->add_option("file", arguments.file, "Price list")->type_name("FILE")->required();
  app->add_option(
         "--date", arguments.date,
         "Date on which the file was made; needed for all but an AWS file, which contains it")
      ->type_name("YYYY-MM-DD");
  app->add_flag("--dry-run", arguments.dry_run, "Print what would change without writing anything");
  add_output_flags(*app, arguments.output, {"text", "csv", "markdown"});
  return app;
}

int import_prices(const ImportArguments& arguments) {
  // Others' changes are in what is read, or wait until it is written.
  std::optional<HeldFolder> held;
  if (!arguments.dry_run) held.emplace(schema::find_pricing_folder());
  const Catalog catalog = whole_catalog();
  formats::ImportedPrices imported =
      formats::read_price_file(arguments.file, arguments.date, formats::machines_of(catalog));
  formats::keep_newest(imported, arguments.file);
  const formats::ImportPlan plan = formats::plan_import(catalog.folder, catalog, imported);
  const bool as_one = !held || formats::write_plan(*held, plan);
  report::ImportSummary summary{imported.what,     imported.date, catalog.folder,
                                arguments.dry_run, as_one,        plan.files.size(),
                                plan.confirmed,    plan.older,    plan.elsewhere};
  summary.partial = plan.partial;
  summary.more_pages = !imported.next.empty();
  const report::ImportChanges changes{plan.changes, plan.storage};
  deliver(arguments.output, {&arguments.file, 1},
          {.report = [&] { return report::import_report(changes, summary); },
           .json = {},
           .csv = [&] { return report::to_csv(report::import_table(changes)); },
           .remarks = {}});
  return fine;
}

}  // namespace feedrate::cli
