#pragma once
// What happens when: the first steps of a job, executed once more with somebody watching.
#include <cstdint>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "model/timeline.hpp"

namespace feedrate::study {

struct TimelineOptions {
  double steps = 30.0;                 ///< of the first epoch and of a later one
  std::int64_t most_events = 100'000;  ///< of a section; a remark says when this cuts it
  bool to_the_end = false;  ///< also what follows the last step, where `steps` holds them all
};

/// The deterministic run (means, no draws), from its beginning. InputError as study::run. Same
/// input, same timeline.
Timeline timeline(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                  const TimelineOptions& options = {});

}  // namespace feedrate::study
