#pragma once
// Reads in flight from one thread, through io_uring.
#include <atomic>
#include <string>

#include "base/units.hpp"
#include "bench/disk_files.hpp"

namespace feedrate::bench {

/// Why io_uring cannot be used here; "" when it can: containers often forbid it.
std::string uring_unavailable();

/// How long one random read takes in the mean while `depth` of them are in flight for `length`.
Duration uring_read(const Blocks& blocks, int depth, Duration length, std::uint64_t& random,
                    const std::atomic<bool>& stop);

}  // namespace feedrate::bench
