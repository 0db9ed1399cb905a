#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "engine/outcome.hpp"
#include "engine/ticks.hpp"

namespace feedrate::engine {

// A rate limit by virtual scheduling (the generic cell rate algorithm of ITU-T I.371). Its whole
// state is one time: when it would be full again if nobody came. A pass moves that time on by
// what its tokens take to come in, and may go as soon as full is no further off than the burst
// takes. Who comes later gets a later time, so nobody needs a line to stand in.
//
// Time is counted in parts of a nanosecond. The clock is whole ns, and a wait ends on the first
// tick at which the tokens are there; the state keeps the rest of that tick, so roundings do not
// add up. For the state to recur the rests must: with `parts` to the ns, equal passes come back to
// the same rest after at most so many. parts_of_ns() chooses.
class TokenBucket {
 public:
  struct Waiting {
    std::int64_t passes = 0;
    Wide ns = 0;  // from now, all together
  };

  TokenBucket(double rate, double burst, double initial, std::uint64_t parts);

  double parts_per_token() const { return parts_per_token_; }
  // What may be asked for at once, and saved up, in parts; both leave room for every process to
  // wait.
  static constexpr double most_room = 0x1p120;
  double most_cost() const { return 0x1p63 * static_cast<double>(parts_); }

  // Takes tokens that need `cost` parts to come in. Returns the ns until they are there.
  std::uint64_t pass(std::int64_t now, Wide cost) {
    const Wide present = at(now);
    full_ = (full_ < present ? present : full_) + cost;
    cost_ += cost;
    ++passes_;
    if (full_ <= present + room_) return 0;
    const std::uint64_t wait = in_ns(full_ - present - room_);
    waited_ += wait;
    return wait;
  }

  // What it lacks to be full, in parts: its whole state relative to the clock.
  Wide missing(std::int64_t now) const {
    const Wide present = at(now);
    return full_ > present ? full_ - present : Wide{0};
  }

  void shift(std::int64_t ns) { full_ += at(ns); }

  BucketStats stats(std::int64_t now, Waiting waiting) const {
    const Wide lack = missing(now);
    const double left = lack < room_ ? static_cast<double>(room_ - lack) : 0.0;
    return {given(now),
            {1.0 / parts_per_token_},
            waited_ - waiting.ns,
            passes_ - waiting.passes,
            left / parts_per_token_};
  }
  // The statistics of a bucket that stands for a resource which serves one at a time.
  ResourceStats server_stats(std::int64_t now, Waiting waiting) const {
    const BucketStats all = stats(now, waiting);
    const Ticks busy{static_cast<std::int64_t>(all.passed / parts_)};
    return {busy, all.waited, all.passed, all.quantum, busy, all.operations};
  }

  // A tally counts all of a pass when it comes; the part that lies ahead recurs with the state.
  template <class Visit>
  void tallies(Visit&& visit) {
    visit(cost_);
    visit(waited_);
    visit(passes_);
  }

 private:
  Wide at(std::int64_t ns) const { return Wide{parts_} * static_cast<std::uint64_t>(ns); }

  // In parts, what has been asked for less what is still owed at `now`.
  Wide given(std::int64_t now) const {
    const Wide lack = missing(now);
    return lack > room_ ? cost_ - (lack - room_) : cost_;
  }

  // Parts as ns, rounded up; a time beyond the end of the clock becomes the clock's end.
  std::uint64_t in_ns(Wide parts) const {
    constexpr std::uint64_t far = std::uint64_t{1} << 63;
    if (parts >> 62 == 0) return (static_cast<std::uint64_t>(parts) + parts_ - 1) / parts_;
    const Wide ns = (parts + parts_ - 1) / parts_;
    return ns < far ? static_cast<std::uint64_t>(ns) : far;
  }

  std::uint64_t parts_;  // to a ns
  double parts_per_token_;
  Wide room_;  // what the burst takes to come in
  Wide full_;  // when it would be full, in parts since the start
  Wide cost_ = 0;
  Wide waited_ = 0;
  std::int64_t passes_ = 0;
};

// What the passes of one bucket ask for.
struct Requests {
  // What the tokens of each take to come in; of a random one, the mean. All that differ, shortest
  // first: of a few, the shortest is seldom whole.
  std::vector<double> ns;
  bool random = false;

  auto operator<=>(const Requests&) const = default;
};

// The fewest parts of a ns in which each request is whole to 1e-10 of itself, so that the state
// recurs as soon as it can. (A denominator common to all, sought by trying: for one request of c ns
// about 1e5 / sqrt(c), so 50 for one of 4 ms.) Requests of a few ns that have none below 2^16 get
// parts so fine that the state hardly recurs, and so do random ones, where nothing does anyway.
std::uint64_t parts_of_ns(const Requests& requests);

}  // namespace feedrate::engine
