#pragma once
// What the kernel tells of the machine as a whole. Each looks at files that need no rights.
#include <memory>
#include <string>

#include "bench/observe/roots.hpp"
#include "bench/observe/source.hpp"

namespace feedrate::bench::observe {

/// Busy, I/O wait and steal of each CPU, from /proc/stat.
std::unique_ptr<Source> cpu_source(const Roots& roots);
/// Whole disks, not what is made of them (partitions, loops, RAID), and Debugger's sums of them.
std::unique_ptr<Source> disk_source(const Roots& roots);
/// Interfaces that anything came through, as process `pid` has them ("self": ours), and Debugger's
/// sums of those with a device (all but the loopback where none has: in a container).
std::unique_ptr<Source> link_source(const Roots& roots, const std::string& pid);
std::unique_ptr<Source> memory_source(const Roots& roots);
/// Pressure-stall information, where the kernel keeps it.
std::unique_ptr<Source> pressure_source(const Roots& roots);
/// Throttling by the control groups around process `pid` that have a CPU quota (version 1 or 2).
std::unique_ptr<Source> quota_source(const Roots& roots, const std::string& pid);
/// What the control groups around process `pid` may read of disks (version 1 or 2), the tightest of
/// each disk, and how near they are to it.
std::unique_ptr<Source> disk_limit_source(const Roots& roots, const std::string& pid);

/// Hardware threads, the cores that they belong to, bytes of memory and moment of boot; 0 where not
/// told.
double cpus_of(const Roots& roots);
double cores_of(const Roots& roots);
Bytes memory_of(const Roots& roots);
Duration boot_time_of(const Roots& roots);

}  // namespace feedrate::bench::observe
