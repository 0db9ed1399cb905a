#pragma once
// The first steps of an epoch, and the first copies of File mode, executed and written down.
#include <cstdint>

#include "model/timeline.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

struct Window {
  double steps = 0.0;  ///< of the epoch; of the copying: about so many objects a connection
  /// Of what is shown; then it ends, however far it is. What is simulated beside it is bounded too.
  std::int64_t most_events = 0;
  std::uint64_t seed = 1;
};

/// The first of `epochs` as random_epoch() simulates it, of which the first rank is shown. `begin`,
/// `epoch` and `name` are for the caller to fill in, and what is received. `whole` says that the
/// epoch ended; if it did not, and `steps` holds fewer than were asked for, most_events cut it.
TimelineSection watch_epoch(const Inputs& inputs, const Epochs& epochs, const Window& window);

/// Precondition: inputs.staging.
TimelineSection watch_staging(const Inputs& inputs, const Window& window);

}  // namespace feedrate::pipeline
