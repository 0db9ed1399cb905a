#include "engine/simulate.hpp"

#include <fmt/format.h>

#include "engine/blame.hpp"
#include "engine/interpreter.hpp"
#include "engine/recurrence.hpp"

namespace feedrate::engine {
namespace {

std::string waits_for(const State& state, std::uint32_t p) {
  const ProcessState& process = state.processes[p];
  const Step& step = state.code.steps[process.at];
  const auto queue = [&](const char* verb) {
    const bool in_ring = step.code == Code::take_any || step.code == Code::put_any;
    const std::uint32_t q = in_ring ? queue_of(step, process) : step.target;
    const QueueState& s = state.queues[q];
    const std::string room = s.capacity == unlimited ? "" : fmt::format(" of {}", s.capacity);
    return fmt::format("{} {} token{} {} queue '{}', which holds {}{}", verb, step.amount,
                       step.amount == 1 ? "" : "s",
                       process.status == Status::taking ? "from" : "into",
                       state.model.queues[q].name, s.level, room);
  };
  switch (process.status) {
    case Status::taking: return queue("take");
    case Status::putting: return queue("put");
    case Status::joining: {
      const BarrierState& barrier = state.barriers[step.target];
      return fmt::format("join barrier '{}', where {} of {} have arrived",
                         state.model.barriers[step.target].name, barrier.arrived, barrier.parties);
    }
    default: return "go on";
  }
}

[[noreturn]] void report_deadlock(const State& state) {
  constexpr int most_names = 20;
  std::string text = fmt::format("deadlock at {} ns: nothing is pending, but", state.now);
  int named = 0;
  int unnamed = 0;
  for (std::uint32_t p = 0; p < state.processes.size(); ++p) {
    if (state.processes[p].status == Status::done) continue;
    if (named == most_names) {
      ++unnamed;
      continue;
    }
    ++named;
    text += fmt::format("\n  {} '{}' waits to {}",
                        state.model.processes[p].daemon ? "daemon" : "process",
                        state.model.processes[p].name, waits_for(state, p));
  }
  if (unnamed > 0) text += fmt::format("\n  and {} more wait", unnamed);
  throw DeadlockError(text);
}

// Per bucket: the passes that still wait, and for how long from now.
std::vector<TokenBucket::Waiting> waiting_passes(const State& state) {
  std::vector<TokenBucket::Waiting> waiting(state.buckets.size());
  for (std::uint32_t p = 0; p < state.processes.size(); ++p) {
    const ProcessState& process = state.processes[p];
    const Step& step = state.code.steps[process.at];
    if (process.status != Status::delaying || !is_pass(step.code)) continue;
    ++waiting[step.target].passes;
    waiting[step.target].ns += key_time(state.events.at(p)) - static_cast<std::uint64_t>(state.now);
  }
  return waiting;
}

template <bool traced>
Outcome run(State& state) {
  using Stop = typename Interpreter<traced>::Stop;
  Interpreter<traced> interpreter(state);
  Recurrence recurrence(state);
  constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();
  const bool search =
      !state.options.exact && !state.code.random && state.options.most_marks == no_limit;
  Stop stop = interpreter.run(search);
  while (stop == Stop::round) {
    recurrence.look(interpreter.rounds());
    stop = interpreter.run(search);
  }
  if (stop == Stop::deadlock) report_deadlock(state);
  book_all(state);
  if constexpr (traced) interpreter.tell_rest();

  Outcome out;
  out.now = {state.now};
  out.events = state.events_all;
  out.event_limit = stop == Stop::event_limit;
  for (std::size_t p = 0; p < state.processes.size(); ++p) {
    const ProcessState& process = state.processes[p];
    const bool finished = process.status == Status::done;
    out.processes.push_back({state.active[p], state.blocked[p], {process.since}, finished});
  }
  const auto waiting = waiting_passes(state);
  for (std::size_t r = 0; r < state.capacities.size(); ++r) {
    const std::uint32_t b = state.code.bucket_of[r];
    out.resources.push_back(b == none ? state.capacities[r].stats()
                                      : state.buckets[b].server_stats(state.now, waiting[b]));
  }
  for (std::size_t b = 0; b < state.model.buckets.size(); ++b) {
    out.buckets.push_back(state.buckets[b].stats(state.now, waiting[b]));
  }
  for (const QueueState& queue : state.queues) {
    out.queues.push_back({queue.level_time, queue.taken, queue.level, {queue.empty}});
  }
  for (const MarkState& mark : state.marks)
    out.marks.push_back({mark.count, mark.first, {mark.last}});
  out.effort = {.events = state.events_run,
                .steps = state.steps - recurrence.steps_skipped(),
                .steps_skipped = recurrence.steps_skipped(),
                .jumps = recurrence.jumps(),
                .recurred = recurrence.found(),
                .cycle = {recurrence.cycle_ns()},
                .cycle_steps = recurrence.cycle_steps()};
  return out;
}

}  // namespace

Outcome simulate(const Model& model, const Options& options) {
  check(model);
  if (options.marks_kept < 0) throw BuildError("marks_kept is negative");
  State state(model, options);
  return options.trace || options.trace_levels ? run<true>(state) : run<false>(state);
}

}  // namespace feedrate::engine
