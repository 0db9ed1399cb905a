#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "engine/event_tree.hpp"
#include "engine/lowering.hpp"
#include "engine/outcome.hpp"
#include "engine/shared_capacity.hpp"
#include "engine/simulate.hpp"
#include "engine/token_bucket.hpp"

// All that changes during a run, as plain data: what it needs to be compared, shifted and summed
// up.
namespace feedrate::engine {

enum class Status : std::uint8_t {
  ready,
  delaying,  // or passing: when it goes on is settled
  using_capacity,
  taking,
  putting,
  joining,
  done
};

struct alignas(64) ProcessState {
  std::uint32_t at = 0;  // the step it stands in, or (ready) the next one
  Status status = Status::ready;
  Tag last_tag = 0;                  // done: of its last step
  std::uint32_t slot = 0;            // using_capacity
  std::uint32_t next = none;         // in a waiting line
  std::uint32_t producer = none;     // taking: on whom the wait is booked; none: on its own tag
  std::uint32_t numbered_by = none;  // whose ticket it holds
  std::int64_t since = 0;            // its time is booked up to here
  std::int64_t ticket = -1;
  std::array<std::int64_t, most_loops> rounds{};  // left, by loop depth
  std::array<std::int64_t, most_loops> exits{};   // loops left behind, by depth
  std::array<std::uint32_t, most_cursors> cursors{};
};

// First come, first served, linked through ProcessState::next.
struct Line {
  std::uint32_t head = none;
  std::uint32_t tail = none;
};

struct QueueState {
  std::int64_t level = 0;
  std::int64_t capacity = 0;
  Line takers;
  Line putters;
  Wide moment = 0;                 // since the last booking: times of takes less times of puts
  std::uint64_t empty_moment = 0;  // likewise: ends less beginnings of level 0
  std::int64_t taken = 0;
  std::int64_t empty = 0;
  Wide level_time = 0;
  QueueKind kind = QueueKind::plain;
  std::uint32_t partner = none;  // numbering: its ordered queue; ordered: its numbering queue
  std::int64_t ticket = 0;       // numbering: next to hand out; ordered: next expected
  std::vector<std::uint32_t>
      ring;  // ordered: per ticket (mod size, a power of two) filed or its holder
};
inline constexpr std::uint32_t filed = 0xfffffffeu;

struct BarrierState {
  std::uint32_t parties = 1;
  std::uint32_t arrived = 0;
  Line waiting;
};

// What of a process's time a trace has been told.
struct Told {
  std::int64_t until = 0;
  TimeByTag blocked{};  // at that time
};

struct MarkState {
  std::int64_t count = 0;
  std::int64_t last = 0;
  std::vector<Ticks> first;
};

struct State {
  State(const Model& model, const Options& options);

  const Model& model;
  const Options& options;
  std::vector<SharedCapacity> capacities;
  std::vector<TokenBucket> buckets;
  Lowered code;
  // What is pending, in two trees: there are many processes, and few resources, which change at
  // every event of theirs.
  EventTree events;       // delays, a leaf per process
  EventTree completions;  // the next one of each resource
  std::vector<ProcessState> processes;
  std::vector<QueueState> queues;
  std::vector<BarrierState> barriers;
  std::vector<MarkState> marks;
  std::vector<TimeByTag> active;
  std::vector<TimeByTag> blocked;
  std::vector<TimeByTag>
      awaited;             // taking: its producer's time by tag when the wait was last booked
  std::vector<Told> told;  // per process; empty without a trace
  std::vector<Random> streams;
  std::vector<std::uint32_t> stream_of;  // per process
  std::int64_t now = 0;
  std::uint64_t order = 0;      // of scheduling
  std::int64_t alive = 0;       // processes that must finish
  std::int64_t events_run = 0;  // executed
  std::int64_t events_all = 0;  // and skipped; as of the last booking
  std::int64_t events_booked = 0;
  std::int64_t steps = 0;  // of the reference, skipped ones included
};

inline void enqueue(State& state, Line& line, std::uint32_t p) {
  state.processes[p].next = none;
  if (line.head == none) {
    line.head = p;
  } else {
    state.processes[line.tail].next = p;
  }
  line.tail = p;
}

inline std::uint32_t dequeue(State& state, Line& line) {
  const std::uint32_t p = line.head;
  line.head = state.processes[p].next;
  return p;
}

// Changes the level. The integral of the level over time is kept as a sum of times: a token that
// comes at t and goes at u adds u - t. No product, no interval since the last change; wrapping
// around is harmless.
inline void change_level(QueueState& queue, std::int64_t now, std::int64_t by) {
  const auto time = static_cast<std::uint64_t>(now);
  queue.moment -= static_cast<Wide>(by) * time;
  if (queue.level == 0) queue.empty_moment += time;
  queue.level += by;
  if (queue.level == 0) queue.empty_moment -= time;
}

// Restarts the sums of times at now.
inline void restart_moments(QueueState& queue, std::int64_t now) {
  const auto time = static_cast<std::uint64_t>(now);
  queue.moment = Wide{0} - static_cast<Wide>(queue.level) * time;
  queue.empty_moment = queue.level == 0 ? std::uint64_t{0} - time : 0;
}

// Brings the tallies up to now.
inline void book_queue(QueueState& queue, std::int64_t now) {
  const auto time = static_cast<std::uint64_t>(now);
  queue.level_time += queue.moment + static_cast<Wide>(queue.level) * time;
  queue.empty += static_cast<std::int64_t>(queue.empty_moment + (queue.level == 0 ? time : 0));
  restart_moments(queue, now);
}

// Everything that only ever adds up, in a fixed order: visit(std::int64_t&) or visit(Wide&).
template <class Visit>
void visit_tallies(State& state, Visit&& visit) {
  for (auto& times : state.active) {
    for (auto& ns : times) visit(ns);
  }
  for (auto& times : state.blocked) {
    for (auto& ns : times) visit(ns);
  }
  for (auto& process : state.processes) {
    for (auto& exits : process.exits) visit(exits);
  }
  for (auto& capacity : state.capacities) capacity.tallies(visit);
  for (auto& bucket : state.buckets) bucket.tallies(visit);
  for (auto& queue : state.queues) {
    visit(queue.taken);
    visit(queue.empty);
    visit(queue.level_time);
  }
  for (auto& mark : state.marks) visit(mark.count);
  visit(state.events_all);
  visit(state.steps);
}

// The queue a take_any or put_any is about.
inline std::uint32_t queue_of(const Step& step, const ProcessState& process) {
  return step.extra > 1 ? step.target + process.cursors[step.depth] : step.target;
}

}  // namespace feedrate::engine
