// The local side: a disk of the instance, and the page cache before it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/context.hpp"
#include "pipeline/page_cache.hpp"

namespace feedrate::pipeline {
namespace {

constexpr double ebs_io_bytes = 262144.0;  // EBS counts an operation of up to 256 KiB as one
constexpr double cache_share_of_memory = 0.75;

Known<Bandwidth> smaller(const Known<Bandwidth>& a, const Known<Bandwidth>& b) {
  if (!a || !b) return a ? a : b;
  return b->value < a->value ? b : a;
}

struct PublishedDisk {
  Known<Bandwidth> bandwidth;
  Known<Frequency> iops;
  Duration latency;  // assumed
};

PublishedDisk of_nvme(Context& context) {
  PublishedDisk disk;
  disk.latency = microseconds(100.0);
  disk.iops = context.published(&Machine::nvme_read_iops);
  disk.bandwidth = context.published(&Machine::nvme_read);
  if (!disk.bandwidth) {
    disk.bandwidth = context.published(&Machine::nvme_read_floor);
    if (disk.bandwidth && !context.scenario.disk.bandwidth) {
      disk.bandwidth->from.origin = Origin::assumed;
      context.out.remarks.emplace_back(
          "the local disk's sequential rate is not published: its 4 KiB reads are taken, a floor; "
          "set /disk/bandwidth");
    }
  }
  return disk;
}

/// gp2 earns 3 IOPS a GiB and bursts to 3,000 for about half an hour (EC2 user guide, 2023-06-15).
/// Credits are not modelled: the burst is taken to last.
Known<Frequency> gp2_iops(const std::optional<Bytes>& size) {
  const double earned = size ? 3.0 * (*size / gibibytes(1.0)) : 0.0;
  if (earned > 3000.0) {
    return Value<Frequency>::published(per_second(std::min(earned, 16000.0)),
                                       "3 IOPS per GiB of gp2");
  }
  return Value<Frequency>::assumed(per_second(3000.0), "gp2 bursts, and the burst lasts");
}

PublishedDisk of_ebs(Context& context) {
  PublishedDisk disk;
  disk.latency = milliseconds(1.0);
  const std::string type = context.find_or<std::string>(Stage::disk, "/disk/volume_type",
                                                        context.scenario.disk.volume_type, {}, {},
                                                        "gp3", "no volume type is given");
  const EbsVolume* volume = find_ebs_volume(context.catalog, type);
  if (volume == nullptr) {
    context.problem("/disk/volume_type",
                    "expected an EBS volume type of the catalogue, got \"" + type + "\"");
    return disk;
  }
  disk.bandwidth =
      smaller(volume->baseline_bandwidth ? volume->baseline_bandwidth : volume->max_bandwidth,
              context.published(&Machine::ebs_bandwidth));
  disk.iops = volume->baseline_iops ? volume->baseline_iops : volume->max_iops;
  if (type == "gp2") disk.iops = gp2_iops(context.scenario.disk.size);
  return disk;
}

}  // namespace

void resolve_page_cache(Context& context, bool staged) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  Known<Bytes> memory = context.published(&Machine::memory);
  if (s.cluster.memory) memory = Value<Bytes>::given(*s.cluster.memory);
  Bytes room{};
  if (s.disk.page_cache) {
    room = context.use(Stage::disk, "/disk/page_cache", Value<Bytes>::given(*s.disk.page_cache));
  } else if (memory) {
    room = context.use(Stage::disk, "/disk/page_cache",
                       Value<Bytes>::assumed(memory->value * cache_share_of_memory,
                                             "three quarters of the instance's memory"));
  } else {
    context.use(Stage::disk, "/disk/page_cache",
                Value<Bytes>::assumed(Bytes{}, "memory not known: nothing is cached"));
  }
  const bool sharded = s.source.distribution == Distribution::sharded_by_s3_key;
  const double readers = sharded ? 1.0 : inputs.instances;
  const Bytes data = stored_bytes(s) * samples(inputs.samples / (sharded ? inputs.instances : 1.0));
  const CachePolicy policy = s.disk.cache_policy.value_or(CachePolicy::linux_two_lists);
  inputs.hit = hit_ratio(room / data, policy, readers);
  inputs.first_hit = hit_in_epoch(room / data, policy, readers, 1.0, staged);
}

void resolve_disk(Context& context, bool staged) {
  const Scenario& s = context.scenario;
  const Disk& given = s.disk;
  Inputs& inputs = context.out.inputs;
  resolve_page_cache(context, staged);
  const auto nvme_disks = context.published(&Machine::nvme_disks);
  const DiskKind by_default =
      s.source.service == Service::ebs || !nvme_disks ? DiskKind::ebs : DiskKind::nvme;
  const bool named = given.kind || context.machine() != nullptr || s.source.service == Service::ebs;
  const DiskKind kind = given.kind.value_or(named ? by_default : DiskKind::other);
  PublishedDisk known{{}, {}, microseconds(100.0)};
  if (kind == DiskKind::nvme) known = of_nvme(context);
  if (kind == DiskKind::ebs) known = of_ebs(context);

  Read disk;
  disk.bytes = stored_bytes(s);
  const double per_object = s.dataset.samples_per_object.value_or(1.0);
  const double at_least = kind == DiskKind::ebs ? std::ceil(disk.bytes.base() / ebs_io_bytes) : 0.0;
  disk.requests = std::max(
      at_least,
      context.find_or<double>(Stage::disk, "/disk/reads_per_sample", given.reads_per_sample,
                              context.measured(&HostProfile::reads_per_sample), {},
                              1.0 / per_object, "each object is read in one go"));
  disk.latency = context.find_or<Duration>(Stage::disk, "/disk/latency", given.latency,
                                           context.measured(&HostProfile::disk_latency), {},
                                           known.latency, "typical of the kind of disk");
  if (context.host && context.host->disk && !given.bandwidth) {
    disk.rate = context.use_curve(Stage::disk, "disk curve", *context.host->disk);
  } else {
    const Bandwidth rate = context.need<Bandwidth>(Stage::disk, "/disk/bandwidth", given.bandwidth,
                                                   {}, known.bandwidth, "how fast the disk reads");
    disk.rate = {{{1.0, rate}}, 0.0};
  }
  if (const auto iops =
          context.find<Frequency>(Stage::disk, "/disk/iops", given.iops,
                                  context.measured(&HostProfile::disk_iops), known.iops)) {
    disk.max_requests = *iops;
  }
  inputs.disk = disk;
}

}  // namespace feedrate::pipeline
