// What is done to each sample, and where.
#include <fmt/format.h>

#include "resolve/context.hpp"
#include "resolve/speed.hpp"

namespace feedrate::resolve {
namespace {

using Operations = std::map<std::string, Value<DurationPerSample>>;

std::optional<Value<DurationPerSample>> measured_operation(const HostProfile* host,
                                                           Operations HostProfile::*where,
                                                           const std::string& name) {
  if (host == nullptr) return std::nullopt;
  const auto found = (host->*where).find(name);
  if (found == (host->*where).end()) return std::nullopt;
  return found->second;
}

/// Of an operation that was measured on samples of other bytes: its time is a part that every
/// sample takes and one that grows with its bytes.
DurationPerSample for_bytes(Context& context, const std::string& operation,
                            DurationPerSample measured) {
  const auto known = context.host->operation_bytes.find(operation);
  const double bytes = bytes_in_chain(context.scenario).stored.base();
  if (known == context.host->operation_bytes.end() || bytes <= 0.0) return measured;
  const double ratio = bytes / known->second;
  constexpr double alike = 1.25;
  if (ratio < alike && ratio > 1.0 / alike) return measured;
  constexpr double studied = 32.0;  // times as many or as few bytes were compared
  if (ratio > studied || ratio < 1.0 / studied) {
    context.problem(
        "/preprocess",
        fmt::format("\"{}\" was measured on samples of {}; yours of {} are too different to scale "
                    "its time: calibrate with your own data, or give its /cpu",
                    operation, text_of(DataPerSample::of(known->second)),
                    text_of(DataPerSample::of(bytes))));
    return measured;
  }
  const auto share = context.host->operation_fixed_share.find(operation);
  const bool measured_share = share != context.host->operation_fixed_share.end();
  const double drawn =
      measured_share
          ? context.use(Stage::decode, assumed::fixed_share_of_operation.key, share->second)
          : context.assume<double>(Stage::decode, assumed::fixed_share_of_operation);
  const double fixed = std::clamp(drawn, 0.0, 1.0);
  const double factor = fixed + (1.0 - fixed) * ratio;
  if (context.texts) {
    context.out.caveats.push_back(fmt::format(
        "\"{}\" was measured on samples of {}: for {} its time is taken as {:.3g} times that{}.",
        operation, text_of(DataPerSample::of(known->second)), text_of(DataPerSample::of(bytes)),
        factor,
        measured_share ? ", as data of several sizes showed" : "; calibrate with your own data"));
  }
  return measured * factor;
}

/// The operation whose output stays in memory, with all that comes before it.
std::size_t last_cached(Context& context) {
  const auto& list = context.scenario.preprocess;
  std::size_t kept = list.size();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].cached.value_or(false)) kept = i;
  }
  if (kept < list.size() || !context.scenario.loader.in_memory_cache.value_or(false)) return kept;
  for (std::size_t i = 0; i < list.size() && kept == list.size(); ++i) {
    if (list[i].where == Place::cpu) kept = i;
  }
  if (kept < list.size()) {
    context.use(Stage::decode, fmt::format("/preprocess/{}/cached", kept),
                Value<std::string>::assumed("true", "the output of \"" + list[kept].operation +
                                                        "\" is what stays in memory"));
  }
  return kept;
}

/// Cores whose shares of the bus the instance has: one of a few cores is a slice of a processor
/// with many, whose bus its neighbours leave to it.
double of_memory(const Context& context) {
  constexpr double least = 16.0;
  return std::max(least, context.computed_cores);
}

/// All cores share the memory's bus: what crosses it for a sample bounds their samples per second
/// where a machine's cores are computed, and its loader touches many bytes for little work.
void limit_by_memory(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const double work = (inputs.cpu + inputs.collate).base();
  if (context.computed_cores <= 0.0 || work <= 0.0) return;
  const ChainBytes chain = bytes_in_chain(s);
  DataPerSample made = chain.to_gpu ? chain.to_gpu->value : DataPerSample{};
  if (s.dataset.decoded_bytes_per_sample) {
    made = std::max(made, *s.dataset.decoded_bytes_per_sample);
  }
  const double touched = (chain.stored + made).base();
  const double all = of_memory(context) * assumed::memory_bandwidth.value /
                     (touched * assumed::memory_passes.value);
  // Where the cores cannot come near it, it is no question.
  constexpr double near = 0.4;
  if (touched <= 0.0 || inputs.cores.maximum() / work < near * all) return;
  const double bandwidth = context.assume<double>(Stage::decode, assumed::memory_bandwidth);
  const double passes = context.assume<double>(Stage::decode, assumed::memory_passes);
  inputs.memory =
      RateLimit{"memory bandwidth", of_memory(context) * bandwidth / (touched * passes)};
}

}  // namespace

void resolve_preprocess(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  DurationPerSample remote_only{};
  DurationPerSample shared{};
  const auto& remote = s.loader.remote;
  const std::size_t kept = last_cached(context);
  // Beside remote workers no loader has a stream of its own.
  const NamedDefault* const ahead = remote ? nullptr : context.by_name(in_loader_key);
  for (std::size_t i = 0; i < s.preprocess.size(); ++i) {
    const Operation& op = s.preprocess[i];
    const std::string at = "/preprocess/" + std::to_string(i);
    if (op.where == Place::offline) continue;
    if (op.where == Place::gpu) {
      if (!op.in_loader && ahead != nullptr) {
        context.use(Stage::gpu_preprocess, at + "/in_loader",
                    Value<std::string>::assumed("true", std::string(ahead->number.why)));
      }
      DurationPerSample& on_gpu = op.in_loader.value_or(ahead != nullptr)
                                      ? inputs.gpu_preprocess_ahead
                                      : inputs.gpu_preprocess;
      const DurationPerSample each = context.need<DurationPerSample>(
          Stage::gpu_preprocess, at + "/gpu", op.gpu,
          measured_operation(context.host, &HostProfile::gpu_operations, op.operation), {},
          "what \"" + op.operation +
              "\" costs on the GPU, here or in a host profile's gpu_operations");
      on_gpu += each / (op.gpu ? given_gpu_speed(context) : measured_gpu_speed(context));
      continue;
    }
    std::optional<DurationPerSample> given = op.cpu;
    if (!given && op.cpu_per_byte) {
      if (!s.dataset.decoded_bytes_per_sample) {
        context.problem("/dataset/decoded_bytes_per_sample",
                        "needed for " + at + "/cpu_per_byte and not given");
        continue;
      }
      given = *op.cpu_per_byte * *s.dataset.decoded_bytes_per_sample;
    }
    const auto measured = measured_operation(context.host, &HostProfile::operations, op.operation);
    if (measured && context.guess(at + "/cpu") != nullptr) given.reset();
    const Stage stage = op.where == Place::remote ? Stage::remote : Stage::decode;
    const DurationPerSample cpu = context.need<DurationPerSample>(
        stage, at + "/cpu", given, measured, {}, "what \"" + op.operation + "\" costs on a CPU");
    if (remote && find_machine(context.catalog, remote->instance)) {
      const DurationPerSample there =
          cpu / (given ? given_remote_speed(context, remote->instance)
                       : measured_remote_speed(context, remote->instance));
      (op.where == Place::remote ? remote_only : shared) += there;
    } else if (op.where == Place::remote) {
      remote_only += cpu;
    }
    if (op.where == Place::remote) continue;
    const bool scaled = !given && measured && context.host != nullptr;
    const DurationPerSample here =
        (scaled ? for_bytes(context, op.operation, cpu) : cpu) /
        (given ? given_thread_speed(context) : measured_thread_speed(context));
    inputs.cpu += here;
    if (i > kept) inputs.cached_cpu += here;
  }
  resolve_remote(context, remote_only, shared);
  const bool works = (inputs.cpu + inputs.collate).base() > 0.0;
  if (works && inputs.cores.empty()) {
    context.needed("/cluster/vcpus", "the hardware threads that preprocess");
  }
  limit_by_memory(context);
}

}  // namespace feedrate::resolve
