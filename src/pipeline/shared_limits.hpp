#pragma once
// What instances share, and how much of it one of them would take by itself.
#include <vector>

#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// A limit of the source that all instances share, in a part of the job that reads under it. Rates
/// are bytes or requests a second.
struct SharedDemand {
  std::string name;
  bool of_requests = false;
  SharedIn when = SharedIn::later_epochs;
  double rate = 0.0;    ///< of all instances together, while no burst lasts
  double demand = 0.0;  ///< of one, on average over that part, if nothing were shared
};

/// Of every limit that is shared and asked for anything. Efficiencies that are given hold for the
/// job as it is, and so for this.
std::vector<SharedDemand> shared_demands(const Inputs& inputs);

/// The same job where every instance has a service of its own that never limits it.
Inputs without_shared_limits(const Inputs& inputs);

/// Whether instances share a limit where the data comes from.
bool shares_limits(const Inputs& inputs);

/// The job where one instance has all of what all of them share, as while others do not read.
Inputs with_whole_limits(const Inputs& inputs);

}  // namespace feedrate::pipeline
