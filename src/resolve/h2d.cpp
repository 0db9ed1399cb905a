// From host memory to the GPU.
#include <fmt/format.h>

#include <algorithm>

#include "resolve/context.hpp"

namespace feedrate::resolve {
void resolve_copy(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const auto crossing = bytes_in_chain(s).to_gpu;
  if (!crossing) {
    context.out.remarks.emplace_back(
        "/dataset/bytes_on_gpu_per_sample is not given: collate and the copy to the GPU are left "
        "out");
    return;
  }
  const std::string key = crossing->operation >= 0 ? fmt::format("{}/{}/output_bytes",
                                                                 crossing->key, crossing->operation)
                                                   : std::string(crossing->key);
  const DataPerSample each =
      context.use(Stage::h2d, key, Value<DataPerSample>::given(crossing->value));
  inputs.pinned = s.loader.pin_memory.value_or(false);
  if (inputs.copies != pipeline::Copies::waited && !inputs.pinned) {
    inputs.copies = pipeline::Copies::waited;
    context.out.remarks.emplace_back(
        "/job/non_blocking has no effect: a copy from pageable memory is waited for; set "
        "/loader/pin_memory");
  }
  Known<Bandwidth> typical;
  if (context.machine()) typical = typical_pinned_copy(context.catalog, *context.machine());
  const auto pinned_rate = [&] {
    const auto known =
        context.find<Bandwidth>(Stage::h2d, assumed::pinned_copy.key, s.cluster.pinned_bandwidth,
                                context.measured(&HostProfile::pinned_bandwidth), {});
    if (known) return *known;
    return typical ? context.assume(Stage::h2d, assumed::typical_pinned_copy, typical->value,
                                    typical->from.source)
                   : context.assume<Bandwidth>(Stage::h2d, assumed::pinned_copy);
  };
  if (inputs.pinned) {
    inputs.copy = each / pinned_rate();
    const auto memcpy_rate = context.measured(&HostProfile::memcpy_bandwidth);
    inputs.pin = each / (memcpy_rate ? context.use(Stage::h2d, assumed::host_copy.key, *memcpy_rate,
                                                   DriftGroup::cpu)
                                     : context.assume<Bandwidth>(Stage::h2d, assumed::host_copy));
  } else {
    const auto known = context.find<Bandwidth>(
        Stage::h2d, assumed::pageable_share.key, s.cluster.pageable_bandwidth,
        context.measured(&HostProfile::pageable_bandwidth), {});
    inputs.copy = each / (known ? *known
                                : context.assume(Stage::h2d, assumed::pageable_share,
                                                 assumed::pageable_share.value * pinned_rate()));
  }
  inputs.copy_latency = context.find_or<Duration>(Stage::h2d, s.cluster.copy_latency,
                                                  context.measured(&HostProfile::copy_latency),
                                                  assumed::copy_latency);
}

}  // namespace feedrate::resolve
