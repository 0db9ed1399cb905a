#include "pipeline/helpers.hpp"

#include <algorithm>

#include "pipeline/stations.hpp"

namespace feedrate::pipeline {
namespace {

/// What leaves a NIC has credits of its own.
constexpr const char* sent_by_it = " (sent)";

/// Appends what `nics` NICs' credits let through, of which a sample takes `bytes`.
void add_credits(Loading& loading, Stage stage, const RateLimit& credits, const char* way,
                 double nics, double speed, double bytes) {
  if (bytes <= 0.0) return;
  const double samples = nics / bytes;
  loading.limits.push_back({stage, credits.name + way, credits.rate * samples * speed,
                            credits.burst_rate * samples * speed, credits.credit * samples});
}

}  // namespace

Loading of_helpers(const Inputs& inputs, EpochKind kind, const Misses& misses) {
  const RemotePool& pool = *inputs.remote;
  Loading loading;
  // Helpers alone are one pool: no more samples are in work than the ranks have asked for.
  loading.customers = most_begun_here(inputs) > 0.0
                          ? pool.workers
                          : std::min(pool.workers, inputs.batch * inputs.prefetch * inputs.gpus());
  loading.share = 1.0 / inputs.instances_alike();
  loading.cpu_stage = Stage::remote;
  const double remote_speed = inputs.speed[Stage::remote];
  loading.cpu = pool.cpu.base() / remote_speed;
  if (source_in(inputs, kind) && pool.fetch) {
    const double speed = inputs.speed[Stage::download];
    const double often = misses.source;
    loading.often_read += often;
    loading.cpu += pool.fetch->cpu.base() * often / speed;
    loading.stations.push_back(station_of(*pool.fetch, Stage::download, often, speed, 1.0));
    spread_over(loading.stations.back(), inputs.fetch_threads);
    add_limits(loading.limits, *pool.fetch, Stage::download, often, inputs.speed);
  }
  if (inputs.disk) {
    loading.often_read += misses.disk;
    loading.stations.push_back(station_of(*inputs.disk, Stage::disk, misses.disk,
                                          inputs.speed[Stage::disk], inputs.instances_alike()));
    spread_over(loading.stations.back(), inputs.fetch_threads);
    add_limits(loading.limits, *inputs.disk, Stage::disk, misses.disk, inputs.speed);
  }
  loading.cores = pool.cores;
  Station latency;
  latency.stage = Stage::remote;
  latency.delay = latency.latency = pool.latency.base() * pool.deliveries / remote_speed;
  loading.stations.push_back(latency);
  // One transfer passes the NIC of one helper and that of one training instance, however many there
  // are; all of them together have all of either side.
  const auto add_transfer = [&](double bytes) {
    Station transfer;
    transfer.stage = Stage::network;
    transfer.work = bytes;
    if (bytes > 0.0) {
      double each = pool.network.base() * inputs.speed[Stage::network];
      double all = each * pool.in_one * inputs.instances_alike();
      transfer.nic = all;
      if (pool.sending) {
        const double of_helper = pool.sending->base() * remote_speed;
        const double of_all = of_helper * pool.instances;
        transfer.without_nic = linear_until(of_helper, of_all);
        if (of_all < all) transfer.stage = Stage::remote;
        each = std::min(each, of_helper);
        all = std::min(all, of_all);
      }
      transfer.rate = linear_until(each, all);
    }
    loading.stations.push_back(transfer);
  };
  // What lies on a training instance leaves it, in its page cache or not, beside what it receives.
  const double read = inputs.disk ? inputs.disk->bytes.base() * misses.decode : 0.0;
  if (inputs.disk) add_transfer(read);
  add_transfer(pool.sent.base());
  if (pool.network_credits) {
    const double network_speed = inputs.speed[Stage::network];
    add_credits(loading, Stage::network, *pool.network_credits, "", pool.in_one, network_speed,
                pool.sent.base());
    add_credits(loading, Stage::network, *pool.network_credits, sent_by_it, pool.in_one,
                network_speed, read);
  }
  if (pool.sending_credits) {
    const double fetched = pool.fetch ? bytes_fetched(inputs, kind, misses) : 0.0;
    const double nics = pool.instances / inputs.instances_alike();
    const std::size_t first = loading.limits.size();
    add_credits(loading, Stage::remote, *pool.sending_credits, sent_by_it, nics, remote_speed,
                pool.sent.base());
    add_credits(loading, Stage::remote, *pool.sending_credits, "", nics, remote_speed,
                fetched + read);
    for (std::size_t i = first; i < loading.limits.size(); ++i) loading.limits[i].own = true;
  }
  return loading;
}

}  // namespace feedrate::pipeline
