#pragma once
// What the driver's library NVML says of a GPU that CUDA knows: hosts without it, or whose own is
// older, lack what it would have said, and nothing else. `bus` is CUDA's bus id.
#include <string>

#include "bench/nvml.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench::gpu {

/// Started once for the whole program.
const Nvml& nvml();

GpuState state_by_bus(const std::string& bus);
void describe(const std::string& bus, GpuFacts& facts);
/// As it is just now.
void describe_link(const std::string& bus, GpuFacts& facts);

}  // namespace feedrate::bench::gpu
