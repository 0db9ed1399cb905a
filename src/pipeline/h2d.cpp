// From host memory to the GPU.
#include <algorithm>

#include "pipeline/context.hpp"

namespace feedrate::pipeline {
namespace {

constexpr Bandwidth host_copy = Bandwidth::of(8e9);         // one thread, host to host
constexpr Bandwidth pinned_anywhere = Bandwidth::of(12e9);  // PCIe 3 x16, the slowest in use
constexpr double pageable_share = 0.4;  // staged through a pinned buffer by the driver

}  // namespace

void resolve_copy(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  if (!s.dataset.bytes_on_gpu_per_sample) {
    context.out.remarks.emplace_back(
        "/dataset/bytes_on_gpu_per_sample is not given: collate and the copy to the GPU are left "
        "out");
    return;
  }
  const DataPerSample each =
      context.use(Stage::h2d, "/dataset/bytes_on_gpu_per_sample",
                  Value<DataPerSample>::given(*s.dataset.bytes_on_gpu_per_sample));
  inputs.pinned = s.loader.pin_memory.value_or(false);
  if (inputs.non_blocking && !inputs.pinned) {
    inputs.non_blocking = false;
    context.out.remarks.emplace_back(
        "/job/non_blocking has no effect: copies overlap the step only from pinned memory; set "
        "/loader/pin_memory");
  }
  Known<Bandwidth> typical;
  if (context.machine()) typical = typical_pinned_copy(context.catalog, *context.machine());
  const auto pinned_rate = [&] {
    return context.find_or<Bandwidth>(Stage::h2d, "/cluster/pinned_bandwidth",
                                      s.cluster.pinned_bandwidth,
                                      context.measured(&HostProfile::pinned_bandwidth), typical,
                                      pinned_anywhere, "PCIe 3 with 16 lanes");
  };
  if (inputs.pinned) {
    inputs.copy = each / pinned_rate();
    const Bandwidth memcpy_rate = context.find_or<Bandwidth>(
        Stage::h2d, "memcpy bandwidth", {}, context.measured(&HostProfile::memcpy_bandwidth), {},
        host_copy, "one thread copying into pinned memory");
    inputs.pin = each / memcpy_rate;
  } else {
    const auto given = context.find<Bandwidth>(
        Stage::h2d, "/cluster/pageable_bandwidth", s.cluster.pageable_bandwidth,
        context.measured(&HostProfile::pageable_bandwidth), {});
    inputs.copy =
        each / (given
                    ? *given
                    : context.use(Stage::h2d, "/cluster/pageable_bandwidth",
                                  Value<Bandwidth>::assumed(pageable_share * pinned_rate(),
                                                            "two fifths of a pinned copy's rate")));
  }
  inputs.copy_latency = context.find_or<Duration>(
      Stage::h2d, "/cluster/copy_latency", s.cluster.copy_latency,
      context.measured(&HostProfile::copy_latency), {}, microseconds(10.0), "launching one copy");
}

}  // namespace feedrate::pipeline
