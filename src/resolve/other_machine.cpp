// A host profile that was measured on another machine than the scenario's.
#include <fmt/format.h>

#include "resolve/context.hpp"

namespace feedrate::resolve {
namespace {

/// How the two machines differ, for people; nothing where they do not, or nobody knows.
struct Difference {
  std::string measured;  ///< "on g5.xlarge", "with 2 hardware threads"
  std::string asked;
};

std::optional<Difference> difference(const Context& context) {
  const auto& rented = context.scenario.cluster.instance;
  const HostProfile& host = *context.host;
  if (rented && !host.instance.empty()) {
    if (without_prefix(host.instance) == without_prefix(*rented)) return std::nullopt;
    return Difference{"on " + host.instance, "not on " + *rented};
  }
  const Known<double> published = context.published(&Machine::vcpus);
  const std::optional<double> threads =
      published ? std::optional(published->value) : context.scenario.cluster.vcpus;
  if (!host.hardware_threads || !threads || *host.hardware_threads == *threads) return std::nullopt;
  return Difference{fmt::format("with {:g} hardware threads", *host.hardware_threads),
                    fmt::format("and {} has {:g}", rented ? *rented : "the scenario's", *threads)};
}

/// "" where nobody knows.
std::string measured_gpu(const Context& context) {
  if (context.host->instance.empty()) return "";
  const auto measured = find_machine(context.catalog, context.host->instance);
  return measured ? (*measured)->gpu_model : "";
}

template <class... Member>
bool reset(HostProfile& host, Member... members) {
  bool any = false;
  ((any = any || (host.*members).has_value(), (host.*members).reset()), ...);
  return any;
}

}  // namespace

bool profile_of_another(const Context& context) {
  return context.host != nullptr && difference(context).has_value();
}

void take_what_fits(Context& context) {
  if (context.host == nullptr) return;
  const auto differs = difference(context);
  if (!differs) return;
  // Without a machine of the catalogue there is nothing to take in its place.
  std::vector<std::string> left;
  if (context.machine() != nullptr) {
    HostProfile& kept = context.carried;
    kept = *context.host;
    using P = HostProfile;
    const auto leave = [&](const char* what, auto... members) {
      if (reset(kept, members...)) left.emplace_back(what);
    };
    leave("cores", &P::cpu, &P::pytorch_cpu, &P::oversubscription);
    leave("disk", &P::disk, &P::disk_latency, &P::disk_iops);
    leave("network", &P::download, &P::requests_per_second);
    const std::string gpu = measured_gpu(context);
    if (gpu.empty() || gpu != context.machine()->gpu_model) {
      leave("copies", &P::pinned_bandwidth, &P::pageable_bandwidth, &P::copy_latency,
            &P::copy_beside_kernel, &P::pinned_copies, &P::pageable_copies);
    } else {
      leave("copies to several GPUs at once", &P::pinned_copies, &P::pageable_copies);
    }
    // On another GPU that is known they are scaled (speed.hpp).
    if (gpu.empty()) {
      leave("step", &P::step_fixed, &P::step_per_sample, &P::step_table, &P::step_times);
      if (!kept.gpu_operations.empty()) left.emplace_back("operations on the GPU");
      kept.gpu_operations.clear();
    }
    leave("all-reduce", &P::allreduce_busbw, &P::allreduce_latency, &P::allreduce_busbw_between,
          &P::allreduce_latency_between, &P::nccl_tuning);
    context.host = &kept;
  }
  if (!context.texts) return;
  std::string text = fmt::format(
      "Measured numbers are another machine's: the host profile \"{}\" was measured {}, {}",
      context.host->name, differs->measured, differs->asked);
  if (!left.empty()) {
    text += fmt::format("; what one thread does is taken from it, but not its {}",
                        fmt::join(left, ", "));
  }
  context.out.caveats.push_back(text + ".");
}

}  // namespace feedrate::resolve
