#pragma once
// What a job on several instances loses of its parallel efficiency, and to what.
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace feedrate {

/// Shares are differences of times that are equal but for their last digits where nothing is lost.
constexpr double or_nothing(double share) {
  constexpr double rounding = 1e-12;
  return share > -rounding && share < rounding ? 0.0 : share;
}

/// A part of 1 − Result::job_efficiency; below 0 where several instances gain by it, as caches do.
struct EfficiencyLoss {
  std::string_view to;  ///< "exposed communication", "stragglers", or a stage's name
  double share = 0.0;
};

/// All parts that are not 0, in the order of the stages; they add up to 1 − job_efficiency. Empty
/// for one instance.
std::vector<EfficiencyLoss> efficiency_losses(const Result& result);

}  // namespace feedrate
