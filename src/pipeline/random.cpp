#include "pipeline/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "engine/known_runs.hpp"
#include "pipeline/build.hpp"
#include "pipeline/flow.hpp"
#include "pipeline/mean.hpp"

namespace feedrate::pipeline {
namespace {

Duration from_ticks(double ns) {
  return Duration::of(ns * 1e-9);
}

/// What a loader does to a batch.
constexpr std::array making = {Stage::download, Stage::network, Stage::disk,
                               Stage::decode,   Stage::remote,  Stage::collate};

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
    return engine::simulate_once(model, options);
  } catch (const engine::ClockError&) {
    throw InputError(std::vector<Problem>{
        {"", 0, "/dataset/samples", "expected an epoch of less than 292 years, got a longer one"}});
  }
}

/// A GPU that a stream of the loader shares is busy while either has work for it; so much less does
/// the loop's waiting leave it idle.
void count_shared(Span& span, const EpochModel& built, const engine::Outcome& outcome) {
  if (built.shared_gpus.empty()) return;
  Duration busy;
  for (const engine::ResourceId id : built.shared_gpus) {
    busy +=
        from_ticks(static_cast<double>(outcome.resources[static_cast<std::size_t>(id)].busy.ns));
  }
  busy /= static_cast<double>(built.shared_gpus.size());
  const Duration idle = span.wall - span.busy;
  const double left = idle > Duration{} ? (span.wall - busy) / idle : 0.0;
  for (Stage stage : all_stages()) span.stall[stage] *= left;
  span.straggling *= left;
  span.busy = busy;
}

/// What ranks wait for each other is shared out by what makes one of them late: what the GPUs wait
/// for besides, the making of their batches and the hand-over, or their own steps, which vary.
void share_out_lateness(Span& span, const Inputs& inputs, double steps, Duration late) {
  PerStage<Duration> causes;
  for (Stage stage : making) causes[stage] = span.stall[stage];
  causes[Stage::handover] = span.stall[Stage::handover];
  Duration of_batches;
  for (Stage stage : all_stages()) of_batches += causes[stage];
  const double group = std::min(inputs.accumulation, std::max(1.0, steps));
  const Duration varying = steps * (slowest_gpu(inputs, inputs.waited_for(), group).mean - 1.0) *
                           step_time(inputs, inputs.batch) / inputs.speed[Stage::gpu];
  const Duration all = of_batches + varying;
  for (Stage stage : all_stages()) {
    if (all > Duration{}) span.stall[stage] += (causes[stage] / all) * late;
  }
  span.straggling = all > Duration{} ? (varying / all) * late : late;
  span.stall[Stage::allreduce] += span.straggling;
}

/// Of the waiting for downloads, what the NIC makes it longer than it would be without.
void book_nic(Span& span, const EpochModel& built, const engine::Outcome& outcome) {
  const auto t = static_cast<std::size_t>(Stage::download);
  double active = 0.0;
  double blocked = 0.0;
  for (const auto* processes : {&built.loaders, &built.gpus}) {
    for (const engine::ProcessId id : *processes) {
      const engine::ProcessStats& process = outcome.processes[static_cast<std::size_t>(id)];
      active += static_cast<double>(process.active[t]) * 1e-9;
      if (processes == &built.loaders) blocked += static_cast<double>(process.blocked[t]) * 1e-9;
    }
  }
  double there = 0.0;  // seconds of all customers, at the stations and before their gates
  double for_nic = 0.0;
  bool gated = false;
  for (const NicPassed& nic : built.nics) {
    const engine::ResourceStats& stats = outcome.resources[static_cast<std::size_t>(nic.resource)];
    const Station beyond = nic.station.beyond_nic();
    const double samples = stats.work() / nic.station.work;
    const double delays = samples * nic.station.delay;
    const double own = delays + static_cast<double>(stats.user_time) * 1e-9;
    const double waits = own - delays - samples * beyond.work_alone();
    there += own;
    gated = gated || nic.gated;
    for_nic += std::max(0.0, waits) * nic_part(nic.station, nic.customers);
  }
  // Gradients and credits keep streams back before their transfers.
  for (const engine::ProcessId id : built.streams) {
    const engine::ProcessStats& stream = outcome.processes[static_cast<std::size_t>(id)];
    const auto kept = static_cast<double>(stream.active[static_cast<std::size_t>(Stage::network)]);
    there += kept * 1e-9;
    for_nic += kept * 1e-9;
  }
  if (there <= 0.0) return;
  // Who waits for a connection waits for what those inside wait for.
  if (gated) for_nic *= 1.0 + blocked / there;
  // Workers behind a stream wait for its chunks.
  const double all = active > 0.0 ? std::max(active + (gated ? blocked : 0.0), there) : there;
  const Duration moved = std::min(1.0, for_nic / all) * span.stall[Stage::download];
  span.stall[Stage::download] -= moved;
  span.stall[Stage::network] += moved;
}

Span spans_of(const Inputs& inputs, double steps, const EpochModel& built,
              const engine::Outcome& outcome) {
  Span span;
  span.wall = from_ticks(static_cast<double>(outcome.now.ns));
  if (const auto& steps_done = outcome.marks[step_mark].first; !steps_done.empty()) {
    span.first_step = from_ticks(static_cast<double>(steps_done.front().ns));
  }
  const double share = 1.0 / static_cast<double>(built.gpus.size());
  PerStage<Duration> waiting;
  Duration late;
  for (const engine::ProcessId id : built.gpus) {
    const engine::ProcessStats& gpu = outcome.processes[static_cast<std::size_t>(id)];
    for (Stage stage : all_stages()) {
      const auto t = static_cast<std::size_t>(stage);
      const Duration active = from_ticks(static_cast<double>(gpu.active[t]) * share);
      const Duration blocked = from_ticks(static_cast<double>(gpu.blocked[t]) * share);
      if (stage == Stage::gpu || stage == Stage::gpu_preprocess) {
        span.busy += active;
        late += blocked;
      } else {
        span.stall[stage] += active;
        (stage == Stage::allreduce ? late : waiting[stage]) += blocked;
      }
    }
    // A rank that ends before the others waits for them.
    late += from_ticks(static_cast<double>((outcome.now - gpu.wall).ns) * share);
  }
  share_out(waiting, built, outcome);
  for (Stage stage : all_stages()) span.stall[stage] += waiting[stage];
  share_out_lateness(span, inputs, steps, late);
  count_shared(span, built, outcome);
  book_nic(span, built, outcome);
  return span;
}

/// Empty where the events were more than their options allow.
std::optional<Span> simulated(const Inputs& inputs, const Epochs& epochs, const EpochEvents& events,
                              Effort& effort, Credits& credits) {
  const engine::Outcome outcome = run_engine(events.built.model, events.options);
  effort.events += static_cast<double>(outcome.effort.events);
  if (outcome.event_limit) return std::nullopt;
  for (const CreditKept& kept : events.built.credits) {
    const auto bucket = static_cast<std::size_t>(kept.bucket);
    credits.keep(events.built.model.buckets[bucket].name,
                 std::min(1.0, outcome.buckets[bucket].left / kept.full));
  }
  const double steps = epochs.steps > 0.0 ? epochs.steps : epoch_shape(inputs).steps;
  return spans_of(inputs, steps, events.built, outcome);
}

}  // namespace

void require_bounded(const Inputs& inputs) {
  constexpr double most = 2e9;
  const EpochShape shape = epoch_shape(inputs);
  const double chunks =
      std::min(inputs.batch, 8.0) * shape.steps * inputs.gpus() * epochs_begun(inputs);
  if (chunks <= most) return;
  throw InputError(std::vector<Problem>{
      {"", 0, "/dataset/samples",
       fmt::format(
           "expected at most {:.0e} chunks of batches to simulate with --exact, got {:.1e}; "
           "without it the mean takes milliseconds",
           most, chunks)}});
}

bool varies(const Inputs& inputs) {
  const bool reads = inputs.source || inputs.first_source || inputs.disk ||
                     (inputs.remote && inputs.remote->fetch);
  return inputs.size_cv > 0.0 || inputs.make_cv > 0.0 || (inputs.read_cv > 0.0 && reads);
}

std::optional<double> instances_apart(const Inputs& inputs) {
  const Layout layout = apart(inputs, most_apart);
  const int simulated = instances_in(layout);
  if (inputs.remote || simulated >= inputs.instances) return std::nullopt;
  return simulated;
}

Span random_epoch(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed, Effort& effort,
                  Credits& credits, const std::function<void(double steps)>& look) {
  EpochEvents events = epoch_events(inputs, epochs, seed, credits);
  if (look) events.options.look = [&](std::int64_t steps) { look(static_cast<double>(steps)); };
  return *simulated(inputs, epochs, events, effort, credits);
}

Span random_epoch(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed, Effort& effort) {
  Credits all;
  return random_epoch(inputs, epochs, seed, effort, all);
}

std::optional<Span> random_epoch_within(const Inputs& inputs, const Epochs& epochs,
                                        std::uint64_t seed, Effort& effort, double most_events) {
  // Each has an event or more, and takes memory before the first.
  const double threads = instances_apart(inputs).value_or(inputs.instances) * inputs.ranks *
                         std::max(1.0, active_workers(inputs));
  if (threads > most_events) return std::nullopt;
  EpochEvents events = epoch_events(inputs, epochs, seed);
  events.options.max_events = static_cast<std::int64_t>(std::min(most_events, 1e18));
  Credits all;
  return simulated(inputs, epochs, events, effort, all);
}

}  // namespace feedrate::pipeline
