#pragma once
// How sure an answer is: what each uncertain input does to it, one at a time.
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace feedrate::study {

/// Fills `effect` and `matters` of each of the result's inputs that has a range, and `certainty`.
/// The shares of variance are those of the inputs moved one at a time, all others at their stated
/// values: what two of them do only together is in none of them.
void weigh_inputs(Result& result, const Scenario& scenario, const Catalog& catalog,
                  const HostProfile* host);

}  // namespace feedrate::study
