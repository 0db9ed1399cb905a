#pragma once
// What the hardware threads of an instance do together.
#include "model/curve.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// n threads up to the cores, then what the second hardware threads add, then the price of more
/// runnable threads than the hardware has: core-seconds a second by runnable threads.
Curve<double> cores_curve(double cores, double threads, double oversubscription, double contention,
                          double hyper_threading_gain);

/// Of the cluster's instances: given, measured, or from the machine's cores. Empty where their
/// number is not known.
Curve<double> cores_of_instance(Context& context);

}  // namespace feedrate::resolve
