#pragma once
// NCCL's model with the numbers of one machine, as its tuning log prints them, in place of those
// that are the same for all machines (nccl.hpp).
#include <optional>
#include <string>
#include <vector>

#include "collective/nccl.hpp"

namespace feedrate::collective {

/// The fastest way, and what it takes.
struct TunedCost {
  Duration time;
  const Way* way = nullptr;  ///< null: nothing is sent
};

class Tuned {
 public:
  /// `plateau`: factor on the latency of a ring with the protocol Simple, from plateau_of().
  Tuned(std::vector<Way> ways, double plateau);

  [[nodiscard]] bool has(Collective operation) const;
  /// `size` as for cost(). With `only`, by that algorithm alone where the table has it for the
  /// operation. An operation that the table does not have takes what half of a sum over all does;
  /// sums the table must have, or nothing takes any time.
  [[nodiscard]] TunedCost cost(Collective operation, Bytes size,
                               const std::optional<std::string>& only = std::nullopt) const;

 private:
  std::vector<Way> ways_;
  double plateau_;
};

}  // namespace feedrate::collective
