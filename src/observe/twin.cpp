#include "observe/twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/number_text.hpp"

namespace feedrate::observe {
namespace {

/// A stretch of time and how much of something was busy in it, 0…1.
struct Piece {
  Duration begin, end;
  double busy = 1.0;
};

struct Series {
  MetricId metric{};
  std::string name;
  std::vector<Piece> pieces;  ///< in the order of time, apart from each other
};

/// What is under any of the pieces.
std::vector<Piece> together(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
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

/// Work that keeps a core busy.
bool computes(const TimelineSpan& span) {
  return !span.waiting && span.stage != Stage::download && span.stage != Stage::disk;
}

/// An exposed all-reduce runs a kernel, which waits.
bool runs_a_kernel(const TimelineSpan& span) {
  return !span.waiting || span.stage == Stage::allreduce;
}

/// Hardware threads that have someone to run, of all.
std::vector<Piece> cores_in(const TimelineSection& section, double threads) {
  const auto track = std::find_if(section.tracks.begin(), section.tracks.end(), [](const Track& t) {
    return t.kind == TrackKind::capacity && !t.spans.empty() &&
           t.spans.front().stage == Stage::decode;
  });
  if (track == section.tracks.end()) return {};
  std::vector<Piece> pieces;
  for (const Counter& counter : section.counters) {
    if (counter.kind != CounterKind::users || counter.name != track->name) continue;
    for (std::size_t i = 0; i < counter.points.size(); ++i) {
      const Duration end =
          i + 1 < counter.points.size() ? counter.points[i + 1].at : section.length;
      const double busy = std::min(1.0, counter.points[i].value / threads);
      if (end > counter.points[i].at) pieces.push_back({counter.points[i].at, end, busy});
    }
  }
  return pieces;
}

std::vector<Series> series_of(const TimelineSection& section, const Timeline& timeline) {
  std::vector<Series> all;
  std::map<Stage, std::vector<Piece>> stages;
  std::map<TrackKind, std::int64_t> numbers;
  if (timeline.threads && *timeline.threads > 0.0) {
    auto cores = cores_in(section, *timeline.threads);
    if (!cores.empty()) all.push_back({MetricId::cpu_busy, "cpu", std::move(cores)});
  }
  for (const Track& track : section.tracks) {
    const std::int64_t number = numbers[track.kind]++;
    const auto process = [&](ProcessRole role, auto counts) {
      all.push_back({MetricId::process_cpu, process_name(role, number), pieces_of(track, counts)});
    };
    switch (track.kind) {
      case TrackKind::gpu:
        all.push_back({MetricId::gpu_busy, fmt::format("gpu{}", number),
                       together(pieces_of(track, runs_a_kernel))});
        break;
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
  for (auto& [stage, pieces] : stages) {
    std::vector<Piece> joined = together(std::move(pieces));
    // The time with a request in flight is what a monitor of disks shows.
    if (stage == Stage::disk) all.push_back({MetricId::disk_busy, "disk", joined});
    all.push_back({MetricId::stage_busy, std::string(name_of(stage)), std::move(joined)});
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

class Writer {
 public:
  Writer(const Timeline& timeline, Duration interval, const std::string& node,
         const std::function<void(const TwinLine&)>& put)
      : timeline_(timeline), interval_(interval), node_(node), put_(put) {
    for (const TimelineSection& section : timeline.sections) {
      if (section.epoch == 0) continue;
      for (const Series& series : series_of(section, timeline)) {
        if (series.metric == MetricId::process_cpu) continue;
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
      put_(
          ObservationRemark{end_,
                            fmt::format("{}: the first {} s are shown; the rest continues likewise",
                                        section.name, three_digits(section.length.base())),
                            node_});
    }
  }

 private:
  void mark(Duration at, MarkKind kind, bool begins, std::int64_t number) {
    put_(Mark{at, kind, begins, number, "", node_});
  }

  void samples(const TimelineSection& section) {
    std::vector<Series> all = series_of(section, timeline_);
    if (section.epoch > 0) add_idle(all, of_epochs_);
    std::vector<std::size_t> next(all.size());
    for (double k = 0.0;; ++k) {
      const Duration begin = k * interval_;
      const Duration end = std::min((k + 1.0) * interval_, section.length);
      // What is left by rounding is no interval.
      if (begin >= section.length || (end - begin) < 1e-6 * interval_) return;
      for (std::size_t s = 0; s < all.size(); ++s) {
        const double busy = share(all[s].pieces, next[s], begin, end);
        put_(Sample{.at = begin_ + end,
                    .metric = all[s].metric,
                    .name = all[s].name,
                    .node = node_,
                    .value = std::min(100.0, 100.0 * busy)});
      }
    }
  }

  /// Of the time from `begin` to `end`; `next` is the first piece that may reach into it.
  static double share(const std::vector<Piece>& pieces, std::size_t& next, Duration begin,
                      Duration end) {
    Duration busy;
    while (next < pieces.size() && pieces[next].end <= begin) ++next;
    for (std::size_t i = next; i < pieces.size() && pieces[i].begin < end; ++i) {
      const Duration from = std::max(begin, pieces[i].begin);
      const Duration to = std::min(end, pieces[i].end);
      busy += (to - from) * pieces[i].busy;
    }
    return busy / (end - begin);
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
