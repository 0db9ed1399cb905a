// Hosts of one kind beside each other: which of them is slow, and in what.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

/// Fewer do not tell which of them is the odd one.
constexpr std::size_t enough_hosts = 3;
/// A job that goes by its slowest host is slower by as much.
constexpr double worth_naming = 0.1;
/// Deviations: of fleets of equal hosts that differ by 5 % fewer than 15 in 100 have one that is
/// named so in one of two probes (tests/fit/fleet_test.cpp).
constexpr double far = 3.5;

using Levels = std::map<std::string, double>;

/// s per unit of work, by host: the mean of its calibrations.
Levels levels_of(const Series& series, const Sampling& sampling) {
  std::map<std::string, std::vector<RoundSamples>> by_host;
  for (const RoundSamples& round : series.rounds) {
    by_host[sampling.host_of(round.calibration)].push_back(round);
  }
  Levels levels;
  for (const auto& [host, rounds] : by_host) {
    levels[host] = estimate(std::span<const RoundSamples>(rounds)).value;
  }
  return levels;
}

std::vector<double> values_of(const Levels& levels) {
  std::vector<double> values;
  for (const auto& [host, level] : levels) values.push_back(level);
  return values;
}

/// The ratio from which on one of these is slow.
double slow_from(const std::vector<double>& ratios) {
  const double middle = median(ratios);
  std::vector<double> off;
  for (const double ratio : ratios) off.push_back(ratio - middle);
  return middle * (1.0 + std::max(worth_naming, far * robust_deviation(off)));
}

}  // namespace

std::vector<HostBeside> hosts_beside(const Findings& findings) {
  std::vector<std::string> probes;  // in the order of the path
  std::map<std::string, std::map<std::string, std::vector<double>>> ratios;  // by probe and host
  std::map<std::string, HostBeside> hosts;
  const auto telling = [](const Measurement& m) { return !drift_group(m).empty(); };
  for (const Series& series : findings.select(telling)) {
    const Levels levels = levels_of(series, findings.sampling);
    for (const auto& [host, level] : levels) hosts[host].name = host;
    if (levels.size() < 2) continue;
    const std::string& probe = series.what->probe;
    if (!ratios.contains(probe)) probes.push_back(probe);
    const double middle = median(values_of(levels));
    for (const auto& [host, level] : levels) ratios[probe][host].push_back(level / middle);
  }
  for (const std::string& probe : probes) {
    Levels of_probe;
    for (const auto& [host, list] : ratios[probe]) of_probe[host] = median(list);
    const double limit = slow_from(values_of(of_probe));
    const bool told = of_probe.size() >= enough_hosts;
    for (const auto& [host, ratio] : of_probe) {
      hosts[host].probes.push_back({probe, ratio, told && ratio > limit});
    }
  }
  std::vector<HostBeside> list;
  for (auto& [name, host] : hosts) list.push_back(std::move(host));
  return list;
}

}  // namespace feedrate::fit
