#include "study/shared_limit.hpp"

#include <cmath>

#include "pipeline/shared_limits.hpp"

namespace feedrate::study {
std::optional<SharedLimit> shared_limit_of(const Scenario& scenario,
                                           const pipeline::Inputs& inputs) {
  // The last digits of a sum make no instance more or less.
  constexpr double noise = 1e-9;
  std::optional<SharedLimit> first;
  double least = 0.0;
  for (const pipeline::SharedDemand& one : pipeline::shared_demands(inputs)) {
    if (!(one.demand > 0.0)) continue;
    const double full = one.rate / one.demand;  // instances that it serves just so
    if (first && full >= least) continue;
    least = full;
    first.emplace();
    first->service = std::string(scenario.source.service.row().title);
    first->name = one.name;
    first->of_requests = one.of_requests;
    first->when = one.when;
    first->rate = one.rate;
    first->demand = one.demand;
    const double from = std::max(1.0, std::floor(full * (1.0 + noise)) + 1.0);
    first->binds =
        (one.when == SharedIn::staging ? inputs.instances : inputs.instances_alike()) >= from;
    // Where only some of the instances load, as many as load for it.
    first->from = std::ceil(from * inputs.cluster_instances() / inputs.instances - noise);
  }
  return first;
}

}  // namespace feedrate::study
