#include "engine/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/blame.hpp"
#include "engine/waiting.hpp"

namespace feedrate::engine {
namespace {

// Backward jumps without the clock having moved after which a model is called stuck.
constexpr std::uint32_t kMostSpins = 1u << 24;

// Events without a round of the reference after which every event is searched for a recurrence.
constexpr std::int64_t kPatience = 1 << 20;

constexpr double kFarthest = 0x1p62;

}  // namespace

template <bool kTrace>
Interpreter<kTrace>::Interpreter(State& state)
    : s_(state), steps_(state.code.steps.data()), patience_(kPatience) {
  ready_.reserve(state.processes.size());
  dirty_.reserve(2 * state.capacities.size() + 2);
}

template <bool kTrace>
auto Interpreter<kTrace>::start() -> Stop {
  for (std::uint32_t p = 0; p < s_.processes.size(); ++p) ready_.push_back(p);
  run_ready();
  settle();
  return s_.alive == 0 ? Stop::finished : Stop::round;
}

template <bool kTrace>
auto Interpreter<kTrace>::run(bool stop_at_rounds) -> Stop {
  rounds_ = 0;
  const std::int64_t limit = s_.options.max_events;
  for (;;) {
    const Wide key = s_.events.first();
    const std::uint64_t time = key_time(key);
    if (time >> 63 != 0) [[unlikely]] {
      if (key == kNever) return Stop::deadlock;
      throw ClockError("the clock would pass 2^63 ns (292 years)");
    }
    if (s_.events_run >= limit) [[unlikely]]
      return Stop::event_limit;
    ++s_.events_run;
    ++s_.events_all;
    s_.now = static_cast<std::int64_t>(time);
    const auto p = static_cast<std::uint32_t>(key_order(key) & kIdMask);
    ProcessState& process = s_.processes[p];
    const Step& step = steps_[process.at];
    s_.active[p][step.tag] += s_.now - process.since;
    if constexpr (kTrace) span(p, SpanKind::active, step, process.since);
    process.since = s_.now;
    process.at = step.next;
    const bool delayed = process.status == Status::delaying;
    process.status = Status::ready;
    if (!delayed) {
      SharedCapacity& capacity = s_.capacities[step.target];
      capacity.sync(s_.now);
      capacity.leave(process.slot);
      dirty_.push_back(step.target);
    }
    advance(p, delayed);
    if (!ready_.empty()) run_ready();
    if (!dirty_.empty()) settle();
    if (s_.alive == 0) [[unlikely]]
      return Stop::finished;
    if (rounds_ != 0) {
      patience_ = s_.events_run + kPatience;
      if (stop_at_rounds) return Stop::round;
      rounds_ = 0;
    }
    if (s_.events_run >= patience_ && stop_at_rounds) [[unlikely]]
      return Stop::round;
  }
}

template <bool kTrace>
void Interpreter<kTrace>::run_ready() {
  for (ready_at_ = 0; ready_at_ < ready_.size(); ++ready_at_) advance(ready_[ready_at_], false);
  ready_.clear();
}

template <bool kTrace>
void Interpreter<kTrace>::settle() {
  for (const std::uint32_t r : dirty_) {
    const SharedCapacity& capacity = s_.capacities[r];
    s_.events.set(
        s_.capacity_leaf(r),
        capacity.users() == 0 ? kNever : event_key(capacity.first_time(), capacity.first().order));
  }
  dirty_.clear();
}

// leaf_is_set: p's own event has just come due and still stands in the tree; what p does next
// replaces it.
template <bool kTrace>
void Interpreter<kTrace>::advance(std::uint32_t p, bool leaf_is_set) {
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
        return delay(p, static_cast<std::int64_t>(std::min(ns, kFarthest) + 0.5));
      }
      case Code::use:
      case Code::use_random: {
        process.at = static_cast<std::uint32_t>(step - steps_);
        Wide work = quanta(*step);
        if (step->code == Code::use_random) {
          const double mean = static_cast<double>(work);
          work =
              static_cast<Wide>(std::min(mean * factor(p, s_.code.sigmas[step->extra]), 0x1p120));
        }
        use(p, step->target, work);
        break;
      }
      case Code::take: {
        QueueState& queue = s_.queues[step->target];
        if (queue.level > 0 && queue.takers.head == kNone) {
          touch(queue, s_.now);
          --queue.level;
          ++queue.taken;
          if (queue.putters.head != kNone) serve(step->target);
          step = steps_ + step->next;
          continue;
        }
        wait_take(p, *step, step->target);
        break;
      }
      case Code::put: {
        QueueState& queue = s_.queues[step->target];
        if (queue.level < queue.capacity && queue.putters.head == kNone) {
          touch(queue, s_.now);
          ++queue.level;
          if (queue.takers.head != kNone) serve(step->target);
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
        }
        [[fallthrough]];
      case Code::next:
        if (--process.rounds[step->depth] > 0) {
          step = steps_ + step->target;
          if (++spins_ == kMostSpins) check_time_moves();
        } else {
          step = steps_ + step->next;
        }
        continue;
      case Code::jump:
        step = steps_ + step->target;
        if (++spins_ == kMostSpins) check_time_moves();
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

template <bool kTrace>
void Interpreter<kTrace>::delay(std::uint32_t p, std::int64_t ns) {
  s_.processes[p].status = Status::delaying;
  const std::uint64_t time = static_cast<std::uint64_t>(s_.now) + static_cast<std::uint64_t>(ns);
  s_.events.set(p, event_key(time, (s_.order++ << kIdBits) | p));
}

template <bool kTrace>
void Interpreter<kTrace>::use(std::uint32_t p, std::uint32_t resource, Wide quanta) {
  ProcessState& process = s_.processes[p];
  SharedCapacity& capacity = s_.capacities[resource];
  capacity.sync(s_.now);
  process.status = Status::using_capacity;
  process.slot = capacity.enter(quanta, (s_.order++ << kIdBits) | p);
  if (dirty_.empty() || dirty_.back() != resource) dirty_.push_back(resource);
}

template <bool kTrace>
double Interpreter<kTrace>::factor(std::uint32_t p, double sigma) {
  Random& random = s_.streams[s_.stream_of[p]];
  return sigma < 0 ? random.exponential() : random.lognormal(sigma);
}

template <bool kTrace>
void Interpreter<kTrace>::wait(std::uint32_t p, const Step& step, Status status, Line& line) {
  ProcessState& process = s_.processes[p];
  process.at = static_cast<std::uint32_t>(&step - steps_);
  process.status = status;
  enqueue(s_, line, p);
}

template <bool kTrace>
void Interpreter<kTrace>::wait_take(std::uint32_t p, const Step& step, std::uint32_t queue) {
  QueueState& q = s_.queues[queue];
  std::uint32_t producer = kNone;
  if (q.kind == QueueKind::ordered) {
    std::int64_t expected = q.ticket;
    for (std::uint32_t x = q.takers.head; x != kNone; x = s_.processes[x].next) ++expected;
    if (expected < s_.queues[q.partner].ticket) {
      const std::uint32_t holder =
          q.ring[static_cast<std::uint64_t>(expected) & (q.ring.size() - 1)];
      if (holder != kFiled) producer = holder;
    }
  } else {
    producer = choose_producer(s_, queue, p);
  }
  wait(p, step, Status::taking, q.takers);
  watch(s_, p, producer);
}

// p, which waited, goes on after this event; its wait ends now.
template <bool kTrace>
void Interpreter<kTrace>::wake(std::uint32_t p) {
  ProcessState& process = s_.processes[p];
  const Step& step = steps_[process.at];
  if constexpr (kTrace) span(p, SpanKind::waiting, step, process.since);
  if (process.status == Status::taking) {
    book_take(s_, p);
  } else {
    s_.blocked[p][step.tag] += s_.now - process.since;
    process.since = s_.now;
  }
  process.at = step.next;
  process.status = Status::ready;
  ready_.push_back(p);
}

template <bool kTrace>
void Interpreter<kTrace>::mark(const Step& step) {
  MarkState& mark = s_.marks[step.target];
  ++mark.count;
  mark.last = s_.now;
  if (mark.first.size() < static_cast<std::size_t>(s_.options.marks_kept))
    mark.first.push_back({s_.now});
}

template <bool kTrace>
void Interpreter<kTrace>::check_time_moves() {
  if (spins_since_ == s_.now) {
    throw DeadlockError(fmt::format(
        "time stands still at {} ns: a loop goes round without end in no time", s_.now));
  }
  spins_since_ = s_.now;
  spins_ = 0;
}

template <bool kTrace>
void Interpreter<kTrace>::finish(std::uint32_t p) {
  ProcessState& process = s_.processes[p];
  process.last_tag = process.at > s_.code.entry[p] ? steps_[process.at - 1].tag : Tag{0};
  process.status = Status::done;
  if (!s_.model.processes[p].daemon) --s_.alive;
}

template <bool kTrace>
void Interpreter<kTrace>::span(std::uint32_t p, SpanKind kind, const Step& step,
                               std::int64_t begin) {
  if (begin != s_.now) s_.options.trace({ProcessId(p), kind, step.tag, {begin}, {s_.now}});
}

template class Interpreter<false>;
template class Interpreter<true>;

}  // namespace feedrate::engine
