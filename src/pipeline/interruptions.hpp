#pragma once
// Checkpoints and interruptions of a job whose epochs are known: the mean of reliability/, in the
// job's own figures.
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

/// The job that `out` has trained, as reliability/ sees it, under `plan`: a restart starts up,
/// copies the data again, and trains an epoch at the first one's pace until caches are warm; all
/// instances do where others take their place, else the one that is replaced.
reliability::InterruptedJob interrupted_job(const Outcome& out, const Inputs& inputs,
                                            const reliability::InterruptedJob& plan);

/// Adds to `out.total` (of epochs alone) what checkpoints, interruptions and the ends of booked
/// blocks take: in the mean, or in the course that is asked for. A time that is beyond a double, or
/// of a job that never ends, is cut at 1e15 s.
void add_interruptions(Outcome& out, const Inputs& inputs, const SimulationOptions& options);

}  // namespace feedrate::pipeline
