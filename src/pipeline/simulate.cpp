#include "pipeline/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "engine/simulate.hpp"
#include "pipeline/build.hpp"

namespace feedrate::pipeline {
namespace {

Duration from_ticks(double ns) {
  return Duration::of(ns * 1e-9);
}

struct Run {
  Span span;
  engine::Effort effort;
  bool stopped = false;
};

/// What a loader does to a batch.
constexpr std::array making = {Stage::download, Stage::disk, Stage::decode, Stage::remote,
                               Stage::collate};

/// Waiting for a batch is waiting for all of its making. The engine books it on what the batch was
/// just going through, and since W workers make W batches at a time, that is mostly the end of it;
/// so the waiting is shared out again as the making was.
void share_out(PerStage<Duration>& waiting, const EpochModel& built,
               const engine::Outcome& outcome) {
  PerStage<double> made;
  double sum = 0.0;
  for (const engine::ProcessId id : built.loaders) {
    const engine::ProcessStats& loader = outcome.processes[static_cast<std::size_t>(id)];
    for (Stage stage : making) {
      const auto t = static_cast<std::size_t>(stage);
      const auto time = static_cast<double>(loader.active[t]) +
                        (stage == Stage::download ? static_cast<double>(loader.blocked[t]) : 0.0);
      made[stage] += time;
      sum += time;
    }
  }
  if (sum <= 0.0) return;
  Duration all;
  for (Stage stage : making) all += waiting[stage];
  for (Stage stage : making) waiting[stage] = all * (made[stage] / sum);
}

engine::Outcome run_engine(const engine::Model& model, const engine::Options& options) {
  try {
    return engine::simulate(model, options);
  } catch (const engine::ClockError&) {
    throw InputError(std::vector<Problem>{
        {"", 0, "/dataset/samples", "expected an epoch of less than 292 years, got a longer one"}});
  }
}

Run run_model(const EpochModel& built, const SimulationOptions& options, std::uint64_t stream) {
  engine::Options engine_options;
  engine_options.exact = options.exact;
  engine_options.seed = options.seed * 1000003U + stream;
  if (!options.exact) engine_options.max_events = options.max_events;
  const engine::Outcome outcome = run_engine(built.model, engine_options);
  Run run{{}, outcome.effort, outcome.event_limit};
  run.span.wall = from_ticks(static_cast<double>(outcome.now.ns));
  const double share = 1.0 / static_cast<double>(built.gpus.size());
  PerStage<Duration> waiting;
  for (const engine::ProcessId id : built.gpus) {
    const engine::ProcessStats& gpu = outcome.processes[static_cast<std::size_t>(id)];
    for (Stage stage : all_stages()) {
      const auto t = static_cast<std::size_t>(stage);
      const Duration active = from_ticks(static_cast<double>(gpu.active[t]) * share);
      const Duration blocked = from_ticks(static_cast<double>(gpu.blocked[t]) * share);
      if (stage == Stage::gpu) {
        run.span.busy += active;
        // Waiting for another rank's step is waiting for the all-reduce to begin.
        run.span.stall[Stage::allreduce] += blocked;
      } else {
        run.span.stall[stage] += active;
        waiting[stage] += blocked;
      }
    }
    // A rank that ends before the others waits for them.
    run.span.stall[Stage::allreduce] +=
        from_ticks(static_cast<double>((outcome.now - gpu.wall).ns) * share);
  }
  share_out(waiting, built, outcome);
  for (Stage stage : all_stages()) run.span.stall[stage] += waiting[stage];
  return run;
}

void add(Effort& effort, const engine::Effort& run) {
  effort.events += static_cast<double>(run.events);
  effort.steps += static_cast<double>(run.steps + run.steps_skipped);
  effort.steps_skipped += static_cast<double>(run.steps_skipped);
}

/// The first `steps` of an epoch, and the rest at their pace after the first eighth, in which the
/// loader fills up.
Span extrapolated(const Inputs& inputs, EpochKind kind, Layout layout, double steps, double all,
                  const SimulationOptions& options, std::uint64_t stream, Effort& effort) {
  layout.steps = std::max(2.0, steps);
  const Run whole = run_model(build_epoch(inputs, kind, layout), options, stream);
  layout.steps = std::max(1.0, std::floor(layout.steps / 8.0));
  const Run start = run_model(build_epoch(inputs, kind, layout), options, stream);
  add(effort, whole.effort);
  add(effort, start.effort);
  effort.sampled = true;
  const double more = (all - std::max(2.0, steps)) / (std::max(2.0, steps) - layout.steps);
  Span span = whole.span;
  span += more * whole.span;
  span += -more * start.span;
  return span;
}

Span run_epoch(const Inputs& inputs, EpochKind kind, const SimulationOptions& options,
               std::uint64_t stream, Effort& effort) {
  const double steps = epoch_shape(inputs).steps;
  if (options.random) {
    const Layout layout = apart(inputs, options.most_processes);
    if (steps > options.random_steps) {
      return extrapolated(inputs, kind, layout, options.random_steps, steps, options, stream,
                          effort);
    }
    const Run run = run_model(build_epoch(inputs, kind, layout), options, stream);
    add(effort, run.effort);
    return run.span;
  }
  const Run run = run_model(build_epoch(inputs, kind, folded(inputs)), options, stream);
  if (run.stopped) {
    const double simulated = static_cast<double>(run.effort.steps) * inputs.accumulation;
    SimulationOptions unbounded = options;
    unbounded.max_events = 4 * options.max_events;
    return extrapolated(inputs, kind, folded(inputs), std::floor(0.9 * simulated), steps, unbounded,
                        stream, effort);
  }
  add(effort, run.effort);
  return run.span;
}

Duration run_staging(const Inputs& inputs, const SimulationOptions& options, Effort& effort) {
  if (!inputs.staging) return {};
  const auto copy = [&](double objects, std::int64_t most) {
    Staging staging = *inputs.staging;
    staging.objects = objects;
    engine::Options engine_options;
    engine_options.exact = options.exact;
    engine_options.max_events = most;
    engine::Outcome outcome = run_engine(
        build_staging(staging, inputs.speed[Stage::download], false, 0.0), engine_options);
    add(effort, outcome.effort);
    return outcome;
  };
  const auto time = [](const engine::Outcome& outcome) {
    return from_ticks(static_cast<double>(outcome.now.ns));
  };
  constexpr auto unbounded = std::numeric_limits<std::int64_t>::max();
  const engine::Outcome outcome =
      copy(inputs.staging->objects, options.exact ? unbounded : options.max_events);
  if (!outcome.event_limit) return time(outcome);
  // No cycle in sight: a stretch of whole rounds of the connections, and the rest at the pace of
  // the stretch's second half.
  const double connections = inputs.staging->connections;
  const double rounds =
      std::max(2.0, std::floor(0.1 * static_cast<double>(options.max_events) / connections));
  const Duration whole = time(copy(2.0 * rounds * connections, unbounded));
  const Duration half = time(copy(rounds * connections, unbounded));
  effort.sampled = true;
  const double more = inputs.staging->objects - 2.0 * rounds * connections;
  return whole + (whole - half) * (more / (rounds * connections));
}

/// Later epochs read the same places at the same costs as the first.
bool epochs_alike(const Inputs& inputs) {
  const bool same_reads =
      inputs.hit == inputs.first_hit && !inputs.in_memory_cache &&
      !(inputs.persistent_workers && (inputs.worker_startup + inputs.worker_warmup).base() > 0.0);
  if (!inputs.source) return same_reads;
  const Read& a = *inputs.first_source;
  const Read& b = *inputs.source;
  return same_reads && a.latency == b.latency && a.bytes == b.bytes && a.rate == b.rate &&
         a.max_requests == b.max_requests;
}

}  // namespace

Span& Span::operator+=(const Span& other) {
  wall += other.wall;
  busy += other.busy;
  for (Stage stage : all_stages()) stall[stage] += other.stall[stage];
  return *this;
}

Span operator*(double factor, Span span) {
  span.wall *= factor;
  span.busy *= factor;
  for (Stage stage : all_stages()) span.stall[stage] *= factor;
  return span;
}

Outcome simulate(const Inputs& inputs, const SimulationOptions& options) {
  Outcome out;
  out.epochs = inputs.epochs;
  out.steps = epoch_shape(inputs).steps;
  out.startup = inputs.startup;
  out.staging = run_staging(inputs, options, out.effort);
  out.first = run_epoch(inputs, EpochKind::first, options, 1, out.effort);
  out.later = out.first;
  // Every epoch starts with nothing prefetched, so later epochs are one state and are run once;
  // with `exact` each is executed all the same.
  const bool alike = epochs_alike(inputs);
  out.total = out.first;
  if (inputs.epochs > 1.0) {
    if (options.exact && !options.random) {
      for (double epoch = 1.0; epoch < inputs.epochs; epoch += 1.0) {
        out.later = run_epoch(inputs, EpochKind::later, options, 2, out.effort);
        out.total += out.later;
      }
    } else {
      if (!alike) out.later = run_epoch(inputs, EpochKind::later, options, 2, out.effort);
      out.total += (inputs.epochs - 1.0) * out.later;
    }
  }
  if (inputs.checkpoint_interval.base() > 0.0) {
    const double count = std::floor(out.total.wall / inputs.checkpoint_interval);
    out.checkpoints = count * inputs.checkpoint_time / inputs.speed[Stage::checkpoint];
    out.total.stall[Stage::checkpoint] += out.checkpoints;
    out.total.wall += out.checkpoints;
  }
  out.total.stall[Stage::startup] += out.startup;
  out.total.stall[Stage::download] += out.staging;
  out.total.wall += out.startup + out.staging;
  return out;
}

}  // namespace feedrate::pipeline
