#include "pipeline/interruptions.hpp"

#include <algorithm>

#include "pipeline/loading.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/shared_limits.hpp"
#include "reliability/interval.hpp"

namespace feedrate::pipeline {
namespace {

/// Samples a second that an instance's storage delivers at most, whoever asks: what limits let
/// through, and a disk reads. What connections carry each is no limit of a store that serves more
/// of them. 1e300 where nothing limits it.
double storage_carries(const Inputs& inputs, Stage storage) {
  const double last = epochs_begun(inputs);
  double most = 1e300;
  const std::vector<Loading> all = loadings(inputs, EpochKind::later, misses_in(inputs, last),
                                            active_workers(inputs), Reading::all);
  // Helpers read from the same disk.
  double customers = 0.0;
  for (const Loading& loading : all) customers += loading.customers;
  for (const Loading& loading : all) {
    for (const SampleLimit& limit : loading.limits) {
      // What a burst lets through may have been the job's pace.
      const bool bursts = limit.credit > 0.0 && limit.burst_rate > limit.rate;
      if (limit.stage == storage) most = std::min(most, bursts ? limit.burst_rate : limit.rate);
    }
    for (const Station& station : loading.stations) {
      if (storage != Stage::disk || station.stage != storage || !station.works()) continue;
      most = std::min(most, station.rate.total(customers) / station.work);
    }
  }
  return most;
}

/// The share of its time that the storage of the checkpoints, or the NIC on the way there, reads
/// for training.
double storage_busy(const Outcome& out, const Inputs& inputs) {
  if (!inputs.checkpoint_background || !inputs.checkpoint_beside) return 0.0;
  if (out.later.wall <= Duration{}) return 0.0;
  const Stage storage = *inputs.checkpoint_beside;
  const double rate = out.samples / out.later.wall.base();
  const double instances = inputs.instances_alike() / inputs.times_loaded;
  double busy = rate / (storage_carries(inputs, storage) * instances);
  const auto carried = capacities(inputs, EpochKind::later, epochs_begun(inputs));
  if (const double nic = carried[Stage::network].base(); storage == Stage::download && nic > 0.0) {
    busy = std::max(busy, rate / nic);
  }
  return std::min(1.0, busy);
}

/// What a restart takes beside noticing, replacing and loading: start-up, copying, cold caches.
struct Launch {
  Duration time;
  Duration copying;  ///< of it
};

Launch launch_of_all(const Outcome& out) {
  Duration time = out.startup + out.staging;
  if (out.epochs > 1.0) time += std::max(Duration{}, out.first.wall - out.later.wall);
  return {time, out.staging};
}

/// The same where one instance is replaced: the others have their disks and caches still, and what
/// all of them share is that one's. Never more than of all.
Launch launch_of_one(const Outcome& out, const Inputs& inputs) {
  const Launch all = launch_of_all(out);
  if (inputs.instances <= 1.0 || !shares_limits(inputs)) return all;
  const Inputs whole = with_whole_limits(inputs);
  Credits credits;
  const Duration copying = mean_staging(whole, credits).time;
  Duration time = out.startup + copying;
  if (out.epochs > 1.0) {
    const Duration first = mean_epochs(whole, {}, credits, false).span.wall;
    time += std::max(Duration{}, first - out.later.wall);
  }
  return {std::min(all.time, time), std::min(all.copying, copying)};
}

/// Of each of `count` checkpoints, in the mean: as many are written at the burst's rate as credit
/// lasts for that the job saves beside its reads.
Duration writing_time(const Outcome& out, const Inputs& inputs, double count) {
  const auto& burst = inputs.checkpoint_burst;
  if (!burst) return inputs.checkpoint_time;
  double read = 0.0;
  if (const auto& source = inputs.source) {
    read = (source->bytes * samples(inputs.samples * inputs.times_loaded)).base() *
           epochs_read(inputs);
  } else if (const auto& copy = inputs.staging) {
    read = copy->object_size.base() * copy->objects * inputs.cluster_instances();
  }
  const double saved = burst->credit + burst->earned * out.trained.wall.base() - read;
  // Credit is earned while one is written, too.
  const double spent = burst->each - burst->earned * burst->time.base();
  const double all = spent * std::max(1.0, count);
  const double quick = all > 0.0 ? std::clamp(saved / all, 0.0, 1.0) : 1.0;
  return quick * burst->time + (1.0 - quick) * inputs.checkpoint_time;
}

/// A time that is beyond a double, or that nothing reaches, cut at that.
constexpr Duration longest = seconds(1e15);

reliability::Course bounded(const reliability::Course& course,
                            const reliability::InterruptedJob& job) {
  if (course.wall < longest) return course;
  reliability::Course cut;
  cut.wall = longest;
  cut.rework = longest - job.launch - job.work;
  cut.interruptions = course.interruptions;
  cut.startups = job.startup;
  if (job.booked > Duration{}) cut.blocks = longest / job.booked;
  return cut;
}

}  // namespace

reliability::InterruptedJob interrupted_job(const Outcome& out, const Inputs& inputs,
                                            const reliability::InterruptedJob& plan) {
  reliability::InterruptedJob job = plan;
  job.work = out.trained.wall;
  job.launch = out.startup + out.staging;
  job.startup = out.startup;
  const Launch all = launch_of_all(out);
  const Launch anew = inputs.restarts_all ? all : launch_of_one(out, inputs);
  job.copying = all.copying;
  job.copying_anew = anew.copying;
  job.replaced = inputs.restarts_all ? 1.0 : 1.0 / inputs.cluster_instances();
  job.relaunch = plan.restart + all.time;
  job.restart += anew.time;
  job.booked = inputs.booked;
  const double less = 1.0 / inputs.speed[Stage::interruption];
  job.sudden *= less;
  job.announced *= less;
  job.writing = {inputs.single_checkpoint() / inputs.speed[Stage::checkpoint],
                 inputs.checkpoint_background, storage_busy(out, inputs)};
  job.interval = fixed_interval(inputs, job.work);
  if (inputs.best_interval) job.interval = reliability::best_interval(job);
  if (!inputs.checkpoint_burst) return job;
  // How long each takes depends on how many there are, which the best interval tells.
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    job.writing.time =
        writing_time(out, inputs, job.checkpoints()) / inputs.speed[Stage::checkpoint];
    if (!inputs.best_interval) break;
    if (i + 1 < rounds) job.interval = reliability::best_interval(job);
  }
  return job;
}

void add_interruptions(Outcome& out, const Inputs& inputs, const SimulationOptions& options) {
  const bool writes = inputs.writes_checkpoints();
  Interrupted& in = out.interrupted;
  in.counted.startups = in.mean.startups = out.startup;
  if (!writes && !inputs.interruptions && inputs.booked <= Duration{}) return;
  in.job =
      interrupted_job(out, inputs, inputs.interruptions.value_or(reliability::InterruptedJob{}));
  in.checkpoints = in.job.checkpoints();
  if (options.course) {
    in.counted = bounded(reliability::draw_course(in.job, *options.course, 1), in.job);
  } else {
    in.counted = in.mean = bounded(reliability::expected(in.job), in.job);
  }
  out.checkpoints = in.counted.writes;
  const Duration lost = in.counted.rework + in.counted.restarts + in.counted.waits;
  out.total.stall[Stage::checkpoint] += out.checkpoints;
  out.total.stall[Stage::interruption] += lost;
  out.total.wall += out.checkpoints + lost;
}

}  // namespace feedrate::pipeline
