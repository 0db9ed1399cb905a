// A trace's steps. A step is a ProfilerStep; the wait for data is the loader's annotation within
// it; what the GPU does is what its kernels and copies cover of the step's time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "formats/recordings/trace_events.hpp"

namespace feedrate::formats {
namespace {

/// Times beyond are µs since 1970, as older versions wrote them; those below count from a start.
constexpr double microseconds_in_2001 = 1e15;

/// A step, and whether it overlaps one that was told before.
struct Span : Interval {
  bool overlaps = false;
};

/// The time that intervals cover together.
class Cover {
 public:
  void add(const Interval& one) { all_.push_back(one); }

  /// Intervals that overlap become one. Once, when all are added.
  void merge() {
    std::sort(all_.begin(), all_.end());
    std::vector<Interval> merged;
    for (const Interval& one : all_) {
      if (!merged.empty() && one.start <= merged.back().end) {
        merged.back().end = std::max(merged.back().end, one.end);
      } else {
        merged.push_back(one);
      }
    }
    all_ = std::move(merged);
    up_to_.reserve(all_.size());
    double sum = 0.0;
    for (const Interval& one : all_) up_to_.push_back(sum += one.end - one.start);
  }

  /// What of `span` they cover. Precondition: they are merged.
  [[nodiscard]] double of(const Span& span) const {
    const auto begin = std::partition_point(
        all_.begin(), all_.end(), [&](const Interval& one) { return one.end <= span.start; });
    const auto part = [&](const Interval& one) {
      return std::min(one.end, span.end) - std::max(one.start, span.start);
    };
    double sum = 0.0;
    if (!span.overlaps) {
      // Spans apart from each other read every interval once; one by one, the sum is more exact.
      for (auto at = begin; at != all_.end() && at->start < span.end; ++at) sum += part(*at);
      return sum;
    }
    const auto end = std::partition_point(
        begin, all_.end(), [&](const Interval& one) { return one.start < span.end; });
    if (begin == end) return 0.0;
    const auto last = std::prev(end);
    if (begin == last) return part(*begin);
    const double between = up_to_[index(last) - 1] - up_to_[index(begin)];
    return part(*begin) + between + part(*last);
  }

 private:
  [[nodiscard]] std::size_t index(std::vector<Interval>::const_iterator at) const {
    return static_cast<std::size_t>(at - all_.begin());
  }

  std::vector<Interval> all_;
  std::vector<double> up_to_;  ///< what each and those before it cover
};

using ByDevice = std::map<std::uint8_t, Cover>;

/// The GPU's work by what it is, of all devices: merged for each device.
struct Busy {
  ByDevice kernels, compute, collectives, copies, all;

  explicit Busy(const std::vector<GpuInterval>& intervals_of) {
    for (const GpuInterval& one : intervals_of) {
      const Interval interval{one.start, one.start + static_cast<double>(one.duration)};
      const bool collective = one.work == GpuWork::collective;
      if (one.work == GpuWork::kernel || collective) {
        kernels[one.device].add(interval);
        (collective ? collectives : compute)[one.device].add(interval);
      } else {
        copies[one.device].add(interval);
      }
      all[one.device].add(interval);
    }
    for (auto* const kind : {&kernels, &compute, &collectives, &copies, &all}) {
      for (auto& [device, cover] : *kind) cover.merge();
    }
  }
};

/// Seconds of the step that the devices which work at all are busy, their mean.
double mean_covered(const ByDevice& kind, const Span& step, std::size_t devices) {
  double sum = 0.0;
  for (const auto& [device, cover] : kind) sum += cover.of(step);
  return sum * 1e-6 / static_cast<double>(std::max<std::size_t>(1, devices));
}

/// Without a schedule there are no steps: one is from asking for a batch to asking for the next.
void steps_of_batches(TraceEvents& events, Collector& to) {
  for (std::size_t i = 0; i + 1 < events.waits.size(); ++i) {
    const Wait& wait = events.waits[i];
    events.steps.push_back(
        {{wait.start, events.waits[i + 1].start}, static_cast<std::int64_t>(i), wait.thread});
  }
  if (!events.steps.empty())
    to.remark("it has no ProfilerStep: a step is the time from one batch to the next");
}

/// Leaves the steps that count, in order; returns how many events the others were.
std::int64_t leave_steps(TraceEvents& events, Collector& to) {
  auto& steps = events.steps;
  auto& waits = events.waits;
  std::sort(steps.begin(), steps.end());
  const auto end = std::unique(steps.begin(), steps.end(),
                               [](const Step& a, const Step& b) { return a.number == b.number; });
  const std::int64_t twice = steps.end() - end;
  steps.erase(end, steps.end());
  to.skip(skipped::repeated, twice);
  if (steps.size() < 2) return twice;
  steps.erase(steps.begin());
  const auto early =
      std::erase_if(waits, [&](const Wait& wait) { return wait.start < steps.front().start; });
  const std::int64_t first = 1 + static_cast<std::int64_t>(early);
  to.skip("the first step, in which the profiler starts", first);
  return twice + first;
}

/// Tells of the steps, one after the other.
class Telling {
 public:
  Telling(TraceEvents& events, Collector& to)
      : events_(events), to_(to), busy_(events.gpu), name_(rank_of(events)) {
    origin_ = events.base_nanoseconds.value_or(0.0) * 1e-9;
    const bool utc = origin_ > 0.0 || events.steps.front().start > microseconds_in_2001;
    clock_ = utc ? ClockKind::utc : ClockKind::relative;
    devices_ = std::max(busy_.kernels.size(), busy_.copies.size());
    for (const Wait& wait : events.waits) waits_of_[wait.thread].add(wait);
    for (auto& [thread, cover] : waits_of_) cover.merge();
    waits_known_ = waits_of_.contains(events.steps.front().thread);
    std::sort(events.copies.begin(), events.copies.end(),
              [](const Copy& a, const Copy& b) { return a.start < b.start; });
    copy_ = events.copies.begin();
    std::sort(events.all_reduces.begin(), events.all_reduces.end(),
              [](const Collective& a, const Collective& b) { return a.start < b.start; });
    all_reduce_ = events.all_reduces.begin();
  }

  void tell_all() {
    if (devices_ > 1) {
      to_.remark(fmt::format("it has {} GPUs: figures are means per GPU", devices_));
    }
    if (events_.world_size && *events_.world_size >= 1.0) {
      Sample sample{.at = at(events_.steps.front().end), .metric = MetricId::ranks};
      sample.value = *events_.world_size;
      to_.put(sample, clock_);
    }
    for (const Step& step : events_.steps) tell(step);
    std::int64_t batch = 0;
    for (const Wait& wait : events_.waits) tell_marks(MarkKind::batch, wait, batch++);
  }

 private:
  static std::string rank_of(const TraceEvents& events) {
    return events.rank ? fmt::format("rank{}", *events.rank) : "";
  }
  [[nodiscard]] Duration at(double microseconds) const {
    return seconds(origin_ + microseconds * 1e-6);
  }
  [[nodiscard]] double covered_of(const ByDevice& kind, const Span& step) const {
    return mean_covered(kind, step, devices_);
  }

  void tell_marks(MarkKind kind, const Interval& interval, std::int64_t number) {
    to_.put(Mark{at(interval.start), kind, true, number, name_, ""}, clock_);
    to_.put(Mark{at(interval.end), kind, false, number, name_, ""}, clock_);
  }

  /// Precondition: steps come in the order of their starts.
  void tell(const Step& step) {
    const Span span{step, step.start < told_to_};
    told_to_ = std::max(told_to_, step.end);
    tell_marks(MarkKind::step, step, step.number);
    const double time = (step.end - step.start) * 1e-6;
    tell(step, MetricId::step_time, time);
    if (waits_known_) {
      const double wait = waits_of_[step.thread].of(span) * 1e-6;
      tell(step, MetricId::data_wait, wait);
      tell(step, MetricId::host_time, std::max(0.0, time - wait));
    }
    const double kernels = covered_of(busy_.kernels, span);
    if (!busy_.kernels.empty()) tell(step, MetricId::gpu_time, kernels);
    if (!busy_.collectives.empty()) {
      tell(step, MetricId::collective_time, covered_of(busy_.collectives, span));
      tell(step, MetricId::exposed_collective_time,
           std::max(0.0, kernels - covered_of(busy_.compute, span)));
      if (!events_.other_collectives) tell_all_reduced(step);
    }
    if (!busy_.copies.empty()) tell_copies(step, span);
  }

  void tell_copies(const Step& step, const Span& span) {
    double bytes = 0.0;
    double pinned = 0.0;
    for (; copy_ != events_.copies.end() && copy_->start < step.end; ++copy_) {
      if (copy_->start < step.start) continue;
      bytes += copy_->bytes;
      if (copy_->pinned) pinned += copy_->bytes;
    }
    tell(step, MetricId::copy_time, covered_of(busy_.copies, span));
    tell(step, MetricId::exposed_copy_time,
         std::max(0.0, covered_of(busy_.all, span) - covered_of(busy_.kernels, span)));
    const auto devices = static_cast<double>(devices_);
    tell(step, MetricId::copied_bytes, bytes / devices);
    tell(step, MetricId::pinned_bytes, pinned / devices);
  }

  void tell_all_reduced(const Step& step) {
    double bytes = 0.0;
    for (; all_reduce_ != events_.all_reduces.end() && all_reduce_->start < step.end;
         ++all_reduce_) {
      if (all_reduce_->start >= step.start) bytes += all_reduce_->bytes;
    }
    tell(step, MetricId::collective_bytes, bytes / static_cast<double>(devices_));
  }

  void tell(const Step& step, MetricId metric, double value) {
    Sample sample{.at = at(step.end), .metric = metric, .name = name_};
    sample.value = value;
    sample.step = step.number;
    to_.put(sample, clock_);
  }

  TraceEvents& events_;
  Collector& to_;
  Busy busy_;
  std::string name_;
  double origin_ = 0.0;  ///< s
  ClockKind clock_{};
  std::size_t devices_ = 0;
  std::map<std::uint32_t, Cover> waits_of_;  ///< by thread
  bool waits_known_ = false;
  std::vector<Copy>::iterator copy_;
  std::vector<Collective>::iterator all_reduce_;
  double told_to_ = 0.0;  ///< where the last of the steps that are told ends
};

}  // namespace

void place_trace(TraceEvents events, FormatId format, Collector& to) {
  auto used =
      static_cast<std::int64_t>(events.steps.size() + events.waits.size() + events.gpu.size());
  std::sort(events.waits.begin(), events.waits.end());
  if (events.steps.empty()) {
    steps_of_batches(events, to);
  } else {
    used -= leave_steps(events, to);
  }
  if (events.steps.empty()) {
    return to.skip(
        "events outside any step: there is neither a ProfilerStep nor two batches of a loader",
        used);
  }
  to.keep(format, used);
  Telling(events, to).tell_all();
}

}  // namespace feedrate::formats
