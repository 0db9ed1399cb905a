#pragma once
// What to change in a job, asked by flags or by a request.
#include <string_view>

#include "api/constraints.hpp"
#include "api/scenario_maker.hpp"
#include "catalog/catalog.hpp"
#include "model/advice.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"

namespace feedrate::api {

struct AdviseAsked {
  double target = 0.9;  ///< share of the time for which the GPUs should be busy, 0 < x ≤ 1
  ConstraintTexts constraints;  ///< on each job
};

/// Remedies of the job that `make` makes, counted over as many jobs as it says. InputError as
/// constraints_of, in which `dashes` stand before the names, and where the scenario cannot run.
Advice advice_for(const ScenarioMaker& make, const Catalog& catalog, const HostProfile* host,
                  const AdviseAsked& asked, const Depth& depth, std::string_view dashes = "--");

}  // namespace feedrate::api
