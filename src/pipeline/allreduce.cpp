#include "pipeline/allreduce.hpp"

namespace feedrate::pipeline {

Duration ring(Bytes size, double ranks, Bandwidth busbw, Duration latency) {
  if (ranks <= 1.0) return {};
  return 2.0 * (ranks - 1.0) / ranks * (size / busbw) + 2.0 * (ranks - 1.0) * latency;
}

Duration hierarchical(Bytes size, double instances, double gpus, Bandwidth inside,
                      Bandwidth between, Duration latency) {
  return ring(size, gpus, inside, latency) + ring(size, instances, between, latency);
}

Duration from_efficiency(Duration step, double efficiency) {
  return step * (1.0 / efficiency - 1.0);
}

Duration from_fit(Duration step, const ScalingFit& fit, double instances) {
  if (instances <= 1.0) return {};
  const double bandwidth = fit.bandwidth * 2.0 * (instances - 1.0) / instances;
  return step * (bandwidth + fit.latency * 2.0 * (instances - 1.0));
}

}  // namespace feedrate::pipeline
