#include "observe/twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "observe/flow_of_bytes.hpp"

namespace feedrate::observe {
namespace {

struct Series {
  MetricId metric{};
  std::string name;
  std::vector<Piece> pieces;  ///< in the order of their beginnings; what overlaps adds up
};

void put_in_order(std::vector<Piece>& pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
}

/// What is under any of the pieces.
std::vector<Piece> together(std::vector<Piece> pieces) {
  put_in_order(pieces);
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    if (!joined.empty() && piece.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, piece.end);
    } else {
      joined.push_back(piece);
    }
  }
  return joined;
}

template <class Counts>
std::vector<Piece> pieces_of(const Track& track, const Counts& counts) {
  std::vector<Piece> pieces;
  for (const TimelineSpan& span : track.spans) {
    if (counts(span)) pieces.push_back({span.begin, span.end});
  }
  return pieces;
}

bool is_loader(TrackKind kind) {
  return kind == TrackKind::worker || kind == TrackKind::thread || kind == TrackKind::stream ||
         kind == TrackKind::connection || kind == TrackKind::remote;
}

bool works(const TimelineSpan& span) {
  return !span.waiting;
}

/// Of processes, which another epoch need not have.
bool is_of_process(MetricId metric) {
  return metric == MetricId::process_cpu || metric == MetricId::process_cpu_wait;
}

/// Work that keeps a core busy, once it has one.
bool computes(const TimelineSpan& span) {
  return !span.waiting && span.stage != Stage::download && span.stage != Stage::network &&
         span.stage != Stage::disk;
}

/// An exposed all-reduce runs a kernel, which waits.
bool runs_a_kernel(const TimelineSpan& span) {
  return !span.waiting || span.stage == Stage::allreduce;
}

bool preprocesses_on_gpu(const TimelineSpan& span) {
  return !span.waiting && span.stage == Stage::gpu_preprocess;
}

void add(std::vector<Piece>& pieces, std::vector<Piece> more) {
  pieces.insert(pieces.end(), more.begin(), more.end());
}

/// Of the whole section, what `of` says of the number of threads that are ready to run.
template <class Of>
std::vector<Piece> by_ready(const TimelineSection& section, double others, const Of& of) {
  std::vector<Piece> pieces;
  for (const Counter& counter : section.counters) {
    if (counter.kind != CounterKind::users || counter.name != cores_name) continue;
    for (std::size_t i = 0; i < counter.points.size(); ++i) {
      const Counter::Point& point = counter.points[i];
      const Duration end =
          i + 1 < counter.points.size() ? counter.points[i + 1].at : section.length;
      if (end > point.at) pieces.push_back({point.at, end, of(point.value + others)});
    }
  }
  // Cores that nobody of the job uses have no counter.
  if (pieces.empty()) pieces.push_back({Duration{}, section.length, of(others)});
  return pieces;
}

/// Hardware threads that have someone to run, of all.
std::vector<Piece> cores_in(const TimelineSection& section, const Timeline& timeline) {
  return by_ready(section, timeline.other_threads,
                  [&](double ready) { return std::min(1.0, ready / *timeline.threads); });
}

/// What of a hardware thread each that is ready to run gets: the kernel gives all an equal share.
std::vector<Piece> shares_in(const TimelineSection& section, const Timeline& timeline) {
  if (!timeline.threads || *timeline.threads <= 0.0) return {{Duration{}, section.length}};
  return by_ready(section, timeline.other_threads, [&](double ready) {
    return std::min(1.0, *timeline.threads / std::max(1.0, ready));
  });
}

/// Time in which a process computes or waits for a core, of `ready`, in which it does either.
struct OnCores {
  std::vector<Piece> computes, waits;
};

/// Precondition: the shares are of the whole section; both are in the order of time.
OnCores on_cores(const std::vector<Piece>& ready, const std::vector<Piece>& shares) {
  OnCores out;
  std::size_t first = 0;
  for (const Piece& piece : ready) {
    while (first < shares.size() && shares[first].end <= piece.begin) ++first;
    for (std::size_t i = first; i < shares.size() && shares[i].begin < piece.end; ++i) {
      const Duration begin = std::max(piece.begin, shares[i].begin);
      const Duration end = std::min(piece.end, shares[i].end);
      out.computes.push_back({begin, end, shares[i].busy});
      if (shares[i].busy < 1.0) out.waits.push_back({begin, end, 1.0 - shares[i].busy});
    }
  }
  return out;
}

/// Batches that the loader has made: those that were trained on, and those that stand in queues. A
/// batch in somebody's hands is in neither for a while.
std::map<Duration, double> made_in(const TimelineSection& section) {
  std::map<Duration, double> changes;
  for (const StepMark& step : section.steps) changes[step.at] += 1.0;
  for (const Counter& counter : section.counters) {
    if (counter.kind != CounterKind::queue) continue;
    double before = 0.0;
    for (const Counter::Point& point : counter.points) {
      changes[point.at] += point.value - before;
      before = point.value;
    }
  }
  std::map<Duration, double> made;
  double now = 0.0;
  double most = 0.0;
  for (const auto& [at, change] : changes) {
    now += change;
    if (now > most + 1e-9) made[at] = most = now;
  }
  return made;
}

bool fetches(Stage stage) {
  return stage == Stage::download || stage == Stage::network || stage == Stage::disk;
}

/// When whoever loads began to fetch each batch, or stood in line for it, in the order of time.
std::vector<Duration> begun_in(const TimelineSection& section) {
  std::map<std::int64_t, Duration> begun;
  for (const Track& track : section.tracks) {
    if (!is_loader(track.kind)) continue;
    for (const TimelineSpan& span : track.spans) {
      if (!span.batch || !fetches(span.stage)) continue;
      const auto known = begun.emplace(*span.batch, span.begin).first;
      known->second = std::min(known->second, span.begin);
    }
  }
  std::vector<Duration> all;
  for (const auto& [batch, at] : begun) all.push_back(at);
  std::sort(all.begin(), all.end());
  return all;
}

/// How the first rank's batches came, a second: those that were made had come, and none before it
/// was begun; where that is not seen, before the one that was made last.
std::vector<Piece> batches_in(const TimelineSection& section) {
  const std::map<Duration, double> made = made_in(section);
  if (made.empty()) return {};
  const std::vector<Duration> begun = begun_in(section);
  const double all = made.rbegin()->second;
  // What is shown of an epoch ends while batches are under way.
  const Duration end = section.whole ? made.rbegin()->first : section.length;
  std::set<Duration> moments{end};
  for (const auto& [at, count] : made) moments.insert(at);
  moments.insert(begun.begin(), begun.end());
  std::vector<FlowBounds> bounds;
  auto next = made.begin();  // not before the moment
  auto asked = begun.begin();
  double least = 0.0;
  for (const Duration at : moments) {
    if (at <= Duration{} || at > end) continue;
    while (next != made.end() && next->first < at) least = (next++)->second;
    while (asked != begun.end() && *asked < at) ++asked;
    const double there = next == made.end() ? all : next->second;
    const double most = std::max(there, static_cast<double>(asked - begun.begin()));
    bounds.push_back({at, next != made.end() && next->first == at ? there : least,
                      section.whole ? std::min(all, most) : most});
  }
  return steadiest(bounds);
}

/// What a batch of each rank brings, a second.
std::vector<Piece> times(std::vector<Piece> batches, double of_batch) {
  if (of_batch <= 0.0) return {};
  for (Piece& piece : batches) piece.busy *= of_batch;
  return batches;
}

/// Bytes a second: no more than the line carries.
std::vector<Piece> received_in(const TimelineSection& section, const std::vector<Piece>& batches,
                               double line) {
  std::vector<Piece> pieces = times(batches, section.received_by_batch.base());
  if (section.received > Bandwidth{}) {
    pieces.push_back({Duration{}, section.length, section.received.base()});
  }
  const double of_step = section.received_by_step.base();
  Duration since;
  for (const StepMark& step : section.steps) {
    if (of_step > 0.0 && step.at > since) {
      pieces.push_back({since, step.at, of_step / (step.at - since).base()});
    }
    since = step.at;
  }
  return limited(pieces, line, section.length);
}

/// What monitors of the machine show, busy or not.
std::vector<Series> machine_in(const TimelineSection& section, const Timeline& timeline) {
  std::vector<Series> all;
  if (timeline.threads && *timeline.threads > 0.0) {
    all.push_back({MetricId::cpu_busy, "cpu", cores_in(section, timeline)});
  }
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const std::vector<Piece> batches = batches_in(section);
  // What is kept of a batch is written while others are made.
  std::vector<Piece> disk = times(batches, section.written_by_batch.base());
  for (const Stretch& stretch : section.disk) disk.push_back({stretch.begin, stretch.end});
  all.push_back({MetricId::disk_busy, "disk", limited(disk, 1.0, section.length)});
  const double takes = section.read_takes_by_batch.base();
  const auto read = [&](MetricId metric, double of_batch) {
    const double most = takes > 0.0 ? of_batch / takes : unlimited;
    all.push_back({metric, "disk", limited(times(batches, of_batch), most, section.length)});
  };
  read(MetricId::disk_read, section.read_by_batch.base());
  read(MetricId::disk_reads, section.reads_by_batch);
  const double line = timeline.network ? timeline.network->base() : unlimited;
  Series received{MetricId::link_receive, "network", received_in(section, batches, line)};
  if (timeline.network) {
    Series link{MetricId::link_busy, received.name, received.pieces};
    for (Piece& piece : link.pieces) piece.busy /= timeline.network->base();
    all.push_back(std::move(link));
  }
  all.push_back(std::move(received));
  if (timeline.memory && section.epoch > 0) {
    all.push_back({MetricId::memory_used, "", {{Duration{}, section.length, *timeline.memory}}});
  }
  return all;
}

/// What the counters of the control group show whose quota holds the loader back.
void add_quota(std::vector<Series>& all, const TimelineSection& section, const Timeline& timeline) {
  constexpr Duration period = milliseconds(100.0);
  const std::string group = "/";
  Series cores{MetricId::throttled_cores, group, {}};
  Series periods{MetricId::throttled_periods, group, {}};
  for (const Track& track : section.tracks) {
    if (!is_loader(track.kind)) continue;
    for (const TimelineSpan& span : track.spans) {
      if (!span.held) continue;
      cores.pieces.push_back({span.begin, span.end, timeline.ranks});
      periods.pieces.push_back(
          {std::floor(span.begin / period) * period, std::ceil(span.end / period) * period});
    }
  }
  put_in_order(cores.pieces);
  periods.pieces = together(std::move(periods.pieces));
  all.push_back(std::move(cores));
  all.push_back(std::move(periods));
}

std::vector<Series> series_of(const TimelineSection& section, const Timeline& timeline) {
  std::vector<Series> all = machine_in(section, timeline);
  std::map<Stage, std::vector<Piece>> stages;
  std::map<TrackKind, std::int64_t> numbers;
  if (section.new_workers) {
    const auto workers = std::count_if(section.tracks.begin(), section.tracks.end(),
                                       [](const Track& t) { return t.kind == TrackKind::worker; });
    numbers[TrackKind::worker] = (section.epoch - 1) * workers;
  }
  std::vector<Piece> kernels;
  const std::vector<Piece> shares = shares_in(section, timeline);
  for (const Track& track : section.tracks) {
    const std::int64_t number = numbers[track.kind]++;
    const auto process = [&](ProcessRole role, auto counts) {
      OnCores time = on_cores(pieces_of(track, counts), shares);
      const std::string name = process_name(role, number);
      all.push_back({MetricId::process_cpu, name, std::move(time.computes)});
      if (!timeline.threads) return;
      all.push_back({MetricId::process_cpu_wait, name, std::move(time.waits)});
    };
    switch (track.kind) {
      case TrackKind::gpu: add(kernels, pieces_of(track, runs_a_kernel)); break;
      // A stream of the loader preprocesses beside the steps.
      case TrackKind::relay: add(kernels, pieces_of(track, preprocesses_on_gpu)); break;
      case TrackKind::worker:
      case TrackKind::thread: process(ProcessRole::worker, computes); break;
      case TrackKind::main: process(ProcessRole::trainer, works); break;
      case TrackKind::pin: process(ProcessRole::pin, works); break;
      default: break;
    }
    if (!is_loader(track.kind) && track.kind != TrackKind::copy) continue;
    for (const TimelineSpan& span : track.spans) {
      if (!span.waiting) stages[span.stage].push_back({span.begin, span.end});
    }
  }
  if (!kernels.empty()) {
    all.push_back({MetricId::gpu_busy, "gpu0", together(std::move(kernels))});
  }
  if (timeline.quota && section.epoch > 0) add_quota(all, section, timeline);
  for (auto& [stage, pieces] : stages) {
    all.push_back({MetricId::stage_busy, std::string(name_of(stage)), together(std::move(pieces))});
  }
  return all;
}

/// Adds the series that other epochs have: nothing of them happens in this one. A process that is
/// in no epoch but another does not exist in it.
void add_idle(std::vector<Series>& all, const std::set<std::pair<MetricId, std::string>>& known) {
  std::set<std::pair<MetricId, std::string>> here;
  for (const Series& series : all) here.emplace(series.metric, series.name);
  for (const auto& [metric, name] : known) {
    if (here.contains({metric, name})) continue;
    all.push_back({metric, name, {}});
  }
}

std::string steps_of(const TimelineSection& section) {
  if (section.epoch == 0) return "";
  return fmt::format(" ({} of {:.0f} steps, {:.0f} events)", section.steps.size(),
                     section.all_steps, section.events);
}

class Writer {
 public:
  Writer(const Timeline& timeline, Duration interval, const std::string& node,
         const std::function<void(const TwinLine&)>& put)
      : timeline_(timeline), interval_(interval), node_(node), put_(put) {
    for (const TimelineSection& section : timeline.sections) {
      if (section.epoch == 0) continue;
      for (const Series& series : series_of(section, timeline)) {
        if (is_of_process(series.metric)) continue;
        of_epochs_.emplace(series.metric, series.name);
      }
    }
  }

  void section(const TimelineSection& section) {
    if (section.length.base() <= 0.0) return;
    // Where a section begins is the mean's, how long it is the events': they may overlap.
    begin_ = std::max(section.begin, end_);
    end_ = begin_ + section.length;
    if (section.epoch > 0) mark(begin_, MarkKind::epoch, true, section.epoch);
    samples(section);
    for (const StepMark& step : section.steps) {
      mark(begin_ + step.at, MarkKind::step, false, step.step);
    }
    waits(section);
    if (section.whole && section.epoch > 0) mark(end_, MarkKind::epoch, false, section.epoch);
    if (!section.whole) {
      put_(ObservationRemark{
          end_,
          fmt::format("{}: the first {} s{} are shown; the rest continues likewise", section.name,
                      three_digits(section.length.base()), steps_of(section)),
          node_});
    }
  }

 private:
  void mark(Duration at, MarkKind kind, bool begins, std::int64_t number) {
    put_(Mark{at, kind, begins, number, "", node_});
  }

  void samples(const TimelineSection& section) {
    std::vector<Series> all = series_of(section, timeline_);
    // Before training, GPUs are there as well.
    section.epoch > 0 ? add_idle(all, of_epochs_) : add_idle(all, {{MetricId::gpu_busy, "gpu0"}});
    std::vector<std::size_t> next(all.size());
    for (double k = 0.0;; ++k) {
      const Duration begin = k * interval_;
      const Duration end = std::min((k + 1.0) * interval_, section.length);
      // What is left by rounding is no interval.
      if (begin >= section.length || (end - begin) < 1e-6 * interval_) return;
      for (std::size_t s = 0; s < all.size(); ++s) {
        const double mean = mean_of(all[s].pieces, next[s], begin, end);
        const MetricRow& row = metric(all[s].metric);
        const bool percent = row.unit == MetricUnit::percent;
        const double most = row.over_a_hundred ? std::numeric_limits<double>::infinity() : 100.0;
        put_(Sample{.at = begin_ + end,
                    .metric = all[s].metric,
                    .name = all[s].name,
                    .node = node_,
                    .value = percent ? std::min(most, 100.0 * mean) : mean});
      }
    }
  }

  /// Of the time from `begin` to `end`; `next` is the first piece that may reach into it.
  static double mean_of(const std::vector<Piece>& pieces, std::size_t& next, Duration begin,
                        Duration end) {
    Duration sum;
    while (next < pieces.size() && pieces[next].end <= begin) ++next;
    for (std::size_t i = next; i < pieces.size() && pieces[i].begin < end; ++i) {
      const Duration from = std::max(begin, pieces[i].begin);
      const Duration to = std::min(end, pieces[i].end);
      if (to > from) sum += (to - from) * pieces[i].busy;
    }
    return sum / (end - begin);
  }

  void waits(const TimelineSection& section) {
    for (const Track& track : section.tracks) {
      if (track.kind != TrackKind::gpu) continue;
      for (const TimelineSpan& span : track.spans) {
        if (runs_a_kernel(span)) continue;
        const std::int64_t number = span.batch.value_or(0) + 1;
        mark(begin_ + span.begin, MarkKind::batch, true, number);
        mark(begin_ + span.end, MarkKind::batch, false, number);
      }
      return;  // one GPU stands for all
    }
  }

  const Timeline& timeline_;
  Duration interval_;
  const std::string& node_;
  const std::function<void(const TwinLine&)>& put_;
  Duration begin_, end_;                                  ///< of the section, in the job
  std::set<std::pair<MetricId, std::string>> of_epochs_;  ///< series that any epoch has
};

}  // namespace

void write_twin(const Timeline& timeline, Duration interval, const std::string& node,
                const std::function<void(const TwinLine&)>& put) {
  Writer writer(timeline, interval, node, put);
  for (const TimelineSection& section : timeline.sections) writer.section(section);
}

}  // namespace feedrate::observe
