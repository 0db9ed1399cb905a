#include "resolve/speed.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/append_once.hpp"
#include "base/did_you_mean.hpp"
#include "base/portable_math.hpp"
#include "catalog/gpu_speed.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {
namespace {

/// What the second thread of a core adds to it under CoreMark, as everywhere here.
double threads_worth(double threads, double cores) {
  const double second = std::min(1.0, std::max(0.0, threads / cores - 1.0));
  return cores * (1.0 + assumed::hyper_threading_gain.value * second);
}

/// Records the assumption once, however many numbers it scales.
double assumed_once(Context& context, Stage stage, const std::string& key, Assumption assumption) {
  if (const auto known = context.speeds.find(key); known != context.speeds.end()) {
    return known->second;
  }
  assumption.key = key;
  const double drawn = context.assume<double>(stage, assumption);
  context.speeds.emplace(key, drawn);
  return drawn;
}

void add_once(Context& context, std::vector<std::string>& list, std::string text) {
  if (!context.texts) return;
  append_once(list, std::move(text));
}
void caveat(Context& context, std::string text) {
  add_once(context, context.out.caveats, std::move(text));
}

/// A step has several times, which all meet the same problem.
void problem_once(Context& context, std::string_view pointer, std::string message) {
  const bool said =
      std::any_of(context.problems.begin(), context.problems.end(), [&](const Problem& problem) {
        return problem.pointer == pointer && problem.message == message;
      });
  if (!said) context.problem(std::string(pointer), std::move(message));
}

/// Whether `where` (of MeasuredOn) is another machine than the one that is asked for.
bool elsewhere(Context& context, const std::optional<std::string>& where,
               const std::optional<std::string>& here, std::string_view what) {
  if (!where || !here || *where == any_machine) return false;
  if (*where == unknown_machine) {
    caveat(context,
           fmt::format("{} are taken as they are on {}: the scenario names no machine that "
                       "they were measured on (/measured_on).",
                       what, *here));
    return false;
  }
  return without_prefix(*where) != without_prefix(*here);
}

std::optional<std::string> rented(const Context& context) {
  return context.machine() != nullptr ? context.scenario.cluster.instance : std::nullopt;
}

/// Whether the profile is of another machine than the one that is asked for.
bool profiled_elsewhere(const Context& context) {
  if (!rented(context) || !profile_of_another(context)) return false;
  // Another number of threads of one processor is as fast a thread.
  const HostProfile& host = *context.host;
  return !host.instance.empty() || host.processor.empty() ||
         host.processor != context.machine()->cpu_model;
}

double between(Context& context, Stage stage, const std::optional<Processor>& from,
               std::string_view to) {
  const auto there = processor_of(context.catalog, to);
  if (!there || !from) return 1.0;
  return thread_speed(context, stage, *from, *there);
}

/// CPU times of `where` on `here`; a problem where no such instance exists.
double given_speed(Context& context, Stage stage, const std::optional<std::string>& where,
                   std::string_view here, std::string_view key, std::string_view what) {
  if (!elsewhere(context, where, std::string(here), what)) return 1.0;
  const auto from = processor_of(context.catalog, *where);
  if (!from) {
    problem_once(context, key, find_machine(context.catalog, *where).failure.message);
    return 1.0;
  }
  return between(context, stage, from, here);
}

}  // namespace

std::optional<Processor> processor_of(const Catalog& catalog, std::string_view instance) {
  const auto found = find_machine(catalog, instance);
  if (!found) return std::nullopt;
  const Machine& machine = **found;
  Processor processor{machine.cpu_model.empty() ? machine.name : machine.cpu_model, std::nullopt};
  if (machine.coremark && machine.vcpus) {
    const double threads = machine.vcpus->value;
    const double cores = machine.cores ? machine.cores->value : std::max(1.0, threads / 2.0);
    processor.thread = machine.coremark->value / threads_worth(threads, cores);
  }
  return processor;
}

std::optional<Processor> processor_of(const Catalog& catalog, const HostProfile& host) {
  if (!host.instance.empty()) {
    if (auto known = processor_of(catalog, host.instance)) return known;
  }
  if (!host.processor.empty()) return Processor{host.processor, std::nullopt};
  return Processor{host.name, std::nullopt};
}

double thread_speed(Context& context, Stage stage, const Processor& from, const Processor& to) {
  if (from.name == to.name) return 1.0;
  const std::string key = fmt::format("thread speed of {} relative to {}", to.name, from.name);
  const auto remark = [&](const std::string& how, const Assumption& range) {
    if (!context.texts) return;
    const std::string text =
        fmt::format("CPU times are of {} and {} {}: {:.2g} to {:.2g} times as fast", from.name, how,
                    to.name, range.low, range.high);
    add_once(context, context.out.remarks, text);
    context.out.remark_kinds.emplace(text, RemarkKind::measure);
  };
  if (!from.thread || !to.thread) {
    remark("taken as they are on", assumed::unknown_thread_speed);
    return assumed_once(context, stage, key, assumed::unknown_thread_speed);
  }
  Assumption ratio = assumed::thread_speed;
  const double value = *to.thread / *from.thread;
  ratio.value *= value;
  ratio.low *= value;
  ratio.high *= value;
  remark("scaled by CoreMark to", ratio);
  return assumed_once(context, stage, key, ratio);
}

double given_thread_speed(Context& context) {
  const auto here = rented(context);
  return here ? given_speed(context, Stage::decode, context.scenario.measured_on.cpu_times, *here,
                            "/measured_on/cpu_times", "CPU times")
              : 1.0;
}

double given_loader_speed(Context& context) {
  const auto here = rented(context);
  return here ? given_speed(context, Stage::decode, context.scenario.measured_on.loader_times,
                            *here, "/measured_on/loader_times", "The loader's CPU times")
              : 1.0;
}

double measured_thread_speed(Context& context) {
  if (!profiled_elsewhere(context)) return 1.0;
  return between(context, Stage::decode, processor_of(context.catalog, *context.host),
                 *rented(context));
}

double given_remote_speed(Context& context, std::string_view instance) {
  return given_speed(context, Stage::remote, context.scenario.measured_on.remote_times, instance,
                     "/measured_on/remote_times", "CPU times of remote workers");
}

double measured_remote_speed(Context& context, std::string_view instance) {
  if (context.host == nullptr) return 1.0;
  const HostProfile& host = *context.host;
  if (without_prefix(host.instance) == without_prefix(instance)) return 1.0;
  // A profile that names neither instance nor processor is not known to differ.
  if (host.instance.empty() && host.processor.empty()) return 1.0;
  return between(context, Stage::remote, processor_of(context.catalog, host), instance);
}

std::string gpu_here(const Context& context) {
  return context.machine() != nullptr ? context.machine()->gpu_model : "";
}

std::optional<double> gpu_speed(Context& context, const std::string& from, std::string* why_not) {
  const std::string to = gpu_here(context);
  const Step step = context.scenario.job.step.value_or(Step{});
  const auto found = relative_speed(context.catalog, from, to, {step.family, step.precision});
  if (!found) {
    if (why_not != nullptr) *why_not = found.failure.message;
    return std::nullopt;
  }
  if (found->why.empty()) return 1.0;
  const std::string key = fmt::format("speed of {} relative to {}", found->to, found->from);
  const bool narrowed = step.family && step.precision;
  const std::string range =
      narrowed ? "the spread of models of the family, and what others may add"
               : "the spread of models and precisions; job.step.family, job.step.precision narrow "
                 "it, job.step.by_gpu replaces it";
  const double speed = assumed_once(
      context, Stage::gpu, key, {"", found->value, found->low, found->high, found->why, range, ""});
  caveat(context,
         fmt::format("GPU times are of {} and scaled to {}: {:.2g} times as fast, "
                     "{:.2g} to {:.2g} ({}).",
                     found->from, found->to, found->value, found->low, found->high, found->why));
  return speed;
}

double given_gpu_speed(Context& context) {
  const auto& where = context.scenario.measured_on.gpu_times;
  if (!elsewhere(context, where, rented(context), "GPU times")) return 1.0;
  const std::string from = gpu_of(context.catalog, *where);
  const std::string to = gpu_here(context);
  if (from.empty()) {
    problem_once(context, "/measured_on/gpu_times",
                 fmt::format("the GPU times are of \"{}\", which is neither an instance with a GPU "
                             "nor a GPU of the catalogue{}; name where they were measured",
                             *where, did_you_mean(*where, known_gpus(context.catalog))));
    return 1.0;
  }
  if (to.empty() || means_gpu(from, to)) return 1.0;
  std::string why_not;
  const auto speed = gpu_speed(context, from, &why_not);
  if (speed) return *speed;
  if (context.scenario.job.duration_on_one_instance) {
    problem_once(context, "/job/duration_on_one_instance",
                 fmt::format("it was measured on {} and is needed on {}: {}; give the job's "
                             "duration there",
                             from, to, why_not));
  } else {
    problem_once(context, "/job/step",
                 fmt::format("the step was measured on {} and is needed on {}: {}; "
                             "give its time there, /job/step/by_gpu {{\"{}\": …}}",
                             from, to, why_not, to));
  }
  return 1.0;
}

double given_job_speed(Context& context) {
  const auto& where = context.scenario.measured_on.gpu_times;
  if (!elsewhere(context, where, rented(context), "GPU times")) return 1.0;
  const double each = given_gpu_speed(context);
  const auto there = find_machine(context.catalog, *where);
  const Known<double> before = there ? (*there)->gpus : std::nullopt;
  const double now = context.out.inputs.ranks;
  if (!before || before->value <= 0.0) {
    problem_once(context, "/measured_on/gpu_times",
                 fmt::format("expected the instance that the duration was measured on, got "
                             "\"{}\"",
                             *where));
    return each;
  }
  if (before->value == now) return each;
  const double exponent = assumed_once(context, Stage::gpu, std::string(assumed::gpus_together.key),
                                       assumed::gpus_together);
  caveat(context, fmt::format("The job's duration is of {} with {:g} GPU{} and scaled to {:g}.",
                              *where, before->value, before->value == 1.0 ? "" : "s", now));
  return each * portable::pow(now / before->value, exponent);
}

double measured_gpu_speed(Context& context) {
  if (!profiled_elsewhere(context)) return 1.0;
  const std::string from = gpu_of(context.catalog, context.host->instance);
  const std::string to = gpu_here(context);
  if (from.empty() || to.empty() || means_gpu(from, to)) return 1.0;
  std::string why_not;
  const auto speed = gpu_speed(context, from, &why_not);
  if (speed) return *speed;
  context.problem(
      "/job/step",
      fmt::format("the host profile's GPU is {} and {} is asked for: {}; give the step, "
                  "/job/step/by_gpu {{\"{}\": …}}",
                  from, to, why_not, to));
  return 1.0;
}

}  // namespace feedrate::resolve
