// Auxiliary instances that preprocess.
#include <algorithm>

#include "resolve/context.hpp"
#include "resolve/cores.hpp"

namespace feedrate::resolve {

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
  pool.workers = per_instance * count;
  const double threads = aux.vcpus ? aux.vcpus->value : per_instance;
  const double cores = aux.cores ? aux.cores->value : std::max(1.0, threads / 2.0);
  pool.cores =
      cores_curve(cores, threads, 0.0, together_of(context, Stage::remote, cores, threads));
  for (auto& point : pool.cores.points) {
    point.users *= count;
    point.total *= count;
  }
  pool.cpu = remote_only.base() > 0.0 ? remote_only : shared;
  if (remote_only.base() > 0.0) inputs.cpu = {};
  std::optional<DataPerSample> sent = loader.remote->bytes_per_sample;
  if (const auto made = bytes_in_chain(context.scenario).to_gpu; made && !sent) sent = made->value;
  pool.sent = context.find_or<DataPerSample>(
      Stage::network, "/loader/remote/bytes_per_sample", sent, {}, {}, DataPerSample{},
      "neither this nor /dataset/bytes_on_gpu_per_sample is given: delivery costs nothing");
  pool.network = context.need<Bandwidth>(
      Stage::network, "/cluster/network", context.scenario.cluster.network, {},
      context.published(&Machine::network), "the network of the training instance");
  if (aux.network) pool.sending = aux.network->value * (count / inputs.instances_alike());
  pool.deliveries = 1.0 / inputs.batch;  // workers send batches
  pool.latency = context.assume<Duration>(Stage::remote, assumed::delivery_latency);
  inputs.remote = pool;
}

}  // namespace feedrate::resolve
