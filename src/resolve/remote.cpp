// Auxiliary instances that preprocess.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/loading.hpp"
#include "resolve/context.hpp"
#include "resolve/cores.hpp"
#include "resolve/network.hpp"
#include "resolve/pieces.hpp"

namespace feedrate::resolve {
namespace {

/// Of so many instances together, among which users are spread evenly.
template <class Rate>
Curve<Rate> of_all(Curve<Rate> of_one, double instances) {
  for (auto& point : of_one.points) {
    point.users *= instances;
    point.total *= instances;
  }
  return of_one;
}

/// Helpers bring no objects: who has none to stream stays idle, here and there. Those that there
/// are go to who makes samples in proportion, and to each GPU as many.
void leave_without_objects(Context& context, RemotePool& pool) {
  Inputs& inputs = context.out.inputs;
  if (!streams_objects(context)) return;
  const double gpus = inputs.gpus();
  const double objects = std::max(1.0, std::ceil(pipeline::objects_of_rank(inputs) * gpus - 1e-6));
  const double here = inputs.cpu.base() > 0.0 || pool.cpu.base() <= 0.0 ? inputs.workers : 0.0;
  const double all = here * gpus + pool.workers;
  if (all <= objects) return;
  if (context.texts) {
    context.remark(
        RemarkKind::check,
        fmt::format("helpers bring no objects: of {:g} workers, those of helpers included, only "
                    "{:g} have one to stream; make the objects smaller, use fewer workers, or say "
                    "that they share an object's samples (/loader/divided_by: samples)",
                    all, objects));
  }
  pool.workers = std::max(1.0, std::min(std::round(objects * pool.workers / all), pool.workers));
  if (here <= 0.0) return;
  const double left = std::max(1.0, std::min(std::floor((objects - pool.workers) / gpus), here));
  inputs.worker_shutdown = (left / here) * inputs.worker_shutdown;
  inputs.workers = left;
}

}  // namespace

void resolve_remote(Context& context, DurationPerSample remote_only, DurationPerSample shared) {
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
  pool.instances = count;
  pool.workers = per_instance * count;
  const double threads = aux.vcpus ? aux.vcpus->value : per_instance;
  const double cores = aux.cores ? aux.cores->value : std::max(1.0, threads / 2.0);
  pool.cores = of_all(
      cores_curve(cores, threads, 0.0, together_of(context, Stage::remote, cores, threads)), count);
  pool.cpu = remote_only.base() > 0.0 ? remote_only : shared;
  if (remote_only.base() > 0.0) inputs.cpu = {};
  leave_without_objects(context, pool);
  std::optional<DataPerSample> sent = loader.remote->bytes_per_sample;
  if (const auto made = bytes_in_chain(context.scenario).to_gpu; made && !sent) sent = made->value;
  pool.sent = context.find_or<DataPerSample>(
      Stage::network, "/loader/remote/bytes_per_sample", sent, {}, {}, DataPerSample{},
      "neither this nor /dataset/bytes_on_gpu_per_sample is given: delivery costs nothing");
  const Network network = network_of(context);
  if (!network.most) context.needed("/cluster/network", "the network of the training instance");
  const Network own = network_of_helper(context, aux, network);
  const double share = line_share(context);
  pool.network = network.most.value_or(bytes_per_second(1.0)) * share;
  pool.network_credits = network.limit;
  if (own.most) pool.sending = *own.most * share;
  pool.sending_credits = own.limit;
  pool.deliveries = 1.0 / inputs.batch;  // workers send batches
  pool.latency = context.assume<Duration>(Stage::remote, assumed::delivery_latency);
  inputs.remote = pool;
}

Read remote_read(const RemotePool& helpers, const Read& by_trainer) {
  Read read = by_trainer;
  // Their own NICs stand in its place.
  read.nic.reset();
  read.connections = 0.0;
  std::erase_if(read.limits, [](const RateLimit& limit) { return limit.of_nic; });
  const bool shared = read.shared_by_all > Bandwidth{};
  const Curve<Bandwidth>& alone = shared ? by_trainer.unshared : by_trainer.rate;
  // A request passes the NIC of one of them, all requests together pass all of these.
  const Curve<Bandwidth> of_one =
      helpers.sending ? linear_until(std::min(alone.total(1.0), *helpers.sending), *helpers.sending)
                      : alone;
  read.rate = of_all(of_one, helpers.instances);
  if (shared) {
    read.unshared = read.rate;
    read.rate = capped(read.rate, read.shared_by_all);
  }
  return read;
}

}  // namespace feedrate::resolve
