#include "model/efficiency.hpp"

namespace feedrate {

std::vector<EfficiencyLoss> efficiency_losses(const Result& result) {
  std::vector<EfficiencyLoss> list;
  if (!result.lost_to_scaling) return list;
  const auto add = [&](std::string_view to, double share) {
    if (or_nothing(share) != 0.0) list.push_back({to, share});
  };
  for (const Stage stage : all_stages()) {
    const double share = (*result.lost_to_scaling)[stage];
    if (stage != Stage::allreduce) {
      add(name_of(stage), share);
      continue;
    }
    const double waiting = result.lost_to_stragglers.value_or(0.0);
    add("exposed communication", share - waiting);
    add("stragglers", waiting);
  }
  return list;
}

}  // namespace feedrate
