#include "fit/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace feedrate::fit {
namespace {

constexpr double same_weather = 15.0 * 60.0;  ///< s
constexpr double rounding = 1e-9;             ///< of numbers that no round changes

/// Seconds since 1970 of "2026-11-22T01:51:27Z".
std::optional<double> seconds_of(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0.0;
  if (std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%lf", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
}

/// Number of each calibration among those that lie apart, from 0. All are one where one of them
/// does not say when it began.
std::map<double, std::size_t> apart_in_time(const std::vector<Round>& rounds) {
  std::map<double, std::size_t> numbers;
  std::map<double, double> begins;  // by calibration
  bool known = true;
  for (const Round& round : rounds) {
    numbers[round.calibration] = 0;
    const std::optional<double> began = seconds_of(round.began);
    known = known && began;
    if (!known) continue;
    const auto [at, first] = begins.emplace(round.calibration, *began);
    if (!first) at->second = std::min(at->second, *began);
  }
  if (!known || begins.empty()) return numbers;
  std::vector<std::pair<double, double>> ordered;  // began, calibration
  for (const auto& [calibration, began] : begins) ordered.emplace_back(began, calibration);
  std::sort(ordered.begin(), ordered.end());
  std::size_t number = 0;
  double opened = ordered.front().first;
  for (const auto& [began, calibration] : ordered) {
    if (began - opened >= same_weather) {
      ++number;
      opened = began;
    }
    numbers[calibration] = number;
  }
  return numbers;
}

/// Relative, of the worst known point (the first of a ratio may be exact); 0 where the units say
/// nothing.
double error_by(const std::vector<Refits::Without>& all, const std::set<std::size_t>& units,
                const std::string& of, const Curve<double>& whole) {
  std::vector<std::pair<std::size_t, const Curve<double>*>> found;  // by stratum
  for (const Refits::Without& without : all) {
    if (!units.contains(without.unit)) continue;
    const auto at = without.found.find(of);
    if (at == without.found.end()) return 0.0;
    found.emplace_back(without.stratum, &at->second);
  }
  double worst = 0.0;
  for (const auto& point : whole.points) {
    std::vector<Refit> refits;
    for (const auto& [stratum, curve] : found) {
      refits.push_back({stratum, curve->total(point.users)});
    }
    if (point.total == 0.0) continue;
    worst = std::max(worst, jackknife(point.total, refits) / std::abs(point.total));
  }
  return worst;
}

}  // namespace

Sampling::Sampling(const std::vector<Round>& rounds) : calibration_of_(rounds.size()) {
  std::map<std::string, std::vector<std::size_t>> hosts;
  for (std::size_t i = 0; i < rounds.size(); ++i) hosts[rounds[i].host].push_back(i);
  for (const auto& [host, indices] : hosts) {
    std::vector<Round> own;
    for (const std::size_t i : indices) own.push_back(rounds[i]);
    const std::map<double, std::size_t> numbers = apart_in_time(own);
    const std::size_t before = host_of_.size();
    for (const std::size_t i : indices) {
      calibration_of_[i] = before + numbers.at(rounds[i].calibration);
      host_of_.resize(std::max(host_of_.size(), calibration_of_[i] + 1), host);
    }
  }
  if (rounds.empty()) {
    calibration_of_.push_back(0);
    host_of_.emplace_back();
  }
}

const std::string& Sampling::host_of(std::size_t calibration) const {
  return host_of_[calibration];
}

std::size_t Sampling::calibration_of(std::size_t round) const {
  return calibration_of_[std::min(round, calibration_of_.size() - 1)];
}

std::vector<RoundSamples> Sampling::samples_of(const Measurement& what) const {
  std::vector<std::size_t> counts = what.rounds;
  if (counts.empty()) counts.push_back(what.times.size());
  std::vector<RoundSamples> list;
  std::size_t next = 0;
  for (std::size_t round = 0; round < counts.size(); ++round) {
    RoundSamples one{round, calibration_of(round), {}};
    const std::size_t end = std::min(next + counts[round], what.times.size());
    for (; next < end; ++next) {
      if (what.times[next].base() > 0.0) one.samples.push_back(what.times[next].base());
    }
    if (!one.samples.empty()) list.push_back(std::move(one));
  }
  return list;
}

std::optional<double> Refits::relative_error(const std::string& of, const Curve<double>& whole,
                                             const Units& units) const {
  const double error = std::max(error_by(rounds, units.rounds, of, whole),
                                error_by(calibrations, units.calibrations, of, whole));
  return error > rounding ? std::optional(error) : std::nullopt;
}

}  // namespace feedrate::fit
