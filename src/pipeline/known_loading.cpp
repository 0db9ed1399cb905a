#include "pipeline/known_loading.hpp"

#include <algorithm>
#include <utility>

namespace feedrate::pipeline {

KnownLoading::Speeds KnownLoading::speeds_of(const Inputs& inputs) {
  Speeds speeds{};
  for (std::size_t i = 0; i < stages.size(); ++i) speeds[i] = inputs.speed[stages[i]];
  return speeds;
}

Flow& KnownLoading::flow(const Inputs& inputs, EpochKind kind, const Misses& misses,
                         double active) {
  if (!one_source_) one_source_ = inputs.first_source == inputs.source;
  if (*one_source_) kind = EpochKind::later;
  const Speeds speeds = speeds_of(inputs);
  const auto found = std::find_if(flows_.begin(), flows_.end(), [&](const OfFlow& one) {
    return one.kind == kind && one.misses == misses && one.active == active && one.speeds == speeds;
  });
  if (found != flows_.end()) return found->flow;
  flows_.push_back({kind, misses, active, speeds, Flow(inputs, kind, misses, active)});
  return flows_.back().flow;
}

const KnownLoading::Staged& KnownLoading::staged(const Inputs& inputs) {
  const Speeds speeds = speeds_of(inputs);
  const auto found = std::find_if(staged_.begin(), staged_.end(), [&](const OfStaging& one) {
    return std::equal(speeds.begin(), speeds.begin() + of_copying, one.speeds.begin());
  });
  if (found != staged_.end()) return found->staged;
  Staged made;
  made.staging = mean_staging(inputs, made.credits);
  staged_.push_back({speeds, std::move(made)});
  return staged_.back().staged;
}

}  // namespace feedrate::pipeline
