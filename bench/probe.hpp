#pragma once
// What a probe is, and what it is given. The list of all probes is in probes.cpp.
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench {

/// What the user asked for.
struct Settings {
  std::string data;          ///< directory of samples, only ever read; "": generated ones
  std::string scratch;       ///< directory for scratch files; "": the system's
  std::string url;           ///< http, https or s3://bucket/key…; "": own server on loopback
  std::string step_command;  ///< prints "SAMPLES SECONDS" lines of training steps; "": none
  std::string loader;        ///< MODULE:DATASET of the user's own loader, or "images"; "": none
  std::string python = "python3";
  std::string scripts;                  ///< directory of the Python scripts (bench/pytorch)
  bool quick = false;                   ///< a few samples of everything, for tests: seconds in all
  Duration time_limit = seconds(30.0);  ///< of one probe
};

/// Ctrl-C was pressed: what was measured until then stands.
struct Interrupted {};

/// Something to repeat: `once` does `work` units of each of `what` and returns how long each took.
struct Series {
  std::vector<Measurement> what;
  std::function<std::vector<Duration>()> once;
};

/// Takes what a probe measures. Every sample is kept.
class Recorder {
 public:
  /// `progress` hears what is being measured, at each new series. `stop` is set on Ctrl-C.
  Recorder(const Settings& settings, MeasurementSet& set, const std::atomic<bool>& stop,
           std::function<void(const std::string&)> progress);

  /// How many series this probe is about to repeat: each gets an equal share of the time that is
  /// left. Without it a series may take a twentieth of the probe's time.
  void plan(std::size_t series);

  /// Repeats `once`: first unrecorded until caches are warm, then until the median's standard error
  /// is under 1 % or the share of time that one series may take is up. At least three samples,
  /// whatever they take. What was sampled is kept also when `once` throws.
  void repeat(Measurement what, std::function<Duration()> once);

  /// The same for several series that will be compared: one sample of each in turn, so that a clock
  /// rate or a neighbour that drifts meets all of them alike.
  void repeat_in_turn(std::vector<Series> series);

  /// Takes samples that were taken elsewhere.
  void add(Measurement what);

  /// What the user must know of this probe: skipped files, a part that could not be measured.
  void remark(std::string words);

  /// Throws Interrupted once Ctrl-C was pressed. Long samples call it.
  void check() const;
  [[nodiscard]] const std::atomic<bool>& stop() const;

  /// Time is up: what is optional should be left out.
  [[nodiscard]] bool out_of_time() const;

  void begin(const std::string& probe);  ///< starts the clock of a probe
  ProbeOutcome end();                    ///< what became of it

 private:
  const Settings& settings_;
  MeasurementSet& set_;
  const std::atomic<bool>& stop_;
  std::function<void(const std::string&)> progress_;
  std::string probe_;
  std::vector<std::string> remarks_;
  Duration started_;
  std::size_t first_ = 0;    ///< measurement of this probe in set_
  std::size_t planned_ = 0;  ///< series that are still to come; 0: not known

  [[nodiscard]] Duration share(std::size_t series);
  void say(const Measurement& what) const;
};

/// A probe measures one stage of the host.
struct Probe {
  const char* name;      ///< "disk"
  const char* measures;  ///< a line for `calibrate --list`
  /// Why it cannot run here; "" when it can.
  std::string (*unavailable)(const Settings&);
  /// Throws InputError (what the user gave is wrong), HostError (the machine refused), Interrupted.
  /// Cleans up after itself on every way out.
  void (*measure)(const Settings&, Recorder&);
};

/// All probes, in the order in which they run.
std::span<const Probe> probes();

/// Runs these probes one after the other; each outcome goes into `set.probes`, and `after` is
/// called, so that what is measured can be kept at once. A probe that fails leaves its reason and
/// the next one runs. Returns early after Ctrl-C.
void run_probes(std::span<const Probe* const> chosen, const Settings& settings, MeasurementSet& set,
                const std::atomic<bool>& stop,
                const std::function<void(const std::string&)>& progress,
                const std::function<void()>& after);

/// The machine as it describes itself; the disk is that under `settings.data` or `scratch`.
HostFacts host_facts(const Settings& settings);

}  // namespace feedrate::bench
