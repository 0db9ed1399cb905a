// A step that nobody measured: of a model whose training rates are published, or from how many
// parameters a transformer has. Both are guesses, and are drawn from their ranges.
#include <fmt/format.h>

#include <algorithm>

#include "base/did_you_mean.hpp"
#include "base/portable_math.hpp"
#include "catalog/gpu_speed.hpp"
#include "resolve/context.hpp"
#include "resolve/parallel.hpp"
#include "resolve/speed.hpp"

namespace feedrate::resolve {
namespace {

/// Tokens of a sample, as the scenario says; 0 where it does not, which is a problem.
double tokens_of(Context& context, const Step& given, std::string_view why) {
  if (!given.tokens_per_sample) {
    context.needed("/job/step/tokens_per_sample", fmt::format("tokens of a sample, since {}", why));
    return 0.0;
  }
  return context.use(Stage::gpu, "/job/step/tokens_per_sample",
                     Value<double>::given(*given.tokens_per_sample));
}

void of_published_rate(Context& context, const Step& given, const std::string& gpu) {
  const ModelName model = *given.model;
  const auto rate = training_rate(context.catalog, gpu, model, given.precision);
  if (!rate) {
    context.problem("/job/step/model", rate.failure.message);
    return;
  }
  double items = 1.0;
  if (model.row().of_tokens) {
    items = tokens_of(context, given, "the published rates count tokens");
    if (items <= 0.0) return;
  }
  // Where the rate is another GPU's, the two may compare otherwise.
  Assumption listed = context.relearned(assumed::published_rate);
  listed.prior = {};
  // Learned from ResNet-50: rates of what trains on no images are taken as they are, as unsurely.
  if (model.row().item != "images") {
    listed.low /= listed.value;
    listed.high /= listed.value;
    listed.value = 1.0;
  }
  listed.low *= rate->value / rate->high;
  listed.high *= rate->value / rate->low;
  context.out.inputs.step.per_sample = context.assume<DurationPerSample>(
      Stage::gpu, listed, DurationPerSample::of(listed.value * items / rate->value),
      context.texts
          ? fmt::format(
                "{} at {:.4g} {}/s: {}{}", model.name(), rate->value, model.row().item, rate->why,
                listed.value == 1.0 ? std::string()
                                    : fmt::format("; other software and batches take {:.3g} of "
                                                  "that time",
                                                  listed.value))
          : std::string());
}

/// Operations of attention for each of those of the parameters: of a token and a layer six times
/// the sequence and the width, half of them masked.
double attention(const Context& context, double parameters, double tokens) {
  const auto& layout = context.scenario.job.parallel;
  const std::optional<double> layers = layout ? layout->layers : std::nullopt;
  std::optional<double> width = layout ? layout->hidden_size : std::nullopt;
  if (layers && width) return tokens * *width * *layers / parameters;
  constexpr double of_layer = 12.0;  // times width²
  if (!width) {
    width = portable::pow(parameters / of_layer * assumed::hidden_over_layers.value, 1.0 / 3.0);
  }
  return tokens / (of_layer * *width);
}

/// Share of the peak that training a transformer reaches, of operations that leave attention out,
/// and a forward pass, which is a third of a step, that is computed again.
/// What is not a product of matrices moves bytes in proportion to the width, which grows as the
/// cube root of the parameters, where products take operations in proportion to its square
/// (bench/evidence/transformers).
double expected_utilization(const Context& context, double parameters, double tokens,
                            double recomputed, double operations_per_byte) {
  const double moved = context.relearned(learned::transformer_moved) *
                       (operations_per_byte / 295.0) *  // an H100's
                       portable::pow(1e9 / parameters, 1.0 / 3.0);
  const double weight = context.relearned(learned::transformer_attention);
  return 1.0 / ((context.relearned(learned::transformer_products) + moved) *
                (1.0 + weight * attention(context, parameters, tokens)) * (1.0 + recomputed / 3.0));
}

void of_parameters(Context& context, const Step& given, const std::string& gpu) {
  const auto peak = tensor_peak(context.catalog, gpu, given.precision.value_or(Precision::mixed));
  if (!peak) {
    context.problem("/job/step/model_parameters",
                    fmt::format("expected a GPU whose peak rate is in the catalogue, got {}", gpu));
    return;
  }
  const double tokens = tokens_of(context, given, "a step is computed from parameters and tokens");
  if (tokens <= 0.0) return;
  const double parameters = context.use(Stage::gpu, "/job/step/model_parameters",
                                        Value<double>::given(*given.parameters));
  const auto& exchanged = context.scenario.job.allreduce;
  const bool active = exchanged && exchanged->parameters && parameters < *exchanged->parameters;
  if (context.layout && context.layout->degrees.expert > 1.0 && !active && context.texts) {
    context.out.caveats.push_back(
        "/job/step/model_parameters: each token is taken to pass all experts. Give the active "
        "parameters, those of the experts that a token is sent to and of all else, and the whole "
        "model's as /job/allreduce/parameters.");
  }
  // Numbers of single precision are twice as many bytes.
  const double wide = given.precision == Precision::single ? 2.0 : 1.0;
  double recomputed = 0.0;
  if (given.recomputed && !given.utilization) {
    recomputed =
        context.use(Stage::gpu, "/job/step/recomputed", Value<double>::given(*given.recomputed));
  }
  const Assumption& listed = assumed::model_utilization;
  const double utilization = context.find_or<double>(
      Stage::gpu, given.utilization, {}, listed,
      listed.value * expected_utilization(context, parameters, tokens, recomputed,
                                          wide * peak->operations_per_byte));
  // Forward 2 operations a parameter and token, backward twice that (Kaplan et al. 2020).
  const double operations = 6.0 * parameters * tokens;
  context.out.inputs.step.per_sample =
      DurationPerSample::of(operations / (peak->operations * utilization));
}

}  // namespace

bool step_of_model(Context& context, const Step& given) {
  if (!given.model && !given.parameters) return false;
  const std::string gpu = gpu_here(context);
  const std::string_view key = given.model ? "/job/step/model" : "/job/step/model_parameters";
  if (gpu.empty()) {
    context.problem("/cluster/instance",
                    fmt::format("needed for {}: an instance whose GPU is in the catalogue", key));
  } else if (given.model) {
    of_published_rate(context, given, gpu);
  } else {
    of_parameters(context, given, gpu);
  }
  if (context.layout && context.out.inputs.step.per_sample) {
    *context.out.inputs.step.per_sample *= share_of_fullest_gpu(context);
  }
  return true;
}

}  // namespace feedrate::resolve
