#pragma once
// How sure an answer is: how each uncertain input alone changes it.
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate::study {

/// Fills `effect` and `matters` of each of the result's inputs that has a range, and `certainty`.
/// A share of the variance is that of one input moved alone, all others at their stated values:
/// interactions of two inputs are in none of the shares. Of more than 200 such inputs the first are
/// weighed, and the others have no effect of their own. `errors` of the model; null: those that
/// were learned. `stretch` of the epochs: what the events that the result states take over the
/// mean.
void weigh_inputs(Result& result, const Scenario& scenario, const Catalog& catalog,
                  const HostProfile* host, const ClassErrors* errors = nullptr,
                  double stretch = 1.0);

}  // namespace feedrate::study
