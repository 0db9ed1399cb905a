#include "pipeline/interruptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "pipeline/mean.hpp"
#include "reliability/interval.hpp"

namespace feedrate::pipeline {
namespace {

/// The share of its time that the storage of the checkpoints reads for training.
double storage_busy(const Outcome& out, const Inputs& inputs) {
  if (!inputs.checkpoint_background || !inputs.checkpoint_beside) return 0.0;
  const Throughput most =
      capacities(inputs, EpochKind::later, epochs_begun(inputs))[*inputs.checkpoint_beside];
  if (most <= Throughput{} || out.later.wall <= Duration{}) return 0.0;
  return std::min(1.0, samples(out.samples) / out.later.wall / most);
}

/// What the mean of `job` adds to a course that has `work` left, in blocks of `booked`: each block
/// launches, and its last checkpoint is all that the next one goes on from.
void book_blocks(Interrupted& in, Duration booked, Duration total) {
  if (booked <= Duration{} || total <= booked) return;
  const reliability::InterruptedJob& job = in.job;
  // Interruptions lengthen all work alike.
  const Duration undisturbed = job.work + job.checkpoints() * job.writing.stop(job.interval);
  const double stretch = (total - job.launch) / undisturbed;
  const Duration period =
      job.interval > Duration{} ? job.interval + job.writing.stop(job.interval) : Duration{};
  constexpr double most_blocks = 1e4;
  Duration left = undisturbed;
  Duration ready = job.launch;
  in.blocks = 0.0;
  for (;;) {
    in.blocks += 1.0;
    const Duration room = (booked - ready) / stretch;
    if (room >= left) break;
    const Duration kept =
        period > Duration{} && room > Duration{} ? std::floor(room / period) * period : Duration{};
    if (kept <= Duration{} || in.blocks >= most_blocks) {
      throw InputError(
          {{"", 0, "/cluster/booked",
            fmt::format("the job takes {:.3g} h and what is booked ends after {:.3g} h: expected a "
                        "longer time, or checkpoints that a block has room for (/job/checkpoint)",
                        total / hours(1.0), booked / hours(1.0)),
            "does not end in what is booked"}});
    }
    left -= kept;
    ready = job.restart;
    // The rest of the block, and the next one's way back to where it ended.
    in.between_blocks += stretch * (room - kept) + job.restart;
  }
}

}  // namespace

reliability::InterruptedJob interrupted_job(const Outcome& out, const Inputs& inputs,
                                            const reliability::InterruptedJob& plan) {
  reliability::InterruptedJob job = plan;
  job.work = out.trained.wall;
  job.launch = out.startup + out.staging;
  job.restart += job.launch;
  if (out.epochs > 1.0) job.restart += std::max(Duration{}, out.first.wall - out.later.wall);
  const double less = 1.0 / inputs.speed[Stage::interruption];
  job.sudden *= less;
  job.announced *= less;
  job.writing = {inputs.checkpoint_time / inputs.speed[Stage::checkpoint],
                 inputs.checkpoint_background, storage_busy(out, inputs)};
  job.interval = inputs.checkpoint_interval;
  if (inputs.best_interval) job.interval = reliability::best_interval(job);
  return job;
}

void add_interruptions(Outcome& out, const Inputs& inputs) {
  const bool writes = inputs.checkpoint_interval > Duration{} || inputs.best_interval;
  if (!writes && !inputs.interruptions && inputs.booked <= Duration{}) return;
  constexpr Duration longest = seconds(1e15);
  Interrupted& in = out.interrupted;
  in.job =
      interrupted_job(out, inputs, inputs.interruptions.value_or(reliability::InterruptedJob{}));
  in.mean = reliability::expected(in.job);
  in.checkpoints = in.job.checkpoints();
  if (!(in.mean.wall < longest)) {
    in.mean = {
        longest, {}, longest - in.job.launch - in.job.work, {}, {}, {}, in.mean.interruptions};
  }
  out.checkpoints = in.mean.writes;
  book_blocks(in, inputs.booked, in.mean.wall - in.mean.waits);
  const Duration lost = in.mean.rework + in.mean.restarts + in.mean.waits + in.between_blocks;
  out.total.stall[Stage::checkpoint] += out.checkpoints;
  out.total.stall[Stage::interruption] += lost;
  out.total.wall += out.checkpoints + lost;
}

}  // namespace feedrate::pipeline
