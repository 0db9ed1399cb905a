#pragma once
// A model that is spread over several GPUs (/job/parallel): which of them load, what each computes
// and keeps, and what they send each other. Internal to resolve.
#include <functional>
#include <optional>
#include <string>

#include "collective/layout.hpp"
#include "collective/plan.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Of what a replica computes for a sample, the share of the GPU that has most layers.
double share_of_fullest_gpu(Context& context);

/// Instances that hold different parts of the model or of the optimiser: where replicas are the
/// same, those of one.
double instances_with_parts(const Context& context);

/// Of the model's parameters, the share of a GPU.
double share_of_parameters(Context& context);
/// Of its gradients, those that a GPU sums with all that have its layers, and those of its experts,
/// which it sums with their other copies: with nobody, where there are none.
struct SummedShares {
  double by_all = 1.0;
  double by_copies = 0.0;

  [[nodiscard]] double both() const { return by_all + by_copies; }
};
SummedShares shares_of_gradients(Context& context);

/// The links of such a group of GPUs.
collective::Fabric group_links(Context& context, const collective::Fabric& cluster,
                               const collective::GroupShape& group);

/// The layout with the GPUs of an NVLink domain for those of an instance: which groups need no
/// network.
collective::Degrees linked(const Context& context, const collective::Degrees& degrees);

/// What a step waits for beside the gradients. Fills Resolved::layout, and the bytes that go over
/// an instance's network.
collective::SpreadStep spread_over(Context& context, const collective::Fabric& cluster);

/// Adds the exchange of gradients in such groups to those: what a GPU sends, and the time of all
/// messages.
using GroupOf = std::function<collective::GroupShape(const collective::Degrees&)>;
void add_gradients(Context& context, std::string name, const GroupOf& group_of, Bytes sent,
                   Duration time);

}  // namespace feedrate::resolve
