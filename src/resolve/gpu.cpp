// The step of one GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/did_you_mean.hpp"
#include "base/portable_math.hpp"
#include "catalog/gpu_speed.hpp"
#include "pipeline/mean.hpp"
#include "resolve/context.hpp"
#include "resolve/speed.hpp"

namespace feedrate::resolve {
namespace {

using Table = std::vector<std::pair<double, Duration>>;

constexpr std::string_view recorded_key = "/job/step/times";

/// A step that some GPU makes.
struct Stated {
  std::string key;  ///< JSON pointer
  std::optional<Duration> fixed;
  std::optional<DurationPerSample> per_sample;
  std::optional<Table> table;
  double relative_error = 0.0;  ///< that of a mean of measured times
};

/// The entry of by_gpu that means `gpu`; of several the one that says most about it.
const std::pair<const std::string, GpuStep>* own_step(const std::map<std::string, GpuStep>& steps,
                                                      const std::string& gpu) {
  const std::pair<const std::string, GpuStep>* best = nullptr;
  for (const auto& entry : steps) {
    if (!means_gpu(entry.first, gpu)) continue;
    if (best == nullptr || entry.first.size() > best->first.size()) best = &entry;
  }
  return best;
}

Stated stated(const std::pair<const std::string, GpuStep>& entry) {
  return {"/job/step/by_gpu/" + entry.first, entry.second.fixed, entry.second.per_sample,
          entry.second.table};
}

/// Measured steps alone say how long one takes, too: their mean, whose standard error is their
/// deviation over √n, as if each step were by itself.
Stated mean_of_times(const Table& counted) {
  double count = 0.0;
  Duration sum;
  for (const auto& [n, time] : counted) {
    count += n;
    sum += n * time;
  }
  const Duration mean = sum / count;
  double squares = 0.0;
  for (const auto& [n, time] : counted) squares += n * portable::pow(time / mean - 1.0, 2.0);
  const double error = count > 1.0 ? std::sqrt(squares / (count - 1.0) / count) : 0.0;
  return {std::string(recorded_key), mean, {}, {}, error};
}

/// Beyond a table's ends nothing was measured.
void say_beyond(Context& context, const Table& table) {
  const double batch = context.out.inputs.batch;
  if (!context.texts || (batch >= table.front().first && batch <= table.back().first)) return;
  context.out.caveats.push_back(
      fmt::format("The step of a batch of {:g} lies outside its table ({:g} to {:g}) and is "
                  "extrapolated.",
                  batch, table.front().first, table.back().first));
}

/// Fills the inputs with a step that is `speed` times as fast as stated.
void fill(Context& context, const Stated& step, double speed) {
  Inputs& inputs = context.out.inputs;
  if (step.table) {
    inputs.step.table = step.table;
    context.use(Stage::gpu, step.key + "/table",
                Value<Duration>::given(step_time(inputs, inputs.batch)));
    for (auto& [batch, time] : *inputs.step.table) time /= speed;
    say_beyond(context, *step.table);
    return;
  }
  if (step.fixed) {
    const bool by_times = step.key == recorded_key;
    Value<Duration> fixed = Value<Duration>::given(*step.fixed);
    fixed.from.relative_error = step.relative_error;
    inputs.step.fixed =
        context.use(Stage::gpu, by_times ? step.key : step.key + "/fixed", fixed) / speed;
  }
  if (step.per_sample) {
    inputs.step.per_sample = context.use(Stage::gpu, step.key + "/per_sample",
                                         Value<DurationPerSample>::given(*step.per_sample)) /
                             speed;
  }
}

/// Where no entry is of the GPU itself, the one of a GPU that compares with it most narrowly.
bool from_other_gpus(Context& context, const std::map<std::string, GpuStep>& steps) {
  const std::string here = gpu_here(context);
  const Step& step = *context.scenario.job.step;
  const std::pair<const std::string, GpuStep>* best = nullptr;
  double narrowest = 0.0;
  std::string why_not;
  for (const auto& entry : steps) {
    const auto speed =
        relative_speed(context.catalog, entry.first, here, {step.family, step.precision});
    if (!speed) {
      why_not = speed.failure.message;
      continue;
    }
    const double width = speed->high / speed->low;
    if (best == nullptr || width < narrowest) {
      best = &entry;
      narrowest = width;
    }
  }
  if (best == nullptr) {
    context.problem("/job/step/by_gpu", "expected the step on " + here + ", or on a GPU that " +
                                            "compares with it: " + why_not);
    return true;
  }
  fill(context, stated(*best), gpu_speed(context, best->first, nullptr).value_or(1.0));
  return true;
}

/// The host profile's, where a line would miss what was measured: exact at the batches of the
/// table.
void fill_measured(Context& context, const StepTable& measured) {
  Inputs& inputs = context.out.inputs;
  inputs.step.table = measured.points;
  const Duration here = step_time(inputs, inputs.batch);
  const Duration used = context.use(
      Stage::gpu, "/job/step/table",
      Value<Duration>{here, {Origin::measured, context.host->name, measured.relative_error}});
  const double scale = used / here / measured_gpu_speed(context);
  for (auto& [batch, time] : *inputs.step.table) time *= scale;
  say_beyond(context, measured.points);
}

bool has_recorded_steps(const HostProfile* host) {
  if (host == nullptr || !host->step_times) return false;
  const auto& times = host->step_times->times;
  return std::any_of(times.begin(), times.end(),
                     [](const auto& one) { return one.second > Duration{}; });
}

/// How the host's steps varied, where neither the step nor its variation is given. Their mean
/// stands for the step where the profile says nothing else of it, at the batch that they were of.
void vary_as_recorded(Context& context) {
  const HostProfile& host = *context.host;
  const RecordedSteps& recorded = *host.step_times;
  Inputs& inputs = context.out.inputs;
  double count = 0.0;
  for (const auto& [n, time] : recorded.times) count += n;
  inputs.step_times = pipeline::step_times_of(recorded.times, inputs.accumulation);
  inputs.step_cv = inputs.step_times ? inputs.step_times->step.cv() : 0.0;
  if (measured_step(&host)) {
    const std::string text = fmt::format("{:g} steps of a batch of {:g}", count, recorded.batch);
    context.use(Stage::gpu, recorded_key,
                Value<std::string>{text, {Origin::measured, host.name, 0.0}});
  } else if (recorded.batch == inputs.batch) {
    const Stated mean = mean_of_times(recorded.times);
    inputs.step.fixed =
        context.use(
            Stage::gpu, recorded_key,
            Value<Duration>{*mean.fixed, {Origin::measured, host.name, mean.relative_error}}) /
        measured_gpu_speed(context);
  }
}

/// What starting a step costs the main process, which does it while the GPU is at the one before: a
/// short step waits for it, the more so where workers keep the cores busy. A loop that waits for
/// each step has in the step already as much of it as the step is long, at any speed of the GPU.
void add_launch(Context& context, const Step& given, bool step_is_given) {
  Inputs& inputs = context.out.inputs;
  const auto measured = step_is_given ? std::nullopt : context.measured(&HostProfile::step_launch);
  const auto launch =
      context.find<Duration>(Stage::handover, "/job/step/launch", given.launch, measured, {});
  if (!launch) return;
  const Duration takes =
      *launch / (given.launch ? given_loader_speed(context) : measured_thread_speed(context));
  (inputs.asynchronous_step ? inputs.handover : inputs.launch) += takes;
  if (inputs.asynchronous_step) inputs.started = takes;
}

/// A slip in a GPU's name leaves its step unused.
void remark_on_names(Context& context, const std::map<std::string, GpuStep>& steps) {
  if (!context.texts || context.catalog.gpus.empty()) return;
  const std::string here = gpu_here(context);
  for (const auto& [name, step] : steps) {
    if (find_gpu(context.catalog, name) != nullptr || means_gpu(name, here)) continue;
    context.remark(RemarkKind::check, "/job/step/by_gpu names \"" + name +
                                          "\", which is no GPU of the catalogue" +
                                          did_you_mean(name, known_gpus(context.catalog)));
  }
}

bool from_table_of_gpus(Context& context, const Step& given) {
  if (!given.by_gpu || given.by_gpu->empty()) return false;
  const std::string here = gpu_here(context);
  remark_on_names(context, *given.by_gpu);
  if (const auto* own = here.empty() ? nullptr : own_step(*given.by_gpu, here)) {
    fill(context, stated(*own), 1.0);
    return true;
  }
  if (given.fixed || given.per_sample || given.table) return false;
  if (!here.empty()) return from_other_gpus(context, *given.by_gpu);
  if (given.by_gpu->size() > 1) {
    context.problem("/job/step/by_gpu",
                    "expected one GPU where no instance is named, got several; set "
                    "/cluster/instance");
  }
  fill(context, stated(*given.by_gpu->begin()), 1.0);
  return true;
}

/// A step that was measured at one batch and given in one form says little of another: some of its
/// time does not grow with the batch.
void at_another_batch(Context& context) {
  const auto& measured = context.scenario.measured_on.batch_size;
  Inputs& inputs = context.out.inputs;
  Step& step = inputs.step;
  if (!measured || *measured == inputs.batch ||
      step.fixed.has_value() == step.per_sample.has_value()) {
    return;
  }
  const bool by_sample = step.per_sample.has_value();
  const Assumption& share = assumed::fixed_share;
  inputs.step_is_guess = true;
  const Duration whole = by_sample ? *step.per_sample * samples(*measured) : *step.fixed;
  const auto at = [&](double fixed) {
    return whole * (fixed + (1.0 - fixed) * (inputs.batch / *measured));
  };
  const double fixed = context.assume<double>(Stage::gpu, share);
  step.fixed = whole * fixed;
  step.per_sample = whole * (1.0 - fixed) / samples(*measured);
  if (!context.texts) return;
  const Duration a = at(share.low);
  const Duration b = at(share.high);
  context.out.caveats.push_back(fmt::format(
      "The step was given {} only, for a batch of {:g}; for one of {:g} it is a guess ({} to {}): "
      "give both /job/step/fixed and per_sample, or a table.",
      by_sample ? "per sample" : "as fixed", *measured, inputs.batch, short_text_of(std::min(a, b)),
      short_text_of(std::max(a, b))));
}

}  // namespace

/// Whether GPUs exchange gradients in a way that is computed: what is measured or assumed of the
/// whole has in it what they lose to each other.
static bool computes_exchange(const Context& context) {
  const Job& job = context.scenario.job;
  const bool exchanges = (job.allreduce && job.allreduce->gradient_bytes != Bytes{}) ||
                         job.parallelism.has_value() || context.layout.has_value();
  return exchanges && !job.efficiency && !job.scaling;
}

/// Of steps that each waited for the slowest of so many GPUs, those of one GPU: of n that are
/// independent all are at most v with the nth power of one's chance.
static std::vector<std::pair<double, Duration>> of_one_gpu(
    std::vector<std::pair<double, Duration>> recorded, double gpus) {
  std::sort(recorded.begin(), recorded.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  double all = 0.0;
  for (const auto& [n, time] : recorded) all += n;
  double seen = 0.0;
  double before = 0.0;
  for (auto& [n, time] : recorded) {
    seen += n;
    const double up_to = portable::pow(std::min(1.0, seen / all), 1.0 / gpus);
    n = up_to - std::exchange(before, up_to);
  }
  return recorded;
}

/// GPUs that waited for each other in every step that was recorded.
static double recorded_gpus(const Context& context, const Step& given) {
  return computes_exchange(context) && !context.layout ? given.gpus.value_or(1.0) : 1.0;
}

/// How a GPU's steps vary where nobody says and GPUs of several instances wait for each other.
static bool vary_as_assumed(Context& context) {
  Inputs& inputs = context.out.inputs;
  const auto& given = context.scenario.job.step;
  const bool said = given && (given->cv || given->times);
  if (said || inputs.step_times || inputs.cluster_instances() <= 1.0) return false;
  inputs.step_cv = context.assume<double>(Stage::gpu, assumed::step_cv);
  return true;
}

/// What the GPUs of an instance wait for each other where steps vary as they usually do, or by less
/// where somebody says so: a number says the same whether it is stated or assumed. Times of single
/// steps are measured, and say more.
static double usual_waiting(const Inputs& inputs, double gpus, bool varies_as_assumed) {
  const auto mean = [&](const Inputs& of) {
    return pipeline::slowest_gpu(of, gpus, of.accumulation).mean;
  };
  if (inputs.step_times) return 1.0;
  if (varies_as_assumed || inputs.step_cv <= assumed::step_cv.value) return mean(inputs);
  Inputs usual = inputs;
  usual.step_cv = assumed::step_cv.value;
  return mean(usual);
}

/// Whether something else than its recorded times says how long a step takes.
static bool gives_mean(const Step& given) {
  return given.fixed || given.per_sample || given.table || (given.by_gpu && !given.by_gpu->empty());
}

/// From the step as it was measured, on one GPU of an instance or on several, to that of one GPU
/// among all: what the GPUs of an instance wait for each other is a part of what they lose beside
/// each other, and of the steps that are accumulated only one exchanges gradients. What a GPU's
/// peak is used by was learned on whole instances, and of a model that is spread over GPUs no study
/// says what its steps lose: both have the usual waiting of an instance's GPUs in them.
static void set_beside_others(Context& context, bool varies_as_assumed) {
  Inputs& inputs = context.out.inputs;
  const Step given = context.scenario.job.step.value_or(Step{});
  const bool of_peak =
      given.parameters && !given.model && !gives_step(given) && !measured_step(context.host);
  const bool of_instance = of_peak || context.layout;
  const double gpus = inputs.cluster_ranks();
  const double measured = of_instance ? gpus : given.gpus.value_or(1.0);
  const double loss =
      of_instance || gpus == measured
          ? 0.0
          : context.assume<double>(Stage::gpu, assumed::beside_others) / inputs.accumulation;
  const auto waited = [&](double several) {
    return pipeline::slowest_gpu(inputs, several, inputs.accumulation).mean;
  };
  const auto beside_waiting = [&](double several) {
    return std::max(1.0, (1.0 + loss * (1.0 - 1.0 / several)) / waited(several));
  };
  // A recorded step that waited has its own slowest in it, however few of them exchange gradients.
  const bool recorded = given.times && !gives_mean(given);
  const double in_it = of_instance ? usual_waiting(inputs, gpus, varies_as_assumed)
                       : recorded  ? pipeline::slowest_gpu(inputs, measured, 1.0).mean
                                   : waited(measured);
  const double factor = beside_waiting(gpus) / beside_waiting(measured) / in_it;
  Step& step = inputs.step;
  if (step.fixed) *step.fixed *= factor;
  if (step.per_sample) *step.per_sample *= factor;
  if (step.table) {
    for (auto& [batch, time] : *step.table) time *= factor;
  }
}

bool gives_step(const Step& given) {
  return gives_mean(given) || given.times;
}

bool measured_step(const HostProfile* host) {
  return host != nullptr && (host->step_fixed || host->step_per_sample || host->step_table);
}

/// As the scenario has it, without the guesses that a measurement stands for.
static Step stated_step(const Context& context) {
  Step given = context.scenario.job.step.value_or(Step{});
  if (measured_step(context.host)) {
    if (context.scenario.guess("/job/step/fixed") != nullptr) given.fixed.reset();
    if (context.scenario.guess("/job/step/per_sample") != nullptr) given.per_sample.reset();
  }
  return given;
}

static void resolve_step_time(Context& context, const Step& given) {
  Inputs& inputs = context.out.inputs;
  const bool measured = measured_step(context.host);
  inputs.step_cv = given.cv.value_or(0.0);
  const bool step_is_given = gives_step(given);
  if (given.times) {
    const double gpus = recorded_gpus(context, given);
    inputs.step_times = pipeline::step_times_of(
        gpus > 1.0 ? of_one_gpu(*given.times, gpus) : *given.times, inputs.accumulation);
    inputs.step_cv = inputs.step_times ? inputs.step_times->step.cv() : 0.0;
  }
  const bool recorded = !step_is_given && !given.cv && has_recorded_steps(context.host);
  if (recorded) vary_as_recorded(context);
  if (recorded && inputs.step.fixed) return;
  if (from_table_of_gpus(context, given)) return;
  if (given.table) {
    fill(context, {"/job/step", {}, {}, given.table}, given_gpu_speed(context));
    return;
  }
  if (given.times && !given.fixed && !given.per_sample) {
    fill(context, mean_of_times(*given.times), given_gpu_speed(context));
    return at_another_batch(context);
  }
  if (!step_is_given && context.host != nullptr && context.host->step_table) {
    return fill_measured(context, *context.host->step_table);
  }
  if (!step_is_given && !measured && step_of_model(context, given)) return;
  // A step that the scenario gives is a whole one: a profile's part of another step is not added.
  const auto fixed = context.find<Duration>(
      Stage::gpu, "/job/step/fixed", given.fixed,
      step_is_given ? std::nullopt : context.measured(&HostProfile::step_fixed), {});
  const auto per_sample = context.find<DurationPerSample>(
      Stage::gpu, "/job/step/per_sample", given.per_sample,
      step_is_given ? std::nullopt : context.measured(&HostProfile::step_per_sample), {});
  if (!fixed && !per_sample) {
    context.problem(
        "/job/step",
        "needed here and not known: the time of one GPU for a batch, as "
        "{\"fixed\": …, \"per_sample\": …}, or a host profile with it; a guess to start "
        "from: {\"model\": \"resnet50\"}, or {\"model_parameters\": …, "
        "\"tokens_per_sample\": …}");
    return;
  }
  const auto speed = [&](bool is_given) {
    return is_given ? given_gpu_speed(context) : measured_gpu_speed(context);
  };
  if (fixed) inputs.step.fixed = *fixed / speed(given.fixed.has_value());
  if (per_sample) inputs.step.per_sample = *per_sample / speed(given.per_sample.has_value());
  at_another_batch(context);
}

void resolve_step(Context& context) {
  const Step stated = stated_step(context);
  resolve_step_time(context, stated);
  add_launch(context, stated, gives_step(stated));
  if (!computes_exchange(context)) return;
  set_beside_others(context, vary_as_assumed(context));
}

}  // namespace feedrate::resolve
