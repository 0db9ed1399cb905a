#pragma once

#include <cstdint>

#include "engine/state.hpp"

// Who is to blame for a wait. A process that waits in take watches one producer; as that one's time
// by tag grows, so does the blame: what is booked when the wait ends is the difference of the
// producer's time by tag between its end and its start. A producer that itself waits passes on the
// growth of the one it watches. So nothing is done while others run, whatever the length of the
// chain.
namespace feedrate::engine {

// Time by tag of process p up to now, waits included, as if all of it were booked.
inline void standing(const State& state, std::uint32_t p, TimeByTag& out) {
  for (int t = 0; t < tag_count; ++t) out[t] = state.active[p][t] + state.blocked[p][t];
  for (;;) {
    const ProcessState& process = state.processes[p];
    if (process.status == Status::ready) return;
    if (process.status != Status::taking || process.producer == none) {
      const Tag tag =
          process.status == Status::done ? process.last_tag : state.code.steps[process.at].tag;
      out[tag] += state.now - process.since;
      return;
    }
    const TimeByTag& from = state.awaited[p];
    p = process.producer;
    for (int t = 0; t < tag_count; ++t) {
      out[t] += state.active[p][t] + state.blocked[p][t] - from[t];
    }
  }
}

// Books the wait of p (taking) up to now.
inline void book_take(State& state, std::uint32_t p) {
  ProcessState& process = state.processes[p];
  if (process.producer == none) {
    state.blocked[p][state.code.steps[process.at].tag] += state.now - process.since;
  } else if (state.now != process.since) {
    TimeByTag to;
    standing(state, process.producer, to);
    for (int t = 0; t < tag_count; ++t) state.blocked[p][t] += to[t] - state.awaited[p][t];
  }
  process.since = state.now;
}

// What p (taking) watches counts from now on.
inline void rebase(State& state, std::uint32_t p) {
  const std::uint32_t producer = state.processes[p].producer;
  if (producer != none) standing(state, producer, state.awaited[p]);
}

// p waits in take from now on and watches producer; its time is booked up to now.
inline void watch(State& state, std::uint32_t p, std::uint32_t producer) {
  for (std::uint32_t x = producer; x != none;) {
    if (x == p) {  // it would wait for itself
      producer = none;
      break;
    }
    const ProcessState& process = state.processes[x];
    x = process.status == Status::taking ? process.producer : none;
  }
  state.processes[p].producer = producer;
  rebase(state, p);
}

// On whom a wait for a plain or numbering queue is booked.
std::uint32_t choose_producer(const State& state, std::uint32_t queue, std::uint32_t taker);

// Books every process up to now and every capacity and queue too; changes no total.
void book_all(State& state);

}  // namespace feedrate::engine
