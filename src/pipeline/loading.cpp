#include "pipeline/loading.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/helpers.hpp"
#include "pipeline/one_nic.hpp"
#include "pipeline/page_cache.hpp"
#include "pipeline/stations.hpp"
#include "pipeline/two_caches.hpp"
#include "queueing/pace.hpp"

namespace feedrate::pipeline {
namespace {

/// Seconds that are saved of what a machine's cores, memory and disk can do: a period of the
/// kernel's CPU quotas, which keep nothing longer (cpu.max, without cpu.max.burst). What others
/// enforce, as a cloud does the rates of its networks, is enforced over a second.
constexpr double of_machine = 0.1;

/// What oversubscription costs is paid by all, at all times, once `threads` outnumber the
/// hardware's: a cost of the setting, not of the moment. (Were it one of the moment, a faster disk
/// would crowd the cores and so slow the loader down, which nobody measured.)
Curve<double> with_threads(const Curve<double>& cores, double threads) {
  Curve<double> out = cores;
  double most = 0.0;
  double most_within = 0.0;
  for (auto& point : out.points) {
    most = std::max(most, point.total);
    if (point.users <= threads) most_within = std::max(most_within, point.total);
    point.total = most;
  }
  const double falls = cores.total(threads) / std::max(most_within, cores.total(threads));
  if (falls < 1.0) {
    for (auto& point : out.points) point.total *= falls;
  }
  return out;
}

/// Core-seconds of work in a second of a hardware thread's time while `n` of the job's threads are
/// ready to run.
double work_of_thread(const Inputs& inputs, const Curve<double>& cores, double n) {
  const double running = n * std::min(1.0, inputs.hardware_threads / (n + inputs.other_threads));
  return cores.total(n) / running;
}

/// Samples a second that the quota lets through. What it counts is the time of hardware threads,
/// however little of a core each of them has: n threads that are ready to run use it up in a part
/// of each period, and do in that part what so many do on cores that they share. Of the customers
/// those are ready that do not read meanwhile. All begin together, so they are as many as can be:
/// the fewer samples come through, the fewer of them read.
double let_through_by(const RateLimit& quota, const Inputs& inputs, const Loading& loading) {
  const double work = loading.cpu + loading.collate;
  if (loading.cores.empty()) return quota.rate / work;
  const double elsewhere = std::max(0.0, loading.alone() - work / loading.cores.total(1.0));
  const auto rate = [&](double ready) {
    return quota.rate * work_of_thread(inputs, loading.cores, ready) / work;
  };
  double ready = loading.customers;
  // Fewer than the quota has room for are never stopped.
  const double fewest = std::min(ready, quota.rate);
  for (int i = 0; i < 100; ++i) {
    const double next = std::max(fewest, loading.customers - rate(ready) * elsewhere);
    if (next >= ready * (1.0 - 1e-12)) break;
    ready = next;
  }
  return rate(ready);
}

/// Whether a thread of each worker downloads while the worker makes samples. Who fills a buffer
/// before its first sample reads by itself. Loaders whose workers cut batches of their own have no
/// such thread. Who makes one batch of an epoch at most has nothing to download beside it.
bool has_download_threads(const Inputs& inputs) {
  return inputs.download_thread.at_once > 0.0 && traits(inputs.kind).whole_batches &&
         inputs.workers >= 1.0 && !inputs.remote && !inputs.sequential_stream &&
         inputs.read_before <= 0.0 && !cuts_batches(inputs) &&
         epoch_shape(inputs).steps > inputs.workers;
}

/// Of the samples that one of `active` customers of a rank makes in an epoch, those that it has
/// read before the first of them: what a shuffle buffer holds. At an epoch's end nothing is left to
/// read while it empties, so no more is read than without one.
struct ReadBefore {
  double samples = 0.0;
  double share = 0.0;  ///< of all that it reads
};

ReadBefore read_before(const Inputs& inputs, double active) {
  if (inputs.read_before <= 0.0 || active <= 0.0 || inputs.sequential_stream) return {};
  // Of who has most of the samples, and ends last.
  const Division division = division_of(inputs);
  const double own =
      division.few > 0.0 ? division.most.samples : epoch_shape(inputs).samples() / active;
  const double before = inputs.read_before / (traits(inputs.kind).shared_batches ? active : 1.0);
  // A little is left, so that what is read is never divided by nothing.
  constexpr double least_left = 1e-6;
  const double samples = std::min(before, own * (1.0 - least_left));
  return {samples, samples / own};
}

/// What other instances' disks give comes over the NIC, beside what the source does.
void add_peers(Loading& loading, const Inputs& inputs, double peers, double from_source) {
  if (peers <= 0.0) return;
  const Read& disk = *inputs.disk;
  const double speed = inputs.speed[Stage::network];
  const double latency = inputs.caches.peer_latency.base() * disk.requests * peers / speed;
  loading.stations.back().delay += latency;
  loading.stations.back().latency += latency;
  if (!inputs.network) return;
  const double fetched = inputs.source ? inputs.source->bytes.base() * from_source : 0.0;
  const double each = disk.bytes.base() * peers + fetched;
  loading.limits.push_back(
      {Stage::network, "NIC", inputs.network->base() * speed / each, 0.0, 0.0});
}

/// Of ranks that share an object each makes a part of its samples. One worker reads an object from
/// its beginning to its end, so together they are no faster than one: the others wait.
void share_objects(Loading& loading, const Inputs& inputs) {
  if (!divides_objects(inputs)) return;
  const double others = 1.0 / std::min(1.0, objects_of_rank(inputs)) - 1.0;
  if (others <= 0.0) return;
  const auto wait = [&](Stage stage, double delay, double latency) {
    Station waiting;
    waiting.stage = stage;
    waiting.delay = others * delay;
    waiting.latency = others * latency;
    loading.stations.push_back(waiting);
  };
  const double reading = loading.reading();
  const double making = loading.alone() - reading;
  wait(Stage::download, reading, loading.latency());
  wait(loading.cpu_stage, making, 0.0);
}

Loading local(const Inputs& inputs, EpochKind kind, const Misses& misses, double active,
              Reading reading) {
  Loading loading;
  loading.customers = active * inputs.ranks;
  const ReadBefore before =
      reading == Reading::while_making ? read_before(inputs, active) : ReadBefore{};
  loading.read_before = before.samples;
  loading.reads_left = 1.0 - before.share;
  const auto& source = source_in(inputs, kind);
  const bool threads = has_download_threads(inputs);
  if (source && !inputs.sequential_stream && !threads) {
    const double often = misses.source * loading.reads_left;
    loading.often_read += often;
    loading.stations.push_back(download_of(*source, often, inputs));
    spread_over(loading.stations.back(), inputs.fetch_threads);
    add_limits(loading.limits, *source, Stage::download, often, inputs.speed);
  }
  if (inputs.disk) {
    const double speed = inputs.speed[Stage::disk];
    const Read& disk = *inputs.disk;
    const double often = misses.disk * loading.reads_left;
    loading.often_read += often;
    const double written = misses.written * loading.reads_left;
    loading.stations.push_back(station_of(disk, Stage::disk, often, speed, 1.0));
    add_peers(loading, inputs, misses.from_peers * loading.reads_left,
              source ? misses.source * loading.reads_left : 0.0);
    spread_over(loading.stations.back(), inputs.fetch_threads);
    // Nobody waits for what fills a cache, but it takes its part of the disk.
    const double all = often + written;
    add_limits(loading.limits, disk, Stage::disk, all, inputs.speed);
    if (written > 0.0 && !disk.rate.empty()) {
      const double each = disk.bytes.base() * all;
      loading.limits.push_back(
          {Stage::disk, "disk", disk.rate.maximum().base() * speed / each, 0.0, 0.0, of_machine});
    }
  }
  const DurationPerSample cpu =
      inputs.cached_cpu + (inputs.cpu - inputs.cached_cpu) * misses.decode;
  const double speed = inputs.speed[Stage::decode];
  const double locked = std::min(inputs.locked.base(), cpu.base()) / speed;
  loading.cpu = cpu.base() / speed;
  if (source && !inputs.sequential_stream) {
    // Of a thread too: both hold the interpreter's lock of their process.
    loading.cpu += source->cpu.base() * misses.source / inputs.speed[Stage::download];
  }
  loading.collate = inputs.collate.base() / inputs.speed[Stage::collate];
  const double core_work = loading.cpu + loading.collate;
  if (!inputs.cores.empty()) loading.cores = with_threads(inputs.cores, loading.customers);
  const auto limit_cores = [&](const std::string& name, double rate) {
    loading.limits.push_back({Stage::decode, name, rate, 0.0, 0.0, of_machine});
  };
  if (locked > 0.0) {
    // One thread of each rank holds the lock, and a core with it.
    Station lock;
    lock.stage = Stage::decode;
    lock.work = locked;
    lock.rate = {{{1.0, loading.cores.empty() ? 1.0 : loading.cores.total(1.0)}}, 0.0};
    lock.locks = inputs.ranks;
    loading.stations.push_back(lock);
  }
  if (inputs.cpu_quota && core_work > 0.0) {
    limit_cores(inputs.cpu_quota->name, let_through_by(*inputs.cpu_quota, inputs, loading));
  }
  if (inputs.memory && core_work > 0.0) {
    // What is as fast as twice its stage touches memory half as often; a decoded sample that stays
    // in memory is read no less than another.
    limit_cores(inputs.memory->name, inputs.memory->rate * speed);
  }
  if (inputs.remote) {
    // What helpers make passes neither these cores nor, on its way to them, this NIC. What they
    // deliver does (one_nic.hpp).
    const auto& credits = inputs.remote->network_credits;
    for (SampleLimit& limit : loading.limits) {
      limit.own = limit.stage == Stage::decode ||
                  (limit.stage == Stage::network && !(credits && limit.name == credits->name));
    }
  }
  share_objects(loading, inputs);
  return loading;
}

bool remote_only(const Inputs& inputs) {
  if (!inputs.remote) return false;
  return inputs.workers <= 0.0 || (inputs.remote->cpu.base() > 0.0 && inputs.cpu.base() <= 0.0);
}

}  // namespace

Station Station::beyond_nic() const {
  Station beyond = *this;
  if (nic > 0.0) beyond.rate = without_nic;
  beyond.nic = 0.0;
  beyond.without_nic = {};
  return beyond;
}

double Loading::alone() const {
  double sum = cpu + collate;
  if (sum > 0.0 && !cores.empty()) sum /= cores.total(1.0);
  for (const Station& station : stations) {
    if (station.locks > 0.0 && !cores.empty()) continue;  // in `cpu`
    sum += station.delay;
    sum += station.work_alone();
  }
  return sum;
}

double Loading::reading() const {
  double sum = 0.0;
  for (const Station& station : stations) {
    if (station.stage != Stage::download && station.stage != Stage::disk) continue;
    sum += station.delay;
    sum += station.work_alone();
  }
  return sum;
}

double Loading::latency() const {
  double sum = 0.0;
  for (const Station& station : stations) sum += station.latency;
  return sum;
}

/// Instances whose caches on disks each see another part of the dataset.
static double disk_readers(const Caches& caches) {
  return caches.from_peers > 0.0 ? 1.0 : caches.readers;
}

/// Whether the cache on the disk is asked for what the page cache above it lacks, and for nothing
/// else.
static bool sees_misses_alone(const Caches& caches) {
  return caches.above_mount && caches.on_disk > 0.0 && !caches.decoded && !caches.staged &&
         caches.from_peers <= 0.0;
}

static TwoCaches two_caches(const Caches& caches) {
  return {std::clamp(caches.room, 0.0, 1.0), caches.policy, caches.on_disk,
          std::max(1.0, caches.readers)};
}

/// Of what an instance reads from a cache that it shares, the part that others' disks give: all
/// that it never had, as it wrote its own disk itself, and their part of what its page cache has
/// lost.
static double part_of_peers(const Caches& caches, double epoch, double read) {
  const double seen = seen_before(caches.readers, epoch);
  if (read <= 0.0 || seen <= 0.0) return caches.from_peers;
  const double lost = std::max(0.0, read - (1.0 - seen)) / read;
  return 1.0 - (1.0 - caches.from_peers) * std::min(1.0, lost / seen);
}

Misses misses_in(const Inputs& inputs, double epoch) {
  const Caches& caches = inputs.caches;
  Misses misses;
  if (caches.decoded) misses.decode = 1.0 - seen_before(caches.readers, epoch);
  double page =
      1.0 - hit_in_epoch(caches.room, caches.policy, caches.readers, epoch, caches.staged);
  const double evicted =
      caches.on_disk > 0.0
          ? 1.0 - hit_in_epoch(caches.on_disk, CachePolicy::lru, disk_readers(caches), epoch, false)
          : 0.0;
  if (!caches.above_mount) page = std::max(page, evicted);
  // A sample that was not decoded on this instance was not read there either.
  const double read = caches.decoded ? misses.decode * (caches.staged ? page : 1.0) : page;
  misses.disk = read;
  misses.source = inputs.disk ? misses.decode : read;
  if (caches.on_disk > 0.0) {
    misses.source = std::min(read, evicted);
    if (sees_misses_alone(caches)) {
      misses.source = read - std::min(read, read_beneath(two_caches(caches), epoch));
    }
    misses.disk = read - misses.source;
    misses.written = misses.source;
    if (caches.from_peers > 0.0) {
      misses.from_peers = misses.disk * part_of_peers(caches, epoch, read);
    }
  }
  return misses;
}

bool caches_steady(const Inputs& inputs, double epoch) {
  const Caches& caches = inputs.caches;
  if (epoch < 2.0) return false;
  constexpr double most_filling = 4096.0;
  if (epoch >= most_filling) return true;
  if (caches.decoded && 1.0 - seen_before(caches.readers, epoch) > 1e-7) return false;
  if (!inputs.disk && !inputs.source) return true;
  // Until an instance has had nearly all, what its page cache has lost is ever more of what it
  // reads.
  if (caches.from_peers > 0.0 && caches.room > 0.0 && caches.room < 1.0 &&
      1.0 - seen_before(caches.readers, epoch) > 1e-3) {
    return false;
  }
  if (caches.on_disk > 0.0 &&
      epoch < epochs_until_steady(caches.on_disk, CachePolicy::lru, disk_readers(caches), false)) {
    return false;
  }
  if (sees_misses_alone(caches) && epoch < epochs_until_steady(two_caches(caches))) return false;
  return epoch >= epochs_until_steady(caches.room, caches.policy, caches.readers, caches.staged);
}

/// The same were all instances such as this one.
static double epochs_read_alike(const Inputs& inputs, double Misses::*where) {
  // The last epoch may be a part of one.
  const double trained =
      samples_of_instance(inputs, inputs.unfinished_steps) / samples_of_instance(inputs);
  const double before = inputs.remote ? 0.0 : read_before(inputs, active_workers(inputs)).share;
  const double part = before + (1.0 - before) * trained;
  const double all = inputs.epochs + (inputs.unfinished_steps > 0.0 ? part : 0.0);
  double sum = 0.0;
  for (double epoch = 1.0; epoch < all + 1.0; epoch += 1.0) {
    const double share = misses_in(inputs, epoch).*where;
    if (caches_steady(inputs, epoch)) return sum + share * (all - epoch + 1.0);
    sum += share * std::min(1.0, all - epoch + 1.0);
  }
  return sum;
}

static double cold_reads_alike(const Inputs& inputs) {
  if (inputs.epochs <= 1.0) return 0.0;
  double warm = 2.0;
  while (!caches_steady(inputs, warm)) warm += 1.0;
  return std::max(0.0, misses_in(inputs, 1.0).source - misses_in(inputs, warm).source);
}

/// The mean over all instances: each reads what its ranks train on.
template <class Alike>
static double over_instances(const Inputs& inputs, Alike&& alike) {
  if (!inputs.unequal) return alike(inputs);
  const UnequalInstances& unequal = *inputs.unequal;
  double sum = unequal.alike * inputs.ranks * alike(inputs);
  for (const auto& [instances, other] : unequal.others) {
    sum += instances * other->ranks * alike(*other);
  }
  return sum / unequal.gpus;
}

double epochs_read(const Inputs& inputs) {
  return over_instances(inputs,
                        [](const Inputs& one) { return epochs_read_alike(one, &Misses::source); });
}

double epochs_from_peers(const Inputs& inputs) {
  return over_instances(
      inputs, [](const Inputs& one) { return epochs_read_alike(one, &Misses::from_peers); });
}

double cold_reads(const Inputs& inputs) {
  return over_instances(inputs, cold_reads_alike);
}

double bytes_fetched(const Inputs& inputs, EpochKind kind, const Misses& misses) {
  const auto& source = source_in(inputs, kind);
  return source ? source->bytes.base() * misses.source : 0.0;
}

double most_begun_here(const Inputs& inputs) {
  if (remote_only(inputs)) return 0.0;
  return traits(inputs.kind).shared_batches ? inputs.prefetch : inputs.workers * inputs.prefetch;
}

double most_begun(const Inputs& inputs) {
  const double here = most_begun_here(inputs);
  if (!inputs.remote) return here;
  const double of_helpers =
      here > 0.0 ? inputs.remote->workers * inputs.prefetch / inputs.gpus() : inputs.prefetch;
  return std::max(1.0, here + of_helpers);
}

double active_workers(const Inputs& inputs) {
  const EpochShape shape = epoch_shape(inputs);
  double most = std::max(1.0, inputs.workers);
  if (traits(inputs.kind).whole_batches) most = std::min(most, shape.steps);
  if (traits(inputs.kind).shared_batches) {
    most = std::min(most, inputs.batch * std::min(most_begun(inputs), shape.steps));
  }
  if (cuts_batches(inputs)) return std::min(most, division_of(inputs).workers);
  return most;
}

std::optional<SharedNic> shared_nic(const Inputs& inputs, EpochKind kind, const Misses& misses) {
  if (!inputs.network || inputs.remote) return std::nullopt;
  const double down = bytes_fetched(inputs, kind, misses);
  const double gradients = inputs.network_allreduce.base();
  if (down <= 0.0 || gradients <= 0.0) return std::nullopt;
  return SharedNic{inputs.network->base() * inputs.speed[Stage::network] / down, gradients / down};
}

std::vector<Loading> loadings(const Inputs& inputs, EpochKind kind, const Misses& misses,
                              double active, Reading reading) {
  std::vector<Loading> all;
  if (!remote_only(inputs)) all.push_back(local(inputs, kind, misses, active, reading));
  if (inputs.remote) all.push_back(of_helpers(inputs, kind, misses));
  if (all.size() > 1) pass_one_nic(inputs, kind, misses, all.front(), all.back());
  return all;
}

double share_of_own_sizes(const Inputs& inputs) {
  const bool chains = traits(inputs.kind).whole_batches && !inputs.remote;
  if (inputs.times_loaded <= 1.0 || !chains) return 1.0;
  const auto waits = [&](double ranks) {
    return queueing::barrier_loss(ranks * std::max(1.0, inputs.workers), 1.0, 1.0);
  };
  return waits(inputs.replicas()) / waits(inputs.gpus());
}

double most_dealt(const Inputs& inputs) {
  return std::min(epoch_shape(inputs).samples(),
                  division_of(inputs).batches_of(0.0) * inputs.batch);
}

DownloadThread download_thread_of(const Inputs& inputs, double own) {
  if (!has_download_threads(inputs)) return {};
  DownloadThread thread = inputs.download_thread;
  thread.at_once = std::min(thread.at_once, own);
  thread.first = std::clamp(thread.first, thread.at_once, own);
  return thread;
}

std::optional<Stream> stream_of(const Inputs& inputs, EpochKind kind, const Misses& misses,
                                double active) {
  const auto& source = source_in(inputs, kind);
  if (!source) return std::nullopt;
  Stream stream;
  if (inputs.sequential_stream) {
    stream.station = download_of(*source, misses.source, inputs);
    stream.customers = std::max(1.0, std::floor(stream.station.connections));
    stream.station.connections = 0.0;
    return stream;
  }
  if (!has_download_threads(inputs) || misses.source <= 0.0) return std::nullopt;
  stream.station = download_of(*source, misses.source, inputs);
  spread_over(stream.station, inputs.fetch_threads);
  stream.station.delay += source->cpu.base() * misses.source / inputs.speed[Stage::download] /
                          (inputs.cores.empty() ? 1.0 : inputs.cores.total(1.0));
  stream.customers = active * inputs.ranks;
  stream.of_workers = true;
  return stream;
}

std::vector<SampleLimit> stream_limits(const Inputs& inputs, EpochKind kind, const Misses& misses) {
  std::vector<SampleLimit> limits;
  const auto& source = source_in(inputs, kind);
  if (!source || (!inputs.sequential_stream && !has_download_threads(inputs))) return limits;
  add_limits(limits, *source, Stage::download, misses.source, inputs.speed);
  return limits;
}

}  // namespace feedrate::pipeline
