#include "collective/tuned.hpp"

#include <algorithm>
#include <utility>

namespace feedrate::collective {

Tuned::Tuned(std::vector<Way> ways, double plateau) : ways_(std::move(ways)), plateau_(plateau) {}

bool Tuned::has(Collective operation) const {
  return std::any_of(ways_.begin(), ways_.end(),
                     [&](const Way& way) { return way.operation == operation; });
}

TunedCost Tuned::cost(Collective operation, Bytes size,
                      const std::optional<std::string>& only) const {
  if (size <= Bytes{}) return {};
  if (!has(operation)) {
    if (operation == Collective::all_reduce) return {};
    TunedCost whole = cost(Collective::all_reduce, size, only);
    whole.time *= 0.5;
    return whole;
  }
  const bool has_only = only && std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) {
                          return way.operation == operation && way.algorithm == *only;
                        });
  TunedCost best;
  for (const Way& way : ways_) {
    if (way.operation != operation || (has_only && way.algorithm != *only)) continue;
    const bool longer =
        operation == Collective::all_reduce && way.algorithm == "ring" && way.protocol == "Simple";
    const Duration time = (longer ? plateau_ : 1.0) * way.latency + size / way.bandwidth;
    if (best.way == nullptr || time < best.time) best = {time, &way};
  }
  return best;
}

}  // namespace feedrate::collective
