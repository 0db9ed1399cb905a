#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "bench/canary.hpp"
#include "cli/calibrate.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/calibrate_sets.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/probes/calibrate_probes.hpp"
#include "cli/probes/work.hpp"
#include "cli/terminal.hpp"
#include "fit/profile.hpp"
#include "model/merge_measurements.hpp"
#include "report/reports.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/measurements.hpp"
#include "study/vendor_figures.hpp"

namespace feedrate::cli {
namespace {

void expect_directory(const char* flag, const std::string& path) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored)) return;
  refuse_flag(flag, fmt::format("expected a directory, got {}", in_quotes(path, 200)));
}

bench::Settings settings_of(const CalibrateArguments& arguments) {
  bench::Settings settings = arguments.settings;
  expect_directory("--data", settings.data);
  expect_directory("--scratch", settings.scratch);
  if (!arguments.time_limit.empty()) {
    const ParsedQuantity time = parse_quantity(arguments.time_limit, dimension_of(Duration{}));
    if (!time.ok()) refuse_flag("--time-limit", time.problem);
    if (time.base <= 0.0) {
      refuse_flag("--time-limit",
                  "expected a time above 0, got " + in_quotes(arguments.time_limit));
    }
    settings.time_limit = seconds(time.base);
  }
  settings.scripts = scripts_folder();
  return settings;
}

HostProfile named(HostProfile profile, const CalibrateArguments& arguments) {
  if (!arguments.name.empty()) profile.name = arguments.name;
  if (!arguments.instance.empty()) profile.instance = arguments.instance;
  return profile;
}

/// What vendors say of the machine. Without a catalogue the numbers stand alone.
std::vector<VendorFigure> figures_beside(const std::vector<FitLine>& lines, HostFacts host,
                                         const CalibrateArguments& arguments) {
  const bool any = std::any_of(lines.begin(), lines.end(),
                               [](const FitLine& line) { return !line.vendor.empty(); });
  if (!any) return {};
  if (!arguments.instance.empty()) host.instance = arguments.instance;
  try {
    return study::vendor_figures(lines, host, whole_catalog());
  } catch (const InputError& error) {
    write_stderr(std::string("feedrate: no comparison with the vendors' figures: ") + error.what());
    return {};
  }
}

EarlierSets earlier_of(const CalibrateArguments& arguments, const HostFacts& host) {
  if (!arguments.joins.empty()) return read_joins(arguments.joins);
  if (!arguments.additions.empty()) return read_additions(arguments.additions, host);
  return read_imports(arguments.imports);
}

/// How fast the machine is just now, for programs that measure something beside it.
int print_canary(const CalibrateArguments& arguments, const bench::Settings& settings) {
  const Interrupt interrupt;
  const Duration budget = arguments.time_limit.empty() ? seconds(1.0) : settings.time_limit;
  write_stdout(schema::write_canary(bench::run_canary(budget, interrupt.flag())));
  return interrupt.flag() ? host_failed : fine;
}

}  // namespace

int calibrate(const CalibrateArguments& arguments) {
  const bench::Settings settings = settings_of(arguments);
  if (arguments.list) return list_probes(settings);
  if (arguments.canary) return print_canary(arguments, settings);
  const ChosenProbes chosen =
      choose_probes(arguments.probes, arguments.imports.empty() && arguments.joins.empty());
  const bench::ProcessGroup group = group_of(chosen);
  if (group.rank > 0) return measure_along(chosen, settings);
  const bool measures = !chosen.empty();
  const HostFacts host = measures ? bench::host_facts(settings) : HostFacts{};
  const EarlierSets earlier = earlier_of(arguments, host);
  std::string file =
      measures || !arguments.measurements.empty()
          ? measurements_file(arguments.measurements, arguments.output, earlier.files)
          : "";
  check_profile_file(arguments.output, earlier.files);
  const Interrupt interrupt;
  MeasurementSet fresh;
  fresh.date = bench::utc_now();
  fresh.command_line = command_line();
  fresh.version = feedrate_version();
  fresh.host = host;
  fresh.host.name = arguments.name;
  bool begun = false;
  const auto write = [&](const MeasurementSet& set) {
    const std::string text = schema::write_measurements(set);
    if (begun) return write_text_file(file, text);
    // A calibration beside this one may have taken the name since it was found.
    while (!write_new_text_file(file, text)) {
      file = measurements_file(arguments.measurements, arguments.output, earlier.files);
    }
    begun = true;
  };
  if (measures) {
    check_commands(chosen, settings, interrupt);
    const auto keep = [&] { write(together(earlier, &fresh)); };
    measure(chosen, settings, group.size > 1, interrupt, fresh, keep);
  }
  MeasurementSet set = arguments.joins.empty() ? together(earlier, measures ? &fresh : nullptr)
                                               : joined(earlier.sets);
  if (set.date.empty()) set.date = fresh.date;
  if (set.command_line.empty()) set.command_line = fresh.command_line;
  set.version = feedrate_version();
  const fit::FittedProfile fitted = fit::fit_profile(set);
  report::Calibration calibration{
      named(fitted.profile, arguments).name, "", "", interrupt.flag(), {}};
  calibration.drifts = fitted.drifts;
  calibration.hosts = fitted.hosts;
  calibration.figures = figures_beside(fitted.lines, set.host, arguments);
  if (measured(set)) {
    if (!file.empty()) write(set);
    write_text_file(arguments.output, schema::write_host_profile(named(fitted.profile, arguments)));
    calibration.profile_file = arguments.output;
    calibration.measurements_file = file;
  }
  write_stdout(
      report::to_text(report::calibrate_report(set, fitted.lines, calibration), style_of_stdout()));
  if (!measured(set) || (measures && !arguments.additions.empty() && !measured(fresh))) {
    throw HostError(measured(set) ? "nothing could be measured: the profile contains only the "
                                    "measurements that were added"
                                  : "nothing could be measured: no profile is written");
  }
  if (interrupt.flag()) {
    write_stderr("feedrate: interrupted: the profile contains what was measured until then");
    return host_failed;
  }
  return tell_failures(fresh, arguments.probes, settings) ? host_failed : fine;
}

}  // namespace feedrate::cli
