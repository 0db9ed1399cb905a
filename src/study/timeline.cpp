#include "study/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/simulate.hpp"
#include "pipeline/timeline.hpp"
#include "resolve/resolve.hpp"
#include "words/job.hpp"

namespace feedrate::study {
namespace {

/// Says so where the section was cut before it had all that was asked for.
void note_cut(Timeline& timeline, const TimelineSection& section, double asked,
              const TimelineOptions& options) {
  const auto shown = static_cast<double>(section.steps.size());
  if (section.whole || shown >= asked) return;
  timeline.remarks.push_back(words::timeline_cut(section.name, shown, asked, options.most_events));
}

}  // namespace

Timeline timeline(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                  const TimelineOptions& options) {
  const resolve::Resolved resolved = resolve::resolve(scenario, catalog, host);
  const pipeline::Inputs& inputs = resolved.inputs;
  const pipeline::Outcome outcome = pipeline::simulate(inputs, {});
  // No more than the job has, where it ends in its first epoch.
  const double has = inputs.epochs < 1.0 ? inputs.unfinished_steps : outcome.steps;
  // An epoch that is asked for more steps than it has comes to its own end.
  const bool ends = options.to_the_end && inputs.epochs >= 1.0;
  const pipeline::Window window{std::clamp(std::floor(options.steps), 1.0, ends ? has + 1.0 : has),
                                options.most_events};
  Timeline timeline;
  timeline.gpus = inputs.gpus();
  timeline.threads = resolved.installed.threads;
  timeline.cores = resolved.installed.cores;
  Duration begin = outcome.startup;
  if (inputs.staging) {
    TimelineSection section = pipeline::watch_staging(inputs, window);
    section.name = "staging";
    section.begin = begin;
    timeline.sections.push_back(std::move(section));
    begin += outcome.staging;
  }
  const auto add_epoch = [&](std::int64_t epoch, pipeline::EpochKind kind) {
    TimelineSection section = pipeline::watch_epoch(inputs, kind, window);
    section.name = "epoch " + std::to_string(epoch);
    section.epoch = epoch;
    section.begin = begin;
    note_cut(timeline, section, std::min(window.steps, outcome.steps), options);
    timeline.sections.push_back(std::move(section));
  };
  add_epoch(1, pipeline::EpochKind::first);
  begin += outcome.first.wall;
  if (pipeline::epochs_begun(inputs) > 1.0) add_epoch(2, pipeline::EpochKind::later);
  return timeline;
}

}  // namespace feedrate::study
