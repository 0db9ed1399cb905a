// Of an observed job the GPU's side: the step, the hand-over of batches, copies and communication.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "resolve/assumptions.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

/// Copies as a trace tells them. Returns what of the step's time they are.
double write_copies_of_trace(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  Scenario& s = draft.out.scenario;
  Cluster& c = s.cluster;
  s.dataset.bytes_on_gpu_per_sample =
      bytes_per_sample(rounded(job.copied_bytes->value / job.batch_size));
  draft.input("/dataset/bytes_on_gpu_per_sample",
              format_quantity(*s.dataset.bytes_on_gpu_per_sample), *job.copied_bytes,
              ", what is copied in a step over the batch");
  const bool pinned = job.pinned_share.value_or(0.0) > 0.5;
  s.loader.pin_memory = pinned;
  const auto& used = pinned ? job.pinned_rate : job.pageable_rate;
  if (!used || used->value <= 0.0) {
    draft.unseen("the rate of copies to the GPU, for those of a step are of both kinds of memory",
                 "they are a part of the step");
    return 0.0;
  }
  const double time = job.copied_bytes->value / used->value;
  if (job.exposed_copy && job.exposed_copy->value < 0.5 * time) {
    draft.unseen(fmt::format("what copies to the GPU, at {}, would cost beside a shorter step, for "
                             "kernels hide {:.0f} % of them",
                             format_quantity(bytes_per_second(rounded(used->value))),
                             100.0 * (1.0 - job.exposed_copy->value / time)),
                 "nothing: they are a part of the step");
    return 0.0;
  }
  if (time >= 0.9 * (job.interval.value - (job.wait ? job.wait->value : 0.0))) return 0.0;
  const auto write = [&](std::optional<Bandwidth>& key, const char* pointer,
                         const std::optional<ObservedNumber>& rate, const char* memory) {
    if (!rate || rate->value <= 0.0) return;
    key = bytes_per_second(rounded(rate->value));
    draft.input(pointer, format_quantity(*key), *rate,
                fmt::format(", bytes over time of the copies from {} memory", memory));
  };
  write(c.pinned_bandwidth, "/cluster/pinned_bandwidth", job.pinned_rate, "pinned");
  write(c.pageable_bandwidth, "/cluster/pageable_bandwidth", job.pageable_rate, "pageable");
  return time;
}

/// What is copied without a trace, or nothing.
void write_copied_bytes(ObservedDraft& draft) {
  const auto& seen = draft.job.gpu_bytes;
  auto& key = draft.out.scenario.dataset.bytes_on_gpu_per_sample;
  key = bytes_per_sample(seen ? rounded(seen->value) : 0.0);
  if (!seen || key->base() <= 0.0) return;
  draft.input("/dataset/bytes_on_gpu_per_sample", format_quantity(*key), *seen,
              ", all that the GPUs receive over PCIe over throughput");
  draft.unseen("the rate of copies to the GPU, which takes a trace", "they are a part of the step");
}

/// The bus bandwidth and the overlap that a trace's all-reduces show. Returns what they keep the
/// step waiting.
double write_collectives(ObservedDraft& draft, double rest) {
  const ObservedJob& job = draft.job;
  if (job.gpus <= 1.0) return 0.0;
  if (!job.exposed_collective) {
    draft.unseen("communication apart from the step", "it is a part of it, and does not grow");
    return 0.0;
  }
  const double exposed = job.exposed_collective->value;
  const bool told = job.all_reduced_bytes && job.all_reduced_bytes->value >= 1.0 &&
                    job.collective_time && job.collective_time->value > 0.0;
  if (!told || exposed >= rest) {
    draft.unseen(fmt::format("bytes of the communication, {} of which no kernel hides",
                             format_quantity(seconds(rounded(exposed, 3)))),
                 "it is a part of the step, and does not grow");
    return 0.0;
  }
  AllReduce made;
  made.algorithm = AllReduceAlgorithm::ring;
  made.latency = Duration{};
  made.gradient_bytes = bytes(rounded(job.all_reduced_bytes->value));
  double overlap = rounded(std::clamp(1.0 - exposed / job.collective_time->value, 0.0, 1.0), 3);
  double time = job.collective_time->value;
  std::string how = ", of all-reduces with their waiting for the slowest rank";
  const double hidden = overlap * time;
  if (hidden > resolve::assumed::backward_share.value * (rest - exposed)) {
    // More than a backward pass hides: what is left of it is taken for all of it.
    overlap = 0.0;
    time = exposed;
    how = ", of the part of all-reduces that no kernel hides";
  }
  made.overlap = overlap;
  if (time <= 0.0) return 0.0;
  const double bus = 2.0 * (job.gpus - 1.0) / job.gpus * job.all_reduced_bytes->value / time;
  made.busbw = bytes_per_second(rounded(bus));
  draft.out.scenario.job.allreduce = made;
  draft.input("/job/allreduce/gradient_bytes", format_quantity(*made.gradient_bytes),
              *job.all_reduced_bytes, ", all-reduced in a step");
  draft.input("/job/allreduce/busbw", format_quantity(*made.busbw), *job.collective_time, how);
  if (overlap > 0.0) {
    draft.input("/job/allreduce/overlap", fmt::format("{:.3g}", overlap), *job.exposed_collective,
                ", what kernels hide of it");
  }
  return exposed;
}

void write_variation(ObservedDraft& draft, Step& step) {
  constexpr double least_cv = 1e-3;  // less is rounding
  const ObservedJob& job = draft.job;
  if (!job.step_cv) {
    draft.unseen("how much steps differ, which takes ten that are told one by one", "not at all");
    return;
  }
  if (*job.step_cv <= least_cv) return;
  if (job.gpus > 1.0) {
    draft.unseen(
        fmt::format("how much each GPU's steps differ, for all wait for the slowest of {:.0f} "
                    "(whose cv is {:.3g})",
                    job.gpus, *job.step_cv),
        "not at all: the step is the slowest's");
    return;
  }
  step.cv = rounded(std::min(1.0, *job.step_cv), 3);
  ObservedNumber cv = job.interval;
  // Of a standard deviation of n that are normal; steps with a long tail have a larger one.
  cv.relative_error = 1.0 / std::sqrt(2.0 * std::max(1.0, cv.count - 1.0));
  cv.value = *step.cv;
  draft.input("/job/step/cv", fmt::format("{:.3g}", *step.cv), cv,
              ", standard deviation over mean of what is no wait");
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
    step.value = job.interval.value - job.wait->value;
    how = ", the interval without the wait for the batch";
    const double least = *job.least_wait;
    copy = job.copy_time && !job.copied_bytes ? std::min(job.copy_time->value, least) : 0.0;
    const double work = job.main_cpu ? job.main_cpu->value * job.batch_size : 0.0;
    handover = waits ? std::min(work, least - copy) : job.wait->value - copy;
    if (waits) {
      draft.unseen("how much of the step hides behind the wait, as a GPU's queue does",
                   "nothing; a loop that does not wait for its GPU has a longer step than this");
    }
  } else if (job.gpu_busy && waits) {
    step.value = job.gpu_busy->value * job.interval.value;
    step.relative_error = std::hypot(step.relative_error, job.gpu_busy->relative_error);
    how = ", its interval times the GPU's utilisation: the most that a step can take";
    draft.unseen("the step's own time, for no step was marked",
                 "the bound that the GPU's utilisation gives");
  } else {
    draft.unseen("the wait for batches",
                 job.gpu_busy ? "none: the GPU is busy" : "none: the GPU is the limit");
  }
  c.pinned_bandwidth = c.pageable_bandwidth = at_once;
  double apart = 0.0;
  if (job.copied_bytes) {
    apart = write_copies_of_trace(draft);
  } else {
    write_copied_bytes(draft);
  }
  const double exposed = write_collectives(draft, step.value - apart);
  if (apart > 0.0) how += ", without copies";
  if (exposed > 0.0) how += ", without the communication that nothing hides";
  step.value -= apart + exposed;
  if (step.value <= 0.0) {
    step.value = 1e-6;
    draft.unseen("a step beside the wait", "1 µs");
  }
  step.value = rounded(step.value);
  Step made;
  made.fixed = seconds(step.value);
  draft.input("/job/step/fixed", format_quantity(*made.fixed), step, how);
  write_variation(draft, made);
  s.job.step = made;
  s.loader.handover = seconds(rounded(std::max(0.0, handover)));
  if (handover > 0.0) {
    draft.input("/loader/handover", format_quantity(*s.loader.handover), job.interval,
                waits ? ", the main process's CPU" : ", what every step waits");
  }
  c.copy_latency = seconds(rounded(copy));
  if (copy > 0.0) {
    draft.input("/cluster/copy_latency", format_quantity(*c.copy_latency), *job.copy_time,
                ", busy time of the link over steps");
  }
  if (copy <= 0.0 && !job.copied_bytes && !job.gpu_bytes) {
    draft.unseen("copies to the GPU apart from the step", "they are a part of it");
  }
}

}  // namespace feedrate::study
