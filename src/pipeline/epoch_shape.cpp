#include <algorithm>
#include <cmath>

#include "collective/plan.hpp"
#include "pipeline/division.hpp"

namespace feedrate::pipeline {

void EpochShape::add(const BatchRun& run) {
  if (run.batches <= 0.0) return;
  steps += run.batches;
  last_batch = run.samples;
  if (count_ > 0) {
    BatchRun& before = runs_[count_ - 1];
    if (before.samples == run.samples && before.by_few == run.by_few) {
      before.batches += run.batches;
      return;
    }
  }
  runs_[count_++] = run;
}

double EpochShape::samples() const {
  double sum = 0.0;
  for (const BatchRun& run : *this) sum += run.batches * run.samples;
  return sum;
}

double EpochShape::largest() const {
  double most = last_batch;
  for (const BatchRun& run : *this) most = std::max(most, run.samples);
  return most;
}

EpochShape EpochShape::first(double wanted) const {
  EpochShape shape;
  for (const BatchRun& run : *this) {
    shape.add({std::min(run.batches, wanted - shape.steps), run.samples, run.by_few});
  }
  return shape;
}

EpochShape epoch_shape(const Inputs& inputs) {
  const double batch = inputs.batch;
  const Division division = division_of(inputs);
  const Cut& each = division.each;
  const Cut& most = division.most;
  EpochShape shape;
  shape.last_batch = batch;
  if (each.batches <= 0.0) return shape;
  const double few = division.few;
  const double of_all = division.own ? division.workers : 1.0;
  // Round after round of those that have not ended; who owns more is the first in each.
  shape.add({of_all * (each.batches - 1.0), batch});
  shape.add({few, most.batches > each.batches ? batch : most.last});
  shape.add({of_all - few, each.last});
  shape.add({few * (most.batches - each.batches - 1.0), batch, true});
  if (most.batches > each.batches) shape.add({few, most.last, true});
  return shape;
}

void set_steps(Inputs& inputs, double steps) {
  const double each = epoch_shape(inputs).steps;
  inputs.epochs = std::floor(steps / each);
  inputs.unfinished_steps = steps - inputs.epochs * each;
}

double epochs_begun(const Inputs& inputs) {
  return inputs.epochs + (inputs.unfinished_steps > 0.0 ? 1.0 : 0.0);
}

double samples_of_instance(const Inputs& inputs, double steps) {
  const EpochShape shape = epoch_shape(inputs);
  return (steps > 0.0 ? shape.first(steps) : shape).samples() * inputs.ranks;
}

double trained_samples(const Inputs& inputs) {
  const auto of_epoch = [&](double steps) {
    return std::min(inputs.samples, samples_of_instance(inputs, steps) * inputs.instances_alike() /
                                        inputs.times_loaded);
  };
  const double whole = inputs.epochs > 0.0 ? inputs.epochs * of_epoch(0.0) : 0.0;
  return whole + (inputs.unfinished_steps > 0.0 ? of_epoch(inputs.unfinished_steps) : 0.0);
}

double exchanges(const Inputs& inputs) {
  const auto in = [&](double steps) { return std::ceil(steps / inputs.accumulation); };
  return inputs.epochs * in(epoch_shape(inputs).steps) + in(inputs.unfinished_steps);
}

Duration fixed_interval(const Inputs& inputs, Duration training) {
  if (inputs.checkpoint_steps > 0.0) {
    return inputs.checkpoint_steps / exchanges(inputs) * training;
  }
  if (inputs.checkpoint_epochs > 0.0) {
    const double all = inputs.epochs + inputs.unfinished_steps / epoch_shape(inputs).steps;
    return inputs.checkpoint_epochs / all * training;
  }
  return inputs.checkpoint_interval;
}

Duration step_time(const Inputs& inputs, double batch) {
  Duration time;
  if (inputs.step.table) {
    const auto& table = *inputs.step.table;
    Curve<double> curve;
    for (const auto& [size, duration] : table) curve.points.push_back({size, duration.base()});
    double found = curve.total(batch);
    if (batch > table.back().first && table.size() > 1) {
      const auto& a = table[table.size() - 2];
      const auto& b = table.back();
      found += (b.second - a.second).base() / (b.first - a.first) * (batch - b.first);
    }
    return time + seconds(found);
  }
  if (inputs.step.fixed) time += *inputs.step.fixed;
  if (inputs.step.per_sample) time += *inputs.step.per_sample * samples(batch);
  return time;
}

Duration handover_time(const Inputs& inputs) {
  const double main = inputs.speed[Stage::handover];
  const Duration own = inputs.handover / main;
  if (inputs.launch <= Duration{}) return own;
  const Duration step = step_time(inputs, inputs.batch) / inputs.speed[Stage::gpu];
  return own + std::max(Duration{}, inputs.launch / main - step);
}

static collective::Exchange exchanged(const Inputs& inputs) {
  const Duration step = step_time(inputs, inputs.batch) / inputs.speed[Stage::gpu];
  return collective::exchange(*inputs.exchange, step, inputs.speed[Stage::allreduce]);
}

Duration exposed_communication(const Inputs& inputs) {
  const double gpu = inputs.speed[Stage::gpu];
  const double messages = inputs.speed[Stage::allreduce];
  if (!inputs.exchange || (gpu == 1.0 && messages == 1.0)) {
    return inputs.exposed_allreduce / messages;
  }
  return exchanged(inputs).exposed;
}

Duration all_communication(const Inputs& inputs) {
  if (!inputs.exchange) return exposed_communication(inputs);
  const Duration sums = exchanged(inputs).total;
  const auto& spread = inputs.exchange->spread;
  return spread ? sums + spread->messages / inputs.speed[Stage::allreduce] : sums;
}

}  // namespace feedrate::pipeline
