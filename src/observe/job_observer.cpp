#include "observe/job_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "observe/observed_means.hpp"

namespace feedrate::observe {
namespace {

/// Under what a sample's value is kept; "" where nothing is made of it. "Platform" holds
/// "Algorithm", and the loopback is no network.
std::string series_of(const Sample& sample) {
  using enum MetricId;
  const ProcessRole role = role_in(sample.name);
  const bool loads = role == ProcessRole::trainer || role == ProcessRole::worker;
  switch (sample.metric) {
    case cpu_busy: return sample.name == "cpu" ? "cpu all" : "cpu";
    case gpu_busy: return "gpu";
    case disk_busy: return "disk";
    case disk_read:
    case io_read: return sample.metric == disk_read ? "disk read" : "disk read in all";
    case disk_reads: return "disk reads";
    case link_receive: return sample.name == "lo" ? "" : "receive";
    case network_receive: return sample.name == "Platform" ? "" : "receive in all";
    case process_cpu:
      return role == ProcessRole::worker    ? "worker cpu"
             : role == ProcessRole::trainer ? "main cpu"
                                            : "";
    case process_device_read: return loads ? "device read" : "";
    case process_cached_read: return loads ? "cached read" : "";
    case stage_busy: return sample.name == "h2d" ? "h2d" : "";
    case throughput: return "throughput";
    default: return "";
  }
}

bool is_of_step(MetricId id) {
  using enum MetricId;
  return id == step_time || id == data_wait || id == host_time || id == gpu_time ||
         id == copy_time || id == copied_bytes || id == pinned_bytes ||
         id == exposed_collective_time;
}

[[noreturn]] void ask_for(const char* flag, const std::string& message) {
  throw InputError(std::vector<Problem>{{"", 0, flag, message}});
}

/// A demand of a sample: what is used a second over samples a second.
std::optional<ObservedNumber> demand(const std::optional<ObservedNumber>& used, double factor,
                                     const ObservedNumber& throughput) {
  if (!used) return std::nullopt;
  ObservedNumber made = *used;
  made.value *= factor / throughput.value;
  made.relative_error = std::hypot(used->relative_error, throughput.relative_error);
  return made;
}

}  // namespace

void JobObserver::add(const Sample& sample) {
  if (!first_) first_ = sample.at.base();
  using enum MetricId;
  if (is_of_step(sample.metric)) {
    if (sample.metric == step_time) ranks_.insert(sample.name);
    of_steps_[sample.metric].push_back(sample);
    return;
  }
  if (sample.metric == batch_size || sample.metric == ranks || sample.metric == workers) {
    told_[sample.metric] = sample.value;
    return;
  }
  const double at = sample.at.base();
  if (sample.metric == process_cpu) {
    if (role_in(sample.name) == ProcessRole::worker) workers_[at].insert(sample.name);
    if (role_in(sample.name) == ProcessRole::trainer) trainers_.insert(sample.name);
  }
  const std::string kind = series_of(sample);
  if (kind.empty()) return;
  const std::string series =
      fmt::format("{}/{}/{}", static_cast<int>(sample.metric), sample.name, sample.node);
  const auto before = last_.find(series);
  const double usual = header_.interval ? header_.interval->base() : 0.0;
  double length = usual;
  if (before != last_.end()) {
    length = at - before->second;
    // What lies between parts that were seen is not the sample's.
    if (usual > 0.0) {
      length = std::min(length, usual + (sample.late ? sample.late->base() : 0.0));
    }
  }
  double value = sample.value;
  if (sample.cumulative) {
    const auto [counter, fresh] = counters_.try_emplace(series, value);
    const double grown = value - counter->second;
    counter->second = value;
    if (fresh || grown < 0.0 || before == last_.end()) {
      last_[series] = at;
      return;
    }
    value = grown / (at - before->second);
    length = at - before->second;
  }
  last_[series] = at;
  Point& point = points_[kind][at];
  point.at = at;
  point.length = std::max(point.length, length);
  point.sum += value;
  point.count += 1.0;
}

void JobObserver::add(const Mark& mark) {
  if (!first_) first_ = mark.at.base();
  if (mark.kind == MarkKind::step && mark.begins) return;
  marks_.push_back(mark);
}

/// At most times the processes that there are at once: those of an epoch before may have ended.
double JobObserver::workers_seen() const {
  std::map<std::size_t, std::size_t> times;
  for (const auto& [at, names] : workers_) ++times[names.size()];
  std::size_t usual = 0;
  std::size_t most = 0;
  for (const auto& [count, often] : times) {
    if (often >= most) {
      most = often;
      usual = count;
    }
  }
  return static_cast<double>(usual);
}

/// Without the first steps, which do not go on like that; without the first epoch where there are
/// others, for it reads what the others find in memory.
std::vector<JobObserver::Run> JobObserver::runs(double workers) const {
  std::vector<Run> all;
  std::vector<Mark> marks = marks_;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.at < b.at; });
  double wait = 0.0;
  bool waits = false;
  double waits_since = 0.0;
  bool waits_marked = false;
  std::string rank;
  std::int64_t last = 0;
  bool ranked = false;
  for (const Mark& mark : marks) {
    if (mark.kind == MarkKind::epoch) {
      if (all.empty() || !all.back().empty()) all.emplace_back();
      wait = 0.0;
      waits = false;
      continue;
    }
    if (!ranked) {
      ranked = true;
      rank = mark.name;
    }
    if (mark.name != rank) continue;  // one stands for all, which wait for each other
    if (mark.kind == MarkKind::batch) {
      waits_marked = true;
      if (mark.begins) {
        waits = true;
        waits_since = mark.at.base();
      } else if (waits) {
        wait += mark.at.base() - waits_since;
        waits = false;
      }
      continue;
    }
    if (all.empty() || (!all.back().empty() && mark.number != last + 1)) all.emplace_back();
    last = mark.number;
    Step step{mark.at.base(), 0.0, 1.0, wait};
    if (!all.back().empty()) step.length = step.end - all.back().back().end;
    all.back().push_back(step);
    wait = 0.0;
  }
  const auto told = of_steps_.find(MetricId::step_time);
  const bool by_marks =
      std::any_of(all.begin(), all.end(), [](const Run& r) { return r.size() > 3; });
  if (!waits_marked) {
    for (Run& run : all) {
      for (Step& step : run) step.wait.reset();
    }
  }
  if (told != of_steps_.end() && (!by_marks || !waits_marked)) {
    all.clear();
    std::map<std::pair<std::int64_t, std::int64_t>, double> wait_of;
    const auto key = [](const Sample& s, std::int64_t i) {
      return std::pair(s.epoch.value_or(0), s.step.value_or(i));
    };
    const auto told_waits = of_steps_.find(MetricId::data_wait);
    const std::string& first = told->second.front().name;
    std::int64_t i = 0;
    if (told_waits != of_steps_.end()) {
      for (const Sample& s : told_waits->second) {
        if (s.name == first) wait_of[key(s, i++)] = s.value;
      }
    }
    i = 0;
    std::optional<std::int64_t> epoch;
    for (const Sample& s : told->second) {
      if (s.name != first) continue;
      if (all.empty() || epoch != s.epoch) all.emplace_back();
      epoch = s.epoch;
      Step step{s.at.base(), s.value, s.steps, std::nullopt};
      // Logs give the time of a step to the second at best, or that of a line before it.
      if (!all.back().empty()) {
        const double begin = all.back().back().end;
        if (step.end < begin + 0.5 * step.length * step.steps) {
          step.end = begin + step.length * step.steps;
        }
      }
      if (const auto found = wait_of.find(key(s, i++)); found != wait_of.end())
        step.wait = found->second;
      all.back().push_back(step);
    }
  }
  std::erase_if(all, [](const Run& run) { return run.size() < 3; });
  if (all.size() > 1) all.erase(all.begin());
  const double first_steps = std::max(2.0 * workers, 1.0);
  for (Run& run : all) {
    const double at_most = std::floor(static_cast<double>(run.size()) / 3.0);
    double left = std::min(first_steps, at_most);
    auto end = run.begin();
    while (left >= 1.0 && end != run.end()) {
      left -= end->steps;
      ++end;
    }
    // Where lengths are between ends, the first that stays has one only if something is before it.
    if (end == run.begin()) ++end;
    run.erase(run.begin(), end);
  }
  std::erase_if(all, [](const Run& run) { return run.empty(); });
  return all;
}

/// In the time of the runs; of the whole where there are none, or no sample lies in them.
std::optional<ObservedNumber> JobObserver::mean_of(const std::string& series,
                                                   const std::vector<Run>& runs, bool sum) const {
  const auto found = points_.find(series);
  if (found == points_.end()) return std::nullopt;
  double weighted = 0.0;
  double weights = 0.0;
  std::vector<double> values;
  const auto take = [&](const Point& point, double share) {
    const double value = sum ? point.sum : point.sum / point.count;
    const double weight = (point.length > 0.0 ? point.length : 1.0) * share;
    weighted += value * weight;
    weights += weight;
    values.push_back(value);
  };
  for (const Run& run : runs) {
    const double from = run.front().end - run.front().length;
    const double to = run.back().end;
    for (auto at = found->second.lower_bound(from); at != found->second.end(); ++at) {
      const Point& point = at->second;
      const double begin = point.at - point.length;
      if (begin >= to) break;
      const double inside = std::min(to, point.at) - std::max(from, begin);
      if (point.length <= 0.0) {
        if (point.at <= to) take(point, 1.0);
      } else if (inside > 0.0) {
        take(point, inside / point.length);
      }
    }
  }
  if (values.empty()) {
    for (const auto& [at, point] : found->second) take(point, 1.0);
  }
  if (weights <= 0.0) return std::nullopt;
  return ObservedNumber{weighted / weights, error_of_mean(values),
                        static_cast<double>(values.size()), "samples"};
}

std::optional<ObservedNumber> JobObserver::step_figure(MetricId id) const {
  const auto found = of_steps_.find(id);
  if (found == of_steps_.end()) return std::nullopt;
  std::vector<double> values;
  const std::size_t first = found->second.size() > 3 ? 1 : 0;
  for (std::size_t i = first; i < found->second.size(); ++i) {
    values.push_back(found->second[i].value);
  }
  return number_of(values, "steps");
}

void JobObserver::tell_steps(ObservedJob& job, const std::vector<Run>& runs) const {
  std::vector<double> lengths;
  std::vector<double> waits;
  std::vector<double> rests;
  double time = 0.0;
  double steps = 0.0;
  double waited = 0.0;
  bool each = true;
  for (const Run& run : runs) {
    for (const Step& step : run) {
      lengths.push_back(step.length);
      time += step.length * step.steps;
      steps += step.steps;
      each = each && step.steps == 1.0;
      if (!step.wait) continue;
      waits.push_back(*step.wait);
      waited += *step.wait * step.steps;
      rests.push_back(std::max(0.0, step.length - *step.wait));
    }
  }
  job.interval = {time / steps, error_of_mean(lengths), steps, "steps"};
  if (!waits.empty() && waits.size() == lengths.size()) {
    job.wait = ObservedNumber{std::min(waited / steps, job.interval.value), error_of_mean(waits),
                              steps, "steps"};
    job.least_wait = quantile(waits, 0.1);
  }
  // A mean of many steps says nothing of how they differ.
  const Moments rest = moments_of(rests.empty() ? lengths : rests);
  if (each && rest.count >= 10.0 && rest.mean > 0.0) job.step_cv = rest.sd / rest.mean;
}

void JobObserver::tell_demands(ObservedJob& job, const std::vector<Run>& runs) const {
  const auto share = [&](const char* series) {
    auto seen = mean_of(series, runs, false);
    if (seen) seen->value /= 100.0;
    return seen;
  };
  job.gpu_busy = share("gpu");
  job.cpu_busy = share("cpu all");
  if (!job.cpu_busy) job.cpu_busy = share("cpu");
  job.disk_busy = share("disk");
  const ObservedNumber& x = job.throughput;
  const auto each = [&](const char* series, double factor = 1.0) {
    return demand(mean_of(series, runs, true), factor, x);
  };
  job.worker_cpu = each("worker cpu", 0.01);
  job.main_cpu = each("main cpu", 0.01);
  if (job.cpu_busy && job.cpus) {
    job.all_cpu = demand(job.cpu_busy, *job.cpus, x);
    // Those who wait for a core look busy from within.
    if (job.worker_cpu && job.worker_cpu->value > job.all_cpu->value) {
      job.notes.emplace_back(
          "more processes than CPUs: what they used together is taken from the CPUs");
      job.worker_cpu = job.all_cpu;
    }
  }
  job.device_bytes = each("device read");
  job.cached_bytes = each("cached read");
  if (!job.device_bytes) job.device_bytes = each("disk read");
  if (!job.device_bytes) job.device_bytes = each("disk read in all");
  job.network_bytes = each("receive");
  if (!job.network_bytes) job.network_bytes = each("receive in all");
  job.device_reads = each("disk reads");
  job.gpu_time = step_figure(MetricId::gpu_time);
  job.host_time = step_figure(MetricId::host_time);
  job.exposed_collective = step_figure(MetricId::exposed_collective_time);
  job.copy_time = step_figure(MetricId::copy_time);
  if (const auto bytes = step_figure(MetricId::copied_bytes)) {
    job.copied_bytes = bytes->value;
    const auto pinned = step_figure(MetricId::pinned_bytes);
    if (pinned && bytes->value > 0.0) job.pinned_share = pinned->value / bytes->value;
  }
  if (!job.copy_time) {
    if (auto link = share("h2d")) {
      link->value *= job.interval.value;
      job.copy_time = link;
    }
  }
}

ObservedJob JobObserver::finish(const ToldOfJob& told, const std::string& source) const {
  ObservedJob job;
  job.source = source;
  job.instance = header_.instance;
  job.cpus = header_.cpus;
  job.memory = header_.memory;
  const auto known = [&](MetricId id) -> std::optional<double> {
    const auto found = told_.find(id);
    if (found == told_.end() || found->second < 1.0) return std::nullopt;
    return found->second;
  };
  std::vector<Problem> problems;
  const auto need = [&](const std::optional<double>& first, const std::optional<double>& second,
                        const char* flag, const char* what) {
    if (first) return *first;
    if (second) return *second;
    problems.push_back(
        {"", 0, flag, fmt::format("expected {}, which {} does not tell", what, source)});
    return 1.0;
  };
  job.batch_size = need(told.batch_size, known(MetricId::batch_size), "--batch-size",
                        "how many samples a GPU takes a step");
  std::optional<double> gpus = known(MetricId::ranks);
  if (!gpus && ranks_.size() > 1) gpus = static_cast<double>(ranks_.size());
  if (!gpus && header_.gpus && *header_.gpus >= 1.0) gpus = header_.gpus;
  job.gpus = need(told.gpus, gpus, "--gpus", "how many GPUs train together");
  std::optional<double> workers = known(MetricId::workers);
  if (!workers && !workers_.empty()) {
    const double trainers = std::max<double>(1.0, static_cast<double>(trainers_.size()));
    workers = std::max(1.0, std::round(workers_seen() / trainers));
  }
  job.workers = need(told.workers, workers, "--num-workers", "how many workers load for each GPU");
  const std::vector<Run> all = runs(job.workers);
  const auto x = mean_of("throughput", all, false);
  if (all.empty() && !told.throughput && !x) {
    problems.push_back({"", 0, "--throughput",
                        fmt::format("expected how many samples a second all GPUs take together, or "
                                    "a log of at least three steps beside {}",
                                    source)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const double of_step = job.batch_size * job.gpus;
  if (!all.empty()) {
    tell_steps(job, all);
    // Others are no steps of a training loop, or were told in another unit.
    constexpr double shortest = 1e-6;
    constexpr double longest = 1e6;
    if (!(job.interval.value >= shortest && job.interval.value <= longest)) {
      throw InputError({{source, 0, "",
                         fmt::format("expected steps of 1 us to 1e6 s, got steps of {:.3g} s",
                                     job.interval.value)}});
    }
    job.throughput = {of_step / job.interval.value, job.interval.relative_error, job.interval.count,
                      "steps"};
  } else {
    job.throughput = told.throughput ? ObservedNumber{*told.throughput, 0.0, 0.0, "told"} : *x;
    if (!(job.throughput.value > 0.0)) {
      ask_for("--throughput", "expected samples a second above 0, got 0");
    }
    job.interval = job.throughput;
    job.interval.value = of_step / job.throughput.value;
  }
  if (all.empty()) {
    job.notes.emplace_back(
        "no step was seen: everything is a mean of the whole time that was observed");
  }
  tell_demands(job, all);
  if (told.samples) job.epoch_steps = std::ceil(*told.samples / of_step);
  // An epoch that was seen from its first to its last step tells how many it has.
  std::map<std::int64_t, double> counted;
  std::optional<std::int64_t> in;
  double count = 0.0;
  for (const Mark& mark : marks_) {
    if (mark.kind == MarkKind::step) count += 1.0;
    if (mark.kind != MarkKind::epoch) continue;
    if (mark.begins) {
      in = mark.number;
      count = 0.0;
      if (!job.startup && first_) {
        job.startup = seconds(std::max(
            0.0, mark.at.base() -
                     (header_.clock == ClockKind::relative ? 0.0 : header_.started.base())));
      }
    } else if (in == mark.number && !job.epoch_steps && count > 0.0) {
      job.epoch_steps = count;
    }
  }
  return job;
}

}  // namespace feedrate::observe
