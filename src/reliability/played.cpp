// Jobs played from interruption to interruption, as chance has it: the second implementation of
// what interruptions.cpp says in closed form, and the only one of a fallback and of blocks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/portable_math.hpp"
#include "base/random.hpp"
#include "reliability/schedule.hpp"

namespace feedrate::reliability {
namespace {

/// Deviates of one course: SplitMix64's finaliser of a counter.
class Chance {
 public:
  Chance(std::uint64_t seed, std::uint64_t stream) : seed_(seed_of(seed, stream)) {}
  /// Exponential with that rate; infinite where it is 0.
  double exponential(double rate) {
    const double u = (static_cast<double>(seed_of(seed_, ++drawn_) >> 12U) + 0.5) * 0x1.0p-52;
    return -portable::log(u) / rate;
  }
  bool one_in(double share) { return exponential(1.0) > -portable::log(share); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// Plays one job from its launch to its end.
class Play {
 public:
  Play(const InterruptedJob& job, const Schedule& schedule, Chance chance)
      : job_(job),
        schedule_(schedule),
        chance_(chance),
        sudden_(job.sudden.base()),
        announced_(job.announced.base()),
        booked_(job.booked > Duration{} ? job.booked.base()
                                        : std::numeric_limits<double>::infinity()),
        block_left_(booked_) {}

  Course course() {
    const double launch = job_.launch.base();
    copy(job_.copying, 1.0);
    Ending ending = start(launch);
    while (ending == Ending::reached && !never_) {
      ending = work();
      if (ending == Ending::reached) break;
      ending = ending == Ending::struck ? restart(job_.restart.base()) : next_block();
    }
    Course course;
    if (never_) {
      course.wall = course.rework = seconds(std::numeric_limits<double>::infinity());
      course.interruptions = interruptions_;
      return course;
    }
    course.wall = seconds(paid_ + waits_);
    course.writes = schedule_.writes + seconds(last_writes_);
    course.rework = seconds(worked_ - schedule_.length);
    course.restarts = seconds(starts_ - launch);
    course.waits = seconds(waits_);
    course.on_demand = seconds(on_demand_);
    course.startups = seconds(startups_);
    course.startups_on_demand = seconds(startups_on_demand_);
    course.interruptions = interruptions_;
    course.blocks = blocks_;
    course.copies = copied_;
    course.loads = loads_;
    return course;
  }

 private:
  enum class Ending { reached, struck, block_over };

  void pay(double time) {
    paid_ += time;
    block_left_ -= time;
    if (fallen_back_) on_demand_ += time;
  }

  struct Went {
    double time;
    Ending ending;
  };
  /// What of `time` passes before an interruption or the end of the block.
  Went go(double time) {
    const double until = chance_.exponential(sudden_ + announced_);
    const double left = std::max(0.0, block_left_);
    const double most = std::min({until, time, left});
    pay(most);
    if (time <= most) return {most, Ending::reached};
    if (left <= most) return {most, Ending::block_over};
    interruptions_ += 1.0;
    struck_in_block_ = true;
    if (interruptions_ >= most_interruptions) never_ = true;
    return {most, Ending::struck};
  }

  /// Begins to copy the data to a share of the instances.
  void copy(Duration needs, double share) {
    if (needs > Duration{}) {
      copies_.push_back({needs.base(), share});
    } else {
      copied_ += share;
    }
    begun_ = job_.startup.base() + needs.base();
  }

  /// What copies come to in `time` of a start; what strikes then takes its instances' part of each.
  void copy_on(const Went& went) {
    const double from = job_.startup.base();
    for (Copy& one : copies_) {
      const double until = from + one.needs;
      const double made = std::min(until, one.age + went.time) - std::max(from, one.age);
      copied_ += one.share * std::max(0.0, made) / one.needs;
      one.age += went.time;
      one.share = one.age < until ? one.share * (1.0 - job_.replaced) : 0.0;
    }
    if (went.ending != Ending::struck) copies_.clear();
    std::erase_if(copies_, [](const Copy& one) { return one.share <= 0.0; });
  }

  /// Starts for `time` until training goes on. Where that is interrupted, what replaces the
  /// instance restarts while the others go on.
  Ending start(double time) {
    for (;;) {
      const Went went = go(time);
      starts_ += went.time;
      copy_on(went);
      if (again_ && (went.ending == Ending::reached || went.time >= begun_)) loads_ += 1.0;
      again_ = true;
      const double starting = std::min(went.time, job_.startup.base());
      startups_ += starting;
      if (fallen_back_) startups_on_demand_ += starting;
      if (went.ending == Ending::reached || never_) return Ending::reached;
      if (went.ending == Ending::block_over) {
        begin_block();
        copy(job_.copying, 1.0);
        time = job_.relaunch.base();
        if (never_) return Ending::reached;
        continue;
      }
      wait();
      copy(job_.copying_anew, job_.replaced);
      time = std::max(time - went.time, job_.restart.base());
    }
  }

  Ending restart(double time) {
    wait();
    copy(job_.copying_anew, job_.replaced);
    return start(time);
  }

  Ending next_block() {
    begin_block();
    if (never_) return Ending::reached;
    copy(job_.copying, 1.0);
    return start(job_.relaunch.base());
  }

  /// A block that brought nothing, though nothing struck in it, is followed by others like it.
  void begin_block() {
    if (!struck_in_block_ && saved_ <= saved_before_ && blocks_ > 1.0) never_ = true;
    if (blocks_ >= most_blocks) never_ = true;
    blocks_ += 1.0;
    block_left_ = booked_;
    struck_in_block_ = false;
    saved_before_ = saved_;
  }

  void wait() {
    if (fallen_back_) return;
    const auto& fallback = job_.fallback;
    if (fallback && fallback->after_interruptions &&
        interruptions_ >= *fallback->after_interruptions) {
      fall_back();
      return;
    }
    const double mean = job_.wait.base();
    const double time = mean > 0.0 ? chance_.exponential(1.0 / mean) : 0.0;
    if (fallback && fallback->after_wait && time > fallback->after_wait->base()) {
      waits_ += fallback->after_wait->base();
      fall_back();
      return;
    }
    waits_ += time;
  }

  void fall_back() {
    fallen_back_ = true;
    sudden_ = job_.fallback->sudden.base();
    announced_ = 0.0;
  }

  /// Goes on from `saved_` until the job ends, is interrupted, or its block is over.
  Ending work() {
    const Went went = go(schedule_.length - saved_);
    worked_ += went.time;
    if (went.ending == Ending::reached) return Ending::reached;
    const double at = saved_ + went.time;
    if (went.ending == Ending::struck && announced_ > 0.0 &&
        chance_.one_in(announced_ / (sudden_ + announced_))) {
      saved_ = at;
      pay(job_.writing.time.base());
      last_writes_ += job_.writing.time.base();
    } else {
      saved_ = std::max(saved_, schedule_.usable(at));
    }
    return went.ending;
  }

  struct Copy {
    double needs;      ///< behind the start-up
    double share;      ///< of the instances, those that nothing has struck since
    double age = 0.0;  ///< since its start began
  };

  const InterruptedJob& job_;
  const Schedule& schedule_;
  Chance chance_;
  double sudden_, announced_;
  double booked_, block_left_;
  double blocks_ = 1.0, saved_before_ = 0.0;
  bool struck_in_block_ = false;
  bool fallen_back_ = false;
  bool never_ = false;
  bool again_ = false;  ///< not the launch: a checkpoint is loaded
  std::vector<Copy> copies_;
  double begun_ = 0.0;  ///< when a start comes to where it loads
  double copied_ = 0.0, loads_ = 0.0;
  double saved_ = 0.0;
  double paid_ = 0.0, on_demand_ = 0.0, waits_ = 0.0, starts_ = 0.0, worked_ = 0.0;
  double startups_ = 0.0, startups_on_demand_ = 0.0, last_writes_ = 0.0, interruptions_ = 0.0;
};

}  // namespace

int plays_for(double each) {
  constexpr double events = 1e5;
  return static_cast<int>(std::clamp(events / (1.0 + each), 4.0, 2000.0));
}

std::vector<Course> draw_courses(const InterruptedJob& job, std::uint64_t seed, int count) {
  const Schedule schedule(job);
  std::vector<Course> courses;
  courses.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    courses.push_back(
        Play(job, schedule, Chance(seed, static_cast<std::uint64_t>(i) + 1U)).course());
  }
  return courses;
}

Course draw_course(const InterruptedJob& job, std::uint64_t seed, std::uint64_t stream) {
  return Play(job, Schedule(job), Chance(seed, stream)).course();
}

}  // namespace feedrate::reliability
