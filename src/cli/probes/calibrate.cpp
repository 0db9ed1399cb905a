#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "bench/canary.hpp"
#include "cli/calibrate.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/probes/calibrate_probes.hpp"
#include "cli/probes/work.hpp"
#include "cli/terminal.hpp"
#include "fit/profile.hpp"
#include "formats/measurements/import_measurements.hpp"
#include "model/measurement.hpp"
#include "model/merge_measurements.hpp"
#include "report/reports.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/measurements.hpp"
#include "study/vendor_figures.hpp"

namespace feedrate::cli {
namespace {

/// What `calibrate` was given beside what it measures.
struct EarlierSets {
  std::vector<MeasurementSet> sets;  ///< of --import or --add, in their order
  std::vector<std::string> files;    ///< of each
};

bool same_host(const HostFacts& a, const HostFacts& b) {
  return a.hostname == b.hostname && a.cpu == b.cpu;
}

/// Other tools do not say on which host they ran.
bool of_feedrate(const MeasurementSet& set) {
  return !set.host.hostname.empty();
}

/// "host.json" → "host.measurements.json", as calibrate names them.
std::string measurements_beside(const std::string& profile) {
  std::filesystem::path path = profile;
  if (path.extension() == ".json") path.replace_extension();
  return path.string() + ".measurements.json";
}

MeasurementSet own_measurements(const char* flag, const std::string& file) {
  if (!holds_measurements(file) && !read_text_file(file).empty()) {
    refuse_flag(flag,
                fmt::format("expected a measurements file of feedrate, got {}; a profile's samples "
                            "are in a file like {}",
                            in_quotes(file, 200), in_quotes(measurements_beside(file), 200)));
  }
  return schema::read_measurements(file);
}

/// What hosts of one kind have in common: "AMD EPYC 7571, 96 hardware threads, 8 x NVIDIA A100".
std::string kind_of(const HostFacts& host) {
  std::string kind = host.cpu.empty() ? "a CPU that it does not name" : host.cpu;
  if (host.hardware_threads) kind += fmt::format(", {:g} hardware threads", *host.hardware_threads);
  std::map<std::string, std::size_t> gpus;
  for (const std::string& gpu : host.gpus) ++gpus[gpu];
  for (const auto& [name, count] : gpus) kind += fmt::format(", {} x {}", count, name);
  return kind;
}

void append(MeasurementSet& into, MeasurementSet more) {
  if (into.host == HostFacts{}) into.host = more.host;
  if (into.date.empty()) into.date = more.date;
  if (into.command_line.empty()) into.command_line = more.command_line;
  std::move(more.measurements.begin(), more.measurements.end(),
            std::back_inserter(into.measurements));
  std::move(more.probes.begin(), more.probes.end(), std::back_inserter(into.probes));
}

void name_source(MeasurementSet& set, const std::string& file) {
  for (Measurement& m : set.measurements) {
    if (m.remark.empty()) m.remark = "imported from " + file;
  }
}

EarlierSets read_imports(const std::vector<std::string>& files) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    earlier.sets.push_back(formats::import_measurements(file));
  }
  return earlier;
}

/// InputError when one of them was measured on another host than `here`, or is none of feedrate's
/// measurement files: a profile's message says where its samples are.
EarlierSets read_additions(const std::vector<std::string>& files, const HostFacts& here) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    MeasurementSet set = own_measurements("--add", file);
    if (set.host.hostname != here.hostname) {
      refuse_flag("--add",
                  fmt::format("expected measurements of this host, {}, got those of {} in {}",
                              in_quotes(here.hostname), in_quotes(set.host.hostname),
                              in_quotes(file, 200)));
    }
    if (set.host.cpu != here.cpu) {
      refuse_flag("--add",
                  fmt::format("expected measurements of this host's CPU, {}, got those of {} in {}",
                              in_quotes(here.cpu, 100), in_quotes(set.host.cpu, 100),
                              in_quotes(file, 200)));
    }
    earlier.sets.push_back(std::move(set));
  }
  return earlier;
}

/// Of --join. InputError where a file holds no measurements of a host that says who it is, where
/// the hosts are not of one kind, or where there is only one.
EarlierSets read_joins(const std::vector<std::string>& files) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    MeasurementSet set = own_measurements("--join", file);
    if (name_of(set.host).empty()) {
      refuse_flag("--join", fmt::format("expected a host's name in {}, which contains none",
                                        in_quotes(file, 200)));
    }
    const MeasurementSet& first = earlier.sets.empty() ? set : earlier.sets.front();
    if (kind_of(set.host) != kind_of(first.host)) {
      refuse_flag(
          "--join",
          fmt::format("expected hosts of one kind, got {} ({}) in {} and {} ({}) in {}",
                      name_of(first.host), kind_of(first.host), in_quotes(files.front(), 200),
                      name_of(set.host), kind_of(set.host), in_quotes(file, 200)));
    }
    earlier.sets.push_back(std::move(set));
  }
  if (const MeasurementSet all = joined(earlier.sets); hosts_of(all).size() < 2) {
    refuse_flag("--join", fmt::format("expected measurements of several hosts, got only those of "
                                      "{}; calibrate --add combines those of one",
                                      in_quotes(name_of(earlier.sets.front().host))));
  }
  return earlier;
}

/// Everything as one set. Calibrations of one host are merged, oldest first; what other tools
/// measured, or another host, is beside them and says where it came from. `fresh` may be null:
/// nothing was measured now. A single set stays as it is.
MeasurementSet together(const EarlierSets& earlier, const MeasurementSet* fresh) {
  const std::size_t count = earlier.sets.size() + (fresh != nullptr ? 1 : 0);
  if (count == 1) return fresh != nullptr ? *fresh : earlier.sets.front();
  // The host is that of what is measured now, or of the first file that says one.
  const MeasurementSet* leading = fresh;
  for (const MeasurementSet& set : earlier.sets) {
    if (leading == nullptr && of_feedrate(set)) leading = &set;
  }
  std::vector<MeasurementSet> calibrations;
  MeasurementSet beside;
  for (std::size_t i = 0; i < earlier.sets.size(); ++i) {
    MeasurementSet set = earlier.sets[i];
    if (leading != nullptr && of_feedrate(set) && same_host(set.host, leading->host)) {
      calibrations.push_back(std::move(set));
    } else {
      name_source(set, earlier.files[i]);
      append(beside, std::move(set));
    }
  }
  if (fresh != nullptr) calibrations.push_back(*fresh);
  MeasurementSet all = calibrations.size() == 1 ? calibrations.front() : merged(calibrations);
  append(all, std::move(beside));
  return all;
}

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
