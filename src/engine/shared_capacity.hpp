#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "engine/outcome.hpp"
#include "engine/ticks.hpp"

namespace feedrate::engine {

// Processor sharing on a virtual clock that shows the work each user has got. A job of work w that
// arrives at clock reading v is done at reading v + w, whoever comes and goes, so both cost O(log
// n).
//
// Work is counted in quanta, an integer: the clock gains rate[n] quanta per ns with n users. The
// smallest rate is 2^40, so a rate is exact to 2^-41 relative, and the clock's advance over two
// stretches is the advance over their sum. A completion falls on the nearest whole ns and takes its
// rounding error with it: the next job starts from whole ns. Were the fraction carried on, the
// phase between users that nothing else couples would wander, and the state would not recur. As it
// is, what one rounding shifts in the other's remaining work is under half a ns and the next
// rounding takes it back. (Rounding up locked as well on 264 loaders tried, but lengthens every
// operation.)
class SharedCapacity {
 public:
  struct Job {
    Wide finish = ~Wide{0};                   // clock reading
    std::uint64_t order = ~std::uint64_t{0};  // order of arrival and whose it is
  };

  SharedCapacity(const std::vector<double>& curve, std::uint32_t users);

  // Work in quanta for `units` of work; too large to count: throws BuildError in lowering.
  double quanta_per_unit() const { return quanta_per_unit_; }

  void sync(std::int64_t now) {
    const std::int64_t dt = now - last_;
    if (dt == 0) return;
    last_ = now;
    if (users_ == 0) return;
    const Wide gain = Wide{rate_[users_]} * static_cast<std::uint64_t>(dt);
    clock_ += gain;
    delivered_ += gain * users_;
    user_time_ += Wide{users_} * static_cast<std::uint64_t>(dt);
    busy_ += dt;
  }

  // Precondition of both: the clock stands at now (sync). enter returns the job's slot.
  std::uint32_t enter(Wide quanta, std::uint64_t order) {
    const std::uint32_t slot = free_[users_++];
    while (slot >= width_) widen();
    replay(slot, Job{clock_ + quanta, order});
    return slot;
  }
  void leave(std::uint32_t slot) {
    free_[--users_] = slot;
    ++operations_;
    replay(slot, Job{});
  }

  std::uint32_t users() const { return users_; }
  const Job& first() const { return node_[top_]; }
  // What a job still wants at `now`, whether or not the clock has been brought there (sync).
  Wide remaining(std::uint32_t slot, std::int64_t now) const {
    const Wide gain = Wide{rate_[users_]} * static_cast<std::uint64_t>(now - last_);
    return node_[base_ + slot].finish - (clock_ + gain);
  }

  std::uint64_t order(std::uint32_t slot) const { return node_[base_ + slot].order; }

  // When the first job is done if nothing changes; the clock is at now, users() > 0.
  std::uint64_t first_time() const {
    const Wide finish = node_[top_].finish;
    if (finish <= clock_) return static_cast<std::uint64_t>(last_);
    const std::uint64_t rate = rate_[users_];
    const Wide ns = (finish - clock_ + rate / 2) / rate;
    constexpr std::uint64_t far = std::uint64_t{1} << 63;
    return static_cast<std::uint64_t>(last_) + (ns < far ? static_cast<std::uint64_t>(ns) : far);
  }

  void shift(std::int64_t ns) { last_ += ns; }

  ResourceStats stats() const {
    return {{busy_},
            user_time_,
            delivered_,
            {1.0 / quanta_per_unit_},
            {static_cast<std::int64_t>(delivered_ / full_rate_)},
            operations_};
  }

  template <class Visit>
  void tallies(Visit&& visit) {
    visit(busy_);
    visit(user_time_);
    visit(delivered_);
    visit(operations_);
  }

 private:
  void replay(std::uint32_t slot, Job job) {
    Job* const node = node_.data();
    std::size_t i = base_ + slot;
    node[i] = job;
    do {
      const Job& other = node[i ^ 1];
      const bool swap =
          (other.finish < job.finish) | ((other.finish == job.finish) & (other.order < job.order));
      job.finish = swap ? other.finish : job.finish;
      job.order = swap ? other.order : job.order;
      i >>= 1;
      node[i] = job;
    } while (i > top_);
  }

  // The slot that was left last is taken first, so the slots in use lie below the largest number
  // ever in use at a time: the tournament is held over these only.
  void widen() {
    width_ *= 2;
    top_ /= 2;
    node_[top_] = node_[2 * top_];
  }

  Wide clock_ = 0;
  std::int64_t last_ = 0;  // the clock's reading is of this time
  std::uint32_t users_ = 0;
  std::size_t base_;
  std::uint32_t width_ = 2;          // slots that take part
  std::size_t top_;                  // the node that is their root
  std::vector<std::uint64_t> rate_;  // per user, with n users: quanta per ns
  std::vector<Job> node_;            // tournament over the slots, as in EventTree
  std::vector<std::uint32_t> free_;  // slots; those from users_ on are free
  double quanta_per_unit_ = 0;
  Wide full_rate_ = 0;  // highest total rate, quanta per ns
  std::int64_t busy_ = 0;
  std::int64_t operations_ = 0;
  Wide user_time_ = 0;
  Wide delivered_ = 0;
};

}  // namespace feedrate::engine
