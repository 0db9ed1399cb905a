// The GPUs of an observed job: the step, the hand-over of batches, copies and communication.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "resolve/assumptions.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

/// Writes the copies that a trace shows. Returns the time of a step's copies, s; 0 where they are
/// hidden or not written.
double write_copies_of_trace(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  Scenario& s = draft.out.scenario;
  Cluster& c = s.cluster;
  s.dataset.bytes_on_gpu_per_sample =
      bytes_per_sample(rounded(job.copied_bytes->value / job.batch_size));
  draft.input("/dataset/bytes_on_gpu_per_sample",
              format_quantity(*s.dataset.bytes_on_gpu_per_sample), *job.copied_bytes,
              words::found::copied_over_batch);
  const bool pinned = job.pinned_share.value_or(0.0) > 0.5;
  s.loader.pin_memory = pinned;
  const auto& used = pinned ? job.pinned_rate : job.pageable_rate;
  if (!used || used->value <= 0.0) {
    draft.unseen(words::unseen::copy_rates);
    return 0.0;
  }
  const double time = job.copied_bytes->value / used->value;
  if (job.exposed_copy && job.exposed_copy->value < 0.5 * time) {
    draft.unseen(words::hidden_copies(bytes_per_second(rounded(used->value)),
                                      1.0 - job.exposed_copy->value / time));
    return 0.0;
  }
  if (time >= 0.9 * (job.interval.value - job.waited())) return 0.0;
  const auto write = [&](std::optional<Bandwidth>& key, const char* pointer,
                         const std::optional<ObservedNumber>& rate, const char* memory) {
    if (!rate || rate->value <= 0.0) return;
    key = bytes_per_second(rounded(rate->value));
    draft.input(pointer, format_quantity(*key), *rate, words::copies_from(memory));
  };
  write(c.pinned_bandwidth, "/cluster/pinned_bandwidth", job.pinned_rate, "pinned");
  write(c.pageable_bandwidth, "/cluster/pageable_bandwidth", job.pageable_rate, "pageable");
  return time;
}

/// Writes the bytes that a GPU received per sample, where there is no trace of copies.
void write_copied_bytes(ObservedDraft& draft) {
  const auto& seen = draft.job.gpu_bytes;
  auto& key = draft.out.scenario.dataset.bytes_on_gpu_per_sample;
  key = bytes_per_sample(seen ? rounded(seen->value) : 0.0);
  if (!seen || key->base() <= 0.0) return;
  draft.input("/dataset/bytes_on_gpu_per_sample", format_quantity(*key), *seen,
              words::found::received_over_pcie);
  draft.unseen(words::unseen::copy_rate_without_trace);
}

/// Writes the bus bandwidth and the overlap of the all-reduces in a trace. Returns the time that
/// the step waits for them.
double write_collectives(ObservedDraft& draft, double rest) {
  const ObservedJob& job = draft.job;
  if (job.gpus * job.instances <= 1.0) return 0.0;
  if (!job.exposed_collective) {
    draft.unseen(words::unseen::communication);
    if (job.instances > 1.0) {
      AllReduce hidden;
      hidden.gradient_bytes = Bytes{};
      draft.out.scenario.job.allreduce = hidden;
    }
    return 0.0;
  }
  // What a rank waits in it for the others' batches is a part of their wait.
  const double for_others = job.others_wait ? job.others_wait->value : 0.0;
  const double exposed = std::max(0.0, job.exposed_collective->value - for_others);
  const double reducing =
      job.collective_time ? std::max(exposed, job.collective_time->value - for_others) : 0.0;
  const bool told = job.all_reduced_bytes && job.all_reduced_bytes->value >= 1.0 && reducing > 0.0;
  if (!told || exposed >= rest) {
    draft.unseen(words::communicated_bytes(seconds(rounded(exposed, 3))));
    return 0.0;
  }
  AllReduce made;
  made.algorithm = AllReduceAlgorithm::ring;
  made.latency = Duration{};
  made.gradient_bytes = bytes(rounded(job.all_reduced_bytes->value));
  double overlap = rounded(std::clamp(1.0 - exposed / reducing, 0.0, 1.0), 3);
  double time = reducing;
  std::string_view how = words::found::waits_for_slowest;
  const double hidden = overlap * time;
  if (hidden > resolve::assumed::backward_share.value * (rest - exposed)) {
    // More than a backward pass hides: what is left of it is taken for all of it.
    overlap = 0.0;
    time = exposed;
    how = words::found::unhidden_reduces;
  }
  made.overlap = overlap;
  if (time <= 0.0) return 0.0;
  const double bus = 2.0 * (job.gpus - 1.0) / job.gpus * job.all_reduced_bytes->value / time;
  made.busbw = bytes_per_second(rounded(bus));
  draft.out.scenario.job.allreduce = made;
  draft.input("/job/allreduce/gradient_bytes", format_quantity(*made.gradient_bytes),
              *job.all_reduced_bytes, words::found::reduced_in_step);
  draft.input("/job/allreduce/busbw", format_quantity(*made.busbw), *job.collective_time, how);
  if (overlap > 0.0) {
    draft.input("/job/allreduce/overlap", exact_text(overlap), *job.exposed_collective,
                words::found::hidden_by_kernels);
  }
  return exposed;
}

void write_variation(ObservedDraft& draft, Step& step) {
  constexpr double least_cv = 1e-3;  // less is rounding
  const ObservedJob& job = draft.job;
  if (job.others_wait) return draft.unseen(words::unseen::variation_beside_waits);
  if (!job.step_cv) {
    draft.unseen(words::unseen::variation);
    return;
  }
  if (*job.step_cv <= least_cv) return;
  // Whoever is seen has waited for the slowest of all in each step.
  if (const double all = job.gpus * job.instances; all > 1.0) {
    draft.unseen(words::variation_of_each(all, *job.step_cv));
    return;
  }
  step.cv = rounded(std::min(1.0, *job.step_cv), 3);
  ObservedNumber cv = job.interval;
  // The relative error of the standard deviation of n normal values; with a long tail it is larger.
  cv.relative_error = 1.0 / std::sqrt(2.0 * std::max(1.0, cv.count - 1.0));
  cv.value = *step.cv;
  draft.input("/job/step/cv", exact_text(*step.cv), cv, words::found::deviation_over_mean);
}

}  // namespace

void write_step(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  Scenario& s = draft.out.scenario;
  Cluster& c = s.cluster;
  // The loop's own times are seen one after the other, so that is how they are added up.
  s.job.asynchronous_step = false;
  ObservedNumber step = job.interval;
  std::string how;
  const bool waits = draft.starved().value_or(false);
  double copy = 0.0;
  double handover = 0.0;
  if (job.wait) {
    step.value = job.interval.value - job.waited();
    step.relative_error = job.rest_error.value_or(step.relative_error);
    how = job.others_wait ? words::found::interval_without_waits
                          : words::found::interval_without_wait;
    const double least = *job.least_wait;
    copy = job.copy_time && !job.copied_bytes ? std::min(job.copy_time->value, least) : 0.0;
    const double work = job.main_cpu ? job.main_cpu->value * job.batch_size : 0.0;
    handover = waits ? std::min(work, least - copy) : job.waited() - copy;
    if (waits) {
      draft.unseen(words::unseen::hidden_step);
    }
  } else if (job.gpu_busy && waits) {
    step.value = job.gpu_busy->value * job.interval.value;
    step.relative_error = portable::hypot(step.relative_error, job.gpu_busy->relative_error);
    how = words::found::interval_of_utilisation;
    draft.unseen(words::unseen::own_step);
  } else {
    draft.unseen(words::wait_for_batches(job.gpu_busy.has_value()));
  }
  c.pinned_bandwidth = c.pageable_bandwidth = at_once;
  double apart = 0.0;
  if (job.copied_bytes) {
    apart = write_copies_of_trace(draft);
  } else {
    write_copied_bytes(draft);
  }
  const double exposed = write_collectives(draft, step.value - apart);
  if (apart > 0.0) how += words::found::without_copies;
  if (exposed > 0.0) how += words::found::without_communication;
  step.value -= apart + exposed;
  if (step.value <= 0.0) {
    step.value = 1e-6;
    draft.unseen(words::unseen::step_beside_wait);
  }
  step.value = rounded(step.value);
  Step made;
  made.fixed = seconds(step.value);
  // With it what they exchanged is in the step, unless it was seen apart.
  if (job.gpus * job.instances > 1.0) made.gpus = job.gpus;
  draft.input("/job/step/fixed", format_quantity(*made.fixed), step, how);
  write_variation(draft, made);
  s.job.step = made;
  s.loader.handover = seconds(rounded(std::max(0.0, handover)));
  s.loader.handover_cv = 0.0;  // what was waited for the longest of them was seen with the rest
  if (handover > 0.0) {
    draft.input("/loader/handover", format_quantity(*s.loader.handover), job.interval,
                waits ? words::found::main_cpu : words::found::every_step_waits);
  }
  c.copy_latency = seconds(rounded(copy));
  if (copy > 0.0) {
    draft.input("/cluster/copy_latency", format_quantity(*c.copy_latency), *job.copy_time,
                words::found::link_time_over_steps);
  }
  if (copy <= 0.0 && !job.copied_bytes && !job.gpu_bytes) {
    draft.unseen(words::unseen::copies);
  }
}

}  // namespace feedrate::study
