#include "report/calibrate_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.hpp"

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

/// How far times of a group move together from one hour to another, and what to do about it.
void add_drifts(const std::vector<Drift>& drifts, Report& report) {
  if (drifts.empty()) return;
  report.blocks.emplace_back(drift_table(drifts));
  for (const Drift& drift : drifts) {
    if (drift.advice.empty()) continue;
    report.blocks.emplace_back(
        Paragraph{fmt::format("{}: {}", drift.group, drift.advice), Tone::caution});
  }
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
  list.title = "To doubt";
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
  return {fmt::format("{}{} of {} probes measured; {} holds {} value{}.",
                      calibration.interrupted ? "Interrupted: " : "", measured, set.probes.size(),
                      calibration.profile_file, kept, kept == 1 ? "" : "s"),
          calibration.interrupted ? Tone::caution : Tone::plain};
}

/// "8 rounds in 3 min 58 s; 1 disturbed (others used 40 % of the CPUs)."
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
  list.items = {fmt::format("feedrate run SCENARIO --host {}", calibration.profile_file),
                fmt::format("feedrate validate {}", calibration.profile_file)};
  if (!calibration.measurements_file.empty()) {
    list.items.push_back(
        fmt::format("every sample is in {}; feedrate calibrate --import {} fits them again",
                    calibration.measurements_file, calibration.measurements_file));
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
  report.blocks.emplace_back(std::move(table));
  return report;
}

Report calibrate_report(const MeasurementSet& set, std::span<const FitLine> lines,
                        const Calibration& calibration) {
  Report report;
  report.title = calibration.name + (set.host.cpu.empty() ? "" : " · " + set.host.cpu);
  report.headline = headline(set, lines, calibration);
  report.blocks.emplace_back(outcomes(set));
  if (!set.rounds.empty()) report.blocks.emplace_back(rounds_of(set));
  if (!lines.empty()) report.blocks.emplace_back(fitted(lines));
  add_drifts(calibration.drifts, report);
  if (List list = doubts_of(lines); !list.items.empty())
    report.blocks.emplace_back(std::move(list));
  if (List list = remarks_of(set); !list.items.empty()) report.blocks.emplace_back(std::move(list));
  if (!calibration.profile_file.empty()) report.blocks.emplace_back(next_steps(calibration));
  return report;
}

}  // namespace feedrate::report
