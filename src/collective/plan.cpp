#include "collective/plan.hpp"

#include <algorithm>

namespace feedrate::collective {
namespace {

/// A micro-batch's step, and its backward pass.
struct Computing {
  Duration step, backward;
};

Exchange times(Exchange e, double n) {
  e.total *= n;
  e.exposed *= n;
  e.messages *= n;
  return e;
}

/// One schedule's messages, and what of the computing they may hide behind.
struct Scheduled {
  const Plan& plan;
  Computing computing;
  double faster;
  Duration beside{};

  [[nodiscard]] Duration time(Collective what, Bytes size) const {
    return plan.time(what, size) / faster;
  }
  [[nodiscard]] TimeOf sum(Collective what) const {
    return [this, what](Bytes size) { return time(what, plan.sent * size); };
  }
  [[nodiscard]] Exchange as_sent(Exchange e) const {
    e.largest *= plan.sent;
    e.smallest *= plan.sent;
    return e;
  }

  Exchange operator()(const OneMessage&) {
    beside = computing.backward;
    const Bytes size = plan.sent * plan.gradients;
    const Duration all = time(Collective::all_reduce, size);
    return {all, all, 1.0, size, size};
  }
  Exchange operator()(const Buckets& buckets) {
    beside = computing.backward;
    return as_sent(
        bucketed(plan.gradients, buckets, computing.backward, sum(Collective::all_reduce)));
  }
  Exchange operator()(const Fusion& fusion) {
    beside = computing.backward;
    return as_sent(fused(plan.gradients, fusion, computing.backward, sum(Collective::all_reduce)));
  }
  Exchange operator()(const ScatteredGradients& given) {
    const double summed = given.each_batch ? plan.batches : 1.0;
    beside = summed * computing.backward;
    Exchange e = times(as_sent(bucketed(plan.gradients, {given.bucket, given.bucket},
                                        computing.backward, sum(Collective::reduce_scatter))),
                       summed);
    const Duration gather = time(Collective::all_gather, plan.gathered);
    e.total += gather;
    e.exposed += gather;
    e.messages += 1.0;
    e.largest = std::max(e.largest, plan.gathered);
    e.smallest = std::min(e.smallest, plan.gathered);
    return e;
  }
  Exchange operator()(const ShardedParameters& given) {
    beside = plan.batches * computing.step;
    const Bytes each = plan.gathered / given.blocks;
    const Bytes sums = plan.sent * plan.gradients / given.blocks;
    Exchange e = times(sharded(given.blocks, time(Collective::all_gather, each),
                               time(Collective::reduce_scatter, sums),
                               computing.step - computing.backward, computing.backward),
                       plan.batches);
    e.largest = std::max(each, sums);
    e.smallest = std::min(each, sums);
    return e;
  }
};

}  // namespace

Exchange exchange(const Plan& plan, Duration batch, double faster) {
  const Duration step = plan.part * batch;
  Scheduled scheduled{plan, {step, plan.backward * step}, faster};
  Exchange e = std::visit(scheduled, plan.schedule);
  if (plan.overlap) e.exposed = e.total - std::min(*plan.overlap * e.total, scheduled.beside);
  if (plan.spread) {
    const Duration messages = plan.spread->messages / faster;
    e.exposed += messages + plan.spread->bubble * (plan.batches * step + messages);
  }
  return e;
}

Bytes handed_over(const Plan& plan) {
  const Bytes sums = plan.sent * plan.gradients;
  if (std::holds_alternative<ShardedParameters>(plan.schedule)) {
    return plan.batches * (2.0 * plan.gathered + sums);
  }
  if (const auto* scattered = std::get_if<ScatteredGradients>(&plan.schedule)) {
    return (scattered->each_batch ? plan.batches : 1.0) * sums + plan.gathered;
  }
  return sums;
}

}  // namespace feedrate::collective
