#include "pipeline/resolve.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pipeline/context.hpp"

namespace feedrate::pipeline {
namespace {

/// A job whose time on one instance is given: a thousand steps without a loader.
void resolve_given_duration(Context& context) {
  Inputs& inputs = context.out.inputs;
  const Duration alone =
      context.use(Stage::gpu, "/job/duration_on_one_instance",
                  Value<Duration>::given(*context.scenario.job.duration_on_one_instance));
  constexpr double steps = 1000.0;
  inputs.kind = LoaderKind::inline_;
  inputs.asynchronous_step = false;
  inputs.batch = 1.0;
  inputs.accumulation = 1.0;
  inputs.epochs = 1.0;
  inputs.samples = steps * inputs.instances * inputs.ranks;
  inputs.step.fixed = alone / (steps * inputs.instances);
}

void say_where_measured(Context& context) {
  const auto& rented = context.scenario.cluster.instance;
  if (context.host == nullptr || context.host->instance.empty() || !rented) return;
  if (without_prefix(context.host->instance) == without_prefix(*rented)) return;
  context.out.remarks.push_back(fmt::format(
      "the host profile \"{}\" was measured on {}, not on {}: what it says is taken all "
      "the same",
      context.host->name, context.host->instance, *rented));
}

void resolve_checkpoint(Context& context) {
  const auto& checkpoint = context.scenario.job.checkpoint;
  if (!checkpoint) return;
  Inputs& inputs = context.out.inputs;
  const auto& interval = checkpoint->interval;
  inputs.checkpoint_interval =
      context.need<Duration>(Stage::checkpoint, "/job/checkpoint/interval", interval, {}, {},
                             "the time between checkpoints");
  const Bytes size = context.need<Bytes>(Stage::checkpoint, "/job/checkpoint/size",
                                         checkpoint->size, {}, {}, "the bytes of one checkpoint");
  const Bandwidth rate =
      context.need<Bandwidth>(Stage::checkpoint, "/job/checkpoint/bandwidth", checkpoint->bandwidth,
                              {}, {}, "how fast it is written");
  inputs.checkpoint_time = size / rate;
}

}  // namespace

std::string text_of(double number) {
  return fmt::format("{:.6g}", number);
}

std::string rounded_text(const std::string& quantity) {
  const std::size_t space = quantity.find(' ');
  if (space == std::string::npos) return quantity;
  return text_of(std::stod(quantity.substr(0, space))) + quantity.substr(space);
}

void resolve_shape(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  if (s.cluster.instance) {
    const auto found = find_machine(context.catalog, *s.cluster.instance);
    if (found) {
      context.out.machine = *found;
    } else {
      context.problem("/cluster/instance", found.failure.message);
      context.machine_missing = true;
    }
  }
  say_where_measured(context);
  inputs.instances = s.cluster.instances;
  Known<double> gpus = context.published(&Machine::gpus);
  if (gpus && gpus->value <= 0.0) gpus.reset();
  if (context.machine() && !gpus && !s.cluster.gpus_per_instance) {
    context.problem(
        "/cluster/gpus_per_instance",
        fmt::format("{} has no GPU in the catalogue; expected an instance with GPUs, or "
                    "their number here",
                    *s.cluster.instance));
  }
  inputs.ranks =
      context.find_or<double>(Stage::gpu, "/cluster/gpus_per_instance", s.cluster.gpus_per_instance,
                              {}, gpus, 1.0, "no instance is named");
  inputs.startup = s.job.startup.value_or(Duration{});
}

Resolved resolve(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                 const Draw& draw) {
  Resolved out;
  Context context{scenario, catalog, host, draw, out, {}, false};
  Inputs& inputs = out.inputs;
  resolve_shape(context);
  if (scenario.job.duration_on_one_instance) {
    resolve_given_duration(context);
  } else {
    inputs.samples = scenario.dataset.samples.value_or(0.0);
    inputs.epochs = scenario.job.epochs.value_or(1.0);
    inputs.batch = scenario.loader.batch_size.value_or(1.0);
    inputs.accumulation = scenario.job.gradient_accumulation.value_or(1.0);
    inputs.drop_last = scenario.loader.drop_last.value_or(false);
    inputs.size_cv = scenario.dataset.size_cv.value_or(0.0);
    if (!scenario.dataset.samples)
      context.problem("/dataset/samples", "expected a number of samples, got nothing");
    if (!scenario.loader.batch_size) {
      context.problem("/loader/batch_size", "expected samples per GPU and step, got nothing");
    }
    resolve_cores(context);
    resolve_preprocess(context);
    resolve_source(context);
    resolve_copy(context);
    resolve_step(context);
    if (epoch_shape(inputs).steps < 1.0) {
      context.problem(
          "/loader/batch_size",
          fmt::format("with drop_last no batch of {} is left in {} samples over {} GPUs",
                      inputs.batch, inputs.samples, inputs.instances * inputs.ranks));
    }
  }
  resolve_communication(context);
  resolve_checkpoint(context);
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  return out;
}

}  // namespace feedrate::pipeline
