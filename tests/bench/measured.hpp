#pragma once
// One probe, run as `calibrate --quick` runs it.
#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

#include "bench/rounds.hpp"

namespace feedrate::test {

inline MeasurementSet measured(
    const bench::Probe& probe, bench::Settings settings,
    const std::atomic<bool>& stop = std::atomic<bool>(false),
    const std::function<void(const std::string&)>& progress = [](const std::string&) {}) {
  settings.quick = true;
  MeasurementSet set;
  const bench::Probe* const chosen[] = {&probe};
  bench::Surroundings quiet;
  quiet.canary = false;
  bench::run_probes(chosen, settings, set, stop, {progress, {}, {}}, quiet);
  return set;
}

/// What a profile can be made of: named, with positive work and times.
inline bool sane(const Measurement& what) {
  const bool times = std::all_of(what.times.begin(), what.times.end(), [](Duration time) {
    return time > Duration() && time < hours(1);
  });
  return !what.probe.empty() && !what.quantity.empty() && !what.unit.empty() && what.work > 0.0 &&
         what.times.size() >= 3 && times;
}

inline std::size_t count(const MeasurementSet& set, const std::string& quantity) {
  return static_cast<std::size_t>(
      std::count_if(set.measurements.begin(), set.measurements.end(),
                    [&](const Measurement& what) { return what.quantity == quantity; }));
}

}  // namespace feedrate::test
