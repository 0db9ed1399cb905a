#pragma once
// The host-to-device copy of a loader that is no CUDA program otherwise.
#include <functional>
#include <span>

namespace feedrate::bench {

/// Copies its argument from pageable memory to the first GPU and waits; empty where there is no GPU
/// or this build has no CUDA. What it returns throws HostError where CUDA refuses.
std::function<void(std::span<const float>)> copy_to_gpu();

}  // namespace feedrate::bench
