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

/// The demand on each limit that instances share, where there is any. A given efficiency is one of
/// the job as it is, so it is counted in.
std::vector<SharedDemand> shared_demands(const Inputs& inputs);

/// The same job where every instance has a service of its own that never limits it.
Inputs without_shared_limits(const Inputs& inputs);

/// Whether instances share a limit where the data comes from.
bool shares_limits(const Inputs& inputs);

/// The job where one instance has all of what all of them share, as while others do not read.
Inputs with_whole_limits(const Inputs& inputs);

}  // namespace feedrate::pipeline
