#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "bench/canary.hpp"
#include "bench/probe.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/calibrate_probes.hpp"
#include "cli/calibrate_sets.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "fit/profile.hpp"
#include "report/calibrate_report.hpp"
#include "schema/host.hpp"
#include "schema/measurements.hpp"
#include "study/vendor_figures.hpp"

namespace feedrate::cli {
namespace {

struct CalibrateArguments {
  std::vector<std::string> probes;
  bool list = false;
  bool canary = false;
  bench::Settings settings;
  std::string time_limit;
  std::string output = default_profile;
  std::string measurements;
  std::vector<std::string> imports;
  std::vector<std::string> additions;
  std::string name;
  std::string instance;
};

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
    write_stderr(std::string("feedrate: nothing stands beside what was measured: ") + error.what());
    return {};
  }
}

/// How fast the machine is just now, for programs that measure something beside it.
int print_canary(const CalibrateArguments& arguments, const bench::Settings& settings) {
  const Interrupt interrupt;
  const Duration budget = arguments.time_limit.empty() ? seconds(1.0) : settings.time_limit;
  write_stdout(schema::write_canary(bench::run_canary(budget, interrupt.flag())));
  return interrupt.flag() ? host_failed : 0;
}

int calibrate(const CalibrateArguments& arguments) {
  const bench::Settings settings = settings_of(arguments);
  if (arguments.list) return list_probes(settings);
  if (arguments.canary) return print_canary(arguments, settings);
  const ChosenProbes chosen = choose_probes(arguments.probes, arguments.imports.empty());
  const bench::ProcessGroup group = group_of(chosen);
  if (group.rank > 0) return measure_along(chosen, settings);
  const bool measures = !chosen.empty();
  const HostFacts host = measures ? bench::host_facts(settings) : HostFacts{};
  const EarlierSets earlier = arguments.additions.empty()
                                  ? read_imports(arguments.imports)
                                  : read_additions(arguments.additions, host);
  const std::string file =
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
  if (measures) {
    check_commands(chosen, settings, interrupt);
    const auto keep = [&] {
      write_text_file(file, schema::write_measurements(together(earlier, &fresh)));
    };
    measure(chosen, settings, group.size > 1, interrupt, fresh, keep);
  }
  MeasurementSet set = together(earlier, measures ? &fresh : nullptr);
  if (set.date.empty()) set.date = fresh.date;
  if (set.command_line.empty()) set.command_line = fresh.command_line;
  set.version = feedrate_version();
  const fit::FittedProfile fitted = fit::fit_profile(set);
  report::Calibration calibration{
      named(fitted.profile, arguments).name, "", "", interrupt.flag(), {}};
  calibration.drifts = fitted.drifts;
  calibration.figures = figures_beside(fitted.lines, set.host, arguments);
  if (measured(set)) {
    if (!file.empty()) write_text_file(file, schema::write_measurements(set));
    write_text_file(arguments.output, schema::write_host_profile(named(fitted.profile, arguments)));
    calibration.profile_file = arguments.output;
    calibration.measurements_file = file;
  }
  write_stdout(
      report::to_text(report::calibrate_report(set, fitted.lines, calibration), style_of_stdout()));
  if (!measured(set) || (measures && !arguments.additions.empty() && !measured(fresh))) {
    throw HostError(measured(set) ? "nothing could be measured: the profile is of what was added"
                                  : "nothing could be measured: no profile is written");
  }
  if (interrupt.flag()) {
    write_stderr("feedrate: interrupted: the profile holds what was measured until then");
    return host_failed;
  }
  return tell_failures(fresh, arguments.probes, settings) ? host_failed : 0;
}

void add_probe_flags(CLI::App& app, bench::Settings& settings) {
  const std::string group = "What to measure";
  const auto add = [&](const char* flag, std::string& into, const char* about, const char* type) {
    refuse_empty(*app.add_option(flag, into, about)->type_name(type)->group(group));
  };
  add("--data", settings.data, "Your samples, which are only read (default: generated ones)",
      "DIR");
  add("--url", settings.url,
      "http, https or s3://bucket/key of an object of your store (default: a server on loopback, "
      "which says nothing of it)",
      "URL");
  add("--step-command", settings.step_command,
      "A command that prints \"SAMPLES SECONDS\" lines of training steps", "COMMAND");
  add("--loader", settings.loader,
      "Your dataset for PyTorch's loader, as MODULE:DATASET; or images: --data as torchvision "
      "reads JPEGs",
      "MODULE:DATASET");
  add("--python", settings.python, "Python with PyTorch", "PROGRAM");
  add("--scratch", settings.scratch, "For scratch files (default: the system's folder)", "DIR");
  app.add_flag("--quick", settings.quick, "A few samples of everything, in seconds: for tests")
      ->group(group);
}

void add_file_flags(CLI::App& app, CalibrateArguments& arguments) {
  refuse_empty(*app.add_option("-o,--output", arguments.output, "Host profile to write")
                    ->type_name("PROFILE")
                    ->capture_default_str()
                    ->group("Output"));
  refuse_empty(*app.add_option("--measurements", arguments.measurements,
                               "Every sample, in a new file (default: named after the profile)")
                    ->type_name("FILE")
                    ->group("Output"));
  app.add_option("--name", arguments.name, "Of the host, for reports")
      ->type_name("TEXT")
      ->group("Output");
  app.add_option("--instance", arguments.instance, "Its name in the catalogue")
      ->type_name("NAME")
      ->group("Output");
}

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const bench::Probe& probe : bench::probes()) names.emplace_back(probe.name);
  return names;
}

}  // namespace

Command add_calibrate(CLI::App& parent) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* app = parent.add_subcommand(
      "calibrate", "Measure this machine and write a host profile that run --host uses");
  allow_only(*app->add_option("probes", arguments->probes,
                              "Which probes (default: all; none with --import)"),
             probe_names());
  app->add_flag("--list", arguments->list, "What each probe measures, and whether it can run here");
  app->add_flag("--canary", arguments->canary,
                "Only time the small fixed pieces of work that tell how fast the machine is just "
                "now, and print seconds as JSON (--time-limit for all, default: 1 s)");
  add_probe_flags(*app, arguments->settings);
  app->add_option("--time-limit", arguments->time_limit,
                  "For each probe, over all rounds (default: 30 s)")
      ->type_name("TIME");
  CLI::Option* imports =
      app->add_option("--import", arguments->imports,
                      "Take what another tool measured (fio, nvbandwidth, nccl-tests, NCCL's "
                      "tuning log, steps as CSV), or fit measurements of feedrate again, those of "
                      "one host together; "
                      "may be given several times")
          ->type_name("FILE")
          ->allow_extra_args(false);
  app->add_option("--add", arguments->additions,
                  "Measurements of an earlier calibration of this host: the new one is put to "
                  "them, so that the profile knows how far the host drifts; may be given several "
                  "times")
      ->type_name("FILE")
      ->excludes(imports)
      ->allow_extra_args(false);
  add_file_flags(*app, *arguments);
  app->footer(
      "Ctrl-C ends it early and keeps what was measured (exit status 3); a second one kills it.\n"
      "Exit status 3 too when nothing could be measured, or a probe failed that was asked for by "
      "name\nor with --loader, --step-command or --url; what was measured is kept then.\n"
      "Examples:\n"
      "  feedrate calibrate --list\n"
      "  feedrate calibrate --data /data/imagenet/train --url s3://bucket/shard-0000.tar\n"
      "  feedrate calibrate disk decode --data /data --output disk.json\n"
      "  feedrate calibrate --add feedrate-host.measurements.json\n"
      "  feedrate calibrate --import fio.json --import nccl.txt --output imported.json");
  return {app, [arguments] { return calibrate(*arguments); }};
}

}  // namespace feedrate::cli
