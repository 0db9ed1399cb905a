#include "collective/layout.hpp"

#include <algorithm>

namespace feedrate::collective {
namespace {

constexpr double all_but_one(double n) {
  return (n - 1.0) / n;
}

/// Of a ring, which leaves each instance once.
Bytes leaving(const GroupShape& group, Bytes sent) {
  return group.instances() > 1.0 ? group.sharing * sent : Bytes{};
}

/// A message from one GPU to another: half of what two of them gather.
Duration passed_on(Bytes size, const Fabric& fabric, bool between) {
  Fabric two = fabric;
  two.nodes = between ? 2.0 : 1.0;
  two.gpus = between ? 1.0 : 2.0;
  two.all = 0.0;
  return cost(Collective::all_gather, 2.0 * size, two).time();
}

/// Each GPU sends as much to each other one, all at once: what goes to other instances goes through
/// the network while the rest is sent inside.
Duration all_to_all(Bytes size, const GroupShape& group, const Fabric& fabric) {
  if (group.size <= 1.0 || size <= Bytes{}) return {};
  const double n = group.size;
  Duration transfer;
  if (group.per_instance > 1.0) transfer = (group.per_instance - 1.0) / n * size / fabric.inside;
  if (group.instances() > 1.0) {
    const Bytes out = group.per_instance * (n - group.per_instance) / n * size;
    transfer = std::max(transfer, out / fabric.between);
  }
  return cost(Collective::all_gather, bytes(n), fabric).latency + transfer;
}

}  // namespace

double Degrees::inner_data() const {
  return std::max(1.0, expert / context);
}

GroupShape evenly_apart(double size, double stride, double gpus) {
  const double per_instance = std::clamp(gpus / stride, 1.0, size);
  return {size, per_instance, gpus / per_instance};
}

GroupShape tensor_group(const Degrees& d) {
  return evenly_apart(d.tensor, 1.0, d.gpus);
}

GroupShape context_group(const Degrees& d) {
  return evenly_apart(d.context, d.tensor, d.gpus);
}

GroupShape expert_group(const Degrees& d) {
  return evenly_apart(d.expert, d.tensor, d.gpus);
}

GroupShape pipeline_group(const Degrees& d) {
  return evenly_apart(d.pipeline, d.tensor * d.context * d.run(), d.gpus);
}

/// Of the GPUs with the same part of the model, each `nth`, which alone share something.
static GroupShape every_nth(const Degrees& d, double nth) {
  const double all = d.context * d.data / nth;
  const double together = d.context * d.run() / nth;
  const double stride = d.tensor * nth;
  if (together >= all) return evenly_apart(all, stride, d.gpus);
  // Runs of GPUs side by side, a whole pipeline apart.
  const GroupShape one = evenly_apart(together, stride, d.gpus);
  const GroupShape runs =
      evenly_apart(all / together, d.tensor * d.context * d.run() * d.pipeline, d.gpus);
  const double per_instance = one.per_instance * runs.per_instance;
  return {all, per_instance, d.gpus / per_instance};
}

GroupShape data_group(const Degrees& d) {
  return every_nth(d, 1.0);
}

GroupShape copies_of_expert(const Degrees& d) {
  return every_nth(d, d.expert);
}

Fabric fabric_of(const Fabric& cluster, const GroupShape& group, Duration filling_inside) {
  Fabric f = cluster;
  f.nodes = group.instances();
  f.gpus = group.per_instance;
  f.all = 0.0;
  f.between = (1.0 / group.sharing) * cluster.between;
  if (group.instances() <= 1.0) f.filling = filling_inside;
  return f;
}

GroupCost tensor_messages(const Activations& made, const GroupShape& group, const Fabric& fabric) {
  if (group.size <= 1.0) return {};
  const double count = 4.0 * made.layers * made.micro_batches;
  const Bytes sent = count * 2.0 * all_but_one(group.size) * made.hidden;
  return {sent, leaving(group, sent),
          count * (cost(Collective::reduce_scatter, made.hidden, fabric).time() +
                   cost(Collective::all_gather, made.hidden, fabric).time())};
}

GroupCost context_messages(const Activations& made, const GroupShape& group, const Fabric& fabric) {
  if (group.size <= 1.0) return {};
  const double count = made.layers * made.micro_batches;
  const Bytes whole = group.size * made.keys_values;
  const Bytes sent = 3.0 * count * all_but_one(group.size) * whole;
  const Duration once = 2.0 * cost(Collective::all_gather, whole, fabric).time() +
                        cost(Collective::reduce_scatter, whole, fabric).time();
  return {sent, leaving(group, sent), count * once};
}

GroupCost expert_messages(const Activations& made, double tensor, const GroupShape& group,
                          const Fabric& fabric) {
  if (group.size <= 1.0) return {};
  const double count = 4.0 * made.layers * made.micro_batches;
  const Bytes routed = made.experts_per_token / tensor * made.hidden;
  const double n = group.size;
  Bytes out;
  if (group.instances() > 1.0) {
    const double gpus = group.sharing * group.per_instance;
    out = count * gpus * (n - group.per_instance) / n * routed;
  }
  return {count * all_but_one(n) * routed, out, count * all_to_all(routed, group, fabric)};
}

GroupCost pipeline_messages(const Activations& made, double tensor, const GroupShape& group,
                            const Fabric& fabric) {
  if (group.size <= 1.0) return {};
  const double count = 2.0 * made.chunks * made.micro_batches;
  const Bytes part = (1.0 / tensor) * made.hidden;
  const bool between = group.instances() > 1.0;
  // Of an instance with several stages, only the last sends to the next instance.
  return {count * part, leaving(group, count * part), count * passed_on(part, fabric, between)};
}

double bubble(double stages, double micro_batches, double chunks) {
  // Fewer micro-batches than stages leave gaps between the chunks as well: with one, it passes all
  // chunks one after the other.
  const double gaps = std::max(0.0, stages - micro_batches) * (chunks - 1.0);
  return (stages - 1.0 + gaps) / (micro_batches * chunks);
}

}  // namespace feedrate::collective
