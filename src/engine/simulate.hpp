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

// One stretch of a process's time, for a timeline. `skipped` covers a jump (process = the
// reference).
enum class SpanKind : std::uint8_t { active, waiting, skipped };
struct Span {
  ProcessId process{};
  SpanKind kind = SpanKind::active;
  Tag tag = 0;  // of the instruction
  Ticks begin;
  Ticks end;
};

struct Options {
  bool exact = false;      // execute everything, skip nothing
  std::uint64_t seed = 1;  // of the random streams
  std::int64_t max_events = std::numeric_limits<std::int64_t>::max();
  int marks_kept = 16;  // times kept per mark
  // Called for every span that takes time; empty: costs nothing.
  std::function<void(const Span&)> trace = {};
};

// Runs the model to its end. The result is a function of (model, seed) alone: exact or not, any
// machine. Throws BuildError, DeadlockError, ClockError.
Outcome simulate(const Model& model, const Options& options = {});

}  // namespace feedrate::engine
