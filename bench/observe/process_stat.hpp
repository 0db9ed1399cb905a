#pragma once
// What /proc/PID/stat tells of a process, or /proc/PID/task/TID/stat of a thread.
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::bench::observe {

/// Fields of proc(5). `name` lies in the text that was read.
struct ProcessStat {
  std::string_view name;
  char state = 'X';
  std::int64_t parent = 0;
  std::uint64_t flags = 0;
  std::uint64_t faults = 0;  ///< major ones since it started
  std::uint64_t cpu = 0;     ///< ticks in user and kernel mode since it started
  std::uint64_t threads = 0;
  Duration started;         ///< since boot
  std::uint64_t pages = 0;  ///< of its memory, resident
};

/// Nothing where `text` is no such line.
std::optional<ProcessStat> stat_in(std::string_view text);

/// Nanoseconds for which a thread could run and waited for a CPU, of its schedstat: "ran waited
/// slices". Nothing where the kernel keeps none.
std::optional<std::uint64_t> waited_in(std::string_view text);

/// Of the kernel's clock, in which CPU times are counted.
double ticks_per_second();

bool has_ended(const ProcessStat& stat);

/// The process has not called exec since it was forked: its command line is still its parent's.
bool only_forked(const ProcessStat& stat);

}  // namespace feedrate::bench::observe
