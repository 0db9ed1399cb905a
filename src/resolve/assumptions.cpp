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
  static constexpr std::array all = {&footer_requests,
                                     &published_rate,
                                     &model_utilization,
                                     &peer_latency,
                                     &hyper_threading_gain,
                                     &contention,
                                     &pool_contention,
                                     &memory_bandwidth,
                                     &memory_passes,
                                     &fixed_share_of_operation,
                                     &bits_as_dear_as_a_pixel,
                                     &oversubscription,
                                     &worker_startup,
                                     &worker_spawn,
                                     &worker_forkserver,
                                     &worker_warmup,
                                     &worker_shutdown,
                                     &handover_of_any,
                                     &handover_shared,
                                     &handover_pickled,
                                     &handover_of_tensor,
                                     &unpickled_by_pinning,
                                     &handover_cv,
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
                                     &fixed_share,
                                     &beside_others,
                                     &step_cv,
                                     &scaling_departure,
                                     &scaling_growth,
                                     &unknown_communication,
                                     &process_memory,
                                     &worker_memory,
                                     &line_share,
                                     &file_open,
                                     &gp2_credit,
                                     &hdd_credit,
                                     &efs_credit,
                                     &staging_connections,
                                     &zone_latency,
                                     &region_latency,
                                     &continent_latency,
                                     &cloud_latency,
                                     &region_connection_share,
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
                                     &hidden_over_layers,
                                     &kv_share,
                                     &experts_per_token,
                                     &expert_share,
                                     &nvlink_share,
                                     &pcie_share,
                                     &pcie_share_through_host,
                                     &pcie_crowding,
                                     &efa_share,
                                     &infiniband_share,
                                     &infiniband_share_of_few_ports,
                                     &tcp_share,
                                     &tcp_share_of_fast,
                                     &gpudirect_share,
                                     &filling_between,
                                     &filling_messages,
                                     &filling_inside,
                                     &efa_beyond,
                                     &efa_messages_beyond,
                                     &infiniband_beyond,
                                     &tcp_beyond,
                                     &cores_of_threads,
                                     &unknown_page_cache,
                                     &nvme_floor,
                                     &nvme_disk_rate,
                                     &connection_rate,
                                     &failures,
                                     &spot_share,
                                     &wait_for_capacity,
                                     &restart,
                                     &checkpoint_of_parameter,
                                     &checkpoint_of_whole_model,
                                     &checkpoint_part,
                                     &checkpoint_share};
  return all;
}

}  // namespace feedrate::resolve
