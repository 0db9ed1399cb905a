// The loader's keys: what it is made of, and its processes' own costs.
#include "resolve/context.hpp"
#include "resolve/cores.hpp"

namespace feedrate::resolve {

void resolve_loader(Context& context) {
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

  inputs.cores = cores_of_instance(context);
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
  if (const auto each = bytes_in_chain(s).to_gpu; each && (!pool || loader.collate)) {
    const DurationPerByte collate = context.find_or<DurationPerByte>(
        Stage::collate, loader.collate,
        context.measured(starts ? &HostProfile::collate : &HostProfile::collate_inline),
        starts ? assumed::collate : assumed::collate_inline);
    inputs.collate = collate * each->value;
  }
}

}  // namespace feedrate::resolve
