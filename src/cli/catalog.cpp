#include <CLI/CLI.hpp>
#include <memory>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "cli/catalog_import.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"

namespace feedrate::cli {
namespace {

struct CatalogArguments {
  std::string name;
  ImportArguments import;
  OutputOptions output;
};

// The tables of a report below each other, a blank line between.
std::string tables_csv(const report::Report& made) {
  std::string text;
  for (const report::Block& block : made.blocks) {
    const auto* table = std::get_if<report::Table>(&block);
    if (table == nullptr) continue;
    text += (text.empty() ? "" : "\n") + report::to_csv(*table);
  }
  return text;
}

int deliver_tables(const OutputOptions& output, const report::Report& made) {
  deliver(output, {},
          {.report = [&] { return made; },
           .json = {},
           .csv = [&] { return tables_csv(made); },
           .remarks = {}});
  return 0;
}

int show(const CatalogArguments& arguments) {
  const Catalog catalog = whole_catalog();
  const Lookup<const Machine*> machine = find_machine(catalog, arguments.name);
  if (!machine) throw InputError(machine.failure.message);
  return deliver_tables(arguments.output, report::machine_report(catalog, **machine));
}

}  // namespace

Command add_catalog(CLI::App& parent) {
  const auto arguments = std::make_shared<CatalogArguments>();
  CLI::App* app = parent.add_subcommand("catalog", "The machines that are known, and their prices");
  const std::vector<std::string> formats = {"text", "csv", "markdown"};
  CLI::App* list = app->add_subcommand("list", "Every machine in a row");
  add_output_flags(*list, arguments->output, formats);
  CLI::App* one =
      app->add_subcommand("show", "What is known of one machine, with sources and dates");
  one->add_option("name", arguments->name, "Instance type")->type_name("NAME")->required();
  add_output_flags(*one, arguments->output, formats);
  CLI::App* import = add_catalog_import(*app, arguments->import);
  app->footer(
      "Examples:\n"
      "  feedrate catalog list\n"
      "  feedrate catalog show p3.2xlarge\n"
      "  feedrate catalog import vms.csv --date 2026-11-01 --dry-run");
  return {app, [list, one, import, arguments] {
            if (one->parsed()) return show(*arguments);
            if (import->parsed()) return import_prices(arguments->import);
            if (list->parsed()) {
              return deliver_tables(arguments->output, report::catalog_report(whole_catalog()));
            }
            throw InputError("catalog: expected list, show NAME or import FILE");
          }};
}

}  // namespace feedrate::cli
