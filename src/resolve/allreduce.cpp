#include "resolve/allreduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "collective/plan.hpp"
#include "pipeline/mean.hpp"
#include "resolve/context.hpp"
#include "resolve/exchange.hpp"
#include "resolve/links.hpp"
#include "resolve/pieces.hpp"

namespace feedrate::resolve {

Duration ring(Bytes size, double ranks, const Links& links) {
  if (ranks <= 1.0) return {};
  return 2.0 * (ranks - 1.0) / ranks * (size / links.busbw) + 2.0 * (ranks - 1.0) * links.latency;
}

Duration hierarchical(Bytes size, double instances, double gpus, const Links& inside,
                      const Links& between) {
  return ring(size, gpus, inside) + ring(size, instances, between);
}

ScalingFit with_growth(const ScalingFit& fit, double growth) {
  if (fit.fewest <= 1.0) return fit;
  const double few = fit.fewest;
  const double many = fit.most;
  // Of the fewest, where the loss of the most is so many times as much.
  const auto loss = [&](double times) {
    return times > fit.more_work ? (fit.more_work - 1.0) / (times - fit.more_work)
                                 : std::numeric_limits<double>::infinity();
  };
  const double by_latency = (many - 1.0) / (few - 1.0);
  const double by_bandwidth = by_latency * few / many;
  const double most = std::min(loss(by_bandwidth), few / ScalingFit::least_of_one - 1.0);
  const double least = std::min(loss(by_latency), most);
  const double of_few = std::clamp(loss(portable::pow(by_latency, growth)), least, most);
  const double of_many = (1.0 + of_few) * fit.more_work - 1.0;
  ScalingFit chosen = fit;
  chosen.fewest = 0.0;
  // lost() of both, solved for its terms.
  const double over_many = of_many / (2.0 * (many - 1.0));
  const double over_few = of_few / (2.0 * (few - 1.0));
  chosen.bandwidth = std::max(0.0, (over_few - over_many) / (1.0 / few - 1.0 / many));
  chosen.latency = std::max(0.0, over_few - chosen.bandwidth / few);
  return chosen;
}

double from_fit(const ScalingFit& fit, double instances, double batch, double departure) {
  if (instances <= 1.0) return 1.0;
  const double exchanges = fit.batch_size > 0.0 && batch > 0.0 ? fit.batch_size / batch : 1.0;
  double loss = fit.lost(instances);
  if (fit.most > 0.0 && instances > fit.most) {
    if (fit.slope > 0.0) {
      loss = std::sqrt(loss * (fit.lost(fit.most) + fit.slope * (instances - fit.most)));
    }
    loss *= portable::pow(instances / fit.most, departure);
  }
  return (1.0 + exchanges * loss) / instances;
}

namespace {

/// Beside the one between instances, which the key of the scenario is taken for.
constexpr std::string_view hop_latency_inside = "latency of a hop inside an instance";

Duration by_algorithm(Context& context, const AllReduce& given) {
  const Inputs& inputs = context.out.inputs;
  const double ranks = inputs.gpus();
  if (ranks <= 1.0) return {};
  const Volume all_of_it = volume(context, given);
  const Bytes size = all_of_it.sent * all_of_it.gradients;
  const double of_domain = instances_of_domain(context);
  const double domains = inputs.instances / of_domain;
  const bool several = domains > 1.0;
  // What is measured among the GPUs of one host says nothing of several, nor the other way round.
  const Duration hop =
      context.find_or<Duration>(Stage::allreduce, given.latency,
                                context.measured(several ? &HostProfile::allreduce_latency_between
                                                         : &HostProfile::allreduce_latency),
                                assumed::hop_latency);
  const bool ring_only =
      given.algorithm.value_or(AllReduceAlgorithm::ring) == AllReduceAlgorithm::ring;
  collective::Plan plan;
  plan.gradients = all_of_it.gradients;
  plan.sent = all_of_it.sent;
  plan.overlap = given.overlap.value_or(0.0);
  if (*plan.overlap > 0.0) {
    plan.backward = context.assume<double>(Stage::allreduce, assumed::backward_share);
  }
  if (!given.overlap && context.texts) {
    context.out.caveats.push_back(fmt::format(
        "/job/allreduce/algorithm = {0} without overlap sends all gradients after the backward "
        "pass: give /job/allreduce/overlap, or leave algorithm out to have it computed.",
        algorithm_words[ring_only ? 0 : 1]));
  }
  const auto exposed = [&](Duration all) {
    plan.time = [all](collective::Collective, Bytes) { return all; };
    const collective::Exchange e = collective::exchange(plan, step_time(inputs, inputs.batch));
    Communication out;
    out.parallelism = parallelism_words.front();
    out.algorithm = algorithm_words[ring_only ? 0 : 1];
    out.size = size;
    out.messages = e.messages;
    out.total = e.total;
    out.exposed = e.exposed;
    context.out.communication = std::move(out);
    context.out.inputs.exchange = std::make_shared<const collective::Plan>(plan);
    return e.exposed;
  };
  if (ring_only) {
    Links links{Bandwidth::of(1.0), hop};
    constexpr const char* what = "the bus bandwidth of the ring";
    if (several) {
      links.busbw = bus_between_domains(context, given, what);
      context.out.inputs.network_allreduce = 2.0 * (ranks - 1.0) / ranks / of_domain * size;
    } else {
      links.busbw = bus_inside(context, given, true, ranks, what);
    }
    return exposed(ring(size, ranks, links));
  }
  Links within{Bandwidth::of(1.0), hop};
  Links across = within;
  if (inputs.most_ranks() * of_domain > 1.0) {
    within.busbw = bus_inside(context, given, false, inputs.most_ranks() * of_domain,
                              "the bus bandwidth inside an instance");
    const auto measured = context.measured(&HostProfile::allreduce_latency);
    if (several && !given.latency && measured) {
      within.latency = context.use(Stage::allreduce, hop_latency_inside, *measured);
    }
  }
  if (several) {
    across.busbw = bus_between_domains(context, given, "the bus bandwidth between instances");
    context.out.inputs.network_allreduce = 2.0 * (domains - 1.0) / domains / of_domain * size;
  }
  return exposed(hierarchical(size, domains, inputs.most_ranks() * of_domain, within, across));
}

/// Several instances exchange gradients whether the scenario speaks of them or not. The loss that
/// is assumed is that of messages alone, against a step of one instance: what the slowest of all
/// GPUs takes is simulated beside it, so that however much steps vary, neither hides the other.
Duration unknown_gradients(Context& context) {
  const Inputs& inputs = context.out.inputs;
  const double efficiency =
      context.assume<double>(Stage::allreduce, assumed::unknown_communication);
  if (context.texts) {
    context.out.caveats.push_back(fmt::format(
        "What gradients cost is not known: they are taken to leave several instances {:g} % of "
        "linear scaling in each step ({:g} to {:g} %){}; give /job/allreduce, /job/efficiency or "
        "/job/scaling.",
        100.0 * assumed::unknown_communication.value, 100.0 * assumed::unknown_communication.low,
        100.0 * assumed::unknown_communication.high,
        inputs.step_cv > 0.0 ? ", and waiting for stragglers comes on top" : ""));
  }
  const double alone =
      pipeline::slowest_gpu(inputs, inputs.gpus() / inputs.instances, inputs.accumulation).mean;
  return inputs.accumulation * step_time(inputs, inputs.batch) * alone * (1.0 / efficiency - 1.0);
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

/// Whether the job's scaling was measured with its own batch: where batches change with the
/// instances, only points with the same batch count.
bool was_measured(const Context& context) {
  const Job& job = context.scenario.job;
  const double instances = context.out.inputs.instances;
  if (!job.scaling_batch_sizes) return true;
  return std::any_of(job.scaling_batch_sizes->begin(), job.scaling_batch_sizes->end(),
                     [&](const auto& point) {
                       return point.first == instances && point.second == training_batch(context);
                     });
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
  const Inputs& inputs = context.out.inputs;
  const bool beyond = fit.most > 0.0 && inputs.instances > fit.most;
  if (beyond) {
    const auto efficiency = [&](double departure) {
      return 100.0 / inputs.instances /
             from_fit(fit, inputs.instances, training_batch(context), departure);
    };
    text += fmt::format(
        " Beyond {:g} instances nothing was measured: {:.3g} %, and between {:.3g} and {:.3g} %, "
        "is "
        "extrapolated{}.",
        fit.most, efficiency(0.0), efficiency(assumed::scaling_departure.high),
        efficiency(assumed::scaling_departure.low),
        fit.sizes < 3.0 ? ", as two points do not tell what grows with the instances" : "");
  }
  (beyond || fit.worst_error > good ? context.out.caveats : context.out.remarks)
      .push_back(std::move(text));
}

/// Points that lack one instance tell what more of them bring, and not how efficient they are.
void say_open(Context& context, const ScalingFit& fit) {
  if (!context.texts) return;
  // Beyond the points another caveat has the range.
  const double all = context.out.inputs.instances;
  const double instances = fit.most > 0.0 ? std::min(all, fit.most) : all;
  const auto efficiency = [&](double growth) {
    return 100.0 / instances / from_fit(with_growth(fit, growth), instances);
  };
  context.out.caveats.push_back(fmt::format(
      "/job/scaling has no pair of 1 instance, and its points fit any efficiency on {:g} instances "
      "from {:.3g} % (they lose by ring bandwidth) to {:.3g} % (by latency): {:.3g} % is taken; "
      "measure one instance.",
      instances, efficiency(0.0), efficiency(1.0), efficiency(assumed::scaling_growth.value)));
}

}  // namespace

static bool exchanges_nothing(const Job& job) {
  return job.allreduce && job.allreduce->gradient_bytes == Bytes{};
}

static void resolve_gradients(Context& context) {
  const Job& job = context.scenario.job;
  Inputs& inputs = context.out.inputs;
  if (job.efficiency && inputs.instances > 1.0) {
    const double efficiency =
        context.use(Stage::allreduce, "/job/efficiency", Value<double>::given(*job.efficiency));
    context.of_one_instance = OfOneInstance{1.0 / (inputs.instances_alike() * efficiency), true};
  } else if (job.scaling_fit && inputs.instances > 1.0) {
    ScalingFit fit = *job.scaling_fit;
    const bool open = fit.fewest > 1.0;
    if (open) {
      fit = with_growth(fit, context.assume<double>(Stage::allreduce, assumed::scaling_growth));
    }
    const auto measured =
        was_measured(context) ? measured_ratio(*job.scaling, inputs.instances) : std::nullopt;
    const double departure =
        !measured && fit.most > 0.0 && inputs.instances > fit.most
            ? context.assume<double>(Stage::allreduce, assumed::scaling_departure)
            : 0.0;
    const double ratio =
        measured.value_or(from_fit(fit, inputs.instances, training_batch(context), departure));
    context.of_one_instance = OfOneInstance{ratio};
    if (!measured) say_fitted(context, fit);
    if (open) say_open(context, *job.scaling_fit);
    context.use(Stage::allreduce, "/job/scaling",
                Value<double>::given(ratio, measured ? "measured with so many instances"
                                                     : "fitted to the scaling points"));
  } else if (context.layout) {
    inputs.exposed_allreduce = exchange(context, job.allreduce.value_or(AllReduce{}));
  } else if (exchanges_nothing(job)) {
    context.use(Stage::allreduce, "/job/allreduce/gradient_bytes", Value<Bytes>::given(Bytes{}));
    if (context.texts && inputs.instances > 1.0 && job.step && job.step->gpus) {
      context.out.caveats.push_back(
          "What gradients cost is not known: the step was measured on GPUs that trained together, "
          "and none are exchanged beside it (/job/allreduce/gradient_bytes = 0). What it contains "
          "of them is taken to be the same on any number of instances, which so scale without "
          "loss.");
    }
  } else if (is_computed(job)) {
    inputs.exposed_allreduce = exchange(context, job.allreduce.value_or(AllReduce{}));
  } else if (job.allreduce) {
    inputs.exposed_allreduce = by_algorithm(context, *job.allreduce);
  } else if (inputs.instances > 1.0 && !job.efficiency && !job.scaling_fit) {
    inputs.exposed_allreduce = unknown_gradients(context);
  }
}

/// Resolves, into `out`, the exchange of another scenario in the same draw of a job; returns
/// whether gradients have a network that nothing else uses there.
static bool resolve_exchange_of(const Context& context, const Scenario& scenario, Resolved& out) {
  out.machine = context.out.machine;
  out.inputs.network_allreduce = {};  // of a model that is spread over GPUs, group by group
  Context other{.scenario = scenario,
                .catalog = context.catalog,
                .host = context.host,
                .draw = context.draw,
                .out = out,
                .layout = context.layout,
                .texts = false,
                .records = false,
                .slower = context.slower,
                .loader_by_name = context.loader_by_name,
                .access_by_name = context.access_by_name,
                .store_by_name = context.store_by_name,
                .speeds = context.speeds};
  resolve_gradients(other);
  return other.gradients_apart;
}

/// What the same draw makes of the exchange where instances have lines twice as fast: as with such
/// a /cluster/network.
static void resolve_on_twice_the_line(Context& context) {
  Inputs& inputs = context.out.inputs;
  const auto published = context.published(&Machine::network);
  const std::optional<Bandwidth>& given = context.scenario.cluster.network;
  if (!given && !published) return;
  Scenario scenario = context.scenario;
  scenario.cluster.network = 2.0 * (given ? *given : published->value);
  Resolved out;
  out.inputs = inputs;
  const bool apart = resolve_exchange_of(context, scenario, out);
  auto plan = std::make_shared<collective::Plan>(*inputs.exchange);
  plan->on_twice_the_line = std::move(out.inputs.exchange);
  plan->over_nic_of_that = apart ? Bytes{} : out.inputs.network_allreduce;
  inputs.exchange = std::move(plan);
}

/// What the GPUs of one instance exchange is part of the time that the job takes on it: of a job
/// that is given by that time, only what its steps leave beside is spread over instances.
static void leave_to_steps(Context& context) {
  Inputs& inputs = context.out.inputs;
  if (!inputs.step.fixed || inputs.exposed_allreduce <= Duration{}) return;
  Scenario scenario = context.scenario;
  scenario.cluster.instances = 1.0;
  Resolved out;
  out.inputs = inputs;
  out.inputs.instances = 1.0;
  out.inputs.exposed_allreduce = {};
  if (inputs.gpus() > inputs.instances) resolve_exchange_of(context, scenario, out);
  const Duration own = out.inputs.exposed_allreduce / inputs.instances;
  if (own >= *inputs.step.fixed) {
    context.problem("/job/duration_on_one_instance",
                    "its steps take no longer than what the GPUs of one instance exchange in each "
                    "of them: expected a longer duration, or fewer steps (/job/steps)");
    return;
  }
  *inputs.step.fixed -= own;
}

void resolve_communication(Context& context) {
  resolve_gradients(context);
  Inputs& inputs = context.out.inputs;
  if (context.scenario.job.duration_on_one_instance) leave_to_steps(context);
  if (context.gradients_apart) inputs.network_allreduce = Bytes{};
  const bool on_one_nic = inputs.network && !inputs.remote && inputs.network_allreduce > Bytes{};
  if (on_one_nic && inputs.exchange) resolve_on_twice_the_line(context);
}

}  // namespace feedrate::resolve
