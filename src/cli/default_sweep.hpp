#pragma once
// What a report sweeps without --vary.
#include <vector>

#include "api/vary.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate::cli {

/// The scenario's own number of instances, first, and twice as many.
std::vector<api::Vary> first_points(const Scenario& scenario);

/// Instances in doublings around the scenario's own number; times efficiencies where the scenario
/// states one, because a stated efficiency holds at no other number. Nothing where `base`, the
/// scenario's own result, took so long to simulate that the first points must do.
std::vector<api::Vary> more_points(const Scenario& scenario, const Result& base);

}  // namespace feedrate::cli
