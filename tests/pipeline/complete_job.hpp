#pragma once
// A generated job with all that generated.hpp leaves out, and every figure that the pipeline says
// of one: for laws that hold whatever a job has.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/shared_limits.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

/// With credit for a part of an epoch.
inline void give_burst(Generator& generate, RateLimit& limit, double samples) {
  limit.burst_rate = limit.rate * generate.log_uniform(1.5, 10.0);
  limit.credit = limit.each * samples * generate.log_uniform(0.01, 1.0);
}

inline Staging generated_staging(Generator& generate) {
  Staging staging;
  staging.objects = std::ceil(generate.log_uniform(1.0, 1e4));
  staging.connections = generate.whole(1.0, 64.0);
  staging.object_size = bytes(generate.log_uniform(1e4, 1e8));
  staging.read = generate.read();
  Generator::pass_nic(staging.read);
  for (RateLimit& limit : staging.read.limits) {
    limit.each = limit.of_requests ? 1.0 : staging.object_size.base();
    limit.name = "staging " + limit.name;
    if (generate.chance(0.5)) give_burst(generate, limit, staging.objects);
  }
  if (generate.chance(0.5)) {
    staging.disk_write = bytes_per_second(generate.log_uniform(1e7, 1e9));
  }
  if (generate.chance(0.5)) {
    staging.write_limits.push_back(
        {"writes", generate.log_uniform(1e7, 1e9), 0.0, 0.0, staging.object_size.base(), false});
    give_burst(generate, staging.write_limits.back(), staging.objects);
  }
  return staging;
}

inline RemotePool generated_remote(Generator& generate) {
  RemotePool remote;
  remote.workers = generate.whole(1.0, 64.0);
  const double cores = generate.whole(1.0, 32.0);
  remote.cores = {{{1.0, 1.0}, {cores + 1.0, cores}}, 0.0};
  remote.cpu = seconds_per_sample(generate.log_uniform(1e-4, 1e-2));
  if (generate.chance(0.5)) remote.fetch = generate.read();
  remote.sent = bytes_per_sample(generate.log_uniform(1e4, 1e6));
  remote.latency = seconds(generate.log_uniform(1e-5, 1e-2));
  remote.deliveries = generate.log_uniform(0.02, 1.0);
  remote.instances = generate.whole(1.0, 4.0);
  remote.network = bytes_per_second(generate.log_uniform(1e8, 1e10));
  remote.sending = bytes_per_second(generate.log_uniform(1e8, 1e11));
  const auto credits = [&](const char* name) -> std::optional<RateLimit> {
    if (generate.chance(0.5)) return std::nullopt;
    const double burst = generate.log_uniform(1e8, 1e10);
    return RateLimit{name, burst / generate.uniform(1.5, 10.0), burst,
                     burst * generate.log_uniform(1.0, 1e3), 0.0};
  };
  remote.network_credits = credits("network credits");
  remote.sending_credits = credits("helpers' network credits");
  return remote;
}

inline void give_shared_limits(Generator& generate, Inputs& in) {
  for (std::optional<Read>* read : {&in.first_source, &in.source}) {
    if (!*read) continue;
    for (RateLimit& limit : (*read)->limits) limit.shared = generate.chance(0.5) && !limit.of_nic;
    if (generate.chance(0.5)) continue;
    (*read)->unshared = (*read)->rate;
    (*read)->shared_by_all = (*read)->through_nic().maximum() * generate.log_uniform(0.3, 3.0);
    (*read)->rate = capped((*read)->rate, (*read)->shared_by_all / in.instances);
  }
}

inline void give_interruptions(Generator& generate, Inputs& in, double about) {
  in.checkpoint_time = seconds(about * generate.log_uniform(1e-4, 1e-2));
  in.checkpoint_interval = seconds(about * generate.log_uniform(0.05, 2.0));
  in.checkpoint_background = generate.chance(0.5);
  if (in.disk && generate.chance(0.5)) in.checkpoint_beside = Stage::disk;
  if (in.source && generate.chance(0.5)) in.checkpoint_beside = Stage::download;
  in.best_interval = generate.chance(0.3);
  in.restarts_all = generate.chance(0.5);
  if (generate.chance(0.7)) {
    in.interruptions.emplace();
    in.interruptions->sudden = per_second(generate.log_uniform(0.01, 1.0) / about);
    in.interruptions->announced = per_second(generate.log_uniform(0.01, 1.0) / about);
    in.interruptions->restart = seconds(about * generate.log_uniform(1e-3, 1e-1));
    in.interruptions->wait = seconds(about * generate.log_uniform(1e-3, 1e-1));
  }
  in.startup = seconds(about * generate.log_uniform(1e-3, 1e-1));
}

inline void give_other_kind(Generator& generate, Inputs& in) {
  Inputs other = in;
  other.ranks = in.ranks + generate.whole(1.0, 3.0);
  const double others = generate.whole(1.0, 3.0);
  const double of_rank = in.samples / (in.instances * in.ranks);
  for (Inputs* kind : {&in, &other}) {
    kind->unequal.emplace();
    kind->unequal->gpus = in.instances * in.ranks + others * other.ranks;
    kind->unequal->most = other.ranks;
    kind->samples = of_rank * kind->unequal->gpus;  // so that epochs keep their steps
  }
  in.unequal->alike = in.instances;
  other.unequal->alike = others;
  in.instances = other.instances = in.instances + others;
  in.unequal->others.push_back({others, std::make_shared<const Inputs>(other)});
}

/// `steps`: about so many per rank and epoch.
inline Inputs complete_job(Generator& generate, double steps) {
  Inputs in = generate.inputs(steps);
  if (generate.chance(0.3)) {
    const Duration least = *in.step.fixed + *in.step.per_sample * samples(1.0);
    in.step = Step{};
    in.step.table = {{1.0, least}, {8.0, 3.0 * least}, {32.0, 9.0 * least}};
  }
  if (generate.chance(0.3)) {
    in.gpu_preprocess = seconds_per_sample(generate.log_uniform(1e-5, 1e-2));
  }
  if (in.kind == LoaderKind::pool && generate.chance(0.3)) {
    in.gpu_preprocess_ahead = seconds_per_sample(generate.log_uniform(1e-5, 1e-2));
  }
  in.worker_warmup = generate.chance(0.5) ? seconds(generate.log_uniform(1e-3, 1.0)) : Duration{};
  in.worker_shutdown = generate.chance(0.5) ? seconds(generate.log_uniform(1e-3, 1.0)) : Duration{};
  if (const double most = epoch_shape(in).steps - 1.0; most >= 1.0 && generate.chance(0.3)) {
    in.unfinished_steps = generate.whole(1.0, most);
    if (generate.chance(0.3)) in.epochs = 0.0;
  }
  for (std::optional<Read>* read : {&in.first_source, &in.source, &in.disk}) {
    if (!*read) continue;
    for (RateLimit& limit : (*read)->limits) {
      if (generate.chance(0.5)) give_burst(generate, limit, samples_of_instance(in));
    }
    if (generate.chance(0.3)) (*read)->discipline = Discipline::one_at_a_time;
  }
  give_shared_limits(generate, in);
  if (!in.source && generate.chance(0.4)) in.staging = generated_staging(generate);
  if (in.source && generate.chance(0.4)) {
    in.network = bytes_per_second(generate.log_uniform(1e7, 1e9));
    in.network_allreduce = bytes(generate.log_uniform(1e5, 1e8));
  }
  if (in.kind == LoaderKind::pool && generate.chance(0.3)) {
    in.remote = generated_remote(generate);
    if (generate.chance(0.5)) in.cpu = in.cached_cpu = in.locked = DurationPerSample{};
  } else if (generate.chance(0.2)) {
    give_other_kind(generate, in);
  }
  if (generate.chance(0.2)) in.slowest_of = generate.whole(1.0, in.gpus());
  if (generate.chance(0.5)) {
    give_interruptions(generate, in, simulate(in).training().base());
  }
  if (generate.chance(0.3)) {
    for (const Stage stage : all_stages()) in.speed[stage] = generate.log_uniform(0.5, 2.0);
  }
  return in;
}

struct Figure {
  std::string name;
  double value = 0.0;
  int seconds = 0;  ///< the power of them that is its unit's
};

inline void add_span(std::vector<Figure>& figures, const std::string& name, const Span& span) {
  figures.push_back({name + " wall", span.wall.base(), 1});
  figures.push_back({name + " busy", span.busy.base(), 1});
  figures.push_back({name + " straggling", span.straggling.base(), 1});
  for (const Stage stage : all_stages()) {
    figures.push_back({name + " " + std::string(name_of(stage)), span.stall[stage].base(), 1});
  }
}

inline void add_course(std::vector<Figure>& figures, const reliability::Course& course) {
  figures.push_back({"course wall", course.wall.base(), 1});
  figures.push_back({"course writes", course.writes.base(), 1});
  figures.push_back({"course rework", course.rework.base(), 1});
  figures.push_back({"course restarts", course.restarts.base(), 1});
  figures.push_back({"course waits", course.waits.base(), 1});
  figures.push_back({"course startups", course.startups.base(), 1});
  figures.push_back({"course interruptions", course.interruptions, 0});
  figures.push_back({"course blocks", course.blocks, 0});
}

inline std::vector<Figure> figures_of(const Inputs& in) {
  const Outcome out = simulate(in);
  std::vector<Figure> figures;
  add_span(figures, "first", out.first);
  add_span(figures, "later", out.later);
  add_span(figures, "trained", out.trained);
  add_span(figures, "total", out.total);
  add_course(figures, out.interrupted.mean);
  figures.push_back({"startup", out.startup.base(), 1});
  figures.push_back({"staging", out.staging.base(), 1});
  figures.push_back({"checkpoints", out.checkpoints.base(), 1});
  figures.push_back({"checkpoints written", out.interrupted.checkpoints, 0});
  figures.push_back({"relaunch", out.interrupted.job.relaunch.base(), 1});
  figures.push_back({"restart", out.interrupted.job.restart.base(), 1});
  figures.push_back({"epochs", out.epochs, 0});
  figures.push_back({"steps", out.steps, 0});
  figures.push_back({"samples", out.samples, 0});
  figures.push_back({"trained samples", out.trained_samples, 0});
  figures.push_back({"variance", out.variance, 2});
  figures.push_back({"slowest ranks", out.slowest_ranks, 0});
  for (const CreditEnd& end : out.ends) {
    figures.push_back({end.limit + " ends", end.after.base(), 1});
    figures.push_back({end.limit + " epoch before", end.epoch_before.base(), 1});
  }
  for (const EpochKind kind : {EpochKind::first, EpochKind::later}) {
    const double epoch = kind == EpochKind::first ? 1.0 : 2.0;
    const PerStage<Throughput> most = capacities(in, kind, epoch);
    for (const Stage stage : all_stages()) {
      figures.push_back({"capacity of " + std::string(name_of(stage)), most[stage].base(), -1});
    }
    for (const double rate : loader_curve(in, kind, epoch)) {
      figures.push_back({"loader curve", rate < 1e299 ? rate : 0.0, -1});
    }
    if (const auto gap = round_gap(in, kind, epoch)) {
      figures.push_back({"round gap", gap->wait.base(), 1});
      figures.push_back({"rounds", gap->every, 0});
    }
  }
  for (const SharedDemand& demand : shared_demands(in)) {
    figures.push_back({"shared use of " + demand.name, demand.demand / demand.rate, 0});
  }
  figures.push_back({"epochs read", epochs_read(in), 0});
  figures.push_back({"cold reads", cold_reads(in), 0});
  return figures;
}

}  // namespace feedrate::pipeline
