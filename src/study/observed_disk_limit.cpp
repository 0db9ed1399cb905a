// What the control groups of an observed job let it read from a disk.
#include <algorithm>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

constexpr double near_limit = 0.95;  ///< reads above this share of a limit are held back by it

/// The limit, where the job reads from the device at all: all reads may come from the page cache.
const ObservedLimit* limit_of(const ObservedJob& job) {
  const bool reads = job.device_bytes && job.device_bytes->value >= 1.0;
  return reads && job.disk && job.disk->limit ? &*job.disk->limit : nullptr;
}

/// Bytes per second that the job read.
double read_rate(const ObservedJob& job) {
  return job.device_bytes->value * job.throughput.value;
}

void write(ObservedDraft& draft, const char* pointer, const std::string& text,
           const ObservedNumber& number, std::string_view how) {
  const bool changed = number.relative_error >= 1e-4;
  draft.out.inputs.push_back({pointer, text,
                              words::origin_of_limit(how, draft.job.disk->name, changed),
                              number.relative_error});
}

/// Whether other programs use a part of what the job's control group may read.
bool shares_limit(const ObservedJob& job, const ObservedNumber& most) {
  constexpr double own = 0.85;
  return reaches_disk_limit(job) && !job.disk->limit->reads && read_rate(job) < own * most.value;
}

void write_bandwidth(ObservedDraft& draft, const ObservedNumber& most) {
  Disk& disk = draft.out.scenario.disk;
  ObservedNumber number = most;
  std::string how(words::found::group_limit);
  if (shares_limit(draft.job, most)) {
    how = words::left_of_limit(bytes_per_second(rounded(most.value)));
    number.value = read_rate(draft.job);
    number.relative_error = draft.job.device_bytes->relative_error;
  }
  // A disk that is busy throughout and gives less has a limit of its own.
  if (disk.bandwidth && disk.bandwidth->base() <= number.value) return;
  disk.bandwidth = bytes_per_second(rounded(number.value));
  disk.discipline = Discipline::rate_limit;
  write(draft, "/disk/bandwidth", format_quantity(*disk.bandwidth), number, how);
}

}  // namespace

bool reaches_disk_limit(const ObservedJob& job) {
  const ObservedLimit* const limit = limit_of(job);
  return limit != nullptr && limit->used && limit->used->value >= near_limit;
}

double over_disk_limit(const ObservedJob& job) {
  const ObservedLimit* const limit = limit_of(job);
  if (limit == nullptr || !limit->bytes || !reaches_disk_limit(job)) return 1.0;
  return std::max(1.0, read_rate(job) / limit->bytes->value);
}

std::optional<double> reads_of_limit(const ObservedJob& job) {
  const ObservedLimit* const limit = limit_of(job);
  if (limit == nullptr || !limit->reads) return std::nullopt;
  double requests = job.device_reads ? job.device_reads->value * job.throughput.value : 0.0;
  if (limit->used) {
    // Reads as the limit counts them, before the disk's queue merges or splits them.
    const double most = std::min(1.0, limit->used->value) * limit->reads->value;
    const bool counted =
        !limit->bytes || read_rate(job) < near_limit * limit->used->value * limit->bytes->value;
    requests = counted || requests <= 0.0 ? most : std::min(requests, most);
  }
  if (requests <= 0.0) return std::nullopt;
  return rounded(requests / job.throughput.value);
}

void write_disk_limit(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  const ObservedLimit* const limit = limit_of(job);
  if (limit == nullptr) return;
  Disk& disk = draft.out.scenario.disk;
  // What came from the page cache is no part of a sample's bytes.
  disk.page_cache = bytes(1.0);
  if (limit->bytes) write_bandwidth(draft, *limit->bytes);
  const auto reads = reads_of_limit(job);
  if (!reads) {
    if (limit->reads) draft.unseen(words::unseen::limited_requests);
    return;
  }
  disk.iops = per_second(rounded(limit->reads->value));
  disk.reads_per_sample = *reads;
  const std::string_view how = words::found::group_limit;
  write(draft, "/disk/iops", format_quantity(*disk.iops), *limit->reads, how);
  ObservedNumber counted = limit->used.value_or(*limit->reads);
  counted.value = *reads;
  draft.input("/disk/reads_per_sample", exact_text(*reads), counted,
              words::found::counted_reads_over_throughput);
}

}  // namespace feedrate::study
