#pragma once
// The sub-commands: each declares its flags on the parser and hands back what to do.
#include <functional>
#include <string_view>

namespace feedrate::cli {

class Parser;

/// A sub-command: its parser, and its work once the arguments are read. `run` returns the exit
/// status; it throws InputError and HostError.
struct Command {
  Parser* app = nullptr;
  std::function<int()> run;
};

Command add_run(Parser& parent);
Command add_sweep(Parser& parent);
Command add_merge(Parser& parent);
Command add_export(Parser& parent);
Command add_advise(Parser& parent);
Command add_optimize(Parser& parent);
Command add_compare(Parser& parent);
Command add_showback(Parser& parent);
Command add_cases(Parser& parent);
Command add_fit(Parser& parent);
Command add_check(Parser& parent);
Command add_feeds(Parser& parent);
Command add_scale(Parser& parent);
Command add_diagnose(Parser& parent);
Command add_observe(Parser& parent);
Command add_report(Parser& parent);
Command add_init(Parser& parent);
/// The charts that ship with feedrate, as `plot` takes them.
inline constexpr std::string_view chart_names[] = {
    "break_even", "gpu_time", "pareto", "scaling_cost", "scaling_time", "stages", "timeline"};
Command add_plot(Parser& parent);
Command add_validate(Parser& parent);
Command add_calibrate(Parser& parent);
Command add_catalog(Parser& parent);
Command add_serve(Parser& parent);
Command add_schema(Parser& parent);
Command add_completion(Parser& parent);

}  // namespace feedrate::cli
