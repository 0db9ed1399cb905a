#pragma once
// What else a machine did during a round: CPU time that went to others, and the clock of its cores.
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/measurement.hpp"

namespace feedrate::bench {

/// CPU time of all CPUs since the machine started.
struct CpuTimes {
  Duration all;    ///< idle or not
  Duration tasks;  ///< of processes and the kernel, without interrupts
  Duration stolen;
  bool operator==(const CpuTimes&) const = default;
};

/// What is counted at one moment. Empty where the kernel does not say.
struct Counters {
  Duration at;
  std::optional<CpuTimes> cpu;
  Duration own;  ///< CPU time of this process and all that it started
  std::optional<Duration> throttled;
  std::optional<Duration> waited;  ///< time in which some task waited for a CPU
};

Counters count_now();

/// Mean of the cores at this moment.
std::optional<Frequency> core_clock();

/// Writes into `round` what happened between two moments; nothing where they are too close together
/// for a count of ticks.
void describe(const Counters& before, const Counters& after, Round& round);

/// Says of each round whether it was disturbed: over 2 % stolen, 10 % used by others, 1 % of the
/// time held back, or cores 10 % slower than the median of the other rounds.
void mark_disturbed(std::span<Round> rounds);

// --- text of the kernel's files; nullopt where it is not what was expected --------------------
std::optional<CpuTimes> cpu_times_in(std::string_view stat, double ticks_per_second);
std::optional<Duration> throttled_in(std::string_view cpu_stat);    ///< cpu.stat of a control group
std::optional<Duration> waited_in(std::string_view pressure);       ///< /proc/pressure/cpu
std::optional<Frequency> mean_clock_in(std::string_view cpu_info);  ///< /proc/cpuinfo
std::string_view control_group_in(std::string_view cgroup);  ///< /proc/self/cgroup, version 2

/// A line of /proc/PID/stat.
struct ProcessTimes {
  int id = 0;
  int parent = 0;
  double ticks = 0.0;  ///< its own, and those of its children that have ended
  bool operator==(const ProcessTimes&) const = default;
};
std::optional<ProcessTimes> process_times_in(std::string_view stat);

/// Ticks of a process and of all that descend from it.
double ticks_of_family(std::span<const ProcessTimes> all, int head);

}  // namespace feedrate::bench
