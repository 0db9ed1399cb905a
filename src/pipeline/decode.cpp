// The CPU side: cores, the loader's own costs, and preprocessing wherever it runs.
#include <fmt/format.h>

#include <algorithm>

#include "pipeline/context.hpp"

namespace feedrate::pipeline {
namespace {

/// n threads up to the cores, then what the second hardware threads add, then the price of more
/// runnable threads than the hardware has.
Curve<double> cores_curve(double cores, double threads, double oversubscription, double contention,
                          double hyper_threading_gain) {
  Curve<double> curve;
  const auto together = [&](double n) { return n / (1.0 + contention * (n - 1.0)); };
  curve.points.push_back({1.0, std::min(1.0, cores)});
  // The law bends: a point for each core at first, then ever wider apart.
  for (double n = 2.0; n < cores; n = std::ceil(n * 1.1 + 0.01)) {
    curve.points.push_back({n, together(n)});
  }
  double most = std::min(cores, together(cores));
  if (cores > 1.0) curve.points.push_back({cores, most});
  if (threads > cores) {
    most *= 1.0 + hyper_threading_gain * std::min(1.0, (threads - cores) / cores);
    curve.points.push_back({threads, most});
  }
  if (oversubscription > 0.0) {
    curve.points.push_back({std::max(threads, cores) + 1.0, most / (1.0 + oversubscription)});
  }
  return curve;
}

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
    cores = std::max(1.0, context.assume(Stage::decode, assumed::cores_of_threads, *threads));
  }
  // A profile's curve of the cores would not be asked where the scenario says how many there are.
  const bool measurable = !cluster.vcpus && !cluster.cores;
  const double second_threads =
      *threads > cores ? context.assume<double>(
                             Stage::decode, measurable ? assumed::hyper_threading_gain
                                                       : unmeasured(assumed::hyper_threading_gain))
                       : 0.0;
  const double contention =
      cores > 1.0 || context.scenario.loader.contention
          ? context.find_or<double>(
                Stage::decode, context.scenario.loader.contention, {},
                measurable ? assumed::contention : unmeasured(assumed::contention))
          : 0.0;
  return cores_curve(std::min(cores, *threads), *threads, oversubscription, contention,
                     second_threads);
}

/// Measured (threads, rate): as multiples of what one thread does.
Curve<double> scaled_threads(const std::vector<std::pair<double, double>>& points) {
  Curve<double> curve;
  const double one = points.front().second / points.front().first;
  for (const auto& [threads, rate] : points) curve.points.push_back({threads, rate / one});
  return curve;
}

/// Of the kind of loader that is simulated, else of the other one; null when neither was measured.
const Curve<double>* measured_cores(const HostProfile* host, bool torch) {
  if (host == nullptr) return nullptr;
  const auto& first = torch ? host->pytorch_cpu : host->cpu;
  const auto& second = torch ? host->cpu : host->pytorch_cpu;
  if (first) return &*first;
  return second ? &*second : nullptr;
}

using Operations = std::map<std::string, Value<DurationPerSample>>;

std::optional<Value<DurationPerSample>> measured_operation(const HostProfile* host,
                                                           Operations HostProfile::*where,
                                                           const std::string& name) {
  if (host == nullptr) return std::nullopt;
  const auto found = (host->*where).find(name);
  if (found == (host->*where).end()) return std::nullopt;
  return found->second;
}

void resolve_remote(Context& context, DurationPerSample remote_only) {
  const Loader& loader = context.scenario.loader;
  Inputs& inputs = context.out.inputs;
  if (!loader.remote) {
    if (remote_only.base() > 0.0) {
      context.problem("/loader/remote", "operations run on remote workers, but there are none");
    }
    return;
  }
  if (remote_only.base() > 0.0 && inputs.cpu.base() > 0.0) {
    context.problem(
        "/preprocess",
        "operations on remote workers and others on the instance's own cores, one after "
        "the other, are not modelled; put all on one of the two, or leave all at \"cpu\" "
        "to share them");
    return;
  }
  const auto machine = find_machine(context.catalog, loader.remote->instance);
  if (!machine) {
    context.problem("/loader/remote/instance", machine.failure.message);
    return;
  }
  const Machine& aux = **machine;
  RemotePool pool;
  const double per_instance = context.find_or<double>(
      Stage::remote, "/loader/remote/workers_per_instance", loader.remote->workers_per_instance, {},
      aux.vcpus, 1.0, "vCPUs not known");
  const double count = context.use(Stage::remote, "/loader/remote/instances",
                                   Value<double>::given(loader.remote->instances));
  pool.workers = per_instance * count;
  const double threads = aux.vcpus ? aux.vcpus->value : per_instance;
  const double cores = aux.cores ? aux.cores->value : std::max(1.0, threads / 2.0);
  // Of other instances than the one that a profile is of.
  const auto of_remote = [](Assumption assumption, std::string_view key) {
    assumption.key = key;
    return unmeasured(assumption);
  };
  const double second_threads =
      threads > cores
          ? context.assume<double>(Stage::remote, of_remote(assumed::hyper_threading_gain,
                                                            "hyper-threading gain, remote"))
          : 0.0;
  const double contention =
      loader.contention ? context.use(Stage::remote, assumed::contention.key,
                                      Value<double>::given(*loader.contention))
                        : context.assume<double>(
                              Stage::remote, of_remote(assumed::contention, "contention, remote"));
  pool.cores = cores_curve(cores, threads, 0.0, contention, second_threads);
  for (auto& point : pool.cores.points) {
    point.users *= count;
    point.total *= count;
  }
  pool.cpu = remote_only.base() > 0.0 ? remote_only : inputs.cpu;
  if (remote_only.base() > 0.0) inputs.cpu = {};
  const std::optional<DataPerSample> sent = loader.remote->bytes_per_sample
                                                ? loader.remote->bytes_per_sample
                                                : context.scenario.dataset.bytes_on_gpu_per_sample;
  pool.sent = context.find_or<DataPerSample>(
      Stage::remote, "/loader/remote/bytes_per_sample", sent, {}, {}, DataPerSample{},
      "neither this nor /dataset/bytes_on_gpu_per_sample is given: delivery costs nothing");
  const Bandwidth trainer = context.need<Bandwidth>(
      Stage::remote, "/cluster/network", context.scenario.cluster.network, {},
      context.published(&Machine::network), "the network of the training instance");
  pool.network =
      aux.network ? std::min(trainer, aux.network->value * count / inputs.instances) : trainer;
  pool.deliveries = 1.0 / inputs.batch;  // workers send batches
  pool.latency = context.assume<Duration>(Stage::remote, assumed::delivery_latency);
  inputs.remote = pool;
}

}  // namespace

void resolve_cores(Context& context) {
  const Scenario& s = context.scenario;
  const Loader& loader = s.loader;
  Inputs& inputs = context.out.inputs;
  const bool torch = loader.kind == LoaderKind::pytorch;
  const bool pool = loader.kind == LoaderKind::pool;
  inputs.kind = loader.kind;
  inputs.workers =
      loader.kind == LoaderKind::inline_ ? 0.0 : loader.num_workers.value_or(torch ? 0.0 : 1.0);
  if (loader.kind != LoaderKind::inline_ && !loader.num_workers) {
    context.use(Stage::decode, "/loader/num_workers",
                Value<double>::assumed(inputs.workers, torch ? "PyTorch's default" : "one thread"));
  }
  inputs.prefetch = loader.prefetch_factor.value_or(2.0);
  inputs.persistent_workers = loader.persistent_workers.value_or(false);
  inputs.in_order = loader.in_order.value_or(true);
  inputs.caches.decoded = loader.in_memory_cache.value_or(false);
  inputs.caches.readers =
      s.source.distribution == Distribution::sharded_by_s3_key ? 1.0 : inputs.instances;
  inputs.asynchronous_step = s.job.asynchronous_step.value_or(true);
  inputs.non_blocking = s.job.non_blocking.value_or(false);
  if (inputs.non_blocking && !inputs.asynchronous_step) {
    inputs.non_blocking = false;
    context.out.remarks.emplace_back(
        "/job/non_blocking has no effect: a loop that waits for each step (asynchronous_step: "
        "false) has no step left to copy behind");
  }
  inputs.locked = loader.lock.value_or(DurationPerSample{});
  if (loader.lock && torch && inputs.workers > 0.0) {
    context.problem("/loader/lock",
                    "expected a pool of threads: PyTorch's workers are processes, each with an "
                    "interpreter and a lock of its own");
  }
  inputs.fetch_threads = loader.fetch_threads.value_or(1.0);
  if (s.cluster.cpu_quota) {
    inputs.cpu_quota = RateLimit{"CPU quota", *s.cluster.cpu_quota};
    context.use(Stage::decode, "/cluster/cpu_quota", Value<double>::given(*s.cluster.cpu_quota));
  }

  const double oversubscription = context.find_or<double>(
      Stage::decode, loader.oversubscription, context.measured(&HostProfile::oversubscription),
      assumed::oversubscription);
  const Curve<double>* measured = measured_cores(context.host, torch);
  if (loader.thread_scaling) {
    inputs.cores = scaled_threads(*loader.thread_scaling);
    context.use(Stage::decode, "/loader/thread_scaling",
                Value<double>::given(inputs.cores.maximum()));
  } else if (measured != nullptr && !s.cluster.vcpus && !s.cluster.cores) {
    inputs.cores = context.use_curve(Stage::decode, "cpu curve", *measured);
    const bool known = loader.oversubscription || context.host->oversubscription;
    if (known && oversubscription > 0.0) {
      // The curve itself never falls, in a profile: what a crowd costs is a number of its own.
      const auto most = inputs.cores.points.back();
      const double threads = context.host->hardware_threads.value_or(most.users);
      inputs.cores.points.push_back(
          {std::max(threads, most.users) + 1.0, most.total / (1.0 + oversubscription)});
    }
  } else {
    inputs.cores = machine_cores(context, s.cluster, oversubscription);
  }
  const bool starts = torch && inputs.workers > 0.0;
  if (starts) {
    inputs.worker_startup = context.find_or<Duration>(
        Stage::startup, loader.worker_startup, context.measured(&HostProfile::worker_startup),
        assumed::worker_startup);
    inputs.worker_warmup = context.find_or<Duration>(
        Stage::startup, {}, context.measured(&HostProfile::worker_warmup), assumed::worker_warmup);
    inputs.worker_shutdown =
        inputs.workers * context.find_or<Duration>(Stage::startup, {},
                                                   context.measured(&HostProfile::worker_shutdown),
                                                   assumed::worker_shutdown);
  } else {
    inputs.worker_startup = loader.worker_startup.value_or(Duration{});
  }
  if (starts || loader.handover) {
    inputs.handover =
        context.find_or<Duration>(Stage::handover, loader.handover,
                                  context.measured(&HostProfile::handover), assumed::handover);
  }
  if (const auto& per_sample = s.dataset.bytes_on_gpu_per_sample;
      per_sample && (!pool || loader.collate)) {
    const DurationPerByte collate = context.find_or<DurationPerByte>(
        Stage::collate, loader.collate,
        context.measured(starts ? &HostProfile::collate : &HostProfile::collate_inline),
        starts ? assumed::collate : assumed::collate_inline);
    inputs.collate = collate * *per_sample;
  }
}

namespace {

/// The operation whose output stays in memory, with all that comes before it.
std::size_t last_cached(Context& context) {
  const auto& list = context.scenario.preprocess;
  std::size_t kept = list.size();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].cached.value_or(false)) kept = i;
  }
  if (kept < list.size() || !context.scenario.loader.in_memory_cache.value_or(false)) return kept;
  for (std::size_t i = 0; i < list.size() && kept == list.size(); ++i) {
    if (list[i].where == Place::cpu) kept = i;
  }
  if (kept < list.size()) {
    context.use(Stage::decode, fmt::format("/preprocess/{}/cached", kept),
                Value<std::string>::assumed("true", "the output of \"" + list[kept].operation +
                                                        "\" is what stays in memory"));
  }
  return kept;
}

}  // namespace

void resolve_preprocess(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  DurationPerSample remote_only{};
  const std::size_t kept = last_cached(context);
  for (std::size_t i = 0; i < s.preprocess.size(); ++i) {
    const Operation& op = s.preprocess[i];
    const std::string at = fmt::format("/preprocess/{}", i);
    if (op.where == Place::offline) continue;
    if (op.where == Place::gpu) {
      inputs.gpu_preprocess += context.need<DurationPerSample>(
          Stage::gpu, at + "/gpu", op.gpu,
          measured_operation(context.host, &HostProfile::gpu_operations, op.operation), {},
          "what \"" + op.operation + "\" costs on the GPU");
      continue;
    }
    std::optional<DurationPerSample> given = op.cpu;
    if (!given && op.cpu_per_byte) {
      if (!s.dataset.decoded_bytes_per_sample) {
        context.problem("/dataset/decoded_bytes_per_sample",
                        "needed for " + at + "/cpu_per_byte and not given");
        continue;
      }
      given = *op.cpu_per_byte * *s.dataset.decoded_bytes_per_sample;
    }
    const auto measured = measured_operation(context.host, &HostProfile::operations, op.operation);
    const Stage stage = op.where == Place::remote ? Stage::remote : Stage::decode;
    const DurationPerSample cpu = context.need<DurationPerSample>(
        stage, at + "/cpu", given, measured, {}, "what \"" + op.operation + "\" costs on a CPU");
    if (op.where == Place::remote) {
      remote_only += cpu;
      continue;
    }
    inputs.cpu += cpu;
    if (i > kept) inputs.cached_cpu += cpu;
  }
  resolve_remote(context, remote_only);
  const bool works = (inputs.cpu + inputs.collate).base() > 0.0;
  if (works && inputs.cores.empty()) {
    context.needed("/cluster/vcpus", "the hardware threads that preprocess");
  }
}

}  // namespace feedrate::pipeline
