#pragma once
// What the machine says of itself.
#include <string>
#include <string_view>

#include "model/measurement.hpp"

namespace feedrate::bench {

/// Hardware threads that this process may use: its affinity, and the quota of its control group.
int usable_threads();

/// Memory that this process may use: that of the machine, or the limit of its control group.
Bytes usable_memory();

/// "nvme0n1, ext4" of the file system that holds `path`; "" where it cannot be told.
std::string disk_of(const std::string& path);

/// The type of file system that holds `path`, as the kernel names it: "ext4", "tmpfs", "nfs4".
std::string file_system_of(const std::string& path);

/// From /proc/cpuinfo and what the firmware says: Amazon's machines have their cores to themselves
/// but for the burstable types (t2, t3, t3a, t4g); other hypervisors are taken to share them.
HostClass class_of_host(std::string_view cpu_info, std::string_view vendor,
                        std::string_view product);

/// Names of the GPUs and the driver's version, as the driver publishes them in /proc.
void add_gpu_facts(HostFacts& facts);

struct Settings;

/// host_facts (probe.hpp) without what only CUDA can tell: the GPUs that this process may use, in
/// CUDA's order.
HostFacts system_facts(const Settings& settings);

}  // namespace feedrate::bench
