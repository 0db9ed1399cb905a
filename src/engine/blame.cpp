#include "engine/blame.hpp"

namespace feedrate::engine {

std::uint32_t choose_producer(const State& state, std::uint32_t queue, std::uint32_t taker) {
  const auto& producers = state.code.queues[queue].producers;
  if (producers.size() == 1) return producers[0];
  std::uint32_t oldest = none;
  std::uint32_t first = none;
  std::uint32_t working = none;
  for (const std::uint32_t p : producers) {
    if (p == taker) continue;
    const ProcessState& process = state.processes[p];
    if (process.status == Status::done) continue;
    if (process.ticket >= 0 &&
        (oldest == none || process.ticket < state.processes[oldest].ticket)) {
      oldest = p;
    }
    if (first == none) first = p;
    if (working == none && process.status != Status::taking) working = p;
  }
  if (oldest != none) return oldest;
  return working != none ? working : first;
}

void book_all(State& state) {
  // standing() is the same before and after a booking, so the order does not matter.
  for (std::uint32_t p = 0; p < state.processes.size(); ++p) {
    ProcessState& process = state.processes[p];
    const Tag tag = state.code.steps[process.at].tag;
    switch (process.status) {
      case Status::taking:
        book_take(state, p);
        rebase(state, p);
        break;
      case Status::putting:
      case Status::joining:
        state.blocked[p][tag] += state.now - process.since;
        process.since = state.now;
        break;
      case Status::delaying:
      case Status::using_capacity:
        state.active[p][tag] += state.now - process.since;
        process.since = state.now;
        break;
      case Status::ready:
      case Status::done: break;
    }
  }
  for (SharedCapacity& capacity : state.capacities) capacity.sync(state.now);
  for (QueueState& queue : state.queues) book_queue(queue, state.now);
  state.events_all += state.events_run - state.events_booked;
  state.events_booked = state.events_run;
}

}  // namespace feedrate::engine
