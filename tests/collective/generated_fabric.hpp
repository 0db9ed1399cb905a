#pragma once
#include "collective/nccl.hpp"
#include "pipeline/generated.hpp"

namespace feedrate::collective {

/// Any machine that NCCL knows; `slowest` (B/s): the least of its network.
inline Fabric generated_fabric(pipeline::Generator& random, double slowest) {
  Fabric f;
  f.nodes = random.chance(0.4) ? 1.0 : random.whole(2.0, 64.0);
  f.gpus = random.whole(2.0, 16.0);
  f.link = random.chance(0.5) ? Link::nvlink : Link::pcie;
  f.inside = bytes_per_second(random.log_uniform(2e9, 8e11));
  f.between = bytes_per_second(random.log_uniform(slowest, 4e11));
  f.generation = static_cast<Generation>(random.whole(0.0, 3.0));
  f.switch_sums = random.chance(0.5);
  return f;
}

}  // namespace feedrate::collective
