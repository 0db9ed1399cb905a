// The step of one GPU.
#include "resolve/context.hpp"

namespace feedrate::resolve {

void resolve_step(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const Step given = s.job.step.value_or(Step{});
  inputs.step_cv = given.cv.value_or(0.0);
  if (given.table) {
    inputs.step.table = given.table;
    context.use(Stage::gpu, "/job/step/table",
                Value<Duration>::given(step_time(inputs, inputs.batch)));
    return;
  }
  const auto fixed = context.find<Duration>(Stage::gpu, "/job/step/fixed", given.fixed,
                                            context.measured(&HostProfile::step_fixed), {});
  const auto per_sample =
      context.find<DurationPerSample>(Stage::gpu, "/job/step/per_sample", given.per_sample,
                                      context.measured(&HostProfile::step_per_sample), {});
  if (!fixed && !per_sample) {
    context.problem("/job/step",
                    "needed here and not known: the time of one GPU for a batch, as "
                    "{\"fixed\": …, \"per_sample\": …}, or a host profile with it");
  }
  inputs.step.fixed = fixed;
  inputs.step.per_sample = per_sample;
}

}  // namespace feedrate::resolve
