#pragma once
// From what a scenario says to what the simulation needs. Each number is taken from the first of:
// the scenario, the host profile, the catalogue, a stated assumption; which one is recorded.
#include <functional>
#include <string>
#include <vector>

#include "model/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// A factor around 1 for a parameter with this relative standard error; one call a parameter.
using Draw = std::function<double(double relative_error)>;

struct Resolved {
  Inputs inputs;
  const Machine* machine = nullptr;  ///< in the catalogue; null where none is named
  std::vector<InputUsed> used;
  std::vector<std::string> remarks;
};

/// Throws InputError with every problem: a number that is needed and not known names the key to
/// set. With `draw`, parameters with a standard error are multiplied by draws.
Resolved resolve(const Scenario& scenario, const Catalog& catalog,
                 const HostProfile* host = nullptr, const Draw& draw = {});

}  // namespace feedrate::pipeline
