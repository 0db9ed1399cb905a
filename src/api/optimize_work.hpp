#pragma once
// The best of many settings, asked by flags or by a request.
#include <string>

#include "api/sweep_points.hpp"
#include "model/choice.hpp"
#include "model/constraints.hpp"
#include "model/depth.hpp"
#include "study/optimize.hpp"

namespace feedrate::api {

struct OptimizeAsked {
  Minimized minimized = Minimized::total;
  Constraints constraints;
  int jobs = 0;  ///< points at a time; 0: one per core
};

/// The best of the points, which are those of the document; `flag` names the option of what varies
/// in complaints.
Optimum optimum_of(const SweepPoints& points, const schema::Document& document,
                   const Catalog& catalog, const HostProfile* host, const OptimizeAsked& asked,
                   const Depth& depth, const std::string& flag,
                   const study::SweepProgress& progress = {});

}  // namespace feedrate::api
