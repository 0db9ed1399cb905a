#include <CLI/CLI.hpp>
#include <memory>

#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/observe_import.hpp"
#include "cli/options.hpp"

namespace feedrate::cli {

Command add_observe(CLI::App& parent) {
  const auto arguments = std::make_shared<ObserveImportArguments>();
  CLI::App* app = parent.add_subcommand(
      "observe", "What a job and its machine did, in one file, from what other tools recorded");
  add_observe_import_flags(*app, *arguments);
  refuse_empty(*app->add_option("--interval", arguments->interval,
                                "Between samples that have no time at all (default: 1 s)")
                    ->type_name("TIME")
                    ->group("Import"));
  refuse_empty(*app->add_option("-o,--output", arguments->output,
                                "Observation to write (default: standard output)")
                    ->type_name("FILE")
                    ->group("Output"));
  app->footer(import_formats_text() +
              "Examples:\n"
              "  feedrate observe --import train.log --output job.jsonl\n"
              "  feedrate observe --import train.log gpu.csv sar.json --start 2026-11-22T11:21:46\n"
              "  feedrate observe --import rank0.pt.trace.json.gz rank1.pt.trace.json.gz -o "
              "job.jsonl");
  return {app, [arguments] {
            if (arguments->files.empty()) {
              throw InputError("expected --import and files that other tools wrote");
            }
            return observe_import(*arguments);
          }};
}

}  // namespace feedrate::cli
