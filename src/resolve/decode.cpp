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

}  // namespace

void resolve_preprocess(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  DurationPerSample remote_only{};
  DurationPerSample shared{};
  const auto& remote = s.loader.remote;
  const std::size_t kept = last_cached(context);
  for (std::size_t i = 0; i < s.preprocess.size(); ++i) {
    const Operation& op = s.preprocess[i];
    const std::string at = "/preprocess/" + std::to_string(i);
    if (op.where == Place::offline) continue;
    if (op.where == Place::gpu) {
      DurationPerSample& on_gpu =
          op.in_loader.value_or(false) ? inputs.gpu_preprocess_ahead : inputs.gpu_preprocess;
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
    const DurationPerSample here =
        cpu / (given ? given_thread_speed(context) : measured_thread_speed(context));
    inputs.cpu += here;
    if (i > kept) inputs.cached_cpu += here;
  }
  resolve_remote(context, remote_only, shared);
  const bool works = (inputs.cpu + inputs.collate).base() > 0.0;
  if (works && inputs.cores.empty()) {
    context.needed("/cluster/vcpus", "the hardware threads that preprocess");
  }
}

}  // namespace feedrate::resolve
