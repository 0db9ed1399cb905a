#include "model/merge_measurements.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "base/append_once.hpp"

namespace feedrate {
namespace {

auto identity(const Measurement& what) {
  return std::tie(what.probe, what.quantity, what.how, what.at, what.unit, what.work, what.remark);
}

void add_missing(std::vector<std::string>& into, const std::vector<std::string>& more) {
  for (const std::string& words : more) {
    append_once(into, words);
  }
}

std::vector<std::string> parts_of(std::string_view reasons) {
  constexpr std::string_view between = "; ";
  std::vector<std::string> parts;
  while (!reasons.empty()) {
    const std::size_t end = std::min(reasons.find(between), reasons.size());
    parts.emplace_back(reasons.substr(0, end));
    reasons.remove_prefix(std::min(end + between.size(), reasons.size()));
  }
  return parts;
}

std::string together(const std::string& before, const std::string& after) {
  std::vector<std::string> parts;
  add_missing(parts, parts_of(before));
  add_missing(parts, parts_of(after));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// Why a probe could not run is of no interest once it could.
void add_outcome(std::vector<ProbeOutcome>& into, const ProbeOutcome& more) {
  const auto known = std::find_if(into.begin(), into.end(), [&](const ProbeOutcome& outcome) {
    return outcome.probe == more.probe;
  });
  if (known == into.end()) {
    into.push_back(more);
    return;
  }
  if (known->measured == more.measured) {
    known->reason = together(known->reason, more.reason);
  } else if (more.measured) {
    known->reason = more.reason;
  }
  known->measured = known->measured || more.measured;
  add_missing(known->remarks, more.remarks);
  known->took += more.took;
}

double calibrations(const MeasurementSet& set) {
  double most = 0.0;
  for (const Round& round : set.rounds) most = std::max(most, round.calibration);
  return most;
}

bool known(const MeasurementSet& into, const Round& round) {
  return !round.began.empty() &&
         std::any_of(into.rounds.begin(), into.rounds.end(), [&](const Round& other) {
           return other.began == round.began && other.took == round.took &&
                  other.host == round.host;
         });
}

/// The rounds that `keep` takes; their calibrations are counted from 1 again.
template <class Keep>
MeasurementSet only_rounds(MeasurementSet more, const Keep& keep) {
  std::vector<bool> kept;
  std::vector<double> numbers;
  std::vector<Round> rounds;
  for (Round& round : more.rounds) {
    kept.push_back(keep(round));
    if (!kept.back()) continue;
    if (numbers.empty() || numbers.back() != round.calibration) {
      numbers.push_back(round.calibration);
    }
    round.calibration = static_cast<double>(numbers.size());
    rounds.push_back(std::move(round));
  }
  if (rounds.size() == kept.size()) {
    more.rounds = std::move(rounds);
    return more;
  }
  for (Measurement& what : more.measurements) {
    if (what.rounds.empty()) what.rounds = {what.times.size()};
    std::vector<Duration> times;
    std::vector<std::size_t> counts;
    auto next = what.times.begin();
    std::vector<GpuState> states;
    for (std::size_t i = 0; i < what.rounds.size(); ++i) {
      const auto end = next + static_cast<std::ptrdiff_t>(what.rounds[i]);
      if (kept[i]) {
        times.insert(times.end(), next, end);
        counts.push_back(what.rounds[i]);
        for (GpuState state : what.gpu) {
          if (state.round != static_cast<double>(i + 1)) continue;
          state.round = static_cast<double>(counts.size());
          states.push_back(std::move(state));
        }
      }
      next = end;
    }
    what.times = std::move(times);
    what.rounds = std::move(counts);
    what.gpu = std::move(states);
  }
  if (rounds.empty()) {
    more.measurements.clear();
    for (ProbeOutcome& outcome : more.probes) outcome.took = Duration{};
  }
  more.rounds = std::move(rounds);
  return more;
}

void add(MeasurementSet& into, const MeasurementSet& all) {
  // A file that a calibration was put to holds what is in that file too.
  const MeasurementSet more =
      only_rounds(all, [&](const Round& round) { return !known(into, round); });
  const double before = calibrations(into);
  const std::size_t first = into.rounds.size();
  if (all.rounds.empty()) {
    Round only;
    only.began = more.date;
    only.calibration = before + 1.0;
    for (const ProbeOutcome& outcome : more.probes) only.took += outcome.took;
    if (known(into, only)) return;
    into.rounds.push_back(std::move(only));
  }
  for (Round round : more.rounds) {
    round.calibration += before;
    into.rounds.push_back(std::move(round));
  }
  for (const ProbeOutcome& outcome : more.probes) add_outcome(into.probes, outcome);
  for (const Measurement& what : more.measurements) {
    auto known = std::find_if(into.measurements.begin(), into.measurements.end(),
                              [&](const Measurement& one) { return same_series(one, what); });
    if (known == into.measurements.end()) {
      known = into.measurements.insert(known, what);
      known->times.clear();
      known->rounds.clear();
      known->gpu.clear();
    }
    append_samples(*known, what, first);
  }
  if (!more.date.empty()) into.date = more.date;
  if (!more.command_line.empty()) into.command_line = more.command_line;
  if (!more.version.empty()) into.version = more.version;
  const HostClass kind = into.host.kind;
  if (more.host != HostFacts{}) into.host = more.host;
  if (into.host.kind == HostClass::unknown) into.host.kind = kind;
}

}  // namespace

bool same_series(const Measurement& a, const Measurement& b) {
  return identity(a) == identity(b);
}

bool series_before(const Measurement& a, const Measurement& b) {
  return identity(a) < identity(b);
}

void append_samples(Measurement& into, const Measurement& more, std::size_t first) {
  if (more.times.empty()) return;
  std::vector<std::size_t> counts = more.rounds;
  if (counts.empty()) counts = {more.times.size()};
  if (into.rounds.empty() && !into.times.empty()) into.rounds = {into.times.size()};
  into.rounds.resize(std::max(into.rounds.size(), first + counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) into.rounds[first + i] += counts[i];
  into.times.insert(into.times.end(), more.times.begin(), more.times.end());
  for (GpuState state : more.gpu) {
    state.round += static_cast<double>(first);
    into.gpu.push_back(std::move(state));
  }
}

MeasurementSet merged(std::span<const MeasurementSet> sets) {
  MeasurementSet all;
  for (const MeasurementSet& set : sets) add(all, set);
  return all;
}

const std::string& name_of(const HostFacts& host) {
  return host.name.empty() ? host.hostname : host.name;
}

MeasurementSet joined(std::span<const MeasurementSet> sets) {
  MeasurementSet all;
  bool one_instance = true;
  for (const MeasurementSet& set : sets) {
    MeasurementSet of_host = merged({&set, 1});
    for (Round& round : of_host.rounds) {
      if (round.host.empty()) round.host = name_of(set.host);
    }
    one_instance = one_instance && set.host.instance == sets.front().host.instance;
    add(all, of_host);
  }
  all.host.hostname.clear();
  if (!one_instance) all.host.instance.clear();
  all.host.name = std::to_string(hosts_of(all).size()) + " hosts";
  return all;
}

std::vector<std::string> hosts_of(const MeasurementSet& set) {
  std::set<std::string> names;
  for (const Round& round : set.rounds) {
    if (!round.host.empty()) names.insert(round.host);
  }
  return {names.begin(), names.end()};
}

MeasurementSet without_hosts(const MeasurementSet& set, std::span<const std::string> hosts) {
  MeasurementSet rest = only_rounds(set, [&](const Round& round) {
    return std::find(hosts.begin(), hosts.end(), round.host) == hosts.end();
  });
  std::erase_if(rest.measurements, [](const Measurement& what) { return what.times.empty(); });
  return rest;
}

}  // namespace feedrate
