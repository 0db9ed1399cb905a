#pragma once
// When what happens: the first steps of a job, executed again with every event recorded.
#include <cstdint>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "model/timeline.hpp"

namespace feedrate::study {

struct TimelineOptions {
  double steps = 30.0;                 ///< shown of the first epoch and of a later one
  std::int64_t most_events = 100'000;  ///< per section; a remark says when this cuts it short
  bool to_the_end = false;  ///< also show what follows the last step, if `steps` reaches it
};

/// The timeline of the deterministic run (means, no draws), from its beginning. InputError as
/// study::run. Same input, same timeline.
Timeline timeline(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                  const TimelineOptions& options = {});

}  // namespace feedrate::study
