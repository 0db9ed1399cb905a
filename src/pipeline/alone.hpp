#pragma once
// The job on one instance, beside which several are seen.
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

/// What simulate() says of `alone`, a job of many times the steps that one on several instances
/// has. Event by event that would take as many times as long: beyond 20,000 steps the events of a
/// part are simulated, and the means of both say how much longer the whole takes.
Outcome simulate_alone(const Inputs& alone, const SimulationOptions& options);

}  // namespace feedrate::pipeline
