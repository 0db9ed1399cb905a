// From host memory to the GPU.
#include <fmt/format.h>

#include <algorithm>

#include "resolve/context.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

/// One, of what the GPUs of an instance get in all when they copy at once, as the ranks of a job
/// do: each has as many bytes to copy, and they leave the all-reduce together. Never more than a
/// GPU alone.
std::optional<Value<Bandwidth>> share_of_copies(
    const Context& context, std::optional<Value<Bandwidth>> HostProfile::*single,
    std::optional<Curve<Bandwidth>> HostProfile::*together) {
  const auto alone = context.measured(single);
  const double gpus = context.out.inputs.ranks;
  if (context.host == nullptr || !(context.host->*together) || (alone && gpus <= 1.0)) return alone;
  const Curve<Bandwidth>& curve = *(context.host->*together);
  if (curve.empty()) return alone;
  const Bandwidth each = std::min(curve.total(gpus) / gpus, curve.total(1.0));
  if (alone && alone->value <= each) return alone;
  const std::string source =
      context.texts ? fmt::format("{}, {:g} GPUs at once", context.host->name, gpus) : "";
  return Value<Bandwidth>{each, {Origin::measured, source, curve.relative_error}};
}

/// Pageable memory goes through a pinned buffer by way of the CPU: no faster than the host copies.
Bandwidth assumed_pageable(Context& context, Bandwidth pinned) {
  const Bandwidth share =
      context.assume(Stage::h2d, assumed::pageable_share, assumed::pageable_share.value * pinned);
  const auto host_copy = context.measured(&HostProfile::memcpy_bandwidth);
  if (!host_copy) return share;
  return std::min(share,
                  context.use(Stage::h2d, assumed::host_copy.key, *host_copy, DriftGroup::cpu));
}

/// What copies from pinned memory reach of their link's line: 12 of 15.8, 25 of 31 and 52 of 63
/// GB/s (the generations 3 to 5 of PCIe with 16 lanes in pricing/gpus.json).
constexpr double copied_of_line = 0.8;

/// What a computing GPU leaves of a copy's rate, where copies run beside the step.
double left_beside_kernel(Context& context) {
  if (context.out.inputs.copies != pipeline::Copies::beside) return 1.0;
  const auto left = context.measured(&HostProfile::copy_beside_kernel);
  if (!left) return 1.0;
  return std::min(1.0, context.use(Stage::h2d, "copy rate beside a kernel", *left));
}

}  // namespace

void resolve_copy(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const auto crossing = bytes_in_chain(s).to_gpu;
  if (!crossing) {
    context.remark(
        RemarkKind::measure,
        "/dataset/bytes_on_gpu_per_sample is not given: collate and the copy to the GPU are left "
        "out");
    return;
  }
  const std::string key = crossing->operation >= 0 ? fmt::format("{}/{}/output_bytes",
                                                                 crossing->key, crossing->operation)
                                                   : std::string(crossing->key);
  const DataPerSample each =
      context.use(Stage::h2d, key, Value<DataPerSample>::given(crossing->value));
  inputs.pinned = context.pins;
  if (inputs.copies != pipeline::Copies::waited && !inputs.pinned) {
    inputs.copies = pipeline::Copies::waited;
    tell_without_effect(context, "/job/non_blocking",
                        "a copy from pageable memory is waited for; set /loader/pin_memory");
  }
  Known<Bandwidth> typical;
  if (context.machine()) {
    typical = typical_pinned_copy(context.catalog, *context.machine(), context.texts);
  }
  const auto pinned_rate = [&] {
    const auto known = context.find<Bandwidth>(
        Stage::h2d, assumed::pinned_copy.key, s.cluster.pinned_bandwidth,
        share_of_copies(context, &HostProfile::pinned_bandwidth, &HostProfile::pinned_copies), {});
    if (known) return *known;
    if (const auto& line = s.cluster.pcie) {
      return context.assume(
          Stage::h2d, assumed::typical_pinned_copy, copied_of_line * *line,
          context.texts ? fmt::format("{:g} of /cluster/pcie", copied_of_line) : std::string());
    }
    return typical ? context.assume(Stage::h2d, assumed::typical_pinned_copy, typical->value,
                                    typical->from.source)
                   : context.assume<Bandwidth>(Stage::h2d, assumed::pinned_copy);
  };
  if (inputs.pinned) {
    inputs.copy = each / (pinned_rate() * left_beside_kernel(context));
    const auto memcpy_rate = context.measured(&HostProfile::memcpy_bandwidth);
    inputs.pin = each / (memcpy_rate ? context.use(Stage::h2d, assumed::host_copy.key, *memcpy_rate,
                                                   DriftGroup::cpu)
                                     : context.assume<Bandwidth>(Stage::h2d, assumed::host_copy));
    inputs.pin += handed_over_one_by_one(context, Stage::h2d);
    const bool processes = traits(inputs.kind).processes && inputs.workers > 0.0;
    if (processes && s.loader.transport == Transport::pickled) {
      const Assumption& per_byte = assumed::unpickled_by_pinning;
      inputs.pin +=
          context.assume(Stage::h2d, per_byte, DurationPerByte::of(per_byte.value)) * each;
    }
  } else {
    const auto known = context.find<Bandwidth>(
        Stage::h2d, assumed::pageable_share.key, s.cluster.pageable_bandwidth,
        share_of_copies(context, &HostProfile::pageable_bandwidth, &HostProfile::pageable_copies),
        {});
    inputs.copy = each / (known ? *known : assumed_pageable(context, pinned_rate()));
  }
  inputs.copy_latency = context.find_or<Duration>(Stage::h2d, s.cluster.copy_latency,
                                                  context.measured(&HostProfile::copy_latency),
                                                  assumed::copy_latency);
}

}  // namespace feedrate::resolve
