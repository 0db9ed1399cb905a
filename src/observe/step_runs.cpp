#include "observe/step_runs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/portable_math.hpp"
#include "base/statistics.hpp"
#include "observe/observed_means.hpp"

namespace feedrate::observe {
namespace {

/// Goes over the marks in the order of time.
class RunsOfMarks {
 public:
  void take(const Mark& mark) {
    if (mark.kind == MarkKind::epoch) {
      if (runs_.empty() || !runs_.back().empty()) runs_.emplace_back();
      wait_ = 0.0;
      waits_since_.reset();
      return;
    }
    if (!rank_) rank_ = mark.name;
    if (mark.name != *rank_) return;  // one stands for all, which wait for each other
    if (mark.kind == MarkKind::batch) {
      wait(mark);
    } else {
      step(mark);
    }
  }
  [[nodiscard]] bool waits_marked() const { return waits_marked_; }
  std::vector<Run> runs() {
    if (!waits_marked_) {
      for (Run& run : runs_) {
        for (SeenStep& step : run) step.wait.reset();
      }
    }
    return std::move(runs_);
  }

 private:
  void wait(const Mark& mark) {
    waits_marked_ = true;
    if (mark.begins) {
      waits_since_ = mark.at.base();
    } else if (waits_since_) {
      wait_ += mark.at.base() - *waits_since_;
      waits_since_.reset();
    }
  }
  void step(const Mark& mark) {
    if (runs_.empty() || (!runs_.back().empty() && mark.number != last_ + 1)) runs_.emplace_back();
    last_ = mark.number;
    SeenStep step{mark.at.base(), 0.0, 1.0, wait_};
    if (!runs_.back().empty()) step.length = step.end - runs_.back().back().end;
    runs_.back().push_back(step);
    wait_ = 0.0;
  }

  std::vector<Run> runs_;
  double wait_ = 0.0;
  std::optional<double> waits_since_;
  bool waits_marked_ = false;
  std::optional<std::string> rank_;
  std::int64_t last_ = 0;
};

/// Of lines of logs, which give each step's time and its wait.
std::vector<Run> runs_of_samples(const std::vector<Sample>& times,
                                 const std::vector<Sample>* waits) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> wait_of;
  const auto key = [](const Sample& s, std::int64_t place) {
    return std::pair(s.epoch.value_or(0), s.step.value_or(place));
  };
  const std::string& rank = times.front().name;
  std::int64_t place = 0;
  if (waits != nullptr) {
    for (const Sample& s : *waits) {
      if (s.name == rank) wait_of[key(s, place++)] = s.value;
    }
  }
  std::vector<Run> runs;
  place = 0;
  std::optional<std::int64_t> epoch;
  for (const Sample& s : times) {
    if (s.name != rank) continue;
    if (runs.empty() || epoch != s.epoch) runs.emplace_back();
    epoch = s.epoch;
    SeenStep step{s.at.base(), s.value, s.steps, std::nullopt};
    // Logs give the time of a step to the second at best, or that of a line before it.
    if (!runs.back().empty()) {
      const double begin = runs.back().back().end;
      if (step.end < begin + 0.5 * step.length * step.steps) {
        step.end = begin + step.length * step.steps;
      }
    }
    if (const auto found = wait_of.find(key(s, place++)); found != wait_of.end()) {
      step.wait = found->second;
    }
    runs.back().push_back(step);
  }
  return runs;
}

/// Bytes over time of the steps all of whose copies are from pinned memory, or none.
std::optional<ObservedNumber> copy_rate(const StepSamples& told, bool from_pinned) {
  using Key = std::pair<std::string, std::int64_t>;
  std::map<Key, double> times;
  std::map<Key, double> pinned;
  const auto gather = [&](MetricId id, std::map<Key, double>& into) {
    const auto found = told.find(id);
    if (found == told.end()) return;
    for (const Sample& s : found->second) {
      if (s.step) into[{s.name, *s.step}] = s.value;
    }
  };
  gather(MetricId::copy_time, times);
  gather(MetricId::pinned_bytes, pinned);
  const auto copied = told.find(MetricId::copied_bytes);
  if (copied == told.end()) return std::nullopt;
  double bytes = 0.0;
  double time = 0.0;
  std::vector<double> rates;
  for (const Sample& s : copied->second) {
    const auto took = times.find({s.name, s.step.value_or(0)});
    const auto of = pinned.find({s.name, s.step.value_or(0)});
    if (!s.step || took == times.end() || of == pinned.end()) continue;
    if (took->second <= 0.0 || s.value <= 0.0) continue;
    const double share = of->second / s.value;
    constexpr double as_good_as_none = 0.01;
    if ((from_pinned ? 1.0 - share : share) > as_good_as_none) continue;
    bytes += s.value;
    time += took->second;
    rates.push_back(s.value / took->second);
  }
  if (rates.empty()) return std::nullopt;
  return ObservedNumber{bytes / time, error_of_mean(rates), static_cast<double>(rates.size()),
                        "steps"};
}

double steps_in(const Run& run) {
  double steps = 0.0;
  for (const SeenStep& step : run) steps += step.steps;
  return steps;
}

void leave_out_starts(std::vector<Run>& runs, double workers) {
  std::erase_if(runs, [](const Run& run) { return steps_in(run) < 3.0; });
  if (runs.size() > 1) runs.erase(runs.begin());
  const double first_steps = std::max(2.0 * workers, 1.0);
  for (Run& run : runs) {
    double left = std::min(first_steps, std::floor(static_cast<double>(run.size()) / 3.0));
    auto end = run.begin();
    while (left >= 1.0 && end != run.end()) {
      left -= end->steps;
      ++end;
    }
    // Where lengths are between ends, the first that stays has one only if something is before it.
    // A single mean of many steps is all there is.
    if (end == run.begin() && run.size() > 1) ++end;
    run.erase(run.begin(), end);
  }
  std::erase_if(runs, [](const Run& run) { return run.empty(); });
}

/// Steps that are told one by one.
struct Singles {
  std::vector<double> lengths, waits, rests;

  void add(const SeenStep& step) {
    lengths.push_back(step.length);
    if (!step.wait) return;
    waits.push_back(*step.wait);
    rests.push_back(std::max(0.0, step.length - *step.wait));
  }
  /// To say how they differ.
  [[nodiscard]] bool enough() const { return lengths.size() >= 10; }
};

/// Of the steps between those that are told, only the time is known: they wait for what of it the
/// others do not need.
void tell_wait_by_rest(ObservedJob& job, const Singles& told) {
  const double rest = mean(told.rests);
  const double wait = std::max(0.0, job.interval.value - rest);
  job.rest_error = error_of_mean(told.rests);
  job.wait = ObservedNumber{wait, 0.0, job.interval.count, "steps"};
  if (wait > 0.0) {
    job.wait->relative_error =
        portable::hypot(job.interval.relative_error * job.interval.value, *job.rest_error * rest) /
        wait;
  }
  job.least_wait = std::min(wait, value_at_share(told.waits, 0.1));
}

struct SeenEpoch {
  double begin = 0.0;
  std::optional<double> end;
};

/// By the marks of one node, in the order of time.
std::vector<SeenEpoch> epochs_of(const std::vector<Mark>& marks) {
  std::vector<SeenEpoch> epochs;
  std::optional<std::string> node;
  for (const Mark& mark : marks) {
    if (mark.kind != MarkKind::epoch) continue;
    if (!node) node = mark.node;
    if (mark.node != *node) continue;
    if (mark.begins) {
      epochs.push_back({mark.at.base(), std::nullopt});
    } else if (!epochs.empty() && !epochs.back().end) {
      epochs.back().end = mark.at.base();
    }
  }
  return epochs;
}

}  // namespace

bool is_of_step(MetricId id) {
  using enum MetricId;
  return id == step_time || id == data_wait || id == host_time || id == gpu_time ||
         id == copy_time || id == exposed_copy_time || id == copied_bytes || id == pinned_bytes ||
         id == collective_time || id == exposed_collective_time || id == collective_bytes;
}

std::vector<Run> runs_of(std::vector<Mark> marks, const StepSamples& told, double workers) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.at < b.at; });
  RunsOfMarks of_marks;
  for (const Mark& mark : marks) of_marks.take(mark);
  const bool waits_marked = of_marks.waits_marked();
  std::vector<Run> runs = of_marks.runs();
  const bool enough =
      std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.size() > 3; });
  const auto times = told.find(MetricId::step_time);
  if (times != told.end() && (!enough || !waits_marked)) {
    const auto waits = told.find(MetricId::data_wait);
    runs = runs_of_samples(times->second, waits == told.end() ? nullptr : &waits->second);
  }
  leave_out_starts(runs, workers);
  return runs;
}

std::vector<SeenTime> typical_time(const std::vector<Mark>& marks, const StepSamples& told,
                                   double workers) {
  std::vector<SeenTime> steps;
  for (const Run& run : runs_of(marks, told, workers)) {
    steps.push_back({run.front().end - run.front().length * run.front().steps, run.back().end});
  }
  std::vector<SeenEpoch> epochs = epochs_of(marks);
  if (epochs.empty()) return steps;
  if (epochs.size() > 1) epochs.erase(epochs.begin());
  std::vector<SeenTime> typical;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const double begin = epochs[i].begin;
    if (epochs[i].end) {
      typical.push_back({begin, *epochs[i].end});
      continue;
    }
    const double next = i + 1 < epochs.size() ? epochs[i + 1].begin : 1e300;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(typical),
                 [&](const SeenTime& time) { return time.begin >= begin && time.begin < next; });
  }
  return typical;
}

std::vector<SeenTime> epochs_seen(const std::vector<Mark>& marks) {
  const std::vector<SeenEpoch> epochs = epochs_of(marks);
  std::vector<SeenTime> seen;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const double next = i + 1 < epochs.size() ? epochs[i + 1].begin : 1e300;
    seen.push_back({epochs[i].begin, epochs[i].end.value_or(next)});
  }
  return seen;
}

EpochTimes epoch_times(const std::vector<Mark>& marks) {
  std::vector<SeenEpoch> epochs = epochs_of(marks);
  EpochTimes times;
  if (epochs.size() < 2) return times;
  epochs.erase(epochs.begin());
  std::vector<double> ends;  // of steps
  std::optional<std::string> rank;
  for (const Mark& mark : marks) {
    if (mark.kind != MarkKind::step) continue;
    if (!rank) rank = mark.name;
    if (mark.name == *rank) ends.push_back(mark.at.base());
  }
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const double next = i + 1 < epochs.size() ? epochs[i + 1].begin : 1e300;
    const auto first = std::upper_bound(ends.begin(), ends.end(), epochs[i].begin);
    if (first == ends.end() || *first > std::min(next, epochs[i].end.value_or(next))) continue;
    times.first_steps.push_back(*first - epochs[i].begin);
    if (epochs[i].end) times.whole.push_back(*epochs[i].end - epochs[i].begin);
  }
  return times;
}

EpochTimes epoch_times(const StepSamples& told, const std::optional<double>& epoch_steps) {
  const auto steps = told.find(MetricId::step_time);
  EpochTimes times;
  if (steps == told.end()) return times;
  struct OfEpoch {
    std::optional<double> first;  ///< s
    double time = 0.0, steps = 0.0;
  };
  std::map<std::int64_t, OfEpoch> epochs;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Sample& s : steps->second) {
    if (s.step && s.steps == 1.0) first = std::min(first, *s.step);
  }
  for (const Sample& s : steps->second) {
    if (s.name != steps->second.front().name || !s.epoch) continue;
    OfEpoch& epoch = epochs[*s.epoch];
    if (s.step == first && s.steps == 1.0) epoch.first = s.value;
    epoch.time += s.value * s.steps;
    epoch.steps += s.steps;
  }
  if (epochs.size() < 2) return times;
  epochs.erase(epochs.begin());
  for (const auto& [number, epoch] : epochs) {
    if (!epoch.first || epoch.steps < 2.0) continue;
    times.first_steps.push_back(*epoch.first);
    if (!epoch_steps) continue;
    const double each = (epoch.time - *epoch.first) / (epoch.steps - 1.0);
    times.whole.push_back(epoch.time + std::max(0.0, *epoch_steps - epoch.steps) * each);
  }
  return times;
}

bool lies_in(const std::vector<SeenTime>& times, Duration at) {
  constexpr double rounding = 1e-9;
  return std::any_of(times.begin(), times.end(), [&](const SeenTime& time) {
    return at.base() > time.begin && at.base() <= time.end * (1.0 + rounding);
  });
}

void tell_steps(ObservedJob& job, const std::vector<Run>& runs) {
  std::vector<double> lengths;
  std::vector<double> weights;
  std::vector<double> waits;
  Singles one_by_one;
  double time = 0.0;
  double steps = 0.0;
  double waited = 0.0;
  for (const Run& run : runs) {
    for (const SeenStep& step : run) {
      lengths.push_back(step.length);
      weights.push_back(step.steps);
      time += step.length * step.steps;
      steps += step.steps;
      if (step.steps == 1.0) one_by_one.add(step);
      if (!step.wait) continue;
      waits.push_back(*step.wait);
      waited += *step.wait * step.steps;
    }
  }
  job.interval = {time / steps, error_of_mean(lengths, weights), steps, "steps"};
  if (!waits.empty() && waits.size() == lengths.size()) {
    job.wait = ObservedNumber{std::min(waited / steps, job.interval.value),
                              error_of_mean(waits, weights), steps, "steps"};
    job.least_wait = value_at_share(one_by_one.enough() ? one_by_one.waits : waits, 0.1);
  } else if (!waits.empty() && waits.size() == one_by_one.lengths.size() &&
             waits.size() == one_by_one.waits.size()) {
    tell_wait_by_rest(job, one_by_one);
  }
  // A mean of many steps says nothing of how they differ.
  const Moments rest = moments_of(one_by_one.rests.empty() ? one_by_one.lengths : one_by_one.rests);
  if (one_by_one.enough() && rest.mean > 0.0) job.step_cv = rest.sd / rest.mean;
}

std::optional<ObservedNumber> step_figure(const StepSamples& told, MetricId id) {
  const auto found = told.find(id);
  if (found == told.end()) return std::nullopt;
  std::vector<double> values;
  const std::size_t first = found->second.size() > 3 ? 1 : 0;
  for (std::size_t i = first; i < found->second.size(); ++i) {
    values.push_back(found->second[i].value);
  }
  return number_of(values, "steps");
}

std::optional<ObservedNumber> mean_wait(const StepSamples& told) {
  const auto found = told.find(MetricId::data_wait);
  if (found == told.end()) return std::nullopt;
  std::vector<double> waits;
  std::vector<double> weights;
  double waited = 0.0;
  double steps = 0.0;
  for (const Sample& s : found->second) {
    if (s.name != found->second.front().name) continue;
    waits.push_back(s.value);
    weights.push_back(s.steps);
    waited += s.value * s.steps;
    steps += s.steps;
  }
  return ObservedNumber{waited / steps, error_of_mean(waits, weights), steps, "steps"};
}

void tell_transfers(ObservedJob& job, const StepSamples& told) {
  job.exposed_collective = step_figure(told, MetricId::exposed_collective_time);
  job.collective_time = step_figure(told, MetricId::collective_time);
  job.all_reduced_bytes = step_figure(told, MetricId::collective_bytes);
  job.copy_time = step_figure(told, MetricId::copy_time);
  job.exposed_copy = step_figure(told, MetricId::exposed_copy_time);
  job.copied_bytes = step_figure(told, MetricId::copied_bytes);
  if (!job.copied_bytes) return;
  const auto pinned = step_figure(told, MetricId::pinned_bytes);
  if (pinned && job.copied_bytes->value > 0.0) {
    job.pinned_share = pinned->value / job.copied_bytes->value;
  }
  job.pinned_rate = copy_rate(told, true);
  job.pageable_rate = copy_rate(told, false);
}

}  // namespace feedrate::observe
