#pragma once
// What to change: every remedy that applies simulated on the job, ranked by what it saves for its
// effort.
#include <cstdint>
#include <optional>

#include "model/advice.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

struct AdviseOptions {
  double target = 0.9;      ///< share of its time that a fed GPU is busy, 0…1
  double jobs = 1.0;        ///< over which savings are counted, ≥ 1
  Constraints constraints;  ///< of one job
  std::uint64_t seed = 1;
  int draws = 40;  ///< of what is uncertain, to say how probably a remedy pays; 0: none
};

/// Each figure is that of run() on the scenario with the remedy's settings. Within a kind of
/// remedies the largest saving stands first; kinds take turns by the saving for the effort of their
/// first. Where the job misses the deadline or the budget, remedies that meet it come before all
/// others. `make` is called from several threads. InputError where the scenario itself cannot run.
Advice advise(const MakeScenario& make, const Catalog& catalog, const HostProfile* host,
              const AdviseOptions& options = {});

}  // namespace feedrate::study
