#include "study/model_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/portable_math.hpp"
#include "base/random.hpp"

namespace feedrate::study {
namespace {

/// Whether steps wait for what other GPUs have to say.
bool has_exchanges(const pipeline::Inputs& inputs) {
  return inputs.cluster_gpus() > 1.0 && (inputs.exchange || inputs.exposed_allreduce > Duration{});
}

/// By so much of what scaling out is off by, whole steps are, and not the exposed messages alone:
/// by half of it where GPUs of one instance wait for each other, three quarters on two, nearly all
/// on many. With nothing on one, the 90 % intervals of published jobs of one instance held 79 % of
/// the mean study's points; those of several, where 1 - 1/n stood in its place, 75 %.
double between_instances(const pipeline::Inputs& inputs) {
  const double instances =
      std::max(1.0, inputs.all_instances > 0.0 ? inputs.all_instances : inputs.instances_alike());
  return 1.0 - portable::exp(-std::numbers::ln2 * instances);
}

const ClassErrors& errors_of(const ClassErrors* given) {
  return given != nullptr ? *given : learned_class_errors();
}

/// A part of what a point of a study is off by: it is drawn under that name.
struct PointPart {
  std::string name;
  double weight = 1.0;  ///< their squares add up to 1
};

/// The settings of a job that make it another point of a study. What the model misses changes
/// slowly: between two powers of two of a number lies a mixture of both, so that 5 workers are off
/// by nearly as much as 4, and 32 by something else.
std::vector<PointPart> parts_of_point(const pipeline::Inputs& inputs, const Scenario& scenario) {
  Fingerprint print;
  print.add(scenario.cluster.instance.value_or(""));
  const auto power = [](double value) {
    return portable::log(std::max(1.0, value)) / portable::log(2.0);
  };
  for (const double value : {inputs.accumulation, inputs.prefetch, inputs.fetch_threads}) {
    print.add(std::to_string(std::lround(power(value))) + ' ');
  }
  const std::array kinds = {traits(inputs.kind).shared_batches,
                            inputs.pinned,
                            inputs.in_order,
                            inputs.staging.has_value(),
                            inputs.source.has_value(),
                            inputs.disk.has_value(),
                            inputs.remote.has_value(),
                            inputs.sequential_stream,
                            inputs.caches.decoded};
  for (const bool kind : kinds) print.add(kind ? "y" : "n");
  std::vector<PointPart> parts = {{print.text(), 1.0}};
  for (const double value : {inputs.instances, inputs.ranks, inputs.batch, 1.0 + inputs.workers}) {
    const double lower = std::floor(power(value));
    const double beyond = power(value) - lower;
    std::vector<PointPart> mixed;
    for (const PointPart& part : parts) {
      const auto add = [&](double at, double share) {
        if (share <= 0.0) return;
        mixed.push_back(
            {part.name + ' ' + std::to_string(std::lround(at)), part.weight * std::sqrt(share)});
      };
      add(lower, 1.0 - beyond);
      add(lower + 1.0, beyond);
    }
    parts = std::move(mixed);
  }
  return parts;
}

struct Parts {
  double between, within, degrees;
};

/// What several GPUs add to what one is off by.
Parts beyond(const ClassError& all, const ClassError& one) {
  const auto rest = [](double a, double b) { return std::sqrt(std::max(0.0, a * a - b * b)); };
  return {rest(all.between_ln, one.between_ln), rest(all.within_ln, one.within_ln),
          all.degrees_of_freedom};
}

class Errors {
 public:
  Errors(const resolve::Draw& draw, ModelError how, std::vector<PointPart> point)
      : draw_(draw), how_(how), point_(std::move(point)) {}

  /// ln of how much longer the stages of a class take. Who is far off in one part of it is in the
  /// other as well: both are normal, and one number that is drawn widens them together, so that
  /// their sum is Student's t as each of them is.
  [[nodiscard]] double of(ErrorClass error_class, const Parts& parts) const {
    // Of the widest in fifty no class has enough studies to tell one from another; without an end
    // they would make all of a variance.
    constexpr double widest = 0.02;
    const std::string_view key = draw_key(error_class);
    if (how_ == ModelError::whole) {
      // The C libraries' hypot differ in the last digit.
      const double scale = std::sqrt(parts.between * parts.between + parts.within * parts.within);
      const double drawn = std::clamp(draw_(key), 0.5 * widest, 1.0 - 0.5 * widest);
      return scale > 0.0 ? scale * student_quantile(drawn, parts.degrees) : 0.0;
    }
    double sum = parts.between > 0.0 ? parts.between * normal_quantile(draw_(key)) : 0.0;
    if (parts.within > 0.0) {
      for (const PointPart& part : point_) {
        const double deviate = normal_quantile(draw_(std::string(key).append(part.name)));
        sum += parts.within * part.weight * deviate;
      }
    }
    if (sum == 0.0) return sum;
    const double drawn = std::max(widest, draw_(std::string(key).append("/wider")));
    const double degrees = std::max(2.0, std::round(parts.degrees));
    return sum / std::sqrt(chi_square_quantile(drawn, degrees) / degrees);
  }

 private:
  const resolve::Draw& draw_;
  ModelError how_;
  std::vector<PointPart> point_;
};

bool measured(const HostProfile& host, ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::storage: return host.disk || host.download;
    case ErrorClass::cpu: return !host.operations.empty();
    case ErrorClass::copies: return host.pinned_bandwidth || host.pageable_bandwidth;
    case ErrorClass::gpu: return host.step_per_sample || host.step_fixed || host.step_table;
    case ErrorClass::scale_out: return host.allreduce_busbw || host.allreduce_busbw_between;
  }
  return false;
}

/// What a key of the scenario says something of; the first row that it begins with counts.
struct KeyClass {
  std::string_view begins;
  ErrorClass error_class;
};
constexpr std::array key_classes = {KeyClass{"/job/step", ErrorClass::gpu},
                                    KeyClass{"/job/allreduce", ErrorClass::scale_out},
                                    KeyClass{"/job/efficiency", ErrorClass::scale_out},
                                    KeyClass{"/job/scaling", ErrorClass::scale_out},
                                    KeyClass{"/preprocess", ErrorClass::cpu},
                                    KeyClass{"/loader", ErrorClass::cpu},
                                    KeyClass{"/source", ErrorClass::storage},
                                    KeyClass{"/disk", ErrorClass::storage},
                                    KeyClass{"/dataset", ErrorClass::storage},
                                    KeyClass{"/cluster/pinned_bandwidth", ErrorClass::copies},
                                    KeyClass{"/cluster/pageable_bandwidth", ErrorClass::copies},
                                    KeyClass{"/cluster/copy_latency", ErrorClass::copies}};

std::optional<ErrorClass> class_of_key(std::string_view key) {
  // An operation of the GPU stands beside those of CPUs.
  if (key.starts_with("/preprocess") && key.ends_with("/gpu")) return ErrorClass::gpu;
  const auto found = std::find_if(key_classes.begin(), key_classes.end(),
                                  [&](const KeyClass& row) { return key.starts_with(row.begins); });
  return found == key_classes.end() ? std::nullopt : std::optional(found->error_class);
}

/// The class of what bounds a job. A NIC that GPUs wait for to exchange gradients, rather than for
/// samples, is no storage.
std::optional<ErrorClass> class_of_bound(const Result& result, Stage stage) {
  const auto& stages = result.stages;
  const bool exchanges =
      stage == Stage::network && stages[Stage::allreduce].stall > stages[Stage::network].stall;
  return class_of(exchanges ? Stage::allreduce : stage);
}

/// Whether a sentence of what was fitted names a key of the class: "/job/step/fixed on 1 node".
bool names_key_of(std::string_view sentence, ErrorClass error_class) {
  constexpr std::string_view ends = " ,;:()";
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t end = std::min(sentence.find_first_of(ends, at), sentence.size());
    if (class_of_key(sentence.substr(at, end - at)) == error_class) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

StudyKnown known_of(const Scenario& scenario, const HostProfile* host, ErrorClass error_class) {
  if (scenario.about.study) return scenario.about.study->known;
  const auto& sentences = scenario.about.fitted;
  const bool fitted = std::any_of(sentences.begin(), sentences.end(),
                                  [&](const std::string& sentence) {
                                    return names_key_of(sentence, error_class);
                                  }) ||
                      (error_class == ErrorClass::scale_out && scenario.job.scaling_fit);
  if (fitted) return StudyKnown::fitted;
  return host != nullptr && measured(*host, error_class) ? StudyKnown::profile
                                                         : StudyKnown::nothing;
}

std::string_view draw_key(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::storage: return "model_error/storage";
    case ErrorClass::cpu: return "model_error/cpu";
    case ErrorClass::copies: return "model_error/copies";
    case ErrorClass::gpu: return "model_error/gpu";
    case ErrorClass::scale_out: break;
  }
  return "model_error/scale_out";
}

void draw_model_error(pipeline::Inputs& inputs, const Scenario& scenario, const HostProfile* host,
                      const resolve::Draw& draw, const Own& own) {
  if (!draw || own.model_error == ModelError::none) return;
  const ClassErrors& known = errors_of(own.class_errors);
  const bool alone = own.model_error == ModelError::whole;
  const Errors errors(draw, own.model_error,
                      alone ? std::vector<PointPart>() : parts_of_point(inputs, scenario));
  // Where a profile measured it, the profile's own errors and drift hold what was seen (94 % of
  // 1,160 figures of a real loader in their 90 % bands): no error is counted twice.
  static const ClassError nothing_more{"profile", 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0};
  const auto row = [&](ErrorClass of) -> const ClassError& {
    // How long the whole job takes on one instance is given: no stage of it is predicted.
    if (scenario.job.duration_on_one_instance && of != ErrorClass::scale_out) return nothing_more;
    const StudyKnown how = known_of(scenario, host, of);
    return how == StudyKnown::profile ? nothing_more : known.drawn(of, how);
  };
  std::array<double, all_error_classes.size()> longer{};
  const auto at = [&](ErrorClass of) -> double& { return longer[static_cast<std::size_t>(of)]; };
  for (const ErrorClass of : all_error_classes) {
    if (of == ErrorClass::scale_out) continue;
    const ClassError& error = row(of);
    at(of) = errors.of(of, {error.between_ln, error.within_ln, error.degrees_of_freedom});
  }
  at(ErrorClass::scale_out) = at(ErrorClass::gpu);
  if (has_exchanges(inputs)) {
    const auto more = [&](const ClassError& of) {
      return errors.of(ErrorClass::scale_out, beyond(of, row(ErrorClass::gpu)));
    };
    const ClassError& own_row = row(ErrorClass::scale_out);
    // Where nothing was measured, studies are of messages alone: what whole steps of jobs are off
    // by is told by those of jobs.
    const bool of_messages = known_of(scenario, host, ErrorClass::scale_out) == StudyKnown::nothing;
    const double of_steps =
        more(of_messages ? known.drawn(ErrorClass::scale_out, StudyKnown::fitted) : own_row);
    at(ErrorClass::scale_out) += more(own_row);
    at(ErrorClass::gpu) += between_instances(inputs) * of_steps;
  }
  for (const Stage stage : all_stages()) {
    if (const auto of = class_of(stage)) inputs.speed[stage] *= portable::exp(-at(*of));
  }
}

std::optional<ReferenceClass> reference_of(const Result& result, const Scenario& scenario,
                                           const HostProfile* host, const pipeline::Inputs& inputs,
                                           const ClassErrors* errors) {
  ReferenceClass of;
  for (const auto& [stage, gain] : result.bottleneck.gains) {
    of.bound_by = class_of_bound(result, stage);
    if (of.bound_by) break;
  }
  if (of.bound_by == ErrorClass::gpu && has_exchanges(inputs)) of.bound_by = ErrorClass::scale_out;
  const ErrorClass like = of.bound_by.value_or(ErrorClass::gpu);
  of.known = known_of(scenario, host, like);
  const ClassErrors& known = errors_of(errors);
  const ClassError* const found = known.reference(of.bound_by, of.known);
  if (found == nullptr) return std::nullopt;
  of.error = *found;
  of.drawn_factor =
      of.known == StudyKnown::profile ? 1.0 : ninety_percent_factor(known.drawn(like, of.known));
  return of;
}

double ninety_percent_factor(const ClassError& error) {
  return portable::exp(error.scale() * student_quantile(0.95, error.degrees_of_freedom));
}

}  // namespace feedrate::study
