#include "engine/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/bits.hpp"
#include "base/portable_math.hpp"
#include "engine/blame.hpp"
#include "engine/waiting.hpp"

namespace feedrate::engine {
namespace {

// Backward jumps without the clock having moved after which a model is called stuck.
constexpr std::uint32_t most_spins = 1u << 24;

// Events without a round of the reference after which every event is searched for a recurrence.
constexpr std::int64_t patience = 1 << 20;

// Events from one Options::look to the next: less than a tenth of a second of them.
constexpr std::int64_t between_looks = 1 << 20;

// What a random amount is cut off at, far beyond the end of the clock.
constexpr double farthest = 0x1p62;
constexpr double most_quanta = 0x1p120;
constexpr double most_random_cost = 0x1p103;

}  // namespace

template <bool traced>
Interpreter<traced>::Interpreter(State& state)
    : s_(state),
      steps_(state.code.steps.data()),
      ready_(std::bit_ceil(std::max<std::size_t>(1, state.processes.size()))),
      ready_mask_(ready_.size() - 1),
      ready_end_(state.processes.size()),
      patience_(patience),
      look_at_(state.options.look ? between_looks : std::numeric_limits<std::int64_t>::max()) {
  std::iota(ready_.begin(), ready_.end(), 0u);  // all start, in order
  dirty_.reserve(2 * state.capacities.size() + 2);
  if constexpr (traced) users_.resize(state.capacities.size());
}

template <bool traced>
void Interpreter<traced>::settle() {
  for (const std::uint32_t r : dirty_) {
    const SharedCapacity& capacity = s_.capacities[r];
    s_.completions.set(r, capacity.users() == 0
                              ? never
                              : event_key(capacity.first_time(), capacity.first().order));
  }
  dirty_.clear();
}

template <bool traced>
inline void Interpreter<traced>::tell_level(LevelKind kind, std::uint32_t of, std::uint32_t p,
                                            std::int64_t change, std::int64_t level) {
  if constexpr (traced) {
    if (s_.options.trace_levels)
      s_.options.trace_levels({kind, of, ProcessId(p), change, level, {s_.now}});
  }
}

template <bool traced>
inline void Interpreter<traced>::change(std::uint32_t p, std::uint32_t at, QueueState& queue,
                                        std::int64_t by) {
  change_level(queue, s_.now, by);
  tell_level(LevelKind::tokens, at, p, by, queue.level);
}

// leaf_is_set: p's own event has just come due and still stands in the tree; what p does next
// replaces it.
template <bool traced>
inline void Interpreter<traced>::execute(std::uint32_t p, bool leaf_is_set) {
  ProcessState& process = s_.processes[p];
  const Step* step = steps_ + process.at;
  for (;;) {
    switch (step->code) {
      case Code::delay:
        process.at = static_cast<std::uint32_t>(step - steps_);
        return delay(p, step->amount);
      case Code::delay_random: {
        process.at = static_cast<std::uint32_t>(step - steps_);
        const double ns =
            static_cast<double>(step->amount) * factor(p, s_.code.sigmas[step->extra]);
        // Never negative; lround is a call. NOLINTNEXTLINE(bugprone-incorrect-roundings)
        return delay(p, static_cast<std::int64_t>(std::min(ns, farthest) + 0.5));
      }
      case Code::use:
        process.at = static_cast<std::uint32_t>(step - steps_);
        use(p, step->target, quanta(*step));
        break;
      case Code::use_random: {
        process.at = static_cast<std::uint32_t>(step - steps_);
        const double mean = bits_as<double>(step->amount_high);
        const double work = mean * factor(p, s_.code.sigmas[step->extra]);
        use(p, step->target, to_wide(std::min(work, most_quanta)));
        break;
      }
      case Code::pass:
        if (!pass(p, *step, quanta(*step))) return;
        step = steps_ + step->next;
        continue;
      case Code::pass_random: {
        const double cost =
            bits_as<double>(step->amount_high) * factor(p, s_.code.sigmas[step->extra]);
        if (!pass(p, *step, to_wide(std::min(cost, most_random_cost) + 0.5))) return;
        step = steps_ + step->next;
        continue;
      }
      case Code::take: {
        QueueState& queue = s_.queues[step->target];
        if (queue.level > 0 && queue.takers.head == none) {
          ++queue.taken;
          if (queue.putters.head == none) {
            change(p, step->target, queue, -1);
          } else if (steps_[s_.processes[queue.putters.head].at].code == Code::put) {
            tell_level(LevelKind::tokens, step->target, p, -1, queue.level - 1);
            tell_level(LevelKind::tokens, step->target, queue.putters.head, 1, queue.level);
            wake_putter(queue);  // its token comes as this one goes
          } else {
            change(p, step->target, queue, -1);
            serve(step->target);
          }
          step = steps_ + step->next;
          continue;
        }
        wait_take(p, *step, step->target);
        break;
      }
      case Code::put: {
        QueueState& queue = s_.queues[step->target];
        if (queue.level < queue.capacity && queue.putters.head == none) {
          change(p, step->target, queue, 1);
          if (queue.takers.head != none) serve(step->target);
          step = steps_ + step->next;
          continue;
        }
        wait(p, *step, Status::putting, queue.putters);
        break;
      }
      case Code::take_any:
        if (!take_any(p, *step)) break;
        step = steps_ + step->next;
        continue;
      case Code::put_any:
        if (!put_any(p, *step)) break;
        step = steps_ + step->next;
        continue;
      case Code::take_ordered:
        if (!take_ordered(p, *step)) break;
        step = steps_ + step->next;
        continue;
      case Code::put_ordered:
        if (!put_ordered(p, *step)) break;
        step = steps_ + step->next;
        continue;
      case Code::join:
        if (!join(p, *step)) break;
        step = steps_ + step->next;
        continue;
      case Code::repeat:
        process.rounds[step->depth] = step->amount;
        step = steps_ + (step->amount > 0 ? step->next : step->target);
        continue;
      case Code::next_long:
        if (p == s_.code.reference && step->depth == s_.code.step_depth) ++s_.steps;
        if (process.rounds[step->depth] <= 1) {
          ++process.exits[step->depth];
        } else if (p == s_.code.reference) {
          rounds_ |= 1u << step->depth;
          attention_ = true;
        }
        [[fallthrough]];
      case Code::next:
        if (--process.rounds[step->depth] > 0) {
          step = steps_ + step->target;
          if (++spins_ == most_spins) check_time_moves();
        } else {
          step = steps_ + step->next;
        }
        continue;
      case Code::jump:
        step = steps_ + step->target;
        if (++spins_ == most_spins) check_time_moves();
        continue;
      case Code::mark:
        mark(*step);
        step = steps_ + step->next;
        continue;
      case Code::done:
        process.at = static_cast<std::uint32_t>(step - steps_);
        finish(p);
        break;
    }
    if (leaf_is_set) s_.events.clear(p);
    return;
  }
}

template <bool traced>
inline void Interpreter<traced>::delay(std::uint32_t p, std::int64_t ns) {
  s_.processes[p].status = Status::delaying;
  const std::uint64_t time = static_cast<std::uint64_t>(s_.now) + static_cast<std::uint64_t>(ns);
  s_.events.set(p, event_key(time, (s_.order++ << id_bits) | p));
}

template <bool traced>
inline void Interpreter<traced>::use(std::uint32_t p, std::uint32_t resource, Wide quanta) {
  ProcessState& process = s_.processes[p];
  SharedCapacity& capacity = s_.capacities[resource];
  capacity.sync(s_.now);
  process.status = Status::using_capacity;
  process.slot = capacity.enter(quanta, (s_.order++ << id_bits) | p);
  tell_level(LevelKind::users, resource, p, 1, capacity.users());
  if (dirty_.empty() || dirty_.back() != resource) dirty_.push_back(resource);
}

template <bool traced>
double Interpreter<traced>::factor(std::uint32_t p, double sigma) {
  Random& random = s_.streams[s_.stream_of[p]];
  if (sigma < -1) [[unlikely]]
    return drawn(random, s_.code.draws[static_cast<std::size_t>(-2 - sigma)]);
  return sigma < 0 ? random.exponential() : random.lognormal(sigma);
}

template <bool traced>
double Interpreter<traced>::drawn(Random& random, const Draws& draws) {
  if (draws.list == none && draws.mean_of == 1 && draws.sigma >= 0) {
    // The largest of lognormal draws is that of the largest deviate.
    double most = random.normal();
    for (std::uint32_t i = 1; i < draws.largest_of; ++i) most = std::max(most, random.normal());
    return portable::exp(draws.sigma * most - 0.5 * draws.sigma * draws.sigma);
  }
  const auto one = [&] {
    if (draws.list == none) {
      return draws.sigma < 0 ? random.exponential() : random.lognormal(draws.sigma);
    }
    const FactorList& list = s_.model.lists[draws.list];
    const auto found = std::upper_bound(list.up_to.begin(), list.up_to.end() - 1, random.uniform());
    return list.factor[static_cast<std::size_t>(found - list.up_to.begin())];
  };
  double most = 0.0;
  for (std::uint32_t i = 0; i < draws.largest_of; ++i) {
    double sum = 0.0;
    for (std::uint32_t k = 0; k < draws.mean_of; ++k) sum += one();
    most = std::max(most, sum);
  }
  return most / draws.mean_of;
}

template <bool traced>
inline void Interpreter<traced>::wait(std::uint32_t p, const Step& step, Status status,
                                      Line& line) {
  ProcessState& process = s_.processes[p];
  process.at = static_cast<std::uint32_t>(&step - steps_);
  process.status = status;
  enqueue(s_, line, p);
}

template <bool traced>
void Interpreter<traced>::wait_take(std::uint32_t p, const Step& step, std::uint32_t queue) {
  QueueState& q = s_.queues[queue];
  std::uint32_t producer = none;
  if (q.kind == QueueKind::ordered) {
    std::int64_t expected = q.ticket;
    for (std::uint32_t x = q.takers.head; x != none; x = s_.processes[x].next) ++expected;
    if (expected < s_.queues[q.partner].ticket) {
      const std::uint32_t holder =
          q.ring[static_cast<std::uint64_t>(expected) & (q.ring.size() - 1)];
      if (holder != filed) producer = holder;
    }
  } else {
    producer = choose_producer(s_, queue, p);
  }
  wait(p, step, Status::taking, q.takers);
  watch(s_, p, producer);
}

// p, which waited, goes on after this event; its wait ends now.
template <bool traced>
void Interpreter<traced>::wake(std::uint32_t p) {
  ProcessState& process = s_.processes[p];
  const Step& step = steps_[process.at];
  if (process.status == Status::taking) {
    book_take(s_, p);
  } else {
    s_.blocked[p][step.tag] += s_.now - process.since;
    process.since = s_.now;
  }
  if constexpr (traced) tell_wait(p);
  process.at = step.next;
  process.status = Status::ready;
  ready_[ready_end_++ & ready_mask_] = p;
}

// The first who waits to put one token goes on; the level stays.
template <bool traced>
inline void Interpreter<traced>::wake_putter(QueueState& queue) {
  const std::uint32_t p = dequeue(s_, queue.putters);
  ProcessState& process = s_.processes[p];
  const Step& step = steps_[process.at];
  s_.blocked[p][step.tag] += s_.now - process.since;
  process.since = s_.now;
  if constexpr (traced) tell_wait(p);
  process.at = step.next;
  process.status = Status::ready;
  ready_[ready_end_++ & ready_mask_] = p;
}

template <bool traced>
void Interpreter<traced>::mark(const Step& step) {
  MarkState& mark = s_.marks[step.target];
  ++mark.count;
  mark.last = s_.now;
  if (mark.first.size() < static_cast<std::size_t>(s_.options.marks_kept))
    mark.first.push_back({s_.now});
  if (mark.count >= s_.options.most_marks) enough_ = attention_ = true;
}

template <bool traced>
void Interpreter<traced>::check_time_moves() {
  if (spins_since_ == s_.now) {
    throw DeadlockError(fmt::format(
        "time stands still at {} ns: a loop goes round without end in no time", s_.now));
  }
  spins_since_ = s_.now;
  spins_ = 0;
}

template <bool traced>
void Interpreter<traced>::finish(std::uint32_t p) {
  ProcessState& process = s_.processes[p];
  process.last_tag = process.at > s_.code.entry[p] ? steps_[process.at - 1].tag : Tag{0};
  process.status = Status::done;
  if (!s_.model.processes[p].daemon) --s_.alive;
  attention_ = true;
}

// The process's time since it was last told of.
template <bool traced>
void Interpreter<traced>::tell(std::uint32_t p, SpanKind kind, Tag tag) {
  if (!s_.options.trace) return;
  Told& told = s_.told[p];
  const std::int64_t begin = std::exchange(told.until, s_.now);
  if (begin != s_.now) s_.options.trace({ProcessId(p), kind, tag, {begin}, {s_.now}});
}

// A wait that is booked up to now.
template <bool traced>
void Interpreter<traced>::tell_wait(std::uint32_t p) {
  if (!s_.options.trace) return;
  TimeByTag& before = s_.told[p].blocked;
  int most = 0;
  for (int t = 1; t < tag_count; ++t) {
    if (s_.blocked[p][t] - before[t] > s_.blocked[p][most] - before[most]) most = t;
  }
  before = s_.blocked[p];
  const bool putting = s_.processes[p].status == Status::putting;
  tell(p, putting ? SpanKind::putting : SpanKind::waiting, static_cast<Tag>(most));
}

template <bool traced>
void Interpreter<traced>::tell_rest() {
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) {
    const ProcessState& process = s_.processes[p];
    switch (process.status) {
      case Status::done: break;
      case Status::ready:
      case Status::delaying:
      case Status::using_capacity: tell(p, SpanKind::active, steps_[process.at].tag); break;
      default: tell_wait(p);
    }
  }
}

template <bool traced>
auto Interpreter<traced>::run(bool stop_at_rounds) -> Stop {
  State& s = s_;
  const std::int64_t limit = s.options.max_events;
  const auto checkpoint = [&] {
    const std::int64_t next = std::min(limit, look_at_);
    return stop_at_rounds ? std::min(next, patience_) : next;
  };
  std::int64_t check_at = checkpoint();
  rounds_ = 0;
  for (;;) {
    while (ready_at_ != ready_end_) execute(ready_[ready_at_++ & ready_mask_], false);
    if (!dirty_.empty()) settle();
    if (attention_) {
      attention_ = false;
      if (s.alive == 0) return Stop::finished;
      if (enough_) return Stop::event_limit;
      if (rounds_ != 0 && stop_at_rounds) {
        patience_ = s.events_run + patience;
        return Stop::round;
      }
    }
    const Wide key = std::min(s.events.first(), s.completions.first());
    const std::uint64_t time = key_time(key);
    if (time >> 63 != 0) [[unlikely]] {
      if (key == never) return Stop::deadlock;
      throw ClockError("the clock would pass 2^63 ns (292 years)");
    }
    if (s.events_run >= check_at) [[unlikely]] {
      if (s.events_run >= limit) return Stop::event_limit;
      if (s.events_run >= look_at_) {
        look_at_ += between_looks;
        s.options.look(s.marks.empty() ? 0 : s.marks.front().count);
        check_at = checkpoint();
      }
      if (stop_at_rounds && s.events_run >= patience_) {
        check_at = s.events_run + 1;
        if (rounds_ == 0 && s.events_run > patience_) return Stop::round;
      }
    }
    ++s.events_run;
    const auto now = static_cast<std::int64_t>(time);
    s.now = now;
    const auto p = static_cast<std::uint32_t>(key_order(key) & id_mask);
    ProcessState& process = s.processes[p];
    const Step& step = steps_[process.at];
    s.active[p][step.tag] += now - process.since;
    if constexpr (traced) tell(p, SpanKind::active, step.tag);
    process.since = now;
    process.at = step.next;
    const bool delayed = process.status == Status::delaying;
    process.status = Status::ready;
    if (!delayed) {
      SharedCapacity& capacity = s.capacities[step.target];
      capacity.sync(now);
      capacity.leave(process.slot);
      tell_level(LevelKind::users, step.target, p, -1, capacity.users());
      dirty_.push_back(step.target);
    } else {
      if constexpr (traced) tell_served(p, step);
    }
    execute(p, delayed);
  }
}

template class Interpreter<false>;
template class Interpreter<true>;

}  // namespace feedrate::engine
