// Remedies between where the data lies and the loader.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "model/input_mode.hpp"
#include "pipeline/loading.hpp"
#include "resolve/resolve.hpp"
#include "resolve/services.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

bool of_mount(const Situation& s, Service service) {
  return s.scenario.source.service.family() == service;
}

bool on_ebs(const Situation& s) {
  return s.resolved.disk && s.resolved.disk->kind == DiskKind::ebs && s.on_path(Stage::disk) &&
         s.service != "sagemaker";
}

InputMode mode_now(const Situation& s) {
  return input_mode_of(s.scenario);
}

/// Objects of about these sizes, a whole number of samples each.
std::vector<Change> packed(const Situation& s) {
  std::vector<Change> list;
  const auto& dataset = s.scenario.dataset;
  if (!dataset.bytes_per_sample) return list;
  const double each = dataset.bytes_per_sample->base();
  const double now = dataset.samples_per_object.value_or(1.0);
  for (const double megabytes_each : {1.0, 16.0, 64.0, 128.0}) {
    const double samples = std::floor(megabytes_each * 1e6 / each);
    if (samples <= now || samples > s.inputs().samples) continue;
    list.push_back({{{"samples_per_object", whole_text(samples)}},
                    words::packed_objects(samples, megabytes_each)});
  }
  return list;
}

/// Whether each worker reads objects of its own, of many samples.
bool whole_objects(const Situation& s) {
  return pipeline::divides_objects(s.inputs()) && s.inputs().per_object > 1.0 &&
         s.scenario.dataset.samples_per_object;
}

/// As many objects for each GPU where a loader reads all of what does not divide among them; and
/// objects so small that each worker has one, four or sixteen of them in an epoch.
std::vector<Change> smaller_objects(const Situation& s) {
  std::vector<Change> list;
  const pipeline::Inputs& inputs = s.inputs();
  if (inputs.times_read > 1.0) {
    const double gpus = inputs.replicas();
    const double objects = std::ceil(inputs.samples / *s.scenario.dataset.samples_per_object);
    const double samples = std::ceil(inputs.samples / ((std::floor(objects / gpus) + 1.0) * gpus));
    list.push_back(
        {{{"samples_per_object", whole_text(samples)}}, words::even_objects(samples, gpus)});
  }
  const double of_worker = pipeline::objects_of_rank(inputs) * inputs.per_object / inputs.workers;
  for (const double objects : {1.0, 4.0, 16.0}) {
    const double samples = std::floor(of_worker / objects);
    if (samples < 1.0 || samples >= *s.scenario.dataset.samples_per_object) continue;
    list.push_back(
        {{{"samples_per_object", whole_text(samples)}}, words::smaller_objects(samples, objects)});
  }
  return list;
}

std::vector<Change> more_connections(const Situation& s) {
  std::vector<Change> list;
  const double now =
      s.inputs().staging ? s.inputs().staging->connections : s.inputs().source->connections;
  if (now <= 0.0) return list;
  for (const double n : {16.0, 32.0, 64.0, 128.0, 256.0}) {
    if (n <= now) continue;
    list.push_back({{{"/source/connections", exact_text(n)}}, words::number_of(n, "connections")});
  }
  return list;
}

/// Another program reads the data then, where one is named, and none of these modes keeps a cache
/// but "stream".
std::vector<Change> mode(const Situation& s, std::string_view word) {
  Change change{{{"/source/input_mode", std::string(word)}}, words::assigned("input_mode", word)};
  if (s.scenario.source.access) change.set.emplace_back("/source/access", "null");
  if (s.scenario.source.cache && word != "stream") change.set.emplace_back("/source/cache", "null");
  return {change};
}

/// Those in which the loader reads files.
std::vector<Change> file_modes(const Situation& s) {
  std::vector<Change> list;
  const InputMode now = mode_now(s);
  if (now != InputMode::file) list = mode(s, "File");
  if (now != InputMode::fast_file && s.service == "sagemaker") {
    for (Change& change : mode(s, "FastFile")) list.push_back(std::move(change));
  }
  return list;
}

/// Those in which it reads a stream: what SageMaker pipes, or a plugin of its own.
std::vector<Change> stream_modes(const Situation& s) {
  const InputMode now = mode_now(s);
  if (now == InputMode::pipe || now == InputMode::stream) return {};
  return mode(s, s.service == "sagemaker" ? "Pipe" : "stream");
}

/// Whether a setting keeps what was read on the disk: of a client that mounts a store of objects,
/// or of a loader that copies shards before it reads them. A mounted file system has no such
/// setting.
bool caches_by_itself(const Situation& s) {
  return traits(s.scenario.source.service).form == StoreForm::objects ||
         s.scenario.loader.kind.row().keeps;
}

/// File systems that Linux mounts as NFS; other clients have no cache on a disk, or one of their
/// own to set up.
bool by_nfs(const Situation& s) {
  return s.scenario.source.service.row().by_nfs;
}

/// A store that is streamed or mounted, and read again in each epoch.
bool read_again(const Situation& s) {
  const auto& inputs = s.inputs();
  const auto& given = s.scenario.source.cache;
  return inputs.source && !inputs.sequential_stream && !s.scenario.loader.remote &&
         !(given && *given > Bytes{}) && inputs.caches.on_disk < 1.0 &&
         inputs.epochs + inputs.unfinished_steps > 1.0;
}

/// Room for all that an instance reads.
std::vector<Change> cache_on_disk(const Situation& s) {
  const auto& dataset = s.scenario.dataset;
  if (!dataset.bytes_per_sample || !dataset.samples) return {};
  // Of which others read parts of their own, whoever divides it.
  const auto& inputs = s.inputs();
  const double nodes = std::min(inputs.instances_alike(), inputs.replicas());
  const Bytes data =
      *dataset.bytes_per_sample * samples(*dataset.samples) * (inputs.caches.readers / nodes);
  const std::string size = whole_text(std::ceil(data / gigabytes(1.0))) + " GB";
  return {{{{"/source/cache", size}}, words::cache_on_disk(size)}};
}

std::string disk_lacking(const Situation& s) {
  return std::string(s.on_aws() || s.scenario.disk.bandwidth ? "" : words::give_disk);
}

/// The job's file system of FSx for Lustre, its defaults included.
struct Fsx {
  std::string type;
  SpecificBandwidth tier;
  Bytes capacity;
};

Fsx fsx_now(const Situation& s) {
  const Source& source = s.scenario.source;
  Fsx now{source.deployment_type.value_or(default_fsx_deployment),
          source.throughput_per_capacity.value_or(default_fsx_tier),
          {}};
  now.capacity = source.capacity.value_or(
      resolve::smallest_fsx(s.catalog, now.type, now.tier, s.resolved.terms.dataset));
  return now;
}

/// A file system of another size, as it is sold.
Change of_capacity(Bytes capacity) {
  constexpr double digits = 1e6;  // 6 · 1.2 is 7.2
  const std::string text =
      exact_text(std::round(capacity / tebibytes(1.0) * digits) / digits) + " TiB";
  return {{{"/source/capacity", text}}, "a file system of " + text};
}

/// Faster tiers, and the next sizes that are sold: throughput grows with both.
std::vector<Change> fsx_tiers(const Situation& s) {
  std::vector<Change> list;
  const auto [deployment, now, capacity] = fsx_now(s);
  for (const FsxTier& tier : s.catalog.fsx.tiers) {
    if (tier.deployment_type != deployment || tier.throughput <= now) continue;
    const std::string text = format_in(tier.throughput.base(), "MB/s/TiB");
    list.push_back({{{"/source/throughput_per_capacity", text}}, deployment + " with " + text});
  }
  for (const double times : {2.0, 4.0, 6.0, 8.0, 12.0, 16.0}) {
    list.push_back(of_capacity(capacity * times));
  }
  return list;
}

/// The same data on FSx for Lustre, which is made and filled for the job and paid for while it
/// runs, and the bucket as long as before. What lies in another region is copied into the job's
/// before it fills FSx, so that the first epoch reads from a bucket nearby, as it is simulated.
std::vector<Change> to_fsx(const Situation& s) {
  const resolve::TransferTerms* const far = from_another_region(s);
  // A copy is of the standard class; the class of a bucket that fills it has its prices.
  const auto& bucket_class = s.scenario.source.storage_class;
  Change change{
      {{"/source",
        R"({"service": "fsx-lustre", "input_mode": "mount", "lazy_load_from_s3": true, )"
        R"("bill_storage": true)" +
            (bucket_class && far == nullptr ? ", \"storage_class\": \"" + *bucket_class + "\""
                                            : "") +
            "}"}},
      far != nullptr ? words::fsx_from_copy(s.resolved.terms.dataset)
                     : "FSx for Lustre, filled from S3 in the first epoch"};
  if (far != nullptr) {
    add_one_off(change, copied_bucket(s), words::copied_once(far->from_region));
    add_one_off(change, held_copy(s), words::held_copy);
    warn_of_holding(s, change);
  }
  add_one_off(change, kept_bucket(s), words::kept_bucket(s.jobs));
  return {change};
}

/// S3 does not fill it: each object is read once, brought to the job's region and written. It is
/// held as long as the bucket, so that it is written once.
std::vector<Change> to_efs(const Situation& s) {
  const Bytes data = s.resolved.terms.dataset;
  Change change{{{"/source", R"({"service": "efs", "input_mode": "mount", "bill_storage": true)" +
                                 key_of_held(held_by_each(s)) + "}"}},
                words::efs_from_copy(data)};
  warn_of_holding(s, change);
  const Money copy = brought_once(s) + read_from_s3(s) + written_to_efs(s, region_of_job(s));
  add_one_off(change, copy, words::copied_to_efs);
  add_one_off(change, kept_bucket(s), words::kept_bucket(s.jobs));
  return {change};
}

/// Whether what holds the data is on the job's bill.
bool pays_for(const Situation& s, Service service) {
  return of_mount(s, service) && resolve::bills_file_system(s.scenario.source);
}

/// Half as large and so on, down to the smallest that holds the data; and that of every type and
/// tier that is no dearer.
std::vector<Change> smaller_fsx(const Situation& s) {
  const Source& source = s.scenario.source;
  const auto [now_type, now_tier, capacity] = fsx_now(s);
  std::vector<Change> list;
  for (Bytes half = capacity * 0.5; half > 1.1 * s.resolved.terms.dataset; half = half * 0.5) {
    list.push_back(of_capacity(half));
  }
  const auto price_of = [&](const std::string& type, SpecificBandwidth tier) {
    const auto price = find_fsx_price(s.catalog, s.resolved.terms.data_region, type, tier);
    return price ? price->storage : std::nullopt;
  };
  const auto now = price_of(now_type, now_tier);
  // Of what costs as much, the later type: the catalogue has the older ones first.
  const std::vector<FsxTier>& tiers = s.catalog.fsx.tiers;
  for (auto each = tiers.rbegin(); each != tiers.rend(); ++each) {
    const FsxTier& tier = *each;
    const auto price = price_of(tier.deployment_type, tier.throughput);
    if (!now || !price || price->value > now->value) continue;
    // How soon hard disks answer is not simulated.
    const auto on_disks = [](const std::string& type) { return type.ends_with("HDD"); };
    if (on_disks(tier.deployment_type) && !on_disks(now_type)) continue;
    const std::string text = format_in(tier.throughput.base(), "MB/s/TiB");
    Change change{{}, words::least_fsx(tier.deployment_type, text)};
    if (tier.deployment_type != now_type) {
      change.set.emplace_back("/source/deployment_type", tier.deployment_type);
    }
    if (tier.throughput != now_tier) {
      change.set.emplace_back("/source/throughput_per_capacity", text);
    }
    if (source.capacity) change.set.emplace_back("/source/capacity", "null");
    if (!change.set.empty()) list.push_back(std::move(change));
  }
  return list;
}

std::vector<Change> efs_modes(const Situation& s) {
  const std::string now = s.scenario.source.throughput_mode.value_or("elastic");
  std::vector<Change> list;
  for (const char* const mode : {"elastic", "bursting"}) {
    if (now == mode) continue;
    list.push_back({{{"/source/throughput_mode", mode}}, words::assigned("throughput_mode", mode)});
  }
  return list;
}

/// The data and a tenth more, as far as a volume of that type may have the IOPS; and twice, four
/// times as much and so on, for types whose speed is of their size.
std::vector<Change> smaller_volumes(const Situation& s) {
  const resolve::LocalDisk& disk = *s.resolved.disk;
  Scenario without = s.scenario;
  without.disk.size.reset();
  const auto least = resolve::resolve(without, s.catalog, s.host, {}, resolve::Want::without_texts);
  if (!least.disk || !least.disk->size) return {};
  constexpr double spare = 1.1;
  double size = spare * (*least.disk->size / gibibytes(1.0));
  if (const EbsVolume* sold = find_ebs_volume(s.catalog, disk.volume_type)) {
    if (sold->iops_per_gib && disk.iops) {
      size = std::max(size, *disk.iops * seconds(1.0) / sold->iops_per_gib->value);
    }
    if (sold->smallest) size = std::max(size, sold->smallest->value / gibibytes(1.0));
  }
  std::vector<Change> list;
  for (double each = std::ceil(size); gibibytes(each) < *disk.size; each *= 2.0) {
    const std::string text = whole_text(each) + " GiB";
    list.push_back({{{"disk.size", text}}, words::assigned("disk.size", text)});
  }
  return list;
}

std::vector<Change> gp3_rates(const Situation& s) {
  std::vector<Change> list;
  const auto& disk = *s.resolved.disk;
  const EbsVolume* sold = find_ebs_volume(s.catalog, "gp3");
  const auto above = [](const auto& now, auto rate) { return !now || *now < rate; };
  const std::pair<double, double> rates[] = {
      {250.0, 3000.0}, {500.0, 6000.0}, {1000.0, 6000.0}, {1000.0, 16000.0}, {2000.0, 16000.0}};
  for (const auto& [bandwidth, iops] : rates) {
    if (disk.volume_type == "gp3" && !above(disk.bandwidth, megabytes(bandwidth) / seconds(1.0)) &&
        !above(disk.iops, per_second(iops))) {
      continue;
    }
    Change change;
    if (disk.volume_type != "gp3") change.set.emplace_back("volume_type", "gp3");
    change.set.emplace_back("disk.bandwidth", words::number_of(bandwidth, "MB/s"));
    change.set.emplace_back("disk.iops", words::number_of(iops, "/s"));
    change.words = words::gp3_volume(bandwidth, iops);
    // Those beyond the included ones take a volume that is large enough.
    if (sold != nullptr && sold->iops_per_gib && sold->baseline_iops && disk.size &&
        per_second(iops) > sold->baseline_iops->value) {
      const double least = std::ceil(iops / sold->iops_per_gib->value);
      if (*disk.size < gibibytes(least)) {
        change.set.emplace_back("disk.size", whole_text(least) + " GiB");
      }
    }
    list.push_back(std::move(change));
  }
  return list;
}

const Remedy storage_list[] = {
    {{"pack_objects", "samples packed into objects of 1 to 128 MB", RemedyKind::data, 8.0,
      Rung::one_gpu, "objects are smaller than 1 MB",
      "packed formats (TFRecord, RecordIO, WebDataset) of 1 to 128 MB are the first remedy for "
      "downloads (AWS Dev Day)",
      "samples are then read in shards: shuffle within a buffer; few shards limit the workers"},
     [](const Situation& s) {
       const auto& dataset = s.scenario.dataset;
       return dataset.bytes_per_sample && (from_afar(s) || s.on_path(Stage::disk)) &&
              dataset.bytes_per_sample->base() * dataset.samples_per_object.value_or(1.0) < 1e6;
     },
     packed},
    {{"smaller_objects", "fewer samples in an object", RemedyKind::data, 8.0, Rung::one_gpu,
      "each worker reads whole objects, of which it has few in an epoch",
      "WebDataset and Hugging Face's streams give each worker shards of its own (their "
      "documentation): a worker without one makes nothing",
      "the data is written anew; each object is a request with a latency of its own"},
     whole_objects,
     smaller_objects},
    {{"connections", "more parallel requests", RemedyKind::code, 2.0, Rung::one_gpu,
      "the number of connections limits what is copied or streamed",
      "one connection to S3 delivers 85 to 90 MB/s, and each small object waits for its first byte "
      "(S3 guide, 2023)",
      "SageMaker's own copying sets its number itself: a job that copies for itself (s5cmd) "
      "chooses"},
     from_afar,
     more_connections},
    {{"input_mode", "another input mode", RemedyKind::setting, 0.5, Rung::one_gpu,
      "the data lies in a store of objects",
      "FastFile starts without copying the dataset first, and workers parallelise the download; "
      "File "
      "downloads it once for all epochs (AWS Dev Day)",
      "FastFile downloads everything again in each epoch, and requests are paid for each time; "
      "with "
      "File the GPUs wait for the copy, which the disk must hold"},
     from_objects,
     file_modes},
    {{"streaming", "streaming instead of files", RemedyKind::code, 4.0, Rung::one_gpu,
      "the data lies in a store of objects and the loader reads files",
      "starts without copying the dataset first; workers parallelise the download (Pipe, "
      "S3Dataset: "
      "AWS Dev Day)",
      "Pipe reads in order; each epoch downloads everything again, and requests are paid for each "
      "time"},
     from_objects,
     stream_modes},
    {{"fsx", "FSx for Lustre", RemedyKind::infrastructure, 8.0, Rung::one_gpu,
      "the data lies on S3 and the instances are AWS's",
      "Mask R-CNN on COCO: FSx for Lustre replaced waiting for the download from S3 (AWS "
      "notebook); "
      "it persists between jobs",
      "at least 1.2 TiB are paid for while it exists, and the bucket that it is filled from "
      "stays; creating it takes 5 to 15 minutes"},
     [](const Situation& s) { return from_s3(s) && s.on_aws(); },
     to_fsx},
    {{"fsx_tier", "a faster tier of FSx", RemedyKind::infrastructure, 2.0, Rung::one_gpu,
      "the data lies on FSx for Lustre",
      "its throughput grows with tier and capacity (FSx user guide)",
      "a tier is chosen when the file system is made; capacity can only grow"},
     [](const Situation& s) { return of_mount(s, Service::fsx_lustre); },
     fsx_tiers},
    {{"smaller_fsx", "a file system no larger and faster than the job needs",
      RemedyKind::infrastructure, 2.0, paid_for_nothing, "the job pays for FSx for Lustre",
      "capacity and its tier are paid for as long as the file system exists, and SCRATCH types "
      "cost less than PERSISTENT ones (FSx pricing)",
      "capacity can only grow, so it is made anew and filled; what else lies on it has to have "
      "room elsewhere, and SCRATCH types keep no second copy of anything",
      same_training, bill_alone},
     [](const Situation& s) { return pays_for(s, Service::fsx_lustre); },
     smaller_fsx},
    {{"efs", "EFS", RemedyKind::infrastructure, 4.0, Rung::one_gpu,
      "the data lies on S3 and the instances are AWS's",
      "no copying before each job, and no capacity to plan",
      "the data is copied into it first, since S3 does not fill it; bytes written and read are "
      "billed in elastic mode; 1,500 MiB/s an instance at most, and a few "
      "milliseconds for each file (EFS user guide)"},
     [](const Situation& s) { return from_s3(s) && s.on_aws(); },
     to_efs},
    {{"efs_throughput", "another throughput mode of EFS", RemedyKind::setting, 0.5, Rung::one_gpu,
      "the data lies on EFS",
      "elastic: its rate does not depend on how much is stored; bursting: reads are not billed "
      "(EFS user guide)",
      "elastic bills every GB that is read; bursting gives 50 MiB/s for each TiB that is stored, "
      "and more while credit lasts"},
     [](const Situation& s) { return of_mount(s, Service::efs); },
     efs_modes},
    {{"efs_one_zone", "EFS in one zone", RemedyKind::infrastructure, 2.0, paid_for_nothing,
      "the job pays for EFS that all zones of the region hold",
      "a GB in one zone costs about half of one that all zones hold (EFS pricing)",
      "it is made anew and filled, and what it holds is lost with its zone", same_training,
      bill_alone},
     [](const Situation& s) {
       return pays_for(s, Service::efs) &&
              s.scenario.source.storage_class_or(default_efs_class) == default_efs_class &&
              s.scenario.source.throughput_mode.value_or("") != efs_one_zone_mode;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"/source/storage_class", efs_one_zone}},
                                   words::assigned("storage_class", efs_one_zone)}};
     }},
    {{"smaller_volume", "a volume no larger than the data", RemedyKind::infrastructure, 0.5,
      paid_for_nothing, "an EBS volume is larger than what the job keeps on it",
      "each GB is paid for while the volume exists (EBS pricing)",
      "what else lies on it has to have room elsewhere; a volume can only grow, so it is "
      "made anew",
      same_training, bill_alone},
     [](const Situation& s) {
       return s.resolved.disk && s.resolved.disk->kind == DiskKind::ebs &&
              s.scenario.disk.size.has_value() && s.result.bill.storage > Money{};
     },
     smaller_volumes},
    {{"gp3", "gp3 with more throughput and IOPS", RemedyKind::infrastructure, 0.5, Rung::one_gpu,
      "the data is read from an EBS volume",
      "125 MB/s and 3,000 IOPS are included; up to 2,000 MiB/s and 80,000 IOPS are sold separately "
      "(EBS user guide)",
      "the instance's own EBS limit applies as well as the volume's"},
     on_ebs,
     gp3_rates},
    {{"whole_file_reads", "files read whole", RemedyKind::code, 1.0, Rung::one_gpu,
      "a sample costs more than one read of the device",
      "PIL made 2.8 device reads for a 105 KB file, reading it whole 1.07 (measured, two-core "
      "host)",
      "helps where IOPS or latency bound a cold disk, not from the page cache"},
     [](const Situation& s) {
       return s.on_path(Stage::disk) && s.inputs().disk && s.inputs().disk->requests > 1.0 &&
              (s.scenario.disk.reads_per_sample ||
               (s.host != nullptr && s.host->reads_per_sample)) &&
              s.scenario.dataset.samples_per_object.value_or(1.0) == 1.0;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"reads_per_sample", "1"}}, "one read a file"}};
     }},
    {{"disk_cache", "a cache on the instance's disk", RemedyKind::setting, 1.0, Rung::one_gpu,
      "a store of objects is streamed or mounted, and read in more than one epoch",
      "from the second epoch on, samples come from the disk (Mountpoint --cache, gcsfuse "
      "cache-dir, LitData and StreamingDataset: chunks and shards stay where they were downloaded)",
      "the disk must be fast enough to be filled beside training; a volume is on the bill"},
     [](const Situation& s) { return read_again(s) && caches_by_itself(s); },
     cache_on_disk,
     disk_lacking},
    {{"nfs_cache", "a cache of NFS on the instance's disk", RemedyKind::infrastructure, 4.0,
      Rung::one_gpu, "a file system is mounted by NFS, and read in more than one epoch",
      "from the second epoch on, files come from the disk: FS-Cache, with cachefilesd and the "
      "mount option fsc (documentation of the Linux kernel)",
      "cachefilesd has to be installed and given a disk on each instance, and drops files where "
      "that disk fills up; it must be fast enough to be filled beside training; a volume is on the "
      "bill"},
     [](const Situation& s) { return read_again(s) && !caches_by_itself(s) && by_nfs(s); },
     [](const Situation& s) {
       std::vector<Change> list = cache_on_disk(s);
       for (Change& change : list) change.words += ", by FS-Cache";
       return list;
     },
     disk_lacking},
    {{"sharded_by_s3_key", "each instance copies its own share", RemedyKind::setting, 0.5,
      Rung::cluster, "several instances copy the whole dataset each",
      "copying takes 1/N of the time and of the disk (SageMaker: ShardedByS3Key)",
      "an instance sees the same samples in every epoch: shuffle well before the objects are "
      "written"},
     [](const Situation& s) {
       return from_objects(s) && s.inputs().staging && s.inputs().instances > 1.0 &&
              s.scenario.source.distribution == Distribution::fully_replicated;
     },
     [](const Situation&) {
       return std::vector<Change>{
           {{{"/source/distribution", "ShardedByS3Key"}}, "distribution = ShardedByS3Key"}};
     }},
};

}  // namespace

std::span<const Remedy> storage_remedies() {
  return storage_list;
}

}  // namespace feedrate::study
