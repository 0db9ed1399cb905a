#pragma once
// What more instances cost and gain, from the simulated results with each number of instances.
#include <optional>
#include <span>
#include <vector>

#include "model/sweep.hpp"

namespace feedrate::study {

/// The whole bill, the value of the hours included, as a function of the parallel efficiency of the
/// epochs: what does not depend on their time (start-up, staging, requests, transfer) is as
/// simulated, and all else is paid for as long as the epochs would take.
class CostByEfficiency {
 public:
  /// `at`: a result whose efficiency is known, above 0.
  explicit CostByEfficiency(const Result& at);

  /// Dollars at an efficiency above 0.
  [[nodiscard]] Money total(double efficiency) const;
  /// The efficiency at which it is `cost`; empty where even 1 costs more.
  [[nodiscard]] std::optional<double> efficiency_at(Money cost) const;

 private:
  Money fixed_;
  Money at_one_;  ///< what the epochs cost at an efficiency of 1
};

/// The cost of the job on one instance, from its result on several: the time follows from the
/// efficiency of the whole job, requests and transfer are the same. Empty where that efficiency is
/// not known.
std::optional<Money> cost_alone(const Result& several);

/// Each point of the sweep compared with the point that has the fewest instances and differs in
/// nothing else; empty for that point itself, and where there is none.
std::vector<std::optional<ScaleOut>> scale_out(std::span<const SweepPoint> points);

}  // namespace feedrate::study
