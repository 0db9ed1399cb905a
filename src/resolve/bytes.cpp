// How large a sample is on its way from the store to the GPU.
#include <algorithm>

#include "resolve/context.hpp"

namespace feedrate::resolve {

std::size_t operation_kept(const Scenario& scenario) {
  const auto& list = scenario.preprocess;
  for (std::size_t i = list.size(); i > 0; --i) {
    if (list[i - 1].cached.value_or(false)) return i - 1;
  }
  const auto first = std::find_if(list.begin(), list.end(),
                                  [](const Operation& op) { return op.where == Place::cpu; });
  return static_cast<std::size_t>(first - list.begin());
}

ChainBytes bytes_in_chain(const Scenario& scenario) {
  ChainBytes chain;
  chain.stored = scenario.dataset.bytes_per_sample.value_or(DataPerSample{});
  std::optional<GivenBytes> made;
  if (chain.stored.base() > 0.0) made = {chain.stored, "/dataset/bytes_per_sample"};
  for (std::size_t i = 0; i < scenario.preprocess.size(); ++i) {
    const Operation& op = scenario.preprocess[i];
    if (op.where == Place::gpu) continue;
    const bool offline = op.where == Place::offline;
    if (op.output_bytes) {
      made = {.value = *op.output_bytes, .operation = static_cast<int>(i)};
      if (offline) chain.stored = *op.output_bytes;
    } else if (!offline) {
      made.reset();  // a decoder makes more of it, a crop less
    }
  }
  if (const auto& given = scenario.dataset.bytes_on_gpu_per_sample) {
    chain.to_gpu = {*given, "/dataset/bytes_on_gpu_per_sample"};
  } else if (!scenario.preprocess.empty()) {
    chain.to_gpu = made;
  }
  // The nearest to it that is said.
  if (chain.to_gpu) chain.kept = chain.to_gpu->value;
  if (const auto& decoded = scenario.dataset.decoded_bytes_per_sample) chain.kept = *decoded;
  if (const std::size_t kept = operation_kept(scenario); kept < scenario.preprocess.size()) {
    if (const auto& made_there = scenario.preprocess[kept].output_bytes) chain.kept = *made_there;
  }
  return chain;
}

}  // namespace feedrate::resolve
