// How far each group of series drifts: within a calibration, between calibrations, and at least.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "fit/series.hpp"
#include "model/drift.hpp"
#include "model/merge_measurements.hpp"

namespace feedrate::fit {
namespace {

struct Group {
  std::string_view name;
  std::optional<Value<double>> HostProfile::*member;
};
constexpr std::array groups = {
    Group{"cpu", &HostProfile::cpu_drift},
    Group{"disk", &HostProfile::disk_drift},
    Group{"network", &HostProfile::network_drift},
    Group{"gpu", &HostProfile::gpu_drift},
};

/// What is assumed at least, until calibrations at different times have told.
struct Floor {
  HostClass kind;
  double drift;
  std::string_view of;
};
constexpr Floor floors[] = {
    {HostClass::shared_virtual_machine, shared_machine_drift, "a shared virtual machine"},
    // What is not known is taken for the worst of them.
    {HostClass::unknown, shared_machine_drift, "a machine of unknown kind"},
    // Cores of its own, but the hypervisor's work and the other half of the memory stay.
    {HostClass::dedicated_virtual_machine, 0.05, "a dedicated virtual machine"},
    // Clocks that follow heat and load, and what else the system does.
    {HostClass::bare_metal, 0.03, "bare metal"},
};
constexpr Floor gpu_floor = {HostClass::unknown, steady_gpu_drift, "a GPU at steady clocks"};
/// No machine was seen to repeat itself better over hours.
constexpr double least_measured = 0.02;
constexpr std::size_t enough = 3;  ///< calibrations: fewer say next to nothing of a deviation
/// Bands are read at 90 %, where a deviation of three levels misleads more than at 68 %. With the
/// factor for 68 %, two deviations held a later job's mean on 81 of 100 machines that drift within
/// an hour, with this one on 87 (tests/fit/coverage_test.cpp).
constexpr double of_a_90_percent_band = 1.645;
constexpr double much = 0.05;

const Floor& floor_of(std::string_view group, HostClass kind) {
  if (group == "gpu") return gpu_floor;
  return *std::find_if(std::begin(floors), std::end(floors),
                       [&](const Floor& floor) { return floor.kind == kind; });
}

using Calibrations = std::map<std::size_t, std::vector<RoundSamples>>;

Calibrations by_calibration(const Series& series) {
  Calibrations map;
  for (const RoundSamples& round : series.rounds) map[round.calibration].push_back(round);
  return map;
}

double median_or_0(std::vector<double> values) {
  return values.empty() ? 0.0 : median(std::move(values));
}

/// The middle over the calibrations of the middle over their series. Series with one sample per
/// round cannot tell drift from noise: they count only where there are no others.
double within_calibrations(const SeriesList& list) {
  std::map<std::size_t, std::vector<double>> told;
  std::map<std::size_t, std::vector<double>> noisy;
  for (const Series& series : list) {
    for (const auto& [calibration, rounds] : by_calibration(series)) {
      if (rounds.size() < 2) continue;
      const Apart found = apart(rounds);
      (found.noise_known ? told : noisy)[calibration].push_back(found.relative);
    }
  }
  std::vector<double> middles;
  for (auto& [calibration, values] : told.empty() ? noisy : told) {
    middles.push_back(median(std::move(values)));
  }
  return median_or_0(std::move(middles));
}

struct Between {
  double drift = 0.0;
  std::size_t calibrations = 1;
};

/// Deviation of the levels of calibrations, times Student's factor; the middle over the series that
/// were measured in most of them.
Between between_calibrations(const SeriesList& list) {
  std::map<std::size_t, std::vector<double>> found;  // by number of calibrations
  for (const Series& series : list) {
    std::vector<double> levels;
    for (const auto& [calibration, rounds] : by_calibration(series)) {
      levels.push_back(estimate(std::span<const RoundSamples>(rounds)).value);
    }
    if (levels.size() < 2) continue;
    const double factor =
        student_factor(levels.size() - 1, levels.size() < enough ? 1.0 : of_a_90_percent_band);
    found[levels.size()].push_back(standard_deviation(levels) / mean(levels) * factor);
  }
  if (found.empty()) return {};
  return {median(found.rbegin()->second), found.rbegin()->first};
}

std::string two_digit_percent(double share) {
  const double percent = share * 100.0;
  return percent < 10.0 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

/// Between hosts, or calibrations of one.
Drift drift_of(std::string_view group, const SeriesList& list, HostClass kind, bool hosts) {
  const Between between = between_calibrations(list);
  Drift drift;
  drift.group = group;
  drift.seen = within_calibrations(list);
  drift.calibrations = between.calibrations;
  drift.measured = between.calibrations >= enough;
  if (drift.measured) {
    drift.stated = std::max({between.drift, drift.seen, least_measured});
    drift.words = fmt::format("seen within and between {} calibrations{}", drift.calibrations,
                              hosts ? " of several hosts" : "");
    return drift;
  }
  const Floor& floor = floor_of(group, kind);
  drift.stated = std::max({floor.drift, drift.seen, between.drift});
  const bool more = drift.stated > floor.drift;
  drift.words =
      (more ? fmt::format("seen in {}, above the floor of {} for {}; ",
                          drift.calibrations == 1 ? "one calibration" : "two calibrations",
                          two_digit_percent(floor.drift), floor.of)
            : fmt::format("floor for {}; ", floor.of)) +
      (hosts ? "three hosts replace it: calibrate --join"
             : "three calibrations 20 minutes apart replace it: calibrate --add");
  if (drift.seen > much) {
    drift.advice = fmt::format(
        "this machine drifted by {} during calibration: measure longer (--time-limit) or repeat "
        "(--add)",
        two_digit_percent(drift.seen));
  }
  return drift;
}

}  // namespace

std::string_view drift_group(const Measurement& what) {
  constexpr std::pair<std::string_view, std::string_view> of_probe[] = {
      {"decode", "cpu"}, {"memcpy", "cpu"},       {"loader", "cpu"},
      {"disk", "disk"},  {"download", "network"}, {"allreduce", "network"},
      {"h2d", "gpu"},    {"gpu", "gpu"},          {"gpu-preprocess", "gpu"},
  };
  const auto how = [&](const char* key) {
    const auto found = what.how.find(key);
    return found == what.how.end() ? std::string_view() : std::string_view(found->second);
  };
  // Through the page cache it is no disk, over loopback no network, cold no CPU; a count is no
  // time.
  const bool other = (what.probe == "disk" && how("cache") == "cached") ||
                     (what.probe == "download" && how("server") == "loopback") ||
                     (what.probe == "loader" && how("cache") == "cold") ||
                     what.quantity == "device_reads";
  if (other) return "";
  if (what.quantity == "step_launch") return "cpu";
  if (what.quantity == "to_gpu") return "gpu";
  for (const auto& [probe, group] : of_probe) {
    if (what.probe == probe) return group;
  }
  return "";
}

void fit_drift(Findings& findings) {
  HostProfile& profile = findings.out.profile;
  const bool hosts = hosts_of(findings.set).size() > 1;
  for (const Group& group : groups) {
    const SeriesList list =
        findings.select([&](const Measurement& m) { return drift_group(m) == group.name; });
    if (list.empty()) continue;
    Drift drift = drift_of(group.name, list, findings.set.host.kind, hosts);
    profile.*
        group.member = {rounded(drift.stated),
                        {drift.measured ? Origin::measured : Origin::assumed, drift.words, 0.0}};
    if (!drift.advice.empty()) {
      profile.remarks.push_back(fmt::format("{}: {}", drift.group, drift.advice));
    }
    findings.out.drifts.push_back(std::move(drift));
  }
}

/// The time of a canary's piece of work, alone and with all threads at once. Told by no line: it is
/// nothing that a pipeline waits for.
void fit_canary(Findings& findings) {
  std::map<std::string, SeriesList> pieces;
  for (Series& series : findings.select([](const Measurement& m) { return m.probe == "canary"; })) {
    const std::string name = series.what->quantity + (series.users() > 1.0 ? "_all" : "");
    pieces[name].push_back(std::move(series));
  }
  for (const auto& [name, list] : pieces) {
    const Estimate each = pooled(list);
    const double time = each.value * list.front().what->work;
    const double error =
        findings.keep(list, name, Curve<double>{{{1.0, time}}, 0.0}, {each.relative_error});
    findings.out.profile.canary[name] = {Duration::of(rounded(time)),
                                         {Origin::measured, findings.source(list), error}};
  }
}

}  // namespace feedrate::fit
