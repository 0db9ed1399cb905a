#pragma once

#include <cstdint>

#include "engine/model.hpp"

// Models drawn at random, for properties that hold for all of them. The same (kind, seed) gives the
// same model.
namespace feedrate::tests {

enum class Kind : std::uint8_t {
  drain,   // a line of stations whose rates differ by 0.01 to 1 %, so that its queues fill or drain
           // slowly
  loader,  // ranks with workers of their own, in turn, on shared cores and a disk, joined by a
           // barrier
  pool,    // threads that share one stock of samples, re-sequenced or not
  cycles,  // processes that use shared capacities and semaphores, uneven rounds, hardly coupled
  limits,  // workers and processes of their own rounds behind rate limits and servers that take one
           // at a time
};
inline constexpr int kinds = 5;

engine::Model random_model(Kind kind, std::uint64_t seed);

}  // namespace feedrate::tests
