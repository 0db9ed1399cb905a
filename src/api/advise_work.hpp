#pragma once
// What to change in a job, asked by flags or by a request.
#include <string>
#include <string_view>

#include "api/constraints.hpp"
#include "api/scenario_maker.hpp"
#include "catalog/catalog.hpp"
#include "model/advice.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"

namespace feedrate::api {

struct AdviseTexts {
  std::string target = "90%";   ///< a share, as parse_share takes it
  ConstraintTexts constraints;  ///< on each job
};

/// Remedies of the job that `make` makes, counted over as many jobs as it says. InputError as
/// parse_share and constraints_of, in which `dashes` stand before the names, and where the scenario
/// cannot run.
Advice advice_for(const ScenarioMaker& make, const Catalog& catalog, const HostProfile* host,
                  const AdviseTexts& asked, const Depth& depth, std::string_view dashes = "--");

}  // namespace feedrate::api
