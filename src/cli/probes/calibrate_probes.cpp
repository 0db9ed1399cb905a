#include "cli/probes/calibrate_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "bench/python_wheels.hpp"
#include "bench/rounds.hpp"
#include "bench/step_command.hpp"
#include "cli/options.hpp"
#include "cli/status_line.hpp"
#include "cli/terminal.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::cli {
namespace {

bool is_among(const ChosenProbes& chosen, std::string_view name) {
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const bench::Probe* probe) { return probe->name == name; });
}

/// One line on standard error for a probe that has ended.
std::string told(const ProbeOutcome& outcome) {
  if (!outcome.measured) return fmt::format("{}: skipped: {}", outcome.probe, outcome.reason);
  return fmt::format("{}: measured in {}{}", outcome.probe, report::duration(outcome.took),
                     outcome.reason.empty() ? "" : "; " + outcome.reason);
}

bool asked_for(const std::string& probe, const std::vector<std::string>& names,
               const bench::Settings& settings) {
  if (std::find(names.begin(), names.end(), probe) != names.end()) return true;
  return (probe == "loader" && !settings.loader.empty()) ||
         (probe == "gpu" && !settings.step_command.empty()) ||
         (probe == "download" && !settings.url.empty());
}

}  // namespace

ChosenProbes choose_probes(const std::vector<std::string>& names, bool all_otherwise) {
  ChosenProbes chosen;
  for (const bench::Probe& probe : bench::probes()) {
    const bool named = std::find(names.begin(), names.end(), probe.name) != names.end();
    if (named || (names.empty() && all_otherwise)) chosen.push_back(&probe);
  }
  return chosen;
}

bench::ProcessGroup group_of(const ChosenProbes& chosen) {
  if (!is_among(chosen, "allreduce")) return {};
  bench::ProcessGroup group;
  try {
    group = bench::process_group();
  } catch (const InputError&) {
    return {};  // the probe says what is wrong
  }
  if (group.size > 1 && chosen.size() > 1) {
    throw InputError(std::vector<Problem>{
        {"", 0, "probes",
         fmt::format("in a group of {} processes (torchrun, mpirun) the probes would disturb each "
                     "other: expected allreduce alone",
                     group.size)}});
  }
  return group;
}

int list_probes(const bench::Settings& settings) {
  bench::use_packages_of(settings.python);
  std::vector<report::ProbeState> states;
  for (const bench::Probe& probe : bench::probes()) {
    states.push_back({probe.name, probe.measures, probe.unavailable(settings)});
  }
  write_stdout(report::to_text(report::probes_report(states), style_of_stdout()));
  return 0;
}

void check_commands(const ChosenProbes& chosen, const bench::Settings& settings,
                    const Interrupt& interrupt) {
  const auto expect = [&](const char* flag, const std::string& value, const char* probe) {
    if (value.empty() || is_among(chosen, probe)) return;
    throw InputError(std::vector<Problem>{
        {"", 0, flag,
         fmt::format("expected the probe {0} among the named probes: feedrate calibrate {0} …",
                     probe)}});
  };
  expect("--loader", settings.loader, "loader");
  expect("--step-command", settings.step_command, "gpu");
  try {
    if (is_among(chosen, "gpu") && !settings.step_command.empty()) {
      bench::check_step_command(settings.step_command, interrupt.flag());
    }
    if (!is_among(chosen, "loader") || settings.loader.empty()) return;
    StatusLine status;
    status.show("[check] --loader " + settings.loader);
    bench::check_loader(settings, interrupt.flag());
  } catch (const bench::Interrupted&) {
    throw HostError("interrupted: nothing was measured");
  }
}

bool measured(const MeasurementSet& set) {
  return std::any_of(set.measurements.begin(), set.measurements.end(),
                     [](const Measurement& what) { return what.probe != "canary"; });
}

void measure(const ChosenProbes& chosen, const bench::Settings& settings, bool group,
             const Interrupt& interrupt, MeasurementSet& set, const std::function<void()>& keep) {
  StatusLine status;
  bench::Listener listener;
  listener.progress = [&](const std::string& what) { status.show(what); };
  listener.ended = [&](const ProbeOutcome& outcome) {
    status.wipe();
    write_stderr(told(outcome));
  };
  listener.after_round = [&] {
    if (measured(set)) keep();
  };
  bench::run_probes(chosen, settings, set, interrupt.flag(), listener, {}, group);
}

int measure_along(const ChosenProbes& chosen, const bench::Settings& settings) {
  const Interrupt interrupt;
  MeasurementSet set;
  bench::run_probes(chosen, settings, set, interrupt.flag(), {}, {}, true);
  if (measured(set) && !interrupt.flag()) return fine;
  if (!set.probes.empty()) write_stderr(told(set.probes.back()));
  return host_failed;
}

bool tell_failures(const MeasurementSet& set, const std::vector<std::string>& names,
                   const bench::Settings& settings) {
  bool any = false;
  for (const ProbeOutcome& outcome : set.probes) {
    if (outcome.reason.empty() || !asked_for(outcome.probe, names, settings)) continue;
    any = true;
    write_stderr(fmt::format(
        "feedrate: {} was requested and failed: {}; the profile contains what was measured",
        outcome.probe, outcome.reason));
  }
  return any;
}

}  // namespace feedrate::cli
