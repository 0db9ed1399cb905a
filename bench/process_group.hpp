#pragma once
// Processes that were started together over several hosts, by torchrun or mpirun.
#include <atomic>
#include <string>

#include "base/units.hpp"

namespace feedrate::bench {

struct ProcessGroup {
  int rank = 0;
  int size = 1;        ///< processes in total
  int local_rank = 0;  ///< on this host
  std::string master;  ///< where rank 0 runs
  int port = 0;        ///< where rank 0 listens: one above MASTER_PORT, which belongs to torchrun
  std::string host;    ///< the same in the processes of one machine, and in no other's
};

/// From the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK) or of Open MPI
/// (OMPI_COMM_WORLD_…), with MASTER_ADDR and MASTER_PORT. One process where they are not set.
/// InputError when they contradict each other, or a number is none.
ProcessGroup process_group();

/// What all processes of a group know once they have met.
struct Shared {
  std::string words;  ///< rank 0's
  int hosts = 1;      ///< different machines among them
};

/// All processes meet at rank 0, over TCP, and each gets what that one has as `words` (as many
/// bytes on every rank): none before all have called. HostError when not all have come within
/// `patience`; Interrupted when `stop` is set.
Shared share_from_first(const ProcessGroup& group, const std::string& words, Duration patience,
                        const std::atomic<bool>& stop);

}  // namespace feedrate::bench
