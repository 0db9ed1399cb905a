#pragma once
// When what happens: the first steps of a job's epochs by the events that its result counts,
// written down one by one.
#include <cstdint>
#include <optional>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "model/timeline.hpp"

namespace feedrate::study {

struct TimelineOptions {
  double steps = 30.0;                 ///< shown of the first epoch and of a later one
  std::int64_t most_events = 100'000;  ///< per section; a remark says when this cuts it short
  bool to_the_end = false;  ///< also show what follows the last step, if `steps` reaches it
  /// Instead of `steps`: those that fill the pipeline, and as many as take so long by the mean.
  std::optional<Duration> beyond_filling{};
  std::uint64_t seed = 1;          ///< of the run
  const Result* result = nullptr;  ///< of the run: what it made of these events is said
};

/// The timeline of the first epoch, and of the first of those that are alike (where there is but
/// one epoch, of that), each from its beginning, by the events of --exact with this seed. They are
/// the events that study::run counts with the same seed. InputError as study::run. Same input, same
/// timeline.
Timeline timeline(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                  const TimelineOptions& options = {});

}  // namespace feedrate::study
