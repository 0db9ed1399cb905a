#pragma once
// What a simulated job uses of everything that is on its bill.
#include <string>
#include <vector>

#include "model/bill.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/terms.hpp"

namespace feedrate::study {

/// What the job uses: its terms multiplied by the simulated outcome. Adds to `remarks` what the
/// outcome shows about a term, such as bytes beyond the last known price.
BillInput bill_input(const resolve::Terms& terms, const pipeline::Inputs& inputs,
                     const pipeline::Outcome& outcome, std::vector<std::string>& remarks);

}  // namespace feedrate::study
