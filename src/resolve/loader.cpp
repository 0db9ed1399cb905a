// The loader's keys: what it is made of, and its processes' own costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/input_mode.hpp"
#include "pipeline/loading.hpp"
#include "resolve/context.hpp"
#include "resolve/cores.hpp"
#include "resolve/speed.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {

namespace {

/// "cpus-1": the hardware threads that are a GPU's share, less the one of its main process; at
/// least 1. "auto": the same where the loader's workers are processes beside a main process that
/// works as well; all of them for a pool's threads, whose main process sleeps; and no more than a
/// cpu_quota keeps running. `whose` default the rule is; "" where it is given.
double by_rule(Context& context, WorkerRule rule, std::string_view whose) {
  constexpr std::string_view key = "/loader/num_workers";
  const Cluster& cluster = context.scenario.cluster;
  const bool automatic = rule == WorkerRule::automatic;
  const std::string_view word = automatic ? "auto" : "cpus-1";
  std::optional<double> threads = hardware_threads(context);
  if (!threads) {
    const std::string_view name = context.scenario.loader.kind.name();
    context.needed(
        key, fmt::format("the instance's hardware threads, which \"{}\"{} follows; set "
                         "/cluster/vcpus, or a number of workers",
                         word, whose.empty() ? "" : fmt::format(", the default of {},", name)));
    return 1.0;
  }
  std::string why = fmt::format("{}: {:g} hardware threads", word, *threads);
  if (automatic && cluster.cpu_quota && *cluster.cpu_quota < *threads) {
    threads = cluster.cpu_quota;
    why += fmt::format(", of which the quota keeps {:g} running", *threads);
  }
  const double ranks = context.out.inputs.ranks;
  if (ranks > 1.0) why += fmt::format(" for {:g} GPUs", ranks);
  const bool all = automatic && traits(context.scenario.loader.kind).shared_batches;
  const double count = std::max(1.0, std::floor(*threads / ranks) - (all ? 0.0 : 1.0));
  if (!context.texts) why.clear();
  if (whose.empty()) return context.use(Stage::decode, key, Value<double>::given(count, why));
  if (context.texts) why = fmt::format("{}; {}", whose, why);
  return context.use(Stage::decode, key, Value<double>::assumed(count, why));
}

double workers_of_rank(Context& context) {
  const Loader& loader = context.scenario.loader;
  if (!traits(loader.kind).workers) return 0.0;
  const bool torch = traits(loader.kind).processes;
  const NamedDefault* const by_name =
      loader.num_workers ? nullptr : context.by_name("/loader/num_workers");
  if (by_name != nullptr) {
    return by_name->word.empty() ? std::round(context.use_default<double>(Stage::decode, *by_name))
                                 : by_rule(context, WorkerRule::automatic, by_name->number.why);
  }
  if (!loader.num_workers) {
    return context.use(
        Stage::decode, "/loader/num_workers",
        Value<double>::assumed(torch ? 0.0 : 1.0, torch ? "PyTorch's default" : "one thread"));
  }
  if (loader.num_workers->rule == WorkerRule::number) return loader.num_workers->number;
  return by_rule(context, loader.num_workers->rule, "");
}

/// Requests that a worker has in flight: objects of the loader, times the parts of each that the
/// access fetches at once while the job trains.
double requests_of_worker(Context& context) {
  constexpr std::string_view key = "/loader/fetch_threads";
  const Scenario& s = context.scenario;
  const InputMode mode = input_mode_of(s);
  const bool trains_on_it = mode == InputMode::stream || mode == InputMode::mount;
  const NamedDefault* const parts = trains_on_it ? context.by_name(parts_key) : nullptr;
  if (s.loader.fetch_threads || parts == nullptr) {
    return context.count(Stage::download, key, s.loader.fetch_threads, 1.0);
  }
  double objects = 1.0;
  if (const NamedDefault* const own = context.by_name(key)) {
    NamedDefault of_loader = *own;
    of_loader.number.key = "objects that a worker fetches at once";
    objects = std::round(context.use_default<double>(Stage::download, of_loader));
  }
  const double object =
      (bytes_in_chain(s).stored * samples(s.dataset.samples_per_object.value_or(1.0))).base();
  const double most = std::max(1.0, std::ceil(object / context.access_by_name->part_bytes));
  const double at_once = context.use_default<double>(Stage::download, *parts);
  return context.use(Stage::download, key,
                     Value<double>::assumed(objects * std::round(std::min(at_once, most)),
                                            "objects at once, times parts of each"));
}

/// Whether workers load a library that takes longer at its first sample.
bool preprocesses_here(const Scenario& scenario) {
  return std::any_of(scenario.preprocess.begin(), scenario.preprocess.end(),
                     [](const Operation& op) { return op.where == Place::cpu; });
}

/// CPU time of the loader itself: what is given or measured belongs to a machine, what is assumed
/// to none.
template <class T>
T own_cost(Context& context, Stage stage, const std::optional<T>& given,
           const std::optional<Value<T>>& measured, const Assumption& assumption) {
  const T cost = context.find_or<T>(stage, given, measured, assumption);
  if (given) return cost / given_loader_speed(context);
  return measured ? cost / measured_thread_speed(context) : cost;
}

}  // namespace

DurationPerSample handed_over_one_by_one(Context& context, Stage stage) {
  const Loader& loader = context.scenario.loader;
  const Inputs& inputs = context.out.inputs;
  const bool processes = traits(inputs.kind).processes && inputs.workers > 0.0;
  const double tensors = loader.tensors_per_sample.value_or(0.0);
  if (!processes || tensors <= 0.0 || loader.transport == Transport::pickled) return {};
  return context.use(stage, "/loader/tensors_per_sample", Value<double>::given(tensors)) *
         context.assume<Duration>(stage, assumed::handover_of_tensor) / samples(1.0);
}

namespace {

/// What the main process does to have a batch. Where a thread pins batches, it takes them from the
/// workers, and their bytes are its work (resolve_copy).
void resolve_handover(Context& context, bool starts) {
  const Loader& loader = context.scenario.loader;
  Inputs& inputs = context.out.inputs;
  if (!starts && !loader.handover) return;
  Bytes batch;
  const auto each = bytes_in_chain(context.scenario).to_gpu;
  if (each && !context.pins) batch = each->value * samples(inputs.batch);
  inputs.handover = own_cost<Duration>(
      context, Stage::handover, loader.handover, context.measured(&HostProfile::handover),
      assumed::handover_of(context.relearned(assumed::handover_of_byte(
                               loader.transport.value_or(Transport::shared_memory))),
                           batch));
  if (!loader.handover && !context.pins) {
    inputs.handover += handed_over_one_by_one(context, Stage::handover) * samples(inputs.batch);
  }
  inputs.handover_cv =
      context.find_or<double>(Stage::handover, loader.handover_cv, {}, assumed::handover_cv);
}

/// Why batches are in order, whatever is asked for; "" where several are in work at once.
const char* why_in_order(const Inputs& inputs) {
  if (!inputs.pooled()) {
    if (!traits(inputs.kind).whole_batches || inputs.workers <= 1.0) {
      return "nobody makes a batch beside another";
    }
    if (pipeline::cuts_batches(inputs))
      return "workers make batches of samples of their own, in turn";
    return pipeline::download_thread_of(inputs, inputs.samples).at_once > 0.0
               ? "workers make batches of what a thread of each has downloaded, in turn"
               : "";
  }
  if (inputs.remote) return "";
  if (inputs.workers <= 1.0) return "one thread takes samples in their order";
  if (inputs.prefetch < 2.0) return "prefetch_factor is 1, and threads share one batch at a time";
  return "";
}

}  // namespace

void resolve_loader(Context& context) {
  const Scenario& s = context.scenario;
  const Loader& loader = s.loader;
  Inputs& inputs = context.out.inputs;
  const bool torch = traits(loader.kind).processes;
  const bool pool = traits(loader.kind).shared_batches;
  inputs.kind = loader.kind.family();
  inputs.workers = workers_of_rank(context);
  inputs.prefetch =
      context.count(Stage::decode, "/loader/prefetch_factor", loader.prefetch_factor, 2.0);
  context.pins = context.flag(Stage::h2d, "/loader/pin_memory", loader.pin_memory, false);
  inputs.persistent_workers = loader.persistent_workers.value_or(false);
  inputs.in_order = context.flag(Stage::decode, "/loader/in_order", loader.in_order, true);
  inputs.caches.decoded = loader.in_memory_cache.value_or(false);
  const double processes = inputs.ranks * inputs.workers;  // of the instance
  const bool apart = processes > (inputs.persistent_workers ? 1.0 : 0.0);
  if (inputs.caches.decoded && context.texts && apart && !inputs.pooled() && inputs.epochs > 1.0) {
    context.remark(
        RemarkKind::check,
        fmt::format("/loader/in_memory_cache is taken to lie in memory that all workers share: {}",
                    inputs.persistent_workers
                        ? fmt::format("of what each of {0:g} keeps for itself, the second epoch "
                                      "finds one sample in {0:g}, and it takes up to {0:g} times "
                                      "the memory",
                                      processes)
                        : "what a worker keeps for itself ends with it after each epoch, as "
                          "/loader/persistent_workers is false"));
  }
  if (inputs.caches.decoded && context.texts && !kept_size_known(context.scenario)) {
    context.remark(RemarkKind::measure,
                   "/dataset/decoded_bytes_per_sample is not given: samples are taken to need no "
                   "more memory decoded than stored, and need several times as much");
  }
  // Loaders of one replica read the same samples.
  inputs.caches.readers =
      std::min(inputs.instances_alike(), inputs.replicas()) / parts_read(context);
  inputs.asynchronous_step = s.job.asynchronous_step.value_or(true);
  if (s.job.non_blocking.value_or(false)) {
    inputs.copies = s.job.copy_stream.value_or(CopyStream::side) == CopyStream::side
                        ? pipeline::Copies::beside
                        : pipeline::Copies::queued;
  } else if (s.job.copy_stream) {
    tell_without_effect(context, "/job/copy_stream",
                        "the loop waits for each copy; set /job/non_blocking");
  }
  if (inputs.copies != pipeline::Copies::waited && !inputs.asynchronous_step) {
    inputs.copies = pipeline::Copies::waited;
    tell_without_effect(context, "/job/non_blocking",
                        "a loop that waits for each step (asynchronous_step: false) has no step "
                        "left to copy behind");
  }
  if (loader.lock) inputs.locked = *loader.lock / given_loader_speed(context);
  if (loader.lock && torch && inputs.workers > 0.0) {
    context.problem("/loader/lock",
                    "expected a pool of threads: PyTorch's workers are processes, each with an "
                    "interpreter and a lock of its own");
  }
  inputs.fetch_threads = requests_of_worker(context);
  if (s.cluster.cpu_quota) {
    inputs.cpu_quota = RateLimit{"CPU quota", *s.cluster.cpu_quota};
    context.use(Stage::decode, "/cluster/cpu_quota", Value<double>::given(*s.cluster.cpu_quota));
  }

  inputs.cores = cores_of_instance(context);
  const bool starts = torch && inputs.workers > 0.0;
  if (starts) {
    const WorkerStart start = context.word(Stage::startup, "/loader/start", loader.start,
                                           WorkerStart::fork, worker_start_words);
    // A profile's workers were forked.
    inputs.worker_startup = own_cost<Duration>(
        context, Stage::startup, loader.worker_startup,
        start == WorkerStart::fork ? context.measured(&HostProfile::worker_startup) : std::nullopt,
        assumed::worker_startup_by(start));
    const auto warmup = context.measured(&HostProfile::worker_warmup);
    // Workers that take no time to start are there already, with all that they need.
    const bool there = loader.worker_startup && *loader.worker_startup == Duration{};
    if (warmup || (preprocesses_here(s) && !there)) {
      inputs.worker_warmup =
          own_cost<Duration>(context, Stage::startup, {}, warmup, assumed::worker_warmup);
    }
    inputs.worker_shutdown =
        inputs.workers * own_cost<Duration>(context, Stage::startup, {},
                                            context.measured(&HostProfile::worker_shutdown),
                                            assumed::worker_shutdown);
  } else if (loader.worker_startup) {
    inputs.worker_startup = *loader.worker_startup / given_loader_speed(context);
  }
  resolve_handover(context, starts);
  if (const auto each = bytes_in_chain(s).to_gpu; each && (!pool || loader.collate)) {
    const DurationPerByte collate = own_cost<DurationPerByte>(
        context, Stage::collate, loader.collate,
        context.measured(starts ? &HostProfile::collate : &HostProfile::collate_inline),
        starts ? assumed::collate : assumed::collate_inline);
    inputs.collate = collate * each->value;
  }
}

void resolve_order(Context& context) {
  const std::string_view why = why_in_order(context.out.inputs);
  if (why.empty()) return;
  context.out.inputs.in_order = true;
  if (context.scenario.loader.in_order) tell_without_effect(context, "/loader/in_order", why);
}

}  // namespace feedrate::resolve
