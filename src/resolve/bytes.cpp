// How large a sample is on its way from the store to the GPU.
#include "resolve/context.hpp"

namespace feedrate::resolve {

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
  return chain;
}

}  // namespace feedrate::resolve
