#pragma once
// What monitors would show of a simulated job, by the utilisation law: a resource's share is what a
// sample asks of it, times samples a second, over what it delivers.
#include "model/result.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Of the last epoch of `outcome`, on one instance. `gap_every` is left empty.
Monitors monitors_of(const resolve::Resolved& resolved, const pipeline::Outcome& outcome);

/// Threads that deliver `work` core-seconds a second together: the fewest on `cores` that do, all
/// that it knows of where none do. Precondition: not empty.
double threads_for(const Curve<double>& cores, double work);

}  // namespace feedrate::study
