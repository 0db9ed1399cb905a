#include "engine/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/blame.hpp"

namespace feedrate::engine {
namespace {

constexpr std::int64_t first_stretch = 4;

std::uint64_t word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

Recurrence::Recurrence(State& state) : s_(state) {
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    const QueuePlan& plan = s_.code.queues[q];
    const bool heap = !plan.has_takers && s_.queues[q].capacity == unlimited;
    stock_.push_back(s_.queues[q].kind != QueueKind::ordered && (!plan.has_putters || heap));
  }
}

// The whole state relative to the clock, word by word, what most likely differs first. take returns
// false to stop.
template <class Take>
bool Recurrence::visit(Take&& take) const {
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    const QueueState& queue = s_.queues[q];
    // An empty stock is another state: time at level 0 is counted.
    if (!take(stock_[q] ? std::uint64_t{queue.level == 0} : word(queue.level))) return false;
  }
  for (const TokenBucket& bucket : s_.buckets) {
    const Wide missing = bucket.missing(s_.now);
    if (!take(static_cast<std::uint64_t>(missing)) ||
        !take(static_cast<std::uint64_t>(missing >> 64)))
      return false;
  }
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
    if (!visit_process(p, take)) return false;
  }
  for (const QueueState& queue : s_.queues) {
    if (queue.kind != QueueKind::ordered) continue;
    const std::int64_t handed_out = s_.queues[queue.partner].ticket;
    if (!take(word(handed_out - queue.ticket))) return false;
    for (std::int64_t t = queue.ticket; t < handed_out; ++t) {
      if (!take(queue.ring[word(t) & (queue.ring.size() - 1)])) return false;
    }
  }
  return visit_lines(take);
}

template <class Take>
bool Recurrence::visit_process(std::uint32_t p, Take&& take) const {
  const ProcessState& process = s_.processes[p];
  if (!take(process.at | (std::uint64_t{process.producer} << 32))) return false;
  if (!take(static_cast<std::uint64_t>(process.status))) return false;
  if (process.status == Status::done) return true;
  if (process.status == Status::delaying) {
    if (!take(key_time(s_.events.at(p)) - word(s_.now))) return false;
  } else if (process.status == Status::using_capacity) {
    const Wide left =
        s_.capacities[s_.code.steps[process.at].target].remaining(process.slot, s_.now);
    if (!take(static_cast<std::uint64_t>(left)) || !take(static_cast<std::uint64_t>(left >> 64)))
      return false;
  }
  if (process.ticket >= 0) {
    if (!take(word(s_.queues[process.numbered_by].ticket - process.ticket))) return false;
  }
  const Nest nest = s_.code.nests[process.at];
  for (int d = 0; d < most_loops; ++d) {
    const bool counted = ((nest.active & ~nest.is_long) >> d & 1) != 0;
    if (counted && !take(word(process.rounds[d]))) return false;
  }
  for (int c = 0; c < most_cursors; c += 2) {
    if (!take(process.cursors[c] | (std::uint64_t{process.cursors[c + 1]} << 32))) return false;
  }
  return true;
}

template <class Take>
bool Recurrence::visit_lines(Take&& take) const {
  const auto line = [&](const Line& waiting) {
    for (std::uint32_t p = waiting.head; p != none; p = s_.processes[p].next) {
      if (!take(p)) return false;
    }
    return take(none);
  };
  for (const QueueState& queue : s_.queues) {
    if (!line(queue.takers) || !line(queue.putters)) return false;
  }
  for (const BarrierState& barrier : s_.barriers) {
    if (!take(barrier.arrived) || !line(barrier.waiting)) return false;
  }
  return true;
}

// visit(process, depth) forevery long loop that is running.
template <class Visit>
void Recurrence::visit_long(Visit&& visit) const {
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
    const Nest nest = s_.code.nests[s_.processes[p].at];
    if (nest.is_long == 0 || s_.processes[p].status == Status::done) continue;
    for (int d = 0; d < most_loops; ++d) {
      if ((nest.is_long >> d & 1) != 0) visit(p, d);
    }
  }
}

// The order in which all that is pending was scheduled decides ties.
void Recurrence::pending_order() {
  pending_.clear();
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
    const ProcessState& process = s_.processes[p];
    if (process.status == Status::delaying) pending_.emplace_back(key_order(s_.events.at(p)), p);
    if (process.status == Status::using_capacity) {
      pending_.emplace_back(s_.capacities[s_.code.steps[process.at].target].order(process.slot), p);
    }
  }
  std::sort(pending_.begin(), pending_.end());
}

bool Recurrence::same(const Snapshot& snapshot) {
  std::size_t i = 0;
  const auto& words = snapshot.words;
  const auto compare = [&](std::uint64_t value) { return i < words.size() && words[i++] == value; };
  if (!visit(compare)) return false;
  pending_order();
  if (words.size() - i != pending_.size()) return false;
  for (const auto& entry : pending_) {
    if (!compare(entry.second)) return false;
  }
  return long_loops_agree(snapshot);
}

void Recurrence::store(Snapshot& snapshot) {
  book_all(s_);
  snapshot.valid = true;
  snapshot.now = s_.now;
  snapshot.words.clear();
  snapshot.left.clear();
  snapshot.stock.clear();
  snapshot.tallies.clear();
  visit([&](std::uint64_t value) {
    snapshot.words.push_back(value);
    return true;
  });
  pending_order();
  for (const auto& entry : pending_) snapshot.words.push_back(entry.second);
  visit_long([&](std::uint32_t p, int d) {
    snapshot.left.push_back(s_.processes[p].rounds[d]);
    snapshot.left.push_back(s_.processes[p].exits[d]);
  });
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    if (stock_[q]) snapshot.stock.push_back(s_.queues[q].level);
  }
  visit_tallies(s_, [&](auto& tally) { snapshot.tallies.push_back(static_cast<Wide>(tally)); });
}

// A long loop that was left and entered again is compared like any other.
bool Recurrence::long_loops_agree(const Snapshot& snapshot) const {
  bool agree = true;
  std::size_t i = 0;
  visit_long([&](std::uint32_t p, int d) {
    const ProcessState& process = s_.processes[p];
    const std::int64_t left = snapshot.left[i++];
    const std::int64_t exits = snapshot.left[i++];
    if (process.exits[d] != exits && process.rounds[d] != left) agree = false;
  });
  return agree;
}

std::int64_t Recurrence::cycles_that_fit(const Snapshot& snapshot) const {
  constexpr std::int64_t many = std::numeric_limits<std::int64_t>::max();
  std::int64_t cycles = many;
  std::size_t i = 0;
  visit_long([&](std::uint32_t p, int d) {
    const ProcessState& process = s_.processes[p];
    const std::int64_t left = snapshot.left[i++];
    const std::int64_t exits = snapshot.left[i++];
    const std::int64_t per_cycle = process.exits[d] == exits ? left - process.rounds[d] : 0;
    if (per_cycle > 0) cycles = std::min(cycles, (process.rounds[d] - 1) / per_cycle);
  });
  i = 0;
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    if (!stock_[q]) continue;
    const std::int64_t per_cycle = snapshot.stock[i++] - s_.queues[q].level;
    // Takes of several tokens may fail before the stock is quite used up: stay a cycle away.
    if (per_cycle > 0)
      cycles = std::min(cycles, std::max<std::int64_t>(0, s_.queues[q].level / per_cycle - 1));
  }
  return cycles == many ? -1 : cycles;
}

// After a jump everybody who waits watches from now on. A producer that waits itself goes first:
// what it counts is part of what its watcher counts.
void Recurrence::rebase_all() {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
    chain.clear();
    for (std::uint32_t x = p; x != none && s_.processes[x].status == Status::taking;
         x = s_.processes[x].producer) {
      chain.push_back(x);
    }
    for (; !chain.empty(); chain.pop_back()) rebase(s_, chain.back());
  }
}

void Recurrence::jump(const Snapshot& snapshot, std::int64_t cycles) {
  const std::int64_t cycle = s_.now - snapshot.now;
  const Wide distance = Wide{word(cycle)} * word(cycles);
  constexpr Wide limit = Wide{1} << 63;
  if (distance + word(s_.now) >= limit)
    throw ClockError("the clock would pass 2^63 ns (292 years)");
  const auto ns = static_cast<std::int64_t>(distance);
  std::size_t i = 0;
  visit_long([&](std::uint32_t p, int d) {
    ProcessState& process = s_.processes[p];
    const std::int64_t left = snapshot.left[i++];
    const std::int64_t exits = snapshot.left[i++];
    if (process.exits[d] == exits) process.rounds[d] -= (left - process.rounds[d]) * cycles;
  });
  i = 0;
  std::vector<std::int64_t> marks_before;
  for (const MarkState& mark : s_.marks) marks_before.push_back(mark.count);
  const std::int64_t steps = s_.steps;
  visit_tallies(s_, [&](auto& tally) {
    using Tally = std::remove_reference_t<decltype(tally)>;
    tally = static_cast<Tally>(static_cast<Wide>(tally) +
                               (static_cast<Wide>(tally) - snapshot.tallies[i++]) * word(cycles));
  });
  i = 0;
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    QueueState& queue = s_.queues[q];
    if (stock_[q]) {
      // Its level changes with every cycle, so its integral is a sum over a line, not a multiple.
      const std::int64_t rise = queue.level - snapshot.stock[i++];
      const Wide passes = Wide{word(cycles)} * (Wide{word(cycles)} + 1) / 2;
      queue.level_time += passes * static_cast<Wide>(rise) * word(cycle);
      queue.level += rise * cycles;
    }
    restart_moments(queue, s_.now + ns);
  }
  steps_skipped_ += s_.steps - steps;
  for (std::size_t m = 0; m < s_.marks.size(); ++m) {
    MarkState& mark = s_.marks[m];
    if (mark.count == marks_before[m]) continue;
    const std::int64_t per_cycle = (mark.count - marks_before[m]) / cycles;
    const auto kept = static_cast<std::int64_t>(s_.options.marks_kept);
    while (static_cast<std::int64_t>(mark.first.size()) < std::min(kept, mark.count)) {
      mark.first.push_back(mark.first[mark.first.size() - word(per_cycle)] + Ticks{cycle});
    }
    mark.last += ns;
  }
  for (ProcessState& process : s_.processes) {
    if (process.status != Status::done) process.since += ns;
  }
  for (SharedCapacity& capacity : s_.capacities) capacity.shift(ns);
  for (TokenBucket& bucket : s_.buckets) bucket.shift(ns);
  s_.events.shift(word(ns));
  s_.completions.shift(word(ns));
  if (s_.options.trace) {
    s_.options.trace({ProcessId(s_.code.reference), SpanKind::skipped, 0, {s_.now}, {s_.now + ns}});
    for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
      s_.told[p].until += ns;
      s_.told[p].blocked = s_.blocked[p];
    }
  }
  s_.now += ns;
  rebase_all();
}

void Recurrence::look(std::uint32_t rounds) {
  if (rounds == 0) {
    search(most_loops, 0);
    return;
  }
  for (int d = 0; d < most_loops; ++d) {
    if ((rounds >> d & 1) == 0) continue;
    if (search(d, s_.processes[s_.code.reference].exits[d])) return;
  }
}

bool Recurrence::search(int level, std::int64_t exits) {
  Snapshot& snapshot = snapshots_[level];
  if (snapshot.exits != exits) {
    snapshot.exits = exits;
    snapshot.until = std::min(snapshot.until, snapshot.rounds + first_stretch);
  }
  ++snapshot.rounds;
  if (snapshot.valid && same(snapshot)) {
    const std::int64_t cycles = cycles_that_fit(snapshot);
    if (cycles < 0) {
      throw DeadlockError(
          fmt::format("from {} ns on, the same state recurs forever: no loop with an end goes "
                      "forward",
                      snapshot.now));
    }
    book_all(s_);
    found_ = true;
    cycle_ns_ = s_.now - snapshot.now;
    if (cycles > 0) {
      const std::int64_t steps = s_.steps;
      ++jumps_;
      jump(snapshot, cycles);
      cycle_steps_ = (s_.steps - steps) / cycles;
      for (int inner = level; inner <= most_loops; ++inner) snapshots_[inner] = Snapshot{};
      return true;
    }
  }
  if (!snapshot.valid || snapshot.rounds >= snapshot.until) {
    store(snapshot);
    snapshot.until = std::max(first_stretch, snapshot.until + snapshot.until / 2);
    snapshot.rounds = 0;
  }
  return false;
}

}  // namespace feedrate::engine
