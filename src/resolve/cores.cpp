#include "resolve/cores.hpp"

#include <algorithm>
#include <set>

namespace feedrate::resolve {
namespace {

/// More memory channels and caches come with more cores: what one more of them adds falls off, to
/// pool·pool_bend for very many (96 threads of tf.data decode as many images each as a few do:
/// Plumber, 2021).
constexpr double pool_bend = 16.0;

}  // namespace

Curve<double> cores_curve(double cores, double threads, double oversubscription,
                          const Together& together) {
  Curve<double> curve;
  // One core has no others to share with: between one and two, where the number of cores is a
  // guess, the loss begins.
  const double all_busy = together.all_busy * std::clamp(cores - 1.0, 0.0, 1.0);
  const auto work_of = [&](double n) {
    const double share = cores > 1.0 ? (n - 1.0) / (cores - 1.0) : 0.0;
    const double of_pool = std::max(0.0, n / together.pools - 1.0);
    return n / (1.0 + together.contention * (n - 1.0) +
                std::max(all_busy * share, together.pool * of_pool / (1.0 + of_pool / pool_bend)));
  };
  curve.points.push_back({1.0, std::min(1.0, cores)});
  // The law bends: a point for each core at first, then ever wider apart.
  for (double n = 2.0; n < cores; n = std::ceil(n * 1.1 + 0.01)) {
    curve.points.push_back({n, work_of(n)});
  }
  double most = std::min(cores, work_of(cores));
  if (cores > 1.0) curve.points.push_back({cores, most});
  if (threads > cores) {
    most *= 1.0 + together.hyper_threading_gain * std::min(1.0, (threads - cores) / cores);
    curve.points.push_back({threads, most});
  }
  curve.points.push_back({std::max(threads, cores) + 1.0, most / (1.0 + oversubscription)});
  return curve;
}

Curve<double> beside_others(const Curve<double>& curve, double others) {
  if (others <= 0.0 || curve.empty()) return curve;
  // The share of the job bends as long as it grows: to 99.5 %. And where the curve bends, so does
  // it.
  const double last = std::max(curve.points.back().users, 200.0 * others);
  std::set<double> users;
  for (double n = 1.0; n < last; n = std::ceil(n * 1.05 + 0.01)) users.insert(n);
  for (const auto& point : curve.points) users.insert(std::max(1.0, point.users - others));
  users.insert(last);
  Curve<double> left{{}, curve.relative_error};
  for (const double n : users) {
    left.points.push_back({n, curve.total(n + others) * n / (n + others)});
  }
  return left;
}

Together together_of(Context& context, Stage stage, double cores, double threads) {
  const Scenario& s = context.scenario;
  const bool remote = stage == Stage::remote;
  // A profile's curve of the cores is not asked where the scenario says how many there are.
  const bool measurable = !remote && !s.cluster.vcpus && !s.cluster.cores;
  const auto assumed_here = [&](Assumption assumption, std::string_view remote_key) {
    if (remote) assumption.key = remote_key;
    return context.assume<double>(stage, measurable ? assumption : unmeasured(assumption));
  };
  Together together;
  if (threads > cores) {
    together.hyper_threading_gain =
        assumed_here(assumed::hyper_threading_gain, "hyper-threading gain, remote");
  }
  if (s.loader.contention) {
    together.contention =
        context.use(stage, "/loader/contention", Value<double>::given(*s.loader.contention));
    return together;
  }
  if (cores <= 1.0) return together;
  together.all_busy = assumed_here(assumed::contention, "loss of cores that are all busy, remote");
  if (traits(s.loader.kind).shared_batches && !remote) {
    together.pool = assumed_here(assumed::pool_contention, "");
    const Inputs& inputs = context.out.inputs;
    together.pools = std::max(1.0, inputs.gpus() / std::max(1.0, inputs.instances));
  }
  return together;
}

/// Cores that so many hardware threads are taken for.
static double cores_of(double threads) {
  return std::max(1.0, threads * assumed::cores_of_threads.value);
}

Curve<double> assumed_cores(double threads, std::optional<double> known) {
  const double cores = known.value_or(cores_of(threads));
  Together together;
  if (threads > cores) together.hyper_threading_gain = assumed::hyper_threading_gain.value;
  if (cores > 1.0) together.all_busy = assumed::contention.value;
  return cores_curve(std::min(cores, threads), threads, 0.0, together);
}

namespace {

Curve<double> machine_cores(Context& context, const Cluster& cluster, double oversubscription) {
  const auto threads = context.find<double>(Stage::decode, "/cluster/vcpus", cluster.vcpus, {},
                                            context.published(&Machine::vcpus));
  if (!threads) return {};
  const Known<double> published = context.published(&Machine::cores);
  const Known<double> machine_threads = context.published(&Machine::vcpus);
  const bool as_published = published && machine_threads && *threads == machine_threads->value;
  const auto known = context.find<double>(Stage::decode, "/cluster/cores", cluster.cores, {},
                                          as_published ? published : std::nullopt);
  double cores = 0.0;
  if (known) {
    cores = *known;
  } else if (context.machine()) {
    // Another number of threads of this machine's kind.
    const double each =
        published && machine_threads ? machine_threads->value / published->value : 2.0;
    cores = context.use(Stage::decode, "/cluster/cores",
                        Value<double>::assumed(std::max(1.0, *threads / each),
                                               "hardware threads a core as on the machine"));
  } else {
    cores =
        std::max(1.0, context.assume(Stage::decode, assumed::cores_of_threads, cores_of(*threads)));
  }
  const Together together = together_of(context, Stage::decode, cores, *threads);
  if (!context.scenario.loader.contention) context.computed_cores = std::min(cores, *threads);
  return cores_curve(std::min(cores, *threads), *threads, oversubscription, together);
}

/// Measured (threads, rate), ascending: as multiples of what one thread does, which they are where
/// no pair tells its rate.
Curve<double> scaled_threads(const std::vector<std::pair<double, double>>& points) {
  Curve<double> curve;
  const bool told = points.front().first == 1.0;
  const double one = told ? points.front().second : 1.0;
  if (!told) curve.points.push_back({1.0, 1.0});
  for (const auto& [threads, rate] : points) curve.points.push_back({threads, rate / one});
  return curve;
}

/// The curve measured with the simulated kind of loader, else with the other kind; null where
/// neither was measured.
const Curve<double>* measured_cores(const HostProfile* host, bool torch) {
  if (host == nullptr) return nullptr;
  const auto& first = torch ? host->pytorch_cpu : host->cpu;
  const auto& second = torch ? host->cpu : host->pytorch_cpu;
  if (first) return &*first;
  return second ? &*second : nullptr;
}

}  // namespace

static Curve<double> cores_alone(Context& context) {
  const Scenario& s = context.scenario;
  const Loader& loader = s.loader;
  const bool torch = traits(loader.kind).processes;
  const double oversubscription = context.find_or<double>(
      Stage::decode, loader.oversubscription, context.measured(&HostProfile::oversubscription),
      assumed::oversubscription);
  const Curve<double>* measured = measured_cores(context.host, torch);
  if (loader.thread_scaling) {
    const Curve<double> curve = scaled_threads(*loader.thread_scaling);
    context.use(Stage::decode, "/loader/thread_scaling", Value<double>::given(curve.maximum()));
    return curve;
  }
  if (measured == nullptr || s.cluster.vcpus || s.cluster.cores) {
    return machine_cores(context, s.cluster, oversubscription);
  }
  Curve<double> curve = context.use_curve(Stage::decode, "cpu curve", *measured);
  if (loader.oversubscription || context.host->oversubscription) {
    // The curve itself never falls, in a profile: what a crowd costs is a number of its own.
    const auto most = curve.points.back();
    const double threads = context.host->hardware_threads.value_or(most.users);
    curve.points.push_back(
        {std::max(threads, most.users) + 1.0, most.total / (1.0 + oversubscription)});
  }
  return curve;
}

std::optional<double> hardware_threads(const Context& context) {
  if (context.scenario.cluster.vcpus) return context.scenario.cluster.vcpus;
  if (const auto published = context.published(&Machine::vcpus)) return published->value;
  // A profile tells of the instance only where the scenario names none.
  return context.host != nullptr && context.machine() == nullptr ? context.host->hardware_threads
                                                                 : std::nullopt;
}

Curve<double> cores_of_instance(Context& context) {
  const Curve<double> alone = cores_alone(context);
  if (!alone.empty()) {
    // A curve of a machine that nobody tells of ends where it has no more threads.
    Inputs& inputs = context.out.inputs;
    inputs.hardware_threads = hardware_threads(context).value_or(alone.points.back().users);
    inputs.other_threads = context.scenario.cluster.other_threads.value_or(0.0);
  }
  const auto& others = context.scenario.cluster.other_threads;
  if (!others) return alone;
  return beside_others(
      alone, context.use(Stage::decode, "/cluster/other_threads", Value<double>::given(*others)));
}

}  // namespace feedrate::resolve
