#pragma once
// The probes by name, for who asks for some of them and runs none (bench/probes.cpp lists them
// whole).
#include <array>

namespace feedrate::bench {

/// In the order in which they run.
inline constexpr std::array probe_names = {
    "download", "disk", "decode", "memcpy", "h2d", "gpu", "gpu-preprocess", "allreduce", "loader"};

}  // namespace feedrate::bench
