#pragma once
// What monitors would write down of a simulated job, interval by interval: the same lines as of a
// real one.
#include <functional>
#include <string>
#include <variant>

#include "model/observation.hpp"
#include "model/timeline.hpp"

namespace feedrate::observe {

using TwinLine = std::variant<Sample, Mark, ObservationRemark>;

/// Samples of each section of the timeline, an interval each and a shorter one at its end, on a
/// clock that is relative to the job's start; marks where the GPU's steps end, where it waits for a
/// batch, and where an epoch begins or ends. CPU, disk, link and memory are an instance's, idle or
/// not. A GPU that waits in an all-reduce is busy, as its driver would say. The lines of each
/// series come in the order of time. Precondition: interval > 0.
void write_twin(const Timeline& timeline, Duration interval, const std::string& node,
                const std::function<void(const TwinLine&)>& put);

}  // namespace feedrate::observe
