#pragma once
// What the control groups around a process leave it of the machine: a container's limits.
#include <optional>
#include <string>

#include "base/units.hpp"
#include "bench/observe/roots.hpp"

namespace feedrate::bench::observe {

/// CPUs that it may use at once, of the tightest quota of version 1 or 2; empty without one.
std::optional<double> cpu_limit(const Roots& roots = {}, const std::string& pid = "self");

/// Memory that it may use, likewise.
std::optional<Bytes> memory_limit(const Roots& roots = {}, const std::string& pid = "self");

}  // namespace feedrate::bench::observe
