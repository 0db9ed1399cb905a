#pragma once
// Processes that were started together over several hosts, by torchrun or mpirun.
#include <atomic>
#include <string>

#include "base/units.hpp"

namespace feedrate::bench {

struct ProcessGroup {
  int rank = 0;
  int size = 1;        ///< processes in all
  int local_rank = 0;  ///< on this host
  std::string master;  ///< where rank 0 runs
  int port = 0;        ///< where rank 0 listens: one above MASTER_PORT, which belongs to torchrun
};

/// From the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK) or of Open MPI
/// (OMPI_COMM_WORLD_…), with MASTER_ADDR and MASTER_PORT. One process where they are not set.
/// InputError when they contradict each other, or a number is none.
ProcessGroup process_group();

/// What rank 0 has as `words` (the same length on every rank), to all of them, over TCP.
/// HostError when not all have come within `patience`; Interrupted when `stop` is set.
std::string share_from_first(const ProcessGroup& group, const std::string& words, Duration patience,
                             const std::atomic<bool>& stop);

}  // namespace feedrate::bench
