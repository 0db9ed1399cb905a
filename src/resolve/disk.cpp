// The local side: a disk of the instance, and the page cache before it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/input_mode.hpp"
#include "pipeline/page_cache.hpp"
#include "resolve/context.hpp"
#include "resolve/memory.hpp"
#include "resolve/pieces.hpp"
#include "resolve/services.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

constexpr Bytes ebs_operation = bytes(262144.0);  // EBS counts up to so many as one of an SSD's

struct PublishedDisk {
  std::string volume_type;    ///< EBS only
  std::optional<Bytes> size;  ///< given, or by default
  Known<Bandwidth> bandwidth;
  Known<Bandwidth> burst;
  Bytes credit;  ///< what is read at `burst`, beyond `bandwidth`
  Bytes operation = ebs_operation;
  Known<Frequency> iops;
  Known<Frequency> iops_burst;
  double io_credit = 0.0;  ///< operations beyond `iops`
  bool floor = false;      ///< `bandwidth` is that of 4 KiB reads
  Duration latency;        // assumed
};

PublishedDisk of_nvme(Context& context) {
  PublishedDisk disk;
  disk.latency = microseconds(100.0);
  disk.iops = context.published(&Machine::nvme_read_iops);
  disk.bandwidth = context.published(&Machine::nvme_read);
  if (!disk.bandwidth) {
    disk.bandwidth = context.published(&Machine::nvme_read_floor);
    disk.floor = disk.bandwidth.has_value();
    if (disk.bandwidth && !context.scenario.disk.bandwidth) {
      disk.bandwidth->from.origin = Origin::assumed;
      context.remark(RemarkKind::measure,
                     fmt::format("the local disk's rate of long reads is not published: {:.2g} "
                                 "times that of its 4 KiB reads is taken; set /disk/bandwidth",
                                 assumed::nvme_floor.value));
    }
  }
  return disk;
}

/// What its size brings a volume, and what it bursts to on a credit where that is less.
void iops_of_size(Context& context, const EbsVolume& volume, PublishedDisk& disk) {
  // Prices of before it was a key would leave a gp2 volume its least.
  if (volume.type == "gp2" && !volume.earned_iops_per_gib) {
    return context.problem("/disk/volume_type",
                           "the volumes of the prices are older than this program: gp2 lacks "
                           "earned_iops_per_gib (ebs.json)");
  }
  if (!volume.earned_iops_per_gib || !volume.baseline_iops || !volume.max_iops) return;
  const double of_gib = volume.earned_iops_per_gib->value;
  const Frequency earned = std::clamp(per_second(of_gib * (*disk.size / gibibytes(1.0))),
                                      volume.baseline_iops->value, volume.max_iops->value);
  disk.iops = Value<Frequency>::published(
      earned, fmt::format("{:g} IOPS per GiB of {}", of_gib, volume.type));
  if (!volume.burst_iops || !volume.io_credit || earned >= volume.burst_iops->value) return;
  disk.iops_burst = Value<Frequency>::published(
      volume.burst_iops->value, fmt::format("{} while its credit lasts", volume.type));
  disk.io_credit = context.assume(Stage::disk, assumed::gp2_credit,
                                  volume.io_credit->value * assumed::gp2_credit.value);
}

/// Volumes without a baseline are bought by their IOPS, so nobody has the most by default: as many
/// as gp3 has for nothing, as far as that size may have them.
Known<Frequency> bought_iops(const Catalog& catalog, const EbsVolume& volume, Bytes size) {
  const EbsVolume* gp3 = find_ebs_volume(catalog, "gp3");
  if (gp3 == nullptr || !gp3->baseline_iops) return volume.max_iops;
  const Frequency as_gp3 = gp3->baseline_iops->value;
  if (const auto& of_gib = volume.iops_per_gib) {
    const Frequency most = per_second(of_gib->value * (size / gibibytes(1.0)));
    if (most < as_gp3) {
      return Value<Frequency>::assumed(
          most, fmt::format("{:g} IOPS per GiB, the most of {}", of_gib->value, volume.type));
    }
  }
  return Value<Frequency>::assumed(as_gp3, "as many as gp3 has; these volumes are paid by them");
}

/// An EBS volume whose size is not given is the smallest on sale that holds what must lie on it.
Bytes volume_size(Context& context, const EbsVolume& volume) {
  const auto& given = context.scenario.disk.size;
  if (given) return *given;
  const Bytes holds =
      gibibytes(std::max(1.0, std::ceil(data_on_disk(context) / gibibytes(1.0) - 1e-9)));
  const bool sold = !volume.smallest || holds >= volume.smallest->value;
  return context.use(Stage::disk, "/disk/size",
                     Value<Bytes>::assumed(sold ? holds : volume.smallest->value,
                                           sold ? "the smallest that holds the data"
                                                : "the smallest that is sold of " + volume.type));
}

/// What a volume of this size gives: hard disks by their size, and more while a credit lasts that
/// grows with it, too (EBS user guide, st1 and sc1).
void bandwidth_of_size(Context& context, const EbsVolume& volume, PublishedDisk& disk) {
  const Bytes size = *disk.size;
  const auto most = [&](Bandwidth bandwidth) {
    if (volume.max_bandwidth) bandwidth = std::min(bandwidth, volume.max_bandwidth->value);
    return bandwidth;
  };
  if (volume.small && volume.small_bandwidth && size <= volume.small->value) {
    disk.bandwidth = volume.small_bandwidth;
  }
  if (!volume.earned) return;
  disk.bandwidth = Value<Bandwidth>{most(volume.earned->value * size), volume.earned->from};
  if (!volume.burst || !volume.credit) return;
  // A volume's own rate typed in is no other volume.
  const auto& given = context.scenario.disk.bandwidth;
  const Bandwidth burst = most(volume.burst->value * size);
  if (burst <= disk.bandwidth->value || (given && !same_number(*given, disk.bandwidth))) return;
  disk.burst = Value<Bandwidth>{burst, volume.burst->from};
  disk.credit = context.assume(Stage::disk, assumed::hdd_credit,
                               volume.credit->value * size * assumed::hdd_credit.value);
}

PublishedDisk of_ebs(Context& context) {
  PublishedDisk disk;
  disk.latency = milliseconds(1.0);
  const std::string type = context.find_or<std::string>(Stage::disk, "/disk/volume_type",
                                                        context.scenario.disk.volume_type, {}, {},
                                                        "gp3", "no volume type is given");
  const EbsVolume* volume = find_ebs_volume(context.catalog, type);
  if (volume == nullptr && is_refused(context, "/disk/volume_type")) return disk;
  if (volume == nullptr) {
    context.problem("/disk/volume_type",
                    "expected an EBS volume type of the catalogue, got \"" + type + "\"");
    return disk;
  }
  disk.volume_type = type;
  disk.size = volume_size(context, *volume);
  disk.bandwidth = volume->baseline_bandwidth ? volume->baseline_bandwidth : volume->max_bandwidth;
  disk.iops = volume->baseline_iops ? volume->baseline_iops : volume->max_iops;
  if (type.starts_with("io")) disk.iops = bought_iops(context.catalog, *volume, *disk.size);
  if (volume->operation) disk.operation = volume->operation->value;
  bandwidth_of_size(context, *volume, disk);
  iops_of_size(context, *volume, disk);
  return disk;
}

/// What the instance lets through to its volumes: more for half an hour a day (EC2 user guide).
void add_instance_limits(Context& context, Read& disk, double operations) {
  constexpr Duration lasts = minutes(30.0);
  const auto add = [&](const char* name, auto baseline, auto burst, double each, bool requests) {
    if (!baseline) return;
    RateLimit limit{name, baseline->value.base(), 0.0, 0.0, each, requests};
    if (burst && burst->value > baseline->value) {
      limit.burst_rate = burst->value.base();
      limit.credit = (burst->value - baseline->value).base() * lasts.base();
    }
    disk.limits.push_back(std::move(limit));
  };
  add("EBS bandwidth of the instance", context.published(&Machine::ebs_bandwidth),
      context.published(&Machine::ebs_bandwidth_burst), disk.bytes.base(), false);
  add("EBS IOPS of the instance", context.published(&Machine::ebs_iops),
      context.published(&Machine::ebs_iops_burst), operations, true);
}

/// What the bill has to pay for. A rate that a host profile measured does not tell what was bought.
LocalDisk local_disk(const Context& context, DiskKind kind, const PublishedDisk& known) {
  const Disk& given = context.scenario.disk;
  LocalDisk disk{kind, known.volume_type, known.size ? known.size : given.size, given.iops,
                 given.bandwidth};
  const bool measured_iops = context.measured(&HostProfile::disk_iops).has_value();
  const bool measured_bandwidth = context.host && context.host->disk;
  if (!disk.iops && !measured_iops && known.iops) disk.iops = known.iops->value;
  if (!disk.bandwidth && !measured_bandwidth && known.bandwidth) {
    disk.bandwidth = known.bandwidth->value;
  }
  return disk;
}

/// Where no profile has measured it.
Bandwidth disk_rate(Context& context, const PublishedDisk& known, bool local) {
  const auto& given = context.scenario.disk.bandwidth;
  const Known<double> disks = context.published(&Machine::nvme_disks);
  if (known.floor && !given) {
    return context.assume(Stage::disk, assumed::nvme_floor,
                          known.bandwidth->value * assumed::nvme_floor.value);
  }
  if (local && disks && !known.bandwidth && !given) {
    return context.assume(Stage::disk, assumed::nvme_disk_rate,
                          Bandwidth::of(disks->value * assumed::nvme_disk_rate.value));
  }
  return context.need<Bandwidth>(Stage::disk, "/disk/bandwidth", given, {}, known.bandwidth,
                                 "how fast the disk reads");
}

}  // namespace

double parts_read(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  const NamedDefaults* const row = context.loader_by_name;
  const bool kept = row != nullptr && row->nodes_keep_shards && !context.scenario.loader.remote &&
                    // A copy of all data leaves any of them in memory.
                    input_mode_of(context.scenario) != InputMode::file;
  // Loaders of one replica read the same samples.
  const double nodes = kept ? std::min(inputs.instances_alike(), inputs.replicas()) : 1.0;
  return std::max(shards(context), nodes);
}

/// What reading its part brings into an instance's memory, or into a cache on its disk.
static Bytes data_read(const Context& context) {
  return read_dataset(context) * (1.0 / parts_read(context));
}

std::optional<NamedDefault> cache_by_default(const Context& context) {
  const Scenario& s = context.scenario;
  const NamedDefaults* const keeper = s.source.cache ? nullptr : context.who_brings(cache_key);
  const Known<Bytes> nvme = context.published(&Machine::nvme_size);
  const bool local = nvme && context.published(&Machine::nvme_disks) &&
                     s.disk.kind.value_or(DiskKind::nvme) == DiskKind::nvme;
  if (keeper == nullptr || !local || !can_cache(s) || s.loader.remote) return std::nullopt;
  const double most = nvme->value.base() * (1.0 - keeper->kept_free);
  NamedDefault kept = *keeper->brings(cache_key);
  for (double* const room : {&kept.number.low, &kept.number.value, &kept.number.high}) {
    *room = std::min(*room, most);
  }
  return kept;
}

std::optional<Bytes> source_cache(const Context& context) {
  if (context.scenario.source.cache) return context.scenario.source.cache;
  const std::optional<NamedDefault> kept = cache_by_default(context);
  if (!kept) return std::nullopt;
  const Assumption& room = kept->number;
  const bool drawn = kept->drawn() && context.draw;
  return Bytes::of(drawn ? room.at(context.draw(room.key)) : room.value);
}

Bytes data_on_disk(const Context& context) {
  const Bytes all = stored_dataset(context);
  const std::optional<Bytes> cache = source_cache(context);
  return cache ? std::min(all * (1.0 / parts_read(context)), *cache)
               : all * (1.0 / shards(context));
}

std::optional<Bandwidth> write_rate(const Read& disk) {
  if (disk.rate.empty()) return std::nullopt;
  return disk.rate.maximum();
}

/// The caches of all instances hold each sample once.
static void share_cache(Context& context, Bytes data) {
  Inputs& inputs = context.out.inputs;
  const double instances = inputs.instances;
  if (instances <= 1.0 || parts_read(context) > 1.0) {
    inputs.caches.on_disk = std::min(1.0, data_on_disk(context) / data);
    tell_without_effect(context, "/source/shared_cache",
                        instances <= 1.0        ? "there is one instance"
                        : shards(context) > 1.0 ? "sharding gives each instance other data"
                                                : "the loader gives each instance other shards");
    return;
  }
  inputs.caches.on_disk = std::min(1.0, *source_cache(context) * instances / data);
  inputs.caches.from_peers = 1.0 - 1.0 / instances;
  inputs.caches.peer_latency = context.assume<Duration>(Stage::disk, assumed::peer_latency);
}

void resolve_page_cache(Context& context, bool staged) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const std::optional<Bytes> memory = memory_of_instance(context);
  const bool cached = source_cache(context).value_or(Bytes{}) > Bytes{};
  const NamedDefault* const kept = cached ? nullptr : context.by_name(pages_key);
  Bytes room{};
  if (s.disk.page_cache) {
    room = context.use(Stage::disk, "/disk/page_cache", Value<Bytes>::given(*s.disk.page_cache));
  } else if (kept != nullptr) {
    room = context.use_default<Bytes>(Stage::disk, *kept);
  } else if (memory) {
    const Bytes left = std::max(*memory - memory_needs(context).all(), Bytes{});
    room = context.assume(Stage::disk, assumed::page_cache_share,
                          left * assumed::page_cache_share.value);
  } else {
    room = context.assume<Bytes>(Stage::disk, assumed::unknown_page_cache);
  }
  const Bytes data = data_read(context);
  inputs.caches.policy = s.disk.cache_policy.value_or(CachePolicy::linux_two_lists);
  inputs.caches.room = data.base() > 0.0 ? room / data : 1.0;
  inputs.caches.staged = staged;
  if (!cached || data.base() <= 0.0) {
    inputs.caches.on_disk = 0.0;
  } else if (s.source.shared_cache.value_or(false)) {
    share_cache(context, data);
  } else {
    inputs.caches.on_disk = std::min(1.0, data_on_disk(context) / data);
  }
}

void resolve_disk(Context& context, bool staged) {
  const Scenario& s = context.scenario;
  const Disk& given = s.disk;
  Inputs& inputs = context.out.inputs;
  resolve_page_cache(context, staged);
  const auto nvme_disks = context.published(&Machine::nvme_disks);
  const DiskKind by_default =
      traits(s.source.service).volume || !nvme_disks ? DiskKind::ebs : DiskKind::nvme;
  const bool named = given.kind || context.machine() != nullptr || traits(s.source.service).volume;
  const DiskKind kind = given.kind.value_or(named ? by_default : DiskKind::other);
  if (kind == DiskKind::nvme && context.machine() && !nvme_disks && !given.bandwidth) {
    context.problem("/disk/kind", fmt::format("{} has no NVMe in the catalogue: take ebs, or give "
                                              "/disk/bandwidth",
                                              *s.cluster.instance));
    return;
  }
  if (kind == DiskKind::ebs && context.machine() && context.outside("aws") && context.texts) {
    context.out.caveats.push_back(
        fmt::format("{} is not in AWS, but its disk is treated as an EBS volume: give "
                    "/disk/kind other, /disk/bandwidth and /disk/iops.",
                    *s.cluster.instance));
  }
  PublishedDisk known;
  known.latency = microseconds(100.0);
  if (kind == DiskKind::nvme) known = of_nvme(context);
  if (kind == DiskKind::ebs) known = of_ebs(context);

  Read disk;
  const double per_object = s.dataset.samples_per_object.value_or(1.0);
  const bool whole_files = per_object <= 1.0;
  // What a cache on the disk has kept, a loader reads from it in the pieces that the source has.
  const Pieces pieces =
      inputs.source
          ? Pieces{inputs.source->bytes, inputs.source->requests, {}, true}
          : pieces_of(context, inputs.samples / per_object, bytes_in_chain(s).stored, Stage::disk);
  disk.bytes = pieces.bytes;
  disk.requests = context.find_or<double>(
      Stage::disk, "/disk/reads_per_sample", given.reads_per_sample,
      context.measured(&HostProfile::reads_per_sample), {},
      s.dataset.row_groups ? pieces.requests : inputs.times_read / per_object,
      s.dataset.row_groups ? "as many as a group of rows needs" : "each object is read in one go");
  // Operations as EBS counts them; a file of its own ends with a smaller one.
  const double blocks = disk.bytes.base() / known.operation.base();
  const double operations = kind == DiskKind::ebs
                                ? std::max(disk.requests, whole_files ? std::ceil(blocks) : blocks)
                                : disk.requests;
  // Files of their own are opened and closed too; an assumed latency has it in it.
  constexpr Duration opening = microseconds(50.0);
  disk.latency = context.find_or<Duration>(
      Stage::disk, given.latency, context.measured(&HostProfile::disk_latency),
      assumed::disk_latency, whole_files ? known.latency + opening : known.latency,
      whole_files ? "typical of the kind of disk, opening a file included" : "");
  if (whole_files && given.open_latency) {
    disk.latency += context.use(Stage::disk, "/disk/open_latency",
                                Value<Duration>::given(*given.open_latency)) /
                    std::max(1.0, disk.requests);
  }
  const bool measured = context.host && context.host->disk && !given.bandwidth;
  const Discipline by_kind =
      kind == DiskKind::ebs && !measured ? Discipline::rate_limit : Discipline::shared;
  const bool counted = by_kind == Discipline::rate_limit;
  const Discipline discipline = context.choose(
      Stage::disk, "/disk/discipline", given.discipline, by_kind,
      counted ? Discipline::shared : Discipline::rate_limit,
      counted ? "EBS enforces a volume's rate by counting" : "its readers share a device");
  disk.discipline = discipline;
  if (measured) {
    disk.rate = context.use_curve(Stage::disk, "disk curve", *context.host->disk);
  } else {
    const Bandwidth rate = disk_rate(context, known, kind == DiskKind::nvme);
    RateLimit limit{"volume throughput", rate.base(), 0.0, 0.0, disk.bytes.base(), false};
    if (known.burst) {
      limit.name = known.volume_type + " burst credits";
      limit.burst_rate = known.burst->value.base();
      limit.credit = known.credit.base();
    }
    // Hard disks pay for a whole operation, however little it reads.
    const bool whole = known.operation > ebs_operation;
    if (whole) limit.each = std::max(limit.each, operations * known.operation.base());
    // Credit and whole operations are counted, however requests share what there is at a time.
    if (discipline == Discipline::rate_limit || known.burst || whole) {
      disk.limits.push_back(std::move(limit));
    }
    if (discipline != Discipline::rate_limit) {
      disk.rate = {{{1.0, known.burst ? known.burst->value : rate}}, 0.0};
    }
  }
  if (const auto iops =
          context.find<Frequency>(Stage::disk, "/disk/iops", given.iops,
                                  context.measured(&HostProfile::disk_iops), known.iops)) {
    RateLimit limit{"disk IOPS", iops->base(), 0.0, 0.0, operations, true};
    // A volume's own rate typed in is no other volume.
    const bool own = !given.iops || same_number(*given.iops, known.iops);
    if (known.iops_burst && own && !context.measured(&HostProfile::disk_iops)) {
      limit.name = "gp2 burst credits";
      limit.burst_rate = known.iops_burst->value.base();
      limit.credit = known.io_credit;
    }
    disk.limits.push_back(std::move(limit));
  }
  if (kind == DiskKind::ebs && !measured) add_instance_limits(context, disk, operations);
  inputs.disk = disk;
  context.out.disk = local_disk(context, kind, known);
}

}  // namespace feedrate::resolve
