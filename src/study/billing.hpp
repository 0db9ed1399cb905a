#pragma once
// From a simulated job to what goes on its bill.
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/bill.hpp"
#include "model/scenario.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// What the job uses, with prices looked up. What cannot be priced and has no key to price it by is
/// left out and said in `remarks`. Throws InputError when the instance has no price.
BillInput bill_input(const Scenario& scenario, const Catalog& catalog,
                     const resolve::Resolved& resolved, const pipeline::Outcome& outcome,
                     std::vector<std::string>& remarks);

}  // namespace feedrate::study
