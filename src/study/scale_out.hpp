#pragma once
// What more instances of one job cost and gain, on what was simulated of each number of them.
#include <optional>
#include <span>
#include <vector>

#include "model/sweep.hpp"

namespace feedrate::study {

/// The whole bill, the value of the hours included, as a function of the parallel efficiency of the
/// epochs: what does not shrink with them (start-up, staging, requests, transfer) is as simulated,
/// and all else is paid for as long as they would take.
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

/// What the job would cost on one instance alone, by a result of several: their time for it follows
/// from the efficiency of the whole job, requests and transfer are the same. Empty where that is
/// not known.
std::optional<Money> cost_alone(const Result& several);

/// Each point of the sweep beside the one with the fewest instances that differs in nothing else;
/// empty where it is that one, or there is none.
std::vector<std::optional<ScaleOut>> scale_out(std::span<const SweepPoint> points);

}  // namespace feedrate::study
