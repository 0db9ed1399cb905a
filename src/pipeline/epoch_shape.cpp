#include <algorithm>
#include <cmath>

#include "collective/plan.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

EpochShape epoch_shape(const Inputs& inputs) {
  const double ranks = inputs.replicas();
  const double each =
      inputs.drop_last ? std::floor(inputs.samples / ranks) : std::ceil(inputs.samples / ranks);
  const double whole = std::floor(each / inputs.batch);
  const double rest = each - whole * inputs.batch;
  if (rest > 0.0 && !inputs.drop_last) return {whole + 1.0, rest};
  return {whole, inputs.batch};
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
  if (steps > 0.0) return steps * inputs.batch * inputs.ranks;
  const EpochShape shape = epoch_shape(inputs);
  return ((shape.steps - 1.0) * inputs.batch + shape.last_batch) * inputs.ranks;
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
