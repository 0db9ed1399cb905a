#pragma once
// What the hardware threads of an instance do together.
#include "model/curve.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Core-seconds of work per second, by the number of runnable threads: one core each up to `cores`,
/// then what second hardware threads add, then the loss from more runnable threads than `threads`.
Curve<double> cores_curve(double cores, double threads, double oversubscription, double contention,
                          double hyper_threading_gain);

/// The curve of one instance: given, measured, or computed from the machine's cores. Empty where
/// the number of cores is not known.
Curve<double> cores_of_instance(Context& context);

}  // namespace feedrate::resolve
