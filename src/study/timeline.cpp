#include "study/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/affordable.hpp"
#include "pipeline/simulate.hpp"
#include "pipeline/timeline.hpp"
#include "resolve/resolve.hpp"
#include "study/monitors.hpp"
#include "words/job.hpp"

namespace feedrate::study {
namespace {

/// Says so where the section was cut before it had all that was asked for.
void note_cut(Timeline& timeline, const TimelineSection& section, double asked,
              const TimelineOptions& options) {
  const auto shown = static_cast<double>(section.steps.size());
  if (section.whole || shown >= asked) return;
  timeline.remarks.push_back(words::timeline_cut(section.name, shown, asked,
                                                 static_cast<std::size_t>(options.most_events)));
}

/// Steps that are shown of an epoch, no more than the job has.
double steps_shown(const pipeline::Inputs& inputs, const pipeline::Outcome& outcome,
                   const TimelineOptions& options) {
  double asked = std::floor(options.steps);
  if (options.beyond_filling) {
    const Duration step = outcome.later.wall / outcome.steps;
    constexpr double most = 1e6;
    asked = std::min(most,
                     pipeline::settling_steps(inputs) + std::ceil(*options.beyond_filling / step));
  }
  const double has = inputs.epochs < 1.0 ? inputs.unfinished_steps : outcome.steps;
  // An epoch that is asked for more steps than it has comes to its own end.
  const bool ends = options.to_the_end && inputs.epochs >= 1.0;
  return std::clamp(asked, 1.0, ends ? has + 1.0 : has);
}

/// When the epoch begins, by the mean.
Duration begin_of(const pipeline::Inputs& inputs, double epoch) {
  pipeline::Inputs before = inputs;
  before.epochs = epoch - 1.0;
  before.unfinished_steps = 0.0;
  pipeline::SimulationOptions options;
  options.details = false;
  return pipeline::simulate(before, options).trained.wall;
}

words::TimelineOf made_of(const Result* result) {
  if (result == nullptr) return {};
  if (result->by_events) {
    return {.beside_mean = true,
            .stated = result->by_events->stated,
            .seeds = result->by_events->seeds};
  }
  return {.exact = result->effort.events > 0.0, .mean_alone = !(result->effort.events > 0.0)};
}

}  // namespace

Timeline timeline(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                  const TimelineOptions& options) {
  const resolve::Resolved resolved = resolve::resolve(scenario, catalog, host);
  const pipeline::Inputs& inputs = resolved.inputs;
  const resolve::Installed& installed = resolved.installed;
  const pipeline::Outcome outcome = pipeline::simulate(inputs, {});
  const pipeline::Window window{steps_shown(inputs, outcome, options), options.most_events,
                                options.seed};
  Timeline timeline;
  timeline.gpus = inputs.cluster_gpus();
  timeline.threads = installed.threads;
  timeline.cores = installed.cores;
  timeline.other_threads = installed.other_threads;
  timeline.network = installed.network;
  timeline.ranks = inputs.ranks;
  timeline.quota = inputs.cpu_quota.has_value();
  if (outcome.checkpoints > Duration{}) {
    timeline.remarks.push_back(
        words::checkpoints_not_shown(outcome.checkpoints / outcome.total.wall));
  }
  if (installed.memory && installed.memory_used) {
    timeline.memory = std::min(1.0, *installed.memory_used / *installed.memory);
  }
  timeline.about = words::timeline_about(made_of(options.result), options.seed);
  Duration begin = outcome.startup;
  if (inputs.staging) {
    TimelineSection section = pipeline::watch_staging(inputs, window);
    section.name = "staging";
    section.begin = begin;
    const pipeline::Staging& staging = *inputs.staging;
    section.received = staging.objects * staging.object_size / outcome.staging;
    timeline.sections.push_back(std::move(section));
    begin += outcome.staging;
  }
  const auto add_epoch = [&](double epoch) {
    const auto kind = epoch < 2.0 ? pipeline::EpochKind::first : pipeline::EpochKind::later;
    TimelineSection section = pipeline::watch_epoch(inputs, {kind, epoch}, window);
    section.epoch = static_cast<std::int64_t>(epoch);
    section.name = "epoch " + std::to_string(section.epoch);
    section.begin = begin + (epoch < 2.0 ? Duration{} : begin_of(inputs, epoch));
    section.new_workers = epoch > 1.0 && !inputs.persistent_workers && traits(inputs.kind).workers;
    const Received received = received_in(inputs, kind, epoch);
    section.received_by_batch = inputs.ranks * (received.by_sample * samples(inputs.batch));
    section.received_by_step = received.by_step;
    const ReadFromDisk read = reading_in(inputs, epoch);
    section.read_by_batch = inputs.ranks * (read.bytes * samples(inputs.batch));
    section.reads_by_batch = inputs.ranks * inputs.batch * read.requests;
    section.read_takes_by_batch = inputs.ranks * (read.takes * samples(inputs.batch));
    section.written_by_batch = inputs.ranks * (writing_in(inputs, epoch) * samples(inputs.batch));
    note_cut(timeline, section, std::min(window.steps, outcome.steps), options);
    timeline.sections.push_back(std::move(section));
  };
  add_epoch(1.0);
  if (const double steady = pipeline::steady_epoch(inputs); steady > 1.0) add_epoch(steady);
  return timeline;
}

}  // namespace feedrate::study
