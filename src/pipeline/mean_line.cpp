#include "pipeline/mean_line.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "pipeline/mean.hpp"

namespace feedrate::pipeline {
namespace {

/// Seconds by which a step of the loop and a batch of the loader's stream delay each other on the
/// GPU that they share equally; they reach it `step_from` and `ahead_from` after a common instant.
double shared_gpu(double step_from, double step, double ahead_from, double ahead) {
  const double alone = std::abs(step_from - ahead_from);
  if (step_from < ahead_from) {
    step -= alone;
  } else {
    ahead -= alone;
  }
  return std::max(0.0, std::min(step, ahead));
}

/// Of a batch, where the loader's stream shares the GPU with `steps` and the loader is ahead: it is
/// full, and its stream begins the next batch when the loop takes one, after what threads that
/// waited for it take to make it (`making`). What
/// comes between that and the step it has to itself; in what comes after the step there is nothing
/// left to do, unless its batch takes longer. The GPU does all of both in any case.
double beside_ahead(const Consumer& c, double steps, double handover, double making) {
  double taken = 0.0;  // from the batch's being taken to its step
  double rest = c.reduce;
  if (c.one_process) {
    taken = handover + c.copy;
  } else if (c.copy_waited) {
    rest += c.copy;  // the next batch is taken once this one has arrived
  } else if (!c.copy_beside) {
    taken = c.copy;
  }
  const double shared = shared_gpu(taken, steps, making, c.ahead);
  return std::max(steps + c.ahead, taken + steps + shared + rest);
}

}  // namespace

Consumer consumer_of(const Inputs& inputs, double full, double steps, double smaller) {
  const auto speed = [&](Stage stage) { return inputs.speed[stage]; };
  Consumer c;
  c.inline_load = !inputs.remote && (!traits(inputs.kind).workers || inputs.workers <= 0.0);
  c.one_process = !inputs.asynchronous_step;
  c.copy_beside = inputs.copies == Copies::beside && !c.one_process;
  c.copy_waited = inputs.copies == Copies::waited && !c.one_process;
  c.handover = handover_time(inputs).base();
  c.pinning = inputs.pinned && inputs.pin.base() > 0.0 && !c.inline_load && !inputs.cores.empty();
  if (c.pinning) c.pin = inputs.pin.base() * full / speed(Stage::h2d);
  c.copy = (inputs.copy_latency.base() + inputs.copy.base() * full) / speed(Stage::h2d);
  c.step = step_time(inputs, full).base() / speed(Stage::gpu);
  c.before = inputs.gpu_preprocess.base() * full / speed(Stage::gpu_preprocess);
  c.ahead = inputs.gpu_preprocess_ahead.base() * full / speed(Stage::gpu_preprocess);
  c.threads_wait = c.ahead > 0.0 && inputs.prefetch < 2.0;
  const double gpus = inputs.waited_for();
  const double group = std::min(inputs.accumulation, std::max(1.0, steps));
  c.straggling = c.step * (slowest_gpu(inputs, gpus, group).mean - 1.0);
  c.handover_cv = inputs.handover_cv;
  if (c.one_process) {
    const double cv = c.handover_cv / std::sqrt(group);
    c.handed_late = c.handover * (queueing::largest_of(gpus, cv).mean - 1.0);
  } else {
    c.buffer = c.copy_waited ? 1.0 : 2.0;
    c.handed_late =
        c.handover * queueing::barrier_loss(gpus, c.handover_cv * c.handover_cv, c.buffer);
  }
  const double batches = steps + smaller;
  c.reduction = exposed_communication(inputs).base();
  c.reductions = std::ceil(batches / inputs.accumulation);
  if (batches > 1.0) c.reduce = c.reduction * (c.reductions - 1.0) / (batches - 1.0);
  return c;
}

double made_with_ahead(const Consumer& c, double making, double crowding) {
  if (!c.threads_wait) return making;
  const double taken = c.handover * crowding + c.pin * crowding + c.copy;
  return making + c.ahead + shared_gpu(taken, c.step + c.before, making, c.ahead);
}

double late_of(const Consumer& c, double crowding) {
  return portable::hypot(c.straggling, c.one_process ? c.handed_late * crowding : 0.0);
}

Line line_of(const Consumer& c, double load, double straggling, double crowding) {
  Line line;
  line.straggling = straggling;
  const double handover = c.handover * crowding;
  const auto beside = [&](Stage stage, double seconds, double waiting = 0.0) {
    line.sum += seconds;
    if (seconds + waiting > line.other) {
      line.other = seconds + waiting;
      line.slowest = stage;
    }
  };
  const double late = c.handed_late * crowding;
  line.gpu = c.step + c.before + straggling + c.reduce;
  if (c.ahead > 0.0) {
    const double making = c.threads_wait ? load : 0.0;
    line.other = beside_ahead(c, c.step + c.before + straggling, handover, making);
    line.slowest = Stage::gpu_preprocess;
  }
  if (c.pinning) beside(Stage::h2d, c.pin * crowding);
  if (c.one_process) {
    line.gpu += (c.inline_load ? load : 0.0) + handover + c.copy;
    return line;
  }
  // A copy that is waited for keeps the main process as long as the GPU.
  beside(c.inline_load && load > handover ? Stage::decode : Stage::handover,
         handover + (c.inline_load ? load : 0.0), late + (c.copy_waited ? c.copy : 0.0));
  if (c.copy_beside) {
    beside(Stage::h2d, c.copy);
  } else {
    line.gpu += c.copy;
  }
  if (const double longer = std::max(line.gpu, line.other); longer > 0.0) {
    const double cv = c.handover_cv * handover / longer;
    line.variance = cv * cv;
    line.buffer = c.buffer;
  }
  return line;
}

}  // namespace feedrate::pipeline
