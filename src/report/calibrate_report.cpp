#include "report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/append_once.hpp"
#include "base/number_text.hpp"
#include "model/fit_line.hpp"
#include "model/measurement.hpp"
#include "report/numbers.hpp"
#include "report/shell_text.hpp"
#include "study/vendor_figures.hpp"

namespace feedrate::report {
namespace {

std::size_t samples_of(const MeasurementSet& set, const std::string& probe, std::size_t& series) {
  std::size_t samples = 0;
  for (const Measurement& m : set.measurements) {
    if (m.probe != probe) continue;
    ++series;
    samples += m.times.size();
  }
  return samples;
}

Table outcomes(const MeasurementSet& set) {
  Table table;
  table.title = "Probes";
  table.columns = {
      {"probe"}, {""}, {"series", Align::right}, {"samples", Align::right}, {"took", Align::right},
      {""}};
  for (const ProbeOutcome& outcome : set.probes) {
    std::size_t series = 0;
    const std::size_t samples = samples_of(set, outcome.probe, series);
    const bool whole = outcome.measured && outcome.reason.empty();
    Row row;
    row.cells = {
        outcome.probe,
        whole              ? Cell("measured", Tone::good)
        : outcome.measured ? Cell("in part", Tone::caution)
                           : Cell("skipped", Tone::faint),
        outcome.measured ? Cell(count(static_cast<double>(series))) : Cell(),
        outcome.measured ? Cell(count(static_cast<double>(samples))) : Cell(),
        outcome.measured && outcome.took > Duration() ? Cell(duration(outcome.took)) : Cell(),
        outcome.reason};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table fitted(std::span<const FitLine> lines) {
  Table table;
  table.title = "Fitted";
  table.columns = {
      {"probe"}, {"what"}, {"value", Align::right}, {"±", Align::right}, {"from", Align::right},
      {""}};
  for (const FitLine& line : lines) {
    const bool doubted = !line.warnings.empty();
    Row row;
    row.cells = {line.probe,
                 line.what,
                 Cell(line.value, line.in_profile ? Tone::plain : Tone::faint),
                 line.relative_error > 0.0 ? Cell(percent(line.relative_error)) : Cell("?"),
                 count(static_cast<double>(line.points)),
                 !line.in_profile ? Cell("not in the profile", Tone::faint)
                 : doubted        ? Cell("doubtful", Tone::caution)
                                  : Cell()};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table drift_table(const std::vector<Drift>& drifts) {
  Table table;
  table.title = "Drift";
  table.columns = {{"of"}, {"seen", Align::right}, {"stated", Align::right}, {""}, {"because"}};
  for (const Drift& drift : drifts) {
    Row row;
    row.cells = {drift.group, drift.seen > 0.0 ? Cell(percent(drift.seen)) : Cell("?"),
                 percent(drift.stated),
                 drift.measured ? Cell("measured", Tone::good) : Cell("assumed", Tone::faint),
                 drift.words};
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Each host's times beside the middle of all, a column a probe.
void add_hosts(const std::vector<HostBeside>& hosts, Report& report) {
  if (hosts.empty()) return;
  std::vector<std::string> probes;
  for (const HostBeside& host : hosts) {
    for (const ProbeBeside& beside : host.probes) append_once(probes, beside.probe);
  }
  Table table;
  table.title = "Hosts: times beside the middle of all";
  table.columns = {{"host"}};
  for (const std::string& probe : probes) table.columns.push_back({probe, Align::right});
  table.columns.push_back({""});
  for (const HostBeside& host : hosts) {
    Row row;
    row.cells = {host.name};
    for (const std::string& probe : probes) {
      const auto of = std::find_if(host.probes.begin(), host.probes.end(),
                                   [&](const ProbeBeside& one) { return one.probe == probe; });
      row.cells.push_back(of == host.probes.end() ? Cell("-", Tone::faint)
                                                  : Cell(signed_percent(of->ratio - 1.0),
                                                         of->slow ? Tone::caution : Tone::plain));
    }
    row.cells.push_back(host.slow() ? Cell("slow, not in the profile", Tone::caution) : Cell());
    table.rows.push_back(std::move(row));
  }
  report.add(std::move(table));
  const bool any =
      std::any_of(hosts.begin(), hosts.end(), [](const HostBeside& host) { return host.slow(); });
  if (!any) return;
  report.add(
      "A synchronous job goes at the pace of its slowest host: leave slow ones out, or "
      "simulate a job over all of them with the slow one's own profile.",
      Tone::caution);
}

/// How far times of a group move together from one hour to another, and what to do about it.
void add_drifts(const std::vector<Drift>& drifts, Report& report) {
  if (drifts.empty()) return;
  report.add(drift_table(drifts));
  for (const Drift& drift : drifts) {
    if (drift.advice.empty()) continue;
    report.add(fmt::format("{}: {}", drift.group, drift.advice), Tone::caution);
  }
}

std::string link_text(const GpuFacts& gpu) {
  if (!gpu.pcie_generation || !gpu.pcie_lanes) return "";
  std::string text = fmt::format("PCIe {:g} x{:g}", *gpu.pcie_generation, *gpu.pcie_lanes);
  const bool less =
      (gpu.most_pcie_generation && *gpu.pcie_generation < *gpu.most_pcie_generation) ||
      (gpu.most_pcie_lanes && *gpu.pcie_lanes < *gpu.most_pcie_lanes);
  if (less && gpu.most_pcie_generation && gpu.most_pcie_lanes) {
    text += fmt::format(" (supports {:g} x{:g})", *gpu.most_pcie_generation, *gpu.most_pcie_lanes);
  }
  return text;
}

/// "2 × NVIDIA A100-SXM4-40GB: 42.4 GB, 108 multiprocessors, PCIe 4 x16, up to 1.41 GHz, 400 W,
/// ECC"
std::string gpu_text(const GpuFacts& gpu, std::size_t count) {
  std::vector<std::string> parts;
  if (gpu.memory) parts.push_back(fmt::format("{} GB", three_digits(gpu.memory->base() / 1e9)));
  if (gpu.multiprocessors)
    parts.push_back(fmt::format("{:g} multiprocessors", *gpu.multiprocessors));
  if (const std::string link = link_text(gpu); !link.empty()) parts.push_back(link);
  if (gpu.most_sm_clock) {
    parts.push_back(fmt::format("up to {:.3g} GHz", gpu.most_sm_clock->base() / 1e9));
  }
  if (gpu.power_limit) parts.push_back(fmt::format("{:.0f} W", *gpu.power_limit));
  if (gpu.ecc) parts.emplace_back(*gpu.ecc ? "ECC" : "no ECC");
  if (gpu.mig.value_or(false)) parts.emplace_back("partitioned (MIG)");
  return fmt::format("{}{}{}", count > 1 ? fmt::format("{} x ", count) : "", gpu.name,
                     parts.empty() ? "" : fmt::format(": {}", fmt::join(parts, ", ")));
}

List gpus_of(const HostFacts& host) {
  List list;
  list.title = "GPUs";
  for (std::size_t i = 0; i < host.gpu_details.size();) {
    std::size_t end = i + 1;
    while (end < host.gpu_details.size() && host.gpu_details[end] == host.gpu_details[i]) ++end;
    list.items.push_back(gpu_text(host.gpu_details[i], end - i));
    i = end;
  }
  return list;
}

Table beside_vendors(const std::vector<VendorFigure>& figures) {
  Table table;
  table.title = "Compared with the vendor's figures";
  table.columns = {{"what"},
                   {"measured", Align::right},
                   {"figure", Align::right},
                   {"share", Align::right},
                   {"of"},
                   {"meanwhile"}};
  for (const VendorFigure& figure : figures) {
    const Tone tone = study::is_odd(figure) ? Tone::caution : Tone::plain;
    Row row;
    row.cells = {figure.what,
                 figure.measured,
                 figure.figure,
                 figure.ratio > 0.0 ? Cell(percent(figure.ratio), tone) : Cell(),
                 Cell(figure.of, figure.ratio > 0.0 ? Tone::plain : Tone::faint),
                 Cell(figure.meanwhile, Tone::faint)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "memory, read and written by memcpy (73 %), matmul in bf16 (62 %)" of those that are odd.
std::string odd_ones(const std::vector<VendorFigure>& figures, bool too_much) {
  std::vector<std::string> list;
  for (const VendorFigure& figure : figures) {
    if (!study::is_odd(figure) || (figure.ratio > 1.0) != too_much) continue;
    list.push_back(fmt::format("{} ({})", figure.what, percent(figure.ratio)));
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

/// What is far from its vendor's figure, which may be the part's fault or the measurement's.
void add_figures(const MeasurementSet& set, const std::vector<VendorFigure>& figures,
                 Report& report) {
  if (figures.empty()) return;
  report.add(beside_vendors(figures));
  if (set.command_line.find("--quick") != std::string::npos) {
    report.add("Measured with --quick: sizes are too small to reach a vendor's figure.",
               Tone::faint);
    return;
  }
  const auto say = [&](const std::string& which, const char* where, const char* what_to_do) {
    if (which.empty()) return;
    report.add(fmt::format("{} of the vendor's figure: {}. {}", where, which, what_to_do),
               Tone::caution);
  };
  say(odd_ones(figures, false), "Below 85 %",
      "Possible reasons: clocks and the power limit during the measurement, the width and "
      "generation of the link, and other users of the device.");
  say(odd_ones(figures, true), "Above 105 %",
      "Check that the device is the one that it reports to be.");
}

List remarks_of(const MeasurementSet& set) {
  List list;
  list.title = "Remarks";
  for (const ProbeOutcome& outcome : set.probes) {
    for (const std::string& remark : outcome.remarks) {
      list.items.push_back(fmt::format("{}: {}", outcome.probe, remark));
    }
  }
  return list;
}

List doubts_of(std::span<const FitLine> lines) {
  List list;
  list.title = "Doubts";
  // Values of one fit share its doubts: each is told once, of the first.
  std::vector<std::string> told;
  for (const FitLine& line : lines) {
    for (const std::string& warning : line.warnings) {
      const std::string one = line.probe + warning;
      if (std::find(told.begin(), told.end(), one) != told.end()) continue;
      told.push_back(one);
      list.items.push_back(fmt::format("{}, {}: {}", line.probe, line.what, warning));
    }
  }
  return list;
}

Paragraph headline(const MeasurementSet& set, std::span<const FitLine> lines,
                   const Calibration& calibration) {
  const auto measured = std::count_if(set.probes.begin(), set.probes.end(),
                                      [](const ProbeOutcome& o) { return o.measured; });
  if (measured == 0) return {"Nothing could be measured.", Tone::bad};
  const auto kept = std::count_if(lines.begin(), lines.end(),
                                  [](const FitLine& line) { return line.in_profile; });
  return {fmt::format("{}{} of {} probes measured; {} contains {} value{}.",
                      calibration.interrupted ? "Interrupted: " : "", measured, set.probes.size(),
                      calibration.profile_file, kept, kept == 1 ? "" : "s"),
          calibration.interrupted ? Tone::caution : Tone::plain};
}

/// "8 rounds in 3 min 58 s; 1 disturbed (other processes used 40 % of the CPUs)."
Paragraph rounds_of(const MeasurementSet& set) {
  double calibrations = 0.0;
  Duration took;
  std::vector<const Round*> disturbed;
  for (const Round& round : set.rounds) {
    calibrations = std::max(calibrations, round.calibration);
    took += round.took;
    if (!round.disturbed.empty()) disturbed.push_back(&round);
  }
  std::string text =
      fmt::format("{} round{}", set.rounds.size(), set.rounds.size() == 1 ? "" : "s");
  if (calibrations > 1.0) text += fmt::format(" of {:.0f} calibrations", calibrations);
  text += " in " + duration(took);
  if (!disturbed.empty()) {
    text += fmt::format("; {} disturbed ({}{})", disturbed.size(),
                        disturbed.size() == 1 ? "" : "one of them: ", disturbed.front()->disturbed);
  }
  return {text + ".", disturbed.empty() ? Tone::plain : Tone::caution};
}

List next_steps(const Calibration& calibration) {
  List list;
  list.title = "Next";
  list.items = {
      fmt::format("feedrate run SCENARIO --host {}", shell_file(calibration.profile_file)),
      fmt::format("feedrate validate {}", shell_file(calibration.profile_file))};
  if (!calibration.measurements_file.empty()) {
    list.items.push_back(
        fmt::format("every sample is in {}; feedrate calibrate --import {} fits them again",
                    calibration.measurements_file, shell_file(calibration.measurements_file)));
  }
  return list;
}

}  // namespace

Report probes_report(std::span<const ProbeState> probes) {
  Report report;
  report.title = "Probes of feedrate calibrate";
  Table table;
  table.columns = {{"probe"}, {"measures"}, {"here"}};
  for (const ProbeState& probe : probes) {
    table.rows.push_back({{probe.name, probe.measures,
                           probe.unavailable.empty() ? Cell("ready", Tone::good)
                                                     : Cell(probe.unavailable, Tone::caution)},
                          false});
  }
  report.add(std::move(table));
  return report;
}

Report calibrate_report(const MeasurementSet& set, std::span<const FitLine> lines,
                        const Calibration& calibration) {
  Report report;
  report.title = calibration.name + (set.host.cpu.empty() ? "" : " · " + set.host.cpu);
  report.headline = headline(set, lines, calibration);
  report.add(outcomes(set));
  if (!set.rounds.empty()) report.add(rounds_of(set));
  report.add(gpus_of(set.host));
  if (!lines.empty()) report.add(fitted(lines));
  add_figures(set, calibration.figures, report);
  add_hosts(calibration.hosts, report);
  add_drifts(calibration.drifts, report);
  report.add(doubts_of(lines));
  report.add(remarks_of(set));
  if (!calibration.profile_file.empty()) report.add(next_steps(calibration));
  return report;
}

}  // namespace feedrate::report
