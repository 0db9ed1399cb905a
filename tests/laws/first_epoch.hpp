#pragma once
// The first epoch of a job: by the mean, and by its events.
#include <cstdint>

#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"

namespace testing_laws {

inline double time_of(const feedrate::pipeline::Inputs& inputs) {
  return feedrate::pipeline::simulate(inputs).first.wall.base();
}

/// The mean over `seeds` of them.
inline double by_events(const feedrate::pipeline::Inputs& inputs, int seeds) {
  feedrate::Effort effort;
  double sum = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    sum += feedrate::pipeline::random_epoch(inputs, {}, static_cast<std::uint64_t>(seed), effort)
               .wall.base();
  }
  return sum / seeds;
}

}  // namespace testing_laws
