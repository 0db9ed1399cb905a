#pragma once
// From a simulated job and the terms it was resolved with to what goes on its bill.
#include <string>
#include <vector>

#include "model/bill.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/terms.hpp"

namespace feedrate::study {

/// What the job uses: the terms times what was simulated. What the simulation says of a term is
/// said in `remarks`.
BillInput bill_input(const resolve::Terms& terms, const pipeline::Inputs& inputs,
                     const pipeline::Outcome& outcome, std::vector<std::string>& remarks);

}  // namespace feedrate::study
