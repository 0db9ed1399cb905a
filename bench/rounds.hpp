#pragma once
// The rounds of a calibration: every probe has its turn in each.
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bench/clock.hpp"
#include "bench/probe.hpp"
#include "bench/weather.hpp"

namespace feedrate::bench {

/// Who wants to know how it goes. Any of them may be empty.
struct Listener {
  std::function<void(const std::string&)> progress;  ///< "[round 3/8] disk: …"
  std::function<void(const ProbeOutcome&)> ended;    ///< a probe that will not go on
  std::function<void()> after_round;                 ///< what was measured can be kept
};

/// What rounds look at beside the probes. Tests put their own in its place.
struct Surroundings {
  Clock clock = now;
  std::function<std::string()> date = utc_now;
  std::function<Counters()> counters = count_now;
  std::function<std::optional<Frequency>()> core_clock = bench::core_clock;
  bool canary = true;
};

/// Opens the probes, then runs rounds: a canary, and a turn of each probe in random order.
/// Outcomes, rounds and measurements go into `set`, which was empty. A probe that fails leaves its
/// reason and what it had measured, and the others go on. For a disturbed round another one is run:
/// two at most, while the time of all probes is kept within 5/4, and none when it is quick. With
/// `alike` there is none either: processes of a group all run the same rounds. Returns early after
/// Ctrl-C.
void run_probes(std::span<const Probe* const> chosen, const Settings& settings, MeasurementSet& set,
                const std::atomic<bool>& stop, const Listener& listener,
                const Surroundings& surroundings = {}, bool alike = false);

}  // namespace feedrate::bench
