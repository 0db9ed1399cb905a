#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "catalog/filter.hpp"
#include "catalog/lookup.hpp"
#include "cli/catalog_import.hpp"
#include "cli/commands.hpp"
#include "cli/filter_help.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/catalog/catalog_list.hpp"

namespace feedrate::cli {
namespace {

struct CatalogArguments {
  std::string name;
  std::string filter;
  ImportArguments import;
  UpdateArguments update;
  OutputOptions output;
};

// The tables of a report one below the other, a blank line between; nothing where nothing is known.
std::string tables_csv(const report::Report& made) {
  std::string text;
  for (const report::Block& block : made.blocks) {
    const auto* table = std::get_if<report::Table>(&block);
    if (table == nullptr) continue;
    report::Table plain = *table;
    for (report::Row& row : plain.rows) {
      for (report::Cell& cell : row.cells) {
        if (cell == report::Cell("-", report::Tone::faint)) cell = "";
      }
    }
    text += (text.empty() ? "" : "\n") + report::to_csv(plain);
  }
  return text;
}

int deliver_tables(const OutputOptions& output, const report::Report& made) {
  deliver(output, {},
          {.report = [&] { return made; },
           .json = {},
           .csv = [&] { return tables_csv(made); },
           .remarks = {}});
  return fine;
}

int show(const CatalogArguments& arguments) {
  const Catalog catalog = whole_catalog();
  const Lookup<const Machine*> machine = find_machine(catalog, arguments.name);
  if (!machine) throw InputError(machine.failure.message);
  return deliver_tables(arguments.output, report::machine_report(catalog, **machine));
}

int list_machines(const CatalogArguments& arguments) {
  const Catalog catalog = whole_catalog();
  const Chosen chosen = choose(catalog, Filter::parse(arguments.filter, catalog, "FILTER"));
  const auto made = [&] { return report::catalog_report(catalog, chosen); };
  deliver(arguments.output, {},
          {.report = made,
           .json = [&] { return schema::write_catalog_list(catalog, chosen, arguments.filter); },
           .csv = [&] { return tables_csv(made()); },
           .remarks = {}});
  return fine;
}

}  // namespace

Command add_catalog(Parser& parent) {
  const auto arguments = std::make_shared<CatalogArguments>();
  Parser* app = parent.add_subcommand("catalog", "The machines that are known and what they cost");
  const std::vector<std::string> formats = {"text", "csv", "markdown"};
  Parser* list = app->add_subcommand("list", "List machines, with their prices by purchase option");
  list->add_option("filter", arguments->filter,
                   "Conditions KEY OP VALUE that must all hold, separated by commas; all machines "
                   "if not given")
      ->type_name("FILTER");
  add_output_flags(*list, arguments->output);
  list->footer(filter_help() +
               "Examples:\n"
               "  feedrate catalog list 'gpu>=A10G, region=us-east-1, price<40'\n"
               "  feedrate catalog list 'gpus=0, vcpus>=16, service=sagemaker' --format csv");
  Parser* one = app->add_subcommand(
      "show", "Everything that is known about one machine, with sources and dates");
  one->add_option("name", arguments->name, "Instance type")->type_name("NAME")->required();
  add_output_flags(*one, arguments->output, formats);
  Parser* import = add_catalog_import(*app, arguments->import);
  Parser* update = add_catalog_update(*app, arguments->update);
  app->footer(
      "Examples:\n"
      "  feedrate catalog list 'gpu>=A10G, price<40'\n"
      "  feedrate catalog show p3.2xlarge\n"
      "  feedrate catalog import vms.csv --date 2026-11-01 --dry-run\n"
      "  feedrate catalog update --affects scenarios/*.json");
  return {app, [list, one, import, update, arguments] {
            if (one->parsed()) return show(*arguments);
            if (import->parsed()) return import_prices(arguments->import);
            if (update->parsed()) return update_prices(arguments->update);
            if (list->parsed()) return list_machines(*arguments);
            throw InputError("catalog: expected list, show NAME, import FILE or update");
          }};
}

}  // namespace feedrate::cli
