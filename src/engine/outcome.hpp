#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/model.hpp"
#include "engine/ticks.hpp"

namespace feedrate::engine {

// ns per tag.
using TimeByTag = std::array<std::int64_t, tag_count>;

// active[t]: time in delays, uses and passes tagged t, waiting for one's turn or tokens included.
// blocked[t]: time spent waiting, booked on t: a wait in take on the tag in which the producer of
// the awaited item stood (through a waiting producer to the one it waits for), a wait in put or
// join on that instruction's own tag. Their sum is wall, exactly.
struct ProcessStats {
  TimeByTag active{};
  TimeByTag blocked{};
  Ticks wall;             // until the process finished, or the run ended
  bool finished = false;  // false: a daemon, or the run was stopped

  friend bool operator==(const ProcessStats&, const ProcessStats&) = default;
};

struct ResourceStats {
  Ticks busy;          // time with at least one user
  Wide user_time = 0;  // integral of users dt, user x ns
  Wide delivered = 0;  // work delivered, in quanta
  Work quantum;        // the work in one quantum
  Ticks full;  // delivered / (highest total rate): busy time it would have taken at full speed
  std::int64_t operations = 0;  // uses completed

  // Work delivered, in the resource's own unit.
  double work() const { return static_cast<double>(delivered) * quantum.units; }
  friend bool operator==(const ResourceStats& a, const ResourceStats& b) {
    return a.busy == b.busy && a.user_time == b.user_time && a.delivered == b.delivered &&
           a.full == b.full && a.operations == b.operations;
  }
};

struct BucketStats {
  Wide passed = 0;  // tokens given out, in quanta; to a pass that waits: those that have come in
  Work quantum;     // the tokens in one quantum
  Wide waited = 0;  // pass x ns
  std::int64_t operations = 0;  // passes completed
  double left = 0;              // tokens that are kept at the end

  double tokens() const { return static_cast<double>(passed) * quantum.units; }
  friend bool operator==(const BucketStats& a, const BucketStats& b) {
    return a.passed == b.passed && a.waited == b.waited && a.operations == b.operations &&
           a.left == b.left;
  }
};

struct QueueStats {
  Wide level_time = 0;     // integral of level dt, token x ns
  std::int64_t taken = 0;  // tokens taken out
  std::int64_t level = 0;  // at the end
  Ticks empty;             // time at level 0

  friend bool operator==(const QueueStats&, const QueueStats&) = default;
};

// What a `mark` saw: how often, and the first times (Options::marks_kept of them, skipped ones
// included).
struct MarkStats {
  std::int64_t count = 0;
  std::vector<Ticks> first;
  Ticks last;

  friend bool operator==(const MarkStats&, const MarkStats&) = default;
};

// How the run was done, as opposed to what came out of it.
struct Effort {
  std::int64_t events = 0;         // timed completions executed
  std::int64_t steps = 0;          // rounds of the reference loop executed
  std::int64_t steps_skipped = 0;  // rounds of the reference loop jumped over
  std::int64_t jumps = 0;          // times a recurrence was used
  bool recurred = false;           // a recurrence was found
  Ticks cycle;                     // length of the last one found
  std::int64_t cycle_steps = 0;
};

struct Outcome {
  Ticks now;                 // end of the run
  std::int64_t events = 0;   // timed completions, skipped ones included
  bool event_limit = false;  // stopped by Options::max_events, most_marks: statistics are to there
  std::vector<ProcessStats> processes;
  std::vector<ResourceStats> resources;
  std::vector<BucketStats> buckets;
  std::vector<QueueStats> queues;
  std::vector<MarkStats> marks;
  Effort effort;
};

}  // namespace feedrate::engine
