#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/state.hpp"

namespace feedrate::engine {

// Finds that the state, relative to the clock, is what it was some rounds ago, and jumps.
//
// Two equal states have equal futures, so what happened in between happens again and again until a
// loop ends whose rounds were left out of the comparison. These are the long loops, as long as none
// of them was left in between: how many rounds they have left matters only when the last is over.
// Each says how many cycles fit; the least counts. Likewise a queue that nobody fills (a stock) or
// nobody empties (a heap) is left out; a stock must last.
//
// The search is Brent's: one stored state, compared at every round, replaced after ever longer
// stretches. A comparison stops at the first difference, usually after a word or two. Every long
// loop of the reference process has a search of its own, so whole epochs are jumped as well as
// steps.
class Recurrence {
 public:
  explicit Recurrence(State& state);

  // `rounds`: bit d is set where the reference has closed a round at loop depth d; 0: it has closed
  // none for long. Jumps if it can; throws DeadlockError if the same state comes back and nothing
  // has come nearer to its end.
  void look(std::uint32_t rounds);

  std::int64_t jumps() const { return jumps_; }
  std::int64_t steps_skipped() const { return steps_skipped_; }
  std::int64_t cycle_ns() const { return cycle_ns_; }
  std::int64_t cycle_steps() const { return cycle_steps_; }
  bool found() const { return found_; }

 private:
  struct Snapshot {
    bool valid = false;
    std::int64_t rounds = 0;  // seen since it was taken
    std::int64_t until = 1;   // replace it after so many
    std::int64_t exits = 0;   // of the reference's loop, when last looked at
    std::int64_t now = 0;
    std::vector<std::uint64_t> words;
    std::vector<std::int64_t> left;   // rounds of the long loops, in visiting order
    std::vector<std::int64_t> stock;  // levels of stocks and heaps
    std::vector<Wide> tallies;
  };

  bool search(int level, std::int64_t exits);
  bool same(const Snapshot& snapshot);
  void store(Snapshot& snapshot);
  void pending_order();
  // Cycles that fit before something left out of the comparison ends; -1: nothing ever ends.
  std::int64_t cycles_that_fit(const Snapshot& snapshot) const;
  bool long_loops_agree(const Snapshot& snapshot) const;
  void jump(const Snapshot& snapshot, std::int64_t cycles);
  void rebase_all();

  template <class Take>
  bool visit(Take&& take) const;
  template <class Take>
  bool visit_process(std::uint32_t p, Take&& take) const;
  template <class Take>
  bool visit_lines(Take&& take) const;
  template <class Visit>
  void visit_long(Visit&& visit) const;

  State& s_;
  std::array<Snapshot, most_loops + 1> snapshots_;  // the last: between rounds
  std::vector<bool> stock_;                         // per queue
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pending_;
  std::int64_t jumps_ = 0;
  std::int64_t steps_skipped_ = 0;
  std::int64_t cycle_ns_ = 0;
  std::int64_t cycle_steps_ = 0;
  bool found_ = false;
};

}  // namespace feedrate::engine
