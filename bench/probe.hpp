#pragma once
// What a probe is, and what it is given. The list of all probes is in probes.cpp.
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "bench/clock.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench {

/// What the user asked for.
struct Settings {
  std::string data;          ///< directory of samples, only ever read; "": generated ones
  std::string scratch;       ///< directory for scratch files; "": the system's
  std::string url;           ///< http, https, s3://…, file://PATH; "": none
  std::string step_command;  ///< prints "SAMPLES SECONDS" lines of training steps; "": none
  std::string loader;        ///< MODULE:NAME of the user's own loader, or "images"; "": none
  std::string python = "python3";
  std::string sysfs = "/sys";  ///< where the kernel says which CPUs are near a GPU
  std::string scripts;         ///< directory of the Python scripts (bench/pytorch)
  bool quick = false;          ///< a few samples of everything, for tests: seconds in total
  Duration time_limit = seconds(30.0);  ///< of one probe, over all rounds
};

/// Turns through all series that a calibration takes.
std::size_t planned_rounds(const Settings& settings);

/// Ctrl-C was pressed: what was measured until then stands.
struct Interrupted {};

/// Something to repeat: `once` does `work` units of each of `what` and returns how long each took.
struct Series {
  std::vector<Measurement> what;
  std::function<std::vector<Duration>()> once;
  std::size_t turns = 0;  ///< rounds in which it was sampled
  Duration least{};       ///< time that its samples of a round must add up to, whatever its share
  /// What a GPU said of itself since it was asked last; empty: there is none.
  std::function<std::vector<GpuState>()> gpu{};
};

/// A part of a probe that has its turn once a round: a series, and what must be ready for it.
struct Part {
  std::function<void()> run;
  std::size_t turns = 0;  ///< that it has had
};

using Clock = std::function<Duration()>;

/// Of a probe within a round.
struct Turn {
  std::size_t round = 0;
  Duration time;      ///< its share of the round
  bool last = false;  ///< no other round is planned
};

/// Takes what a probe measures. Every sample is kept: those of a series over all rounds are one
/// measurement of the set.
class Recorder {
 public:
  /// `progress` hears what is being measured, at each new series. `stop` is set on Ctrl-C.
  Recorder(const Settings& settings, MeasurementSet& set, const std::atomic<bool>& stop,
           std::function<void(const std::string&)> progress, Clock clock = now);

  /// One turn of each part, in another order each round; each gets an equal share of the time that
  /// is left. When the time is up the rest is left out, and comes first in the next round; what was
  /// never measured is measured in the last one all the same. With `alike` nothing depends on time:
  /// every process of a group does the same in the same order.
  void take_turns(std::vector<Part>& parts, bool alike = false);

  /// Repeats `once`: unrecorded until caches are warm (in a series' first round; later a short
  /// series is run once), then until the median's standard error within this round is under 1 % or
  /// its share of time is up: that of the part whose turn it is, else a twentieth of the probe's.
  /// At least one sample, whatever it takes. What was sampled is kept also when `once` throws.
  void repeat(Measurement what, std::function<Duration()> once);
  void repeat(Series series);

  /// The same for several series that will be compared: one sample of each in turn, so that a clock
  /// rate or a neighbour that drifts meets all of them alike. Order and end as in take_turns.
  void repeat_in_turn(std::vector<Series>& series);

  /// Takes samples that were taken elsewhere, in this round.
  void add(Measurement what);

  /// What the user must know of this probe: skipped files, a part that could not be measured. It is
  /// told once; words about the same replace those before ("" takes them back).
  void remark(const std::string& words, const std::string& about = "");

  /// So much of the time since begin() has a limit of its own and counts for no series.
  void leave_out(Duration time);
  /// All of that until now.
  [[nodiscard]] Duration left_out(const std::string& probe) const;

  /// Throws Interrupted once Ctrl-C was pressed. Long samples call it.
  void check() const;
  [[nodiscard]] const std::atomic<bool>& stop() const;

  /// The probe's share of the round is up.
  [[nodiscard]] bool out_of_time() const;
  [[nodiscard]] std::size_t round() const { return turn_.round; }

  /// The machine, for what a probe learns of it.
  [[nodiscard]] HostFacts& host() { return set_.host; }

  void begin(const std::string& probe);        ///< outside of rounds: with all of its time
  void begin(const std::string& probe, Turn);  ///< starts the clock of a probe's turn
  ProbeOutcome end();                          ///< what became of the probe until now

 private:
  struct Told {
    std::vector<std::pair<std::string, std::string>> remarks;  ///< about what, words
    bool measured = false;
    Duration took;  ///< without what was left out
    Duration left_out;
  };

  const Settings& settings_;
  MeasurementSet& set_;
  const std::atomic<bool>& stop_;
  std::function<void(const std::string&)> progress_;
  Clock clock_;
  std::map<std::string, Told> told_;
  std::string probe_;
  Turn turn_;
  Duration started_;
  std::size_t parts_left_ = 0;  ///< of take_turns, with the one whose turn it is; 0: none

  [[nodiscard]] Duration share() const;
  [[nodiscard]] bool known(const Series& series) const;
  [[nodiscard]] std::vector<std::size_t> order(const std::vector<std::size_t>& turns) const;
  [[nodiscard]] bool skips(std::size_t turns) const;
  void tell_skipped(std::size_t skipped, std::size_t all);
  void sample_in_turn(std::vector<Series>& series, Duration share);
  Duration start(Series& series, Duration share);
  void say(const Measurement& what) const;
};

/// A probe measures one stage of the host.
struct Probe {
  const char* name;      ///< "disk"
  const char* measures;  ///< a line for `calibrate --list`
  /// Why it cannot run here; "" when it can.
  std::string (*unavailable)(const Settings&);
  /// Prepares what it needs, and returns what one round of it does. That owns what was prepared,
  /// and cleans up on every way out. Both throw InputError (what the user gave is wrong), HostError
  /// (the machine refused), Interrupted.
  std::function<void()> (*open)(const Settings&, Recorder&);
  double time_limits = 1.0;  ///< how many times the limit it may take in total
  bool opens_first = false;  ///< before the others take a part of the machine
};

/// All probes, in the order in which they run.
std::span<const Probe> probes();

/// Imports the user's loader (--loader) and loads one sample: what is wrong with it is known before
/// anything is measured. InputError with Python's last line; Interrupted.
void check_loader(const Settings& settings, const std::atomic<bool>& stop);

/// The machine as it describes itself; the disk is that under `settings.data` or `scratch`.
HostFacts host_facts(const Settings& settings);

}  // namespace feedrate::bench
