#pragma once
// The sub-commands: each declares its flags on the parser and hands back what to do.
#include <functional>

namespace CLI {
class App;
}

namespace feedrate::cli {

/// A sub-command: its parser, and its work once the arguments are read. `run` returns the exit
/// status; it throws InputError and HostError.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command add_run(CLI::App& parent);
Command add_sweep(CLI::App& parent);
Command add_merge(CLI::App& parent);
Command add_export(CLI::App& parent);
Command add_advise(CLI::App& parent);
Command add_optimize(CLI::App& parent);
Command add_compare(CLI::App& parent);
Command add_cases(CLI::App& parent);
Command add_fit(CLI::App& parent);
Command add_check(CLI::App& parent);
Command add_feeds(CLI::App& parent);
Command add_scale(CLI::App& parent);
Command add_diagnose(CLI::App& parent);
Command add_observe(CLI::App& parent);
Command add_report(CLI::App& parent);
Command add_init(CLI::App& parent);
Command add_plot(CLI::App& parent);
Command add_validate(CLI::App& parent);
Command add_calibrate(CLI::App& parent);
Command add_catalog(CLI::App& parent);
Command add_schema(CLI::App& parent);
Command add_completion(CLI::App& parent);

}  // namespace feedrate::cli
