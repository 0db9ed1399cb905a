#pragma once

#include "engine/outcome.hpp"

namespace feedrate::engine {

// Whether two outcomes are the same result, whatever the effort.
inline bool same_result(const Outcome& a, const Outcome& b) {
  return a.now == b.now && a.events == b.events && a.event_limit == b.event_limit &&
         a.processes == b.processes && a.resources == b.resources && a.buckets == b.buckets &&
         a.queues == b.queues && a.marks == b.marks;
}

}  // namespace feedrate::engine
