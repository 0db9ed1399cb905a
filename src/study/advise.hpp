#pragma once
// What to change: simulates every remedy that applies to the job and ranks them by what they save
// for their effort.
#include <cstdint>
#include <optional>

#include "model/advice.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

struct AdviseOptions {
  double target = 0.9;      ///< share of its time that a fed GPU is busy, 0…1
  double jobs = 1.0;        ///< number of jobs over which savings are counted, ≥ 1
  Constraints constraints;  ///< on each job
  std::uint64_t seed = 1;
  bool events = false;  ///< simulate what is advised first by its events, before it is advised
  int draws = 40;       ///< of the uncertain inputs, to say how probably a remedy pays; 0: not said
};

/// Each figure is that of run() on the scenario with the remedy's settings. What saves
/// most for its effort stands first. Where the job misses the deadline or the budget, remedies that
/// meet it come before all others. By their events too, what is advised first saves, or nothing
/// else is left to advise; figures stay those of the mean. `make` is called from several threads.
/// InputError where the scenario itself cannot run.
Advice advise(const MakeScenario& make, const Catalog& catalog, const HostProfile* host,
              const AdviseOptions& options = {});

}  // namespace feedrate::study
