#include "pipeline/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulate.hpp"
#include "pipeline/build.hpp"

namespace feedrate::pipeline {
namespace {

/// Objects that are shown of File mode's copying, all connections together; two of each at least.
constexpr double most_objects = 4000.0;

Duration from_ticks(engine::Ticks ticks) {
  return Duration::of(static_cast<double>(ticks.ns) * 1e-9);
}

/// What a capacity is there for: the first stage of the chain that uses it.
Stage served_by(const engine::Model& model, std::uint32_t resource) {
  Stage least = Stage::checkpoint;
  for (const engine::Program& program : model.programs) {
    for (const engine::Instruction& i : program) {
      const auto stage = static_cast<Stage>(i.tag);
      const bool counts = i.op == engine::Op::use && i.target == resource;
      if (counts && stage != Stage::startup) least = std::min(least, stage);
    }
  }
  return least;
}

/// Events of a whole cluster, for the sake of the one rank of it that is shown: a few seconds.
constexpr double most_simulated = 1e7;

/// Appends, or lengthens the span before when it says the same.
void append(std::vector<TimelineSpan>& spans, const TimelineSpan& span) {
  if (!spans.empty()) {
    TimelineSpan& last = spans.back();
    if (last.end == span.begin && last.stage == span.stage && last.waiting == span.waiting &&
        last.held == span.held && last.batch == span.batch) {
      last.end = span.end;
      return;
    }
  }
  spans.push_back(span);
}

/// Adds a stretch that ends no earlier than those before it.
void join(std::vector<Stretch>& stretches, Stretch added) {
  while (!stretches.empty() && stretches.back().end >= added.begin) {
    added.begin = std::min(added.begin, stretches.back().begin);
    stretches.pop_back();
  }
  stretches.push_back(added);
}

/// The value holds from `at` on; what it was at the same moment before is forgotten.
void set(Counter& counter, Duration at, double value) {
  if (!counter.points.empty() && counter.points.back().at == at) counter.points.pop_back();
  if (counter.points.empty() || counter.points.back().value != value) {
    counter.points.push_back({at, value});
  }
}

/// What of a model is watched: processes and resources of one instance come first in it.
struct Watched {
  const engine::Model& model;
  const std::vector<Part>& parts;
  std::vector<Stock> stocks;
  std::vector<engine::ProcessId> loaders;  ///< of all instances
  std::size_t processes = 0;               ///< of the instance
  std::size_t resources = 0;
  std::string prefix;  ///< of the names of its parts
  bool quota = false;  ///< who passes a limit of cores waits for a CPU quota
};

/// Writes down what the engine tells of.
class Watcher {
 public:
  explicit Watcher(const Watched& watched);

  engine::Outcome run(engine::Options options);
  TimelineSection finish(const engine::Outcome& outcome) &&;

 private:
  struct Seen {
    Part part;
    std::vector<TimelineSpan> spans;
    std::int64_t made = 0;     ///< batches; of a GPU, steps
    std::int64_t ticket = -1;  ///< in hand
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  void span(const engine::Span& span);
  void level(const engine::Level& level);
  void tokens(const engine::Level& level);
  [[nodiscard]] static std::optional<std::int64_t> batch_of(const Seen& seen, Stage stage);
  [[nodiscard]] bool has(TrackKind kind) const;
  void split_gpu(TimelineSection& section, Seen& seen) const;
  void read_from_disk(const engine::Span& span);
  [[nodiscard]] bool held_back(const engine::Span& span) const;

  const engine::Model& model_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> of_process_;  ///< index into seen_
  std::vector<std::int64_t> taken_;      ///< tokens, by queue
  std::vector<Counter> stocks_;
  std::vector<std::int64_t> level_;    ///< tokens in each stock
  std::vector<double> tokens_;         ///< in a batch, of each stock
  std::vector<std::size_t> of_queue_;  ///< index into stocks_
  std::vector<Counter> users_;         ///< by resource, those of the instance
  std::vector<bool> loads_;            ///< by process, those of the instance
  std::vector<bool> computes_;         ///< by process: on the instance's cores now
  bool quota_;
  std::vector<Stretch> disk_;
};

Watcher::Watcher(const Watched& watched)
    : model_(watched.model),
      of_process_(model_.processes.size(), nobody),
      taken_(model_.queues.size()),
      level_(watched.stocks.size()),
      of_queue_(model_.queues.size(), nobody),
      loads_(watched.processes),
      computes_(watched.processes),
      quota_(watched.quota) {
  for (const engine::ProcessId id : watched.loaders) {
    const auto process = static_cast<std::size_t>(id);
    if (process < loads_.size()) loads_[process] = true;
  }
  for (const Part& part : watched.parts) {
    of_process_[static_cast<std::size_t>(part.process)] = seen_.size();
    seen_.push_back({part, {}});
  }
  for (const Stock& stock : watched.stocks) {
    for (std::uint32_t i = 0; i < stock.count; ++i) {
      of_queue_[static_cast<std::size_t>(stock.first) + i] = stocks_.size();
    }
    tokens_.push_back(stock.tokens);
    stocks_.push_back({CounterKind::queue, stock.name, stock.most, {{Duration{}, 0.0}}});
  }
  for (std::size_t r = 0; r < watched.resources; ++r) {
    const engine::Resource& resource = model_.resources[r];
    const auto most = static_cast<double>(resource.curve.size());
    const std::string name = resource.name.substr(watched.prefix.size());
    users_.push_back({CounterKind::users, name, most, {{Duration{}, 0.0}}});
  }
}

engine::Outcome Watcher::run(engine::Options options) {
  options.exact = true;
  options.trace = [this](const engine::Span& s) { span(s); };
  options.trace_levels = [this](const engine::Level& l) { level(l); };
  return engine::simulate(model_, options);
}

std::optional<std::int64_t> Watcher::batch_of(const Seen& seen, Stage stage) {
  const Part& part = seen.part;
  if (part.tickets) {
    if (seen.ticket < 0) return std::nullopt;
    return static_cast<std::int64_t>(static_cast<double>(seen.ticket) / part.chunks);
  }
  // The all-reduce belongs to the step before it.
  if (part.kind == TrackKind::gpu) return seen.made - (stage == Stage::allreduce ? 1 : 0);
  if (!part.delivers && part.kind != TrackKind::connection) return std::nullopt;
  return std::max(part.number, 0) + static_cast<std::int64_t>(part.stride) * seen.made;
}

/// A read that a rate limit holds back stands in the disk's queue.
void Watcher::read_from_disk(const engine::Span& span) {
  const auto process = static_cast<std::size_t>(span.process);
  if (process >= loads_.size() || static_cast<Stage>(span.tag) != Stage::disk) return;
  const bool held_back = span.kind == engine::SpanKind::waiting && loads_[process];
  if (span.kind != engine::SpanKind::active && !held_back) return;
  join(disk_, {from_ticks(span.begin), from_ticks(span.end)});
}

/// A limit of cores is passed on none of them: the kernel lets no one run meanwhile.
bool Watcher::held_back(const engine::Span& span) const {
  const auto process = static_cast<std::size_t>(span.process);
  return quota_ && process < loads_.size() && loads_[process] && !computes_[process] &&
         span.kind == engine::SpanKind::active && static_cast<Stage>(span.tag) == Stage::decode;
}

void Watcher::span(const engine::Span& span) {
  read_from_disk(span);
  const std::size_t i = of_process_[static_cast<std::size_t>(span.process)];
  if (i == nobody) return;
  Seen& seen = seen_[i];
  auto stage = static_cast<Stage>(span.tag);
  if (span.kind == engine::SpanKind::putting) stage = seen.part.feeds;
  const bool held = held_back(span);
  const bool waiting = held || span.kind != engine::SpanKind::active;
  append(seen.spans, {from_ticks(span.begin), from_ticks(span.end), stage, waiting,
                      batch_of(seen, stage), held});
  if (seen.part.kind == TrackKind::gpu && stage == Stage::gpu && !waiting) ++seen.made;
}

void Watcher::level(const engine::Level& level) {
  if (level.kind == engine::LevelKind::tokens) return tokens(level);
  if (level.of >= users_.size()) return;
  const auto process = static_cast<std::size_t>(level.process);
  if (process < computes_.size() && users_[level.of].name == cores_name) {
    computes_[process] = level.change > 0;
  }
  set(users_[level.of], from_ticks(level.at), static_cast<double>(level.level));
  const std::size_t i = of_process_[static_cast<std::size_t>(level.process)];
  if (i != nobody && seen_[i].part.kind == TrackKind::connection && level.change < 0) {
    ++seen_[i].made;  // an object has come
  }
}

void Watcher::tokens(const engine::Level& level) {
  const std::size_t i = of_process_[static_cast<std::size_t>(level.process)];
  if (level.change < 0) {
    if (i != nobody && seen_[i].part.tickets == engine::QueueId(level.of)) {
      seen_[i].ticket = taken_[level.of];
    }
    taken_[level.of] -= level.change;
  } else if (i != nobody && seen_[i].part.delivers == engine::QueueId(level.of)) {
    ++seen_[i].made;
  }
  if (i != nobody && level.change > 0 && seen_[i].part.tickets &&
      seen_[i].part.tickets != engine::QueueId(level.of)) {
    seen_[i].ticket = -1;  // what it had made is delivered
  }
  if (const std::size_t stock = of_queue_[level.of]; stock != nobody) {
    level_[stock] += level.change;
    set(stocks_[stock], from_ticks(level.at), static_cast<double>(level_[stock]) / tokens_[stock]);
  }
}

bool Watcher::has(TrackKind kind) const {
  return std::any_of(seen_.begin(), seen_.end(),
                     [kind](const Seen& seen) { return seen.part.kind == kind; });
}

/// The process in which the GPU steps may also copy, and be the main process: a track of each.
void Watcher::split_gpu(TimelineSection& section, Seen& seen) const {
  Track main{TrackKind::main, name_of({.kind = TrackKind::main}), {}};
  Track copy{TrackKind::copy, name_of({.kind = TrackKind::copy}), {}};
  Track gpu{TrackKind::gpu, name_of(seen.part), {}};
  for (TimelineSpan span : seen.spans) {
    if (span.stage == Stage::h2d && !span.waiting) append(copy.spans, span);
    TimelineSpan by_main = span;
    const bool on_gpu = span.stage == Stage::gpu || span.stage == Stage::gpu_preprocess;
    by_main.waiting = span.waiting || on_gpu || span.stage == Stage::allreduce;
    append(main.spans, by_main);
    span.waiting = span.waiting || !on_gpu;
    // Waiting for another rank's step is waiting for the all-reduce to begin.
    if (span.waiting && span.stage == Stage::gpu) span.stage = Stage::allreduce;
    append(gpu.spans, span);
  }
  if (!has(TrackKind::main)) section.tracks.push_back(std::move(main));
  if (!has(TrackKind::copy)) section.tracks.push_back(std::move(copy));
  section.tracks.push_back(std::move(gpu));
}

TimelineSection Watcher::finish(const engine::Outcome& outcome) && {
  TimelineSection section;
  section.length = from_ticks(outcome.now);
  section.whole = !outcome.event_limit;
  section.events = static_cast<double>(outcome.effort.events);
  section.disk = std::move(disk_);
  for (std::uint32_t r = 0; r < users_.size(); ++r) {
    Track track{TrackKind::capacity, users_[r].name, {}};
    const Stage stage = served_by(model_, r);
    const auto& points = users_[r].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Duration end = i + 1 < points.size() ? points[i + 1].at : section.length;
      if (points[i].value <= 0.0 || end <= points[i].at) continue;
      append(track.spans, {points[i].at, end, stage, false, std::nullopt});
    }
    if (!track.spans.empty()) section.tracks.push_back(std::move(track));
  }
  for (Seen& seen : seen_) {
    if (seen.part.kind == TrackKind::gpu) {
      split_gpu(section, seen);
    } else {
      section.tracks.push_back({seen.part.kind, name_of(seen.part), std::move(seen.spans)});
    }
  }
  section.counters = std::move(stocks_);
  for (Counter& counter : users_) {
    // Users of the whole section who are there from its beginning make one point.
    const bool used = counter.points.size() > 1 || counter.points.front().value > 0.0;
    if (used) section.counters.push_back(std::move(counter));
  }
  if (!outcome.marks.empty()) {
    for (const engine::Ticks at : outcome.marks[step_mark].first) {
      section.steps.push_back(
          {static_cast<std::int64_t>(section.steps.size()) + 1, from_ticks(at)});
    }
  }
  return section;
}

}  // namespace

TimelineSection watch_epoch(const Inputs& inputs, const Epochs& epochs, const Window& window) {
  EpochEvents events = epoch_events(inputs, epochs, window.seed);
  const EpochModel& built = events.built;
  Watcher watcher({built.model, built.parts, built.stocks, built.loaders, built.own_processes,
                   built.own_resources, prefix_of(events.layout, 0),
                   inputs.cpu_quota && !inputs.memory && !inputs.cores.empty()});
  const double beside = static_cast<double>(built.model.processes.size()) /
                        static_cast<double>(std::max<std::size_t>(1, built.parts.size()));
  const auto most = static_cast<double>(window.most_events);
  engine::Options& options = events.options;
  options.max_events =
      static_cast<std::int64_t>(std::max(most, std::min(most_simulated, most * beside)));
  options.marks_kept = static_cast<int>(window.steps);
  options.most_marks = static_cast<std::int64_t>(window.steps);
  const engine::Outcome outcome = watcher.run(options);
  TimelineSection section = std::move(watcher).finish(outcome);
  section.all_steps = epoch_shape(inputs).steps;
  return section;
}

TimelineSection watch_staging(const Inputs& inputs, const Window& window) {
  Staging staging = *inputs.staging;
  const double connections = std::max(1.0, std::min(staging.connections, staging.objects));
  const double each =
      std::clamp(std::floor(most_objects / connections), 2.0, std::max(2.0, window.steps));
  staging.objects = std::min(staging.objects, each * connections);
  const bool whole = staging.objects == inputs.staging->objects;
  const engine::Model model = build_staging(staging, inputs.speed[Stage::download]);
  std::vector<Part> parts;
  for (std::uint32_t p = 0; p < model.processes.size(); ++p) {
    if (model.processes[p].daemon) continue;  // a limit on requests
    parts.push_back({.kind = TrackKind::connection,
                     .number = static_cast<int>(parts.size()),
                     .stride = connections,
                     .process = engine::ProcessId(p)});
  }
  Watcher watcher(
      {model, parts, {}, {}, model.processes.size(), model.resources.size(), "", false});
  engine::Options options;
  options.max_events = window.most_events;
  const auto ended = watcher.run(options);
  TimelineSection section = std::move(watcher).finish(ended);
  section.whole = section.whole && whole;
  return section;
}

}  // namespace feedrate::pipeline
