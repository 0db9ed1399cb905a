#pragma once

#include <fmt/format.h>

#include "engine/blame.hpp"
#include "engine/interpreter.hpp"

// The interpreter's less frequent instructions: rate limits, queues that count in several, number
// or order, and barriers. Each returns whether the process went through; if not, it waits.
namespace feedrate::engine {

// When the tokens will be there is known at once, so a wait for them is a delay. A use of a
// resource always is an event, like that of a shared one, however short.
template <bool traced>
bool Interpreter<traced>::pass(std::uint32_t p, const Step& step, Wide cost) {
  const std::uint64_t wait = s_.buckets[step.target].pass(s_.now, cost);
  const std::uint32_t resource = s_.code.resource_of[step.target];
  if (wait == 0 && resource == none) return true;
  s_.processes[p].at = static_cast<std::uint32_t>(&step - steps_);
  if constexpr (traced) {
    if (resource != none) tell_level(LevelKind::users, resource, p, 1, ++users_[resource]);
  }
  delay(p, static_cast<std::int64_t>(wait));
  return false;
}

// Tells the trace if p's delay that is over was its use of a resource that serves one at a time.
template <bool traced>
void Interpreter<traced>::tell_served(std::uint32_t p, const Step& step) {
  if (!is_pass(step.code)) return;
  const std::uint32_t resource = s_.code.resource_of[step.target];
  if (resource != none) tell_level(LevelKind::users, resource, p, -1, --users_[resource]);
}

template <bool traced>
bool Interpreter<traced>::take_any(std::uint32_t p, const Step& step) {
  const std::uint32_t at = queue_of(step, s_.processes[p]);
  QueueState& queue = s_.queues[at];
  if (queue.takers.head != none || queue.level < step.amount) {
    wait_take(p, step, at);
    return false;
  }
  change(p, at, queue, -step.amount);
  queue.taken += step.amount;
  passed(p, step, at);
  if (queue.putters.head != none) serve(at);
  return true;
}

template <bool traced>
bool Interpreter<traced>::put_any(std::uint32_t p, const Step& step) {
  const std::uint32_t at = queue_of(step, s_.processes[p]);
  QueueState& queue = s_.queues[at];
  if (queue.putters.head != none || queue.level > queue.capacity - step.amount) {
    wait(p, step, Status::putting, queue.putters);
    return false;
  }
  change(p, at, queue, step.amount);
  passed(p, step, at);
  if (queue.takers.head != none) serve(at);
  return true;
}

// What going through a queue does to the process: its cursor, its ticket.
template <bool traced>
void Interpreter<traced>::passed(std::uint32_t p, const Step& step, std::uint32_t queue) {
  ProcessState& process = s_.processes[p];
  if (step.advance) {
    std::uint32_t& cursor = process.cursors[step.depth];
    cursor = cursor + 1 == step.extra ? 0 : cursor + 1;
  }
  const bool takes = step.code == Code::take || step.code == Code::take_any;
  if (takes && s_.queues[queue].kind == QueueKind::numbering) number(p, queue);
}

// p gets the next ticket; who already waits for that item now knows on whom.
template <bool traced>
void Interpreter<traced>::number(std::uint32_t p, std::uint32_t queue) {
  QueueState& numbering = s_.queues[queue];
  const std::int64_t ticket = numbering.ticket++;
  s_.processes[p].ticket = ticket;
  s_.processes[p].numbered_by = queue;
  if (numbering.partner == none) return;
  QueueState& ordered = s_.queues[numbering.partner];
  auto& ring = ordered.ring;
  if (static_cast<std::uint64_t>(ticket - ordered.ticket) >= ring.size()) {
    std::vector<std::uint32_t> larger(2 * ring.size());
    for (std::int64_t t = ordered.ticket; t < ticket; ++t) {
      const auto u = static_cast<std::uint64_t>(t);
      larger[u & (larger.size() - 1)] = ring[u & (ring.size() - 1)];
    }
    ring.swap(larger);
  }
  ring[static_cast<std::uint64_t>(ticket) & (ring.size() - 1)] = p;
  std::uint32_t taker = ordered.takers.head;
  for (std::int64_t t = ordered.ticket; t < ticket && taker != none; ++t)
    taker = s_.processes[taker].next;
  if (taker != none) {
    book_take(s_, taker);
    watch(s_, taker, p);
  }
}

// Lets through whoever now can, until nobody can.
template <bool traced>
void Interpreter<traced>::serve(std::uint32_t at) {
  QueueState& queue = s_.queues[at];
  for (bool moved = true; moved;) {
    moved = false;
    while (queue.takers.head != none) {
      const std::uint32_t p = queue.takers.head;
      const Step& step = steps_[s_.processes[p].at];
      if (queue.level < step.amount) break;
      change(p, at, queue, -step.amount);
      queue.taken += step.amount;
      dequeue(s_, queue.takers);
      wake(p);
      passed(p, step, at);
      moved = true;
    }
    while (queue.putters.head != none) {
      const std::uint32_t p = queue.putters.head;
      const Step& step = steps_[s_.processes[p].at];
      if (queue.level > queue.capacity - step.amount) break;
      change(p, at, queue, step.amount);
      dequeue(s_, queue.putters);
      wake(p);
      passed(p, step, at);
      moved = true;
    }
  }
}

template <bool traced>
bool Interpreter<traced>::take_ordered(std::uint32_t p, const Step& step) {
  QueueState& queue = s_.queues[step.target];
  const bool here =
      queue.ticket < s_.queues[queue.partner].ticket &&
      queue.ring[static_cast<std::uint64_t>(queue.ticket) & (queue.ring.size() - 1)] == filed;
  if (queue.takers.head != none || !here) {
    wait_take(p, step, step.target);
    return false;
  }
  change(p, step.target, queue, -1);
  ++queue.taken;
  ++queue.ticket;
  if (queue.putters.head != none) serve_ordered(step.target);
  return true;
}

template <bool traced>
bool Interpreter<traced>::put_ordered(std::uint32_t p, const Step& step) {
  ProcessState& process = s_.processes[p];
  QueueState& queue = s_.queues[step.target];
  if (process.ticket < 0 || process.numbered_by != queue.partner) {
    throw BuildError(fmt::format("process '{}' puts into ordered queue '{}' without a ticket of it",
                                 s_.model.processes[p].name, s_.model.queues[step.target].name));
  }
  if (process.ticket - queue.ticket >= queue.capacity) {
    wait(p, step, Status::putting, queue.putters);
    return false;
  }
  change(p, step.target, queue, 1);
  queue.ring[static_cast<std::uint64_t>(process.ticket) & (queue.ring.size() - 1)] = filed;
  process.ticket = -1;
  if (queue.takers.head != none) serve_ordered(step.target);
  return true;
}

template <bool traced>
void Interpreter<traced>::serve_ordered(std::uint32_t at) {
  QueueState& queue = s_.queues[at];
  const auto slot = [&](std::int64_t ticket) -> std::uint32_t& {
    return queue.ring[static_cast<std::uint64_t>(ticket) & (queue.ring.size() - 1)];
  };
  for (bool moved = true; moved;) {
    moved = false;
    const bool here = queue.ticket < s_.queues[queue.partner].ticket && slot(queue.ticket) == filed;
    if (queue.takers.head != none && here) {
      change(queue.takers.head, at, queue, -1);
      ++queue.taken;
      ++queue.ticket;
      wake(dequeue(s_, queue.takers));
      moved = true;
    }
    // The window has moved on: those whose ticket lies in it, wherever they stand in line.
    for (std::uint32_t p = queue.putters.head, before = none; p != none;) {
      ProcessState& process = s_.processes[p];
      const std::uint32_t next = process.next;
      if (process.ticket - queue.ticket < queue.capacity) {
        if (before == none) {
          queue.putters.head = next;
        } else {
          s_.processes[before].next = next;
        }
        if (queue.putters.tail == p) queue.putters.tail = before;
        change(p, at, queue, 1);
        slot(process.ticket) = filed;
        process.ticket = -1;
        wake(p);
        moved = true;
      } else {
        before = p;
      }
      p = next;
    }
  }
}

template <bool traced>
bool Interpreter<traced>::join(std::uint32_t p, const Step& step) {
  BarrierState& barrier = s_.barriers[step.target];
  if (barrier.arrived + 1 < barrier.parties) {
    ++barrier.arrived;
    wait(p, step, Status::joining, barrier.waiting);
    return false;
  }
  barrier.arrived = 0;
  while (barrier.waiting.head != none) wake(dequeue(s_, barrier.waiting));
  return true;
}

}  // namespace feedrate::engine
