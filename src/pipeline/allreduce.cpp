#include "pipeline/allreduce.hpp"

#include <algorithm>

#include "pipeline/context.hpp"

namespace feedrate::pipeline {

Duration ring(Bytes size, double ranks, Bandwidth busbw, Duration latency) {
  if (ranks <= 1.0) return {};
  return 2.0 * (ranks - 1.0) / ranks * (size / busbw) + 2.0 * (ranks - 1.0) * latency;
}

Duration hierarchical(Bytes size, double instances, double gpus, Bandwidth inside,
                      Bandwidth between, Duration latency) {
  return ring(size, gpus, inside, latency) + ring(size, instances, between, latency);
}

Duration from_efficiency(Duration step, double efficiency) {
  return step * (1.0 / efficiency - 1.0);
}

Duration from_fit(Duration step, const ScalingFit& fit, double instances) {
  if (instances <= 1.0) return {};
  const double bandwidth = fit.bandwidth * 2.0 * (instances - 1.0) / instances;
  return step * (bandwidth + fit.latency * 2.0 * (instances - 1.0));
}

namespace {

Duration by_algorithm(Context& context, const AllReduce& given) {
  const Inputs& inputs = context.out.inputs;
  const Cluster& cluster = context.scenario.cluster;
  const double ranks = inputs.instances * inputs.ranks;
  if (ranks <= 1.0) return {};
  const Bytes size =
      context.need<Bytes>(Stage::allreduce, "/job/allreduce/gradient_bytes", given.gradient_bytes,
                          {}, {}, "the bytes of all gradients");
  const Duration latency =
      context.find_or<Duration>(Stage::allreduce, "/job/allreduce/latency", given.latency,
                                context.measured(&HostProfile::allreduce_latency), {},
                                microseconds(20.0), "one hop of a ring");
  Known<Bandwidth> inside = context.published(&Machine::nvlink);
  if (!inside || inside->value.base() <= 0.0) inside = context.published(&Machine::pcie);
  Known<Bandwidth> between = context.published(&Machine::network);
  if (cluster.network) between = Value<Bandwidth>::given(*cluster.network);
  const bool ring_only =
      given.algorithm.value_or(AllReduceAlgorithm::ring) == AllReduceAlgorithm::ring;
  const auto measured = context.measured(&HostProfile::allreduce_busbw);
  const double exposed = 1.0 - given.overlap.value_or(0.0);
  if (ring_only) {
    const Bandwidth busbw = context.need<Bandwidth>(
        Stage::allreduce, "/job/allreduce/busbw", given.busbw,
        inputs.instances > 1.0 ? std::nullopt : measured, inputs.instances > 1.0 ? between : inside,
        "the bus bandwidth of the ring");
    return exposed * ring(size, ranks, busbw, latency);
  }
  Bandwidth within = Bandwidth::of(1.0);
  if (inputs.ranks > 1.0) {
    within =
        context.need<Bandwidth>(Stage::allreduce, "/job/allreduce/busbw_inside", given.busbw_inside,
                                measured, inside, "the bus bandwidth inside an instance");
  }
  Bandwidth across = Bandwidth::of(1.0);
  if (inputs.instances > 1.0) {
    across = context.need<Bandwidth>(Stage::allreduce, "/job/allreduce/busbw", given.busbw, {},
                                     between, "the bus bandwidth between instances");
  }
  return exposed * hierarchical(size, inputs.instances, inputs.ranks, within, across, latency);
}

}  // namespace

void resolve_communication(Context& context) {
  const Job& job = context.scenario.job;
  Inputs& inputs = context.out.inputs;
  const Duration step = step_time(inputs, inputs.batch) * inputs.accumulation;
  if (job.efficiency && inputs.instances > 1.0) {
    const double efficiency =
        context.use(Stage::allreduce, "/job/efficiency", Value<double>::given(*job.efficiency));
    inputs.exposed_allreduce = from_efficiency(step, efficiency);
  } else if (job.scaling_fit) {
    context.use(Stage::allreduce, "/job/scaling",
                Value<double>::given(job.scaling_fit->bandwidth, "fitted to the scaling points"));
    inputs.exposed_allreduce = from_fit(step, *job.scaling_fit, inputs.instances);
  } else if (job.allreduce) {
    inputs.exposed_allreduce = by_algorithm(context, *job.allreduce);
  }
}

}  // namespace feedrate::pipeline
