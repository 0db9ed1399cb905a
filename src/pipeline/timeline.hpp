#pragma once
// The first steps of an epoch, and the first copies of File mode, executed and written down.
#include <cstdint>

#include "model/timeline.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

struct Window {
  double steps = 0.0;  ///< of the epoch; of the copying: about so many objects a connection
  std::int64_t most_events = 0;  ///< then it ends, however far it is
};

/// `begin`, `epoch` and `name` are for the caller to fill in. `whole` says that the epoch ended; if
/// it did not, and `steps` holds fewer than were asked for, most_events cut it.
TimelineSection watch_epoch(const Inputs& inputs, EpochKind kind, const Window& window);

/// Precondition: inputs.staging.
TimelineSection watch_staging(const Inputs& inputs, const Window& window);

}  // namespace feedrate::pipeline
