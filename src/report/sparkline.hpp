#pragma once
// Series as a line of blocks: how a sweep goes, at a glance.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/sweep.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// One block a value, ▁ to █, as high as the value is beside the largest: from zero, so that what
/// hardly changes looks flat. More than `most` values are averaged in groups; negative ones count
/// as zero. to_ascii has a stand-in for each block.
std::string sparkline(std::span<const double> values, std::size_t most = 60);

/// For each key that was varied over three or more ascending or descending numbers: time, cost and
/// how busy the GPUs are along it, where points have a result. With other keys varied too, each is
/// the best over them.
std::vector<Table> sweep_shapes(const Sweep& sweep);

}  // namespace feedrate::report
