#pragma once
// What the hardware threads of an instance do together.
#include "model/curve.hpp"
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// What cores lose to each other, and their second threads add.
struct Together {
  /// n cores take 1 + contention·(n − 1) as long as one (Gunther's universal scalability law
  /// without its last term).
  double contention = 0.0;
  double all_busy =
      0.0;  ///< and so much longer where all are busy, of m: + all_busy·(n − 1)/(m − 1)
  /// Workers of a pool: n of them take pool·(n − 1)/(1 + (n − 1)/pool_bend) longer than one, where
  /// that is more than what the cores lose.
  double pool = 0.0;
  double pools = 1.0;                 ///< among which the busy threads are divided
  double hyper_threading_gain = 0.0;  ///< share that the second threads of all cores add
};

/// As given, else assumed, of the instance (Stage::decode) or of an auxiliary one (Stage::remote),
/// which no host profile is asked for.
Together together_of(Context& context, Stage stage, double cores, double threads);

/// Core-seconds of work per second, by the number of runnable threads: one core each up to `cores`,
/// then what second hardware threads add, then the loss from more runnable threads than `threads`.
Curve<double> cores_curve(double cores, double threads, double oversubscription,
                          const Together& together);

/// What of `curve` is left to the job's threads beside `others` that are always ready to run: the
/// kernel gives each thread an equal share.
Curve<double> beside_others(const Curve<double>& curve, double others);

/// That of an instance of which only the hardware threads are known, and perhaps the cores.
Curve<double> assumed_cores(double threads, std::optional<double> cores);

/// Of the instance, as far as anything says.
std::optional<double> hardware_threads(const Context& context);

/// The curve of one instance: given, measured, or computed from the machine's cores. Empty where
/// the number of cores is not known. With it, what it knows of threads.
Curve<double> cores_of_instance(Context& context);

}  // namespace feedrate::resolve
