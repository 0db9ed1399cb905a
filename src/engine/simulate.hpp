#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "engine/model.hpp"
#include "engine/outcome.hpp"

namespace feedrate::engine {

// Nothing is pending and processes are unfinished; the text names each and what it waits for.
struct DeadlockError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The clock would pass 2^63 ns (292 years).
struct ClockError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One stretch of a process's time, for a timeline; what is unfinished when the run ends is told
// then. `putting` is waiting for room in a queue. `skipped` covers a jump (process = the
// reference).
enum class SpanKind : std::uint8_t { active, waiting, putting, skipped };
struct Span {
  ProcessId process{};
  SpanKind kind = SpanKind::active;
  Tag tag = 0;  // of the instruction; waiting: the one on which most of the wait was booked
  Ticks begin;
  Ticks end;
};

// What a process changed: the level of a queue, or the users of a shared capacity. Several changes
// may come at one time.
enum class LevelKind : std::uint8_t { tokens, users };
struct Level {
  LevelKind kind = LevelKind::tokens;
  std::uint32_t of = 0;  // the queue, or the resource
  ProcessId process{};
  std::int64_t change = 0;
  std::int64_t level = 0;  // from now on
  Ticks at;
};

struct Options {
  bool exact = false;      // execute everything, skip nothing
  std::uint64_t seed = 1;  // of the random streams
  std::int64_t max_events = std::numeric_limits<std::int64_t>::max();
  // The run stops once any mark has been passed this many times; with such a limit nothing is
  // skipped.
  std::int64_t most_marks = std::numeric_limits<std::int64_t>::max();
  int marks_kept = 16;  // times kept per mark
  // Called for every span that takes time, and for every change of a level. Empty functions cost
  // nothing.
  std::function<void(const Span&)> trace = {};
  std::function<void(const Level&)> trace_levels = {};
  // Called every million events or so, with how often mark 0 has been passed; what it throws ends
  // the run.
  std::function<void(std::int64_t marks)> look = {};
};

// Runs the model to its end. The result is a function of (model, seed) alone: exact or not, any
// machine. Throws BuildError, DeadlockError, ClockError.
Outcome simulate(const Model& model, const Options& options = {});

}  // namespace feedrate::engine
