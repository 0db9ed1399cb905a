#include "resolve/assumptions.hpp"

#include <array>
#include <cmath>

#include "base/portable_math.hpp"

namespace feedrate::resolve {

double Assumption::at(double u) const {
  const double end = u < 0.5 ? low : high;
  const double share = std::abs(2.0 * u - 1.0);
  if (end > 0.0 && value > 0.0) return value * portable::pow(end / value, share);
  return value + (end - value) * share;
}

std::span<const Assumption* const> assumptions() {
  using namespace assumed;
  static constexpr std::array all = {&hyper_threading_gain,
                                     &contention,
                                     &oversubscription,
                                     &worker_startup,
                                     &worker_warmup,
                                     &worker_shutdown,
                                     &handover,
                                     &collate,
                                     &collate_inline,
                                     &delivery_latency,
                                     &thread_speed,
                                     &unknown_thread_speed,
                                     &gpus_together,
                                     &size_cv,
                                     &read_cv,
                                     &make_cv,
                                     &disk_latency,
                                     &page_cache_share,
                                     &fixed_share_of_samples,
                                     &fixed_share_of_fixed,
                                     &unknown_communication,
                                     &process_memory,
                                     &worker_memory,
                                     &gp2_credit,
                                     &efs_credit,
                                     &staging_connections,
                                     &pipe_connections,
                                     &stream_connections,
                                     &pinned_copy,
                                     &typical_pinned_copy,
                                     &host_copy,
                                     &pageable_share,
                                     &copy_latency,
                                     &hop_latency,
                                     &backward_share,
                                     &sharded_blocks,
                                     &nvlink_share,
                                     &pcie_share,
                                     &network_share,
                                     &cores_of_threads,
                                     &unknown_page_cache,
                                     &nvme_floor,
                                     &connection_share,
                                     &failures,
                                     &spot_share,
                                     &wait_for_capacity,
                                     &restart,
                                     &checkpoint_share};
  return all;
}

}  // namespace feedrate::resolve
