#pragma once
// Runs what build.cpp built and reads off times and stalls.
#include <cstdint>

#include "model/result.hpp"
#include "model/stage.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

struct SimulationOptions {
  bool exact = false;   ///< execute every event of every epoch
  bool random = false;  ///< draw sizes and step times; ranks apart
  std::uint64_t seed = 1;
  std::int64_t max_events = 600'000;  ///< of one epoch; beyond, the rest is extrapolated
  double random_steps = 256.0;  ///< of one epoch when random; beyond, the rest is extrapolated
  int most_processes = 2048;    ///< simulated apart when random
};

/// Of one epoch, or of several: wall time and where each GPU's time went (mean over ranks).
struct Span {
  Duration wall;
  Duration busy;
  PerStage<Duration> stall;

  Span& operator+=(const Span& other);
  friend Span operator*(double factor, Span span);
};

/// The whole job. `wall` of the parts and stalls + busy add up.
struct Outcome {
  Duration startup, staging;
  Span first, later;     ///< one epoch each; later = first where there is but one epoch
  Duration checkpoints;  ///< over the whole job
  Span total;            ///< start-up, staging and checkpoints included
  double epochs = 1.0;
  double steps = 0.0;  ///< of an epoch
  Effort effort;

  /// All epochs, without start-up, staging and checkpoints.
  [[nodiscard]] Duration training() const { return first.wall + (epochs - 1.0) * later.wall; }
};

Outcome simulate(const Inputs& inputs, const SimulationOptions& options);

}  // namespace feedrate::pipeline
