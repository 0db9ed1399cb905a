#include "resolve/allreduce.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "resolve/context.hpp"

namespace feedrate::resolve {

Duration ring(Bytes size, double ranks, const Links& links) {
  if (ranks <= 1.0) return {};
  return 2.0 * (ranks - 1.0) / ranks * (size / links.busbw) + 2.0 * (ranks - 1.0) * links.latency;
}

Duration hierarchical(Bytes size, double instances, double gpus, const Links& inside,
                      const Links& between) {
  return ring(size, gpus, inside) + ring(size, instances, between);
}

double from_fit(const ScalingFit& fit, double instances) {
  if (instances <= 1.0) return 1.0;
  const double bandwidth = fit.bandwidth * 2.0 * (instances - 1.0) / instances;
  return (1.0 + bandwidth + fit.latency * 2.0 * (instances - 1.0)) / instances;
}

namespace {

/// Beside the one between instances, which the key of the scenario is taken for.
constexpr std::string_view hop_latency_inside = "latency of a hop inside an instance";

Duration by_algorithm(Context& context, const AllReduce& given) {
  const Inputs& inputs = context.out.inputs;
  const Cluster& cluster = context.scenario.cluster;
  const double ranks = inputs.instances * inputs.ranks;
  if (ranks <= 1.0) return {};
  const Bytes size =
      context.need<Bytes>(Stage::allreduce, "/job/allreduce/gradient_bytes", given.gradient_bytes,
                          {}, {}, "the bytes of all gradients");
  const bool several = inputs.instances > 1.0;
  // What is measured among the GPUs of one host says nothing of several, nor the other way round.
  const Duration hop =
      context.find_or<Duration>(Stage::allreduce, given.latency,
                                context.measured(several ? &HostProfile::allreduce_latency_between
                                                         : &HostProfile::allreduce_latency),
                                assumed::hop_latency);
  Known<Bandwidth> inside = context.published(&Machine::nvlink);
  const bool nvlink = inside && inside->value.base() > 0.0;
  if (!nvlink) inside = context.published(&Machine::pcie);
  const Assumption& inside_share = nvlink ? assumed::nvlink_share : assumed::pcie_share;
  Known<Bandwidth> between = context.published(&Machine::network);
  if (cluster.network) between = Value<Bandwidth>::given(*cluster.network);
  const bool ring_only =
      given.algorithm.value_or(AllReduceAlgorithm::ring) == AllReduceAlgorithm::ring;
  const double overlap = given.overlap.value_or(0.0);
  const double backward =
      overlap > 0.0 ? context.assume<double>(Stage::allreduce, assumed::backward_share) : 0.0;
  const Duration step = step_time(inputs, inputs.batch);
  const auto exposed = [&](Duration all) {
    const Duration hidden = std::min(overlap * all, backward * step);
    return all - hidden;
  };
  // A line rate is what the bus bandwidth cannot exceed, and hardly what it is.
  const auto bus = [&](std::string_view key, const std::optional<Bandwidth>& of_scenario,
                       const std::optional<Value<Bandwidth>>& of_host, const Known<Bandwidth>& line,
                       const Assumption& of_line, const std::string& what) {
    if (of_scenario || of_host || !line) {
      return context.need<Bandwidth>(Stage::allreduce, key, of_scenario, of_host, {}, what);
    }
    Assumption share = of_line;
    share.key = key;
    return context.assume(Stage::allreduce, share, of_line.value * line->value,
                          context.texts ? fmt::format("{:g} of the line rate ({}): {}",
                                                      of_line.value, of_line.why, line->from.source)
                                        : std::string());
  };
  const auto inside_bus = [&](std::string_view key, const std::optional<Bandwidth>& of_scenario,
                              const std::string& what) {
    return bus(key, of_scenario, context.measured(&HostProfile::allreduce_busbw), inside,
               inside_share, what);
  };
  const auto between_bus = [&](const std::string& what) {
    return bus("/job/allreduce/busbw", given.busbw,
               context.measured(&HostProfile::allreduce_busbw_between), between,
               unmeasured(assumed::network_share), what);  // not by a host alone
  };
  if (ring_only) {
    Links links{Bandwidth::of(1.0), hop};
    constexpr const char* what = "the bus bandwidth of the ring";
    if (several) {
      links.busbw = between_bus(what);
      context.out.inputs.network_allreduce = 2.0 * (ranks - 1.0) / ranks * size;
    } else {
      links.busbw = inside_bus("/job/allreduce/busbw", given.busbw, what);
    }
    return exposed(ring(size, ranks, links));
  }
  Links within{Bandwidth::of(1.0), hop};
  Links across = within;
  if (inputs.ranks > 1.0) {
    within.busbw = inside_bus("/job/allreduce/busbw_inside", given.busbw_inside,
                              "the bus bandwidth inside an instance");
    const auto measured = context.measured(&HostProfile::allreduce_latency);
    if (several && !given.latency && measured) {
      within.latency = context.use(Stage::allreduce, hop_latency_inside, *measured);
    }
  }
  if (several) {
    across.busbw = between_bus("the bus bandwidth between instances");
    context.out.inputs.network_allreduce = 2.0 * (inputs.instances - 1.0) / inputs.instances * size;
  }
  return exposed(hierarchical(size, inputs.instances, inputs.ranks, within, across));
}

/// Several instances exchange gradients whether the scenario speaks of them or not.
Duration unknown_gradients(Context& context) {
  const Inputs& inputs = context.out.inputs;
  const double efficiency =
      context.assume<double>(Stage::allreduce, assumed::unknown_communication);
  if (context.texts) {
    context.out.caveats.push_back(fmt::format(
        "What gradients cost is not known: several instances are taken to reach {:g} % of linear "
        "scaling in each step ({:g} to {:g} %); give /job/allreduce, /job/efficiency or "
        "/job/scaling.",
        100.0 * assumed::unknown_communication.value, 100.0 * assumed::unknown_communication.low,
        100.0 * assumed::unknown_communication.high));
  }
  const Duration step = inputs.accumulation * step_time(inputs, inputs.batch);
  return step * (1.0 / efficiency - 1.0);
}

/// T(N)/T(1) of the points themselves, where both were measured.
std::optional<double> measured_ratio(const std::vector<std::pair<double, Duration>>& points,
                                     double instances) {
  std::optional<Duration> one, many;
  for (const auto& [n, time] : points) {
    if (n == 1.0) one = time;
    if (n == instances) many = time;
  }
  if (!one || !many) return std::nullopt;
  return *many / *one;
}

void say_fitted(Context& context, const ScalingFit& fit) {
  if (!context.texts) return;
  constexpr double good = 0.05;
  const std::string terms = fit.latency > 0.0 && fit.bandwidth > 0.0
                                ? "a share that ring bandwidth takes and one that latency takes"
                            : fit.latency > 0.0 ? "a share that latency takes"
                                                : "a share that ring bandwidth takes";
  std::string text = fmt::format(
      "The efficiency on {:g} instances follows from {}, fitted to /job/scaling, whose points it "
      "{}.",
      context.out.inputs.instances, terms,
      fit.worst_error < 1e-4 ? std::string("reproduces")
                             : fmt::format("misses by {:.2g} % at most", 100.0 * fit.worst_error));
  (fit.worst_error > good ? context.out.caveats : context.out.remarks).push_back(std::move(text));
}

}  // namespace

void resolve_communication(Context& context) {
  const Job& job = context.scenario.job;
  Inputs& inputs = context.out.inputs;
  if (job.efficiency && inputs.instances > 1.0) {
    const double efficiency =
        context.use(Stage::allreduce, "/job/efficiency", Value<double>::given(*job.efficiency));
    inputs.time_ratio = 1.0 / (inputs.instances * efficiency);
  } else if (job.scaling_fit && inputs.instances > 1.0) {
    const double fitted = from_fit(*job.scaling_fit, inputs.instances);
    const auto measured = measured_ratio(*job.scaling, inputs.instances);
    inputs.time_ratio = measured.value_or(fitted);
    if (!measured) say_fitted(context, *job.scaling_fit);
    context.use(
        Stage::allreduce, "/job/scaling",
        Value<double>::given(*inputs.time_ratio, measured ? "measured with so many instances"
                                                          : "fitted to the scaling points"));
  } else if (job.allreduce) {
    inputs.exposed_allreduce = by_algorithm(context, *job.allreduce);
  } else if (inputs.instances > 1.0 && !job.efficiency && !job.scaling_fit) {
    inputs.exposed_allreduce = unknown_gradients(context);
  }
}

}  // namespace feedrate::resolve
