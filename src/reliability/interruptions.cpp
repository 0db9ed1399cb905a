#include "reliability/interruptions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/portable_math.hpp"
#include "base/random.hpp"

namespace feedrate::reliability {
namespace {

/// (e^(λt) − 1) / λ: the time until t has passed without an interruption, when each one starts it
/// anew and costs nothing else.
double until_undisturbed(double rate, double time) {
  return rate > 0.0 ? portable::expm1(rate * time) / rate : time;
}

/// Exposure: the time in which training runs, or would but for a checkpoint, and interruptions
/// strike. With sudden ones at rate a, which go back to where the stretch began or to the last
/// announced one, and announced ones at rate b, which lose nothing, a stretch s takes F(s) in the
/// mean. From what happens first, with λ = a + b,
///   F(s) = ∫₀ˢ λe^(−λx) (x + a/λ F(s) + b/λ F(s−x)) dx + s e^(−λs),
/// whose derivative is F' = λ e^(λs) / (a + b e^(λs)), so F(s) = ln((a + b e^(λs)) / λ) / b;
/// without announced ones (e^(as) − 1) / a.
class Exposure {
 public:
  Exposure(double sudden, double announced) : a_(sudden), b_(announced), rate_(a_ + b_) {}

  [[nodiscard]] double of(double stretch) const {
    if (b_ <= 0.0) return until_undisturbed(a_, stretch);
    constexpr double near_overflow = 600.0;
    if (rate_ * stretch > near_overflow) return (rate_ * stretch + portable::log(b_ / rate_)) / b_;
    return portable::log1p(b_ / rate_ * portable::expm1(rate_ * stretch)) / b_;
  }

  /// The same of a stretch at whose beginning the job is `ahead` of what a sudden interruption goes
  /// back to.
  [[nodiscard]] double of(double stretch, double ahead) const {
    if (ahead <= 0.0 || a_ <= 0.0) return of(stretch);
    const double struck = a_ / rate_ * -portable::expm1(-rate_ * stretch);
    return of(stretch) + struck * (of(stretch + ahead) - of(stretch));
  }

 private:
  double a_, b_, rate_;
};

/// The job as a stretch of exposure: `length` in all, a checkpoint of each multiple of `period`,
/// usable `delay` later.
struct Schedule {
  Duration writes;
  double length = 0.0;
  double period = 0.0;  ///< 0: no checkpoints
  double delay = 0.0;

  explicit Schedule(const InterruptedJob& job) {
    const double stop = job.interval > Duration{} ? job.writing.stop(job.interval).base() : 0.0;
    writes = seconds(job.checkpoints() * stop);
    length = (job.work + writes).base();
    if (job.interval <= Duration{}) return;
    period = job.interval.base() + stop;
    delay = job.writing.delay(job.interval).base();
  }

  /// What a sudden interruption at `at` goes back to.
  [[nodiscard]] double usable(double at) const {
    if (period <= 0.0 || at < period + delay) return 0.0;
    return std::floor((at - delay) / period) * period;
  }

  [[nodiscard]] double expected(const Exposure& exposure) const {
    const double last = usable(length) == length ? length - period : usable(length);
    if (period <= 0.0 || last <= 0.0) return exposure.of(length);
    const double between = std::round(last / period) - 1.0;
    return exposure.of(period + delay) + between * exposure.of(period, delay) +
           exposure.of(length - last - delay, delay);
  }
};

Course closed_form(const InterruptedJob& job) {
  const double sudden = job.sudden.base();
  const double announced = job.announced.base();
  const double rate = sudden + announced;
  const double launch = job.launch.base();
  const Schedule schedule(job);
  const double exposed = schedule.expected(Exposure(sudden, announced));

  if (std::isinf(exposed)) {
    Course never;
    never.wall = never.rework = seconds(exposed);
    never.interruptions = exposed;
    return never;
  }

  // An interruption is waited for and restarted after until a restart is not interrupted itself.
  // One that strikes the launch has the others go on with theirs beside the restart.
  const double restart = job.restart.base();
  const double struck = rate * exposed;
  const auto before_end = [&](double time) {
    return rate > 0.0 ? -portable::expm1(-rate * time) / rate : time;
  };
  const double restarted = until_undisturbed(rate, restart);
  const double launched = launch >= restart
                              ? launch - restart + restarted
                              : before_end(launch) + rate * before_end(launch) * restarted;

  Course course;
  course.interruptions = struck * portable::exp(rate * restart) + rate * launched;
  course.rework = seconds(std::max(0.0, exposed - schedule.length));
  course.writes = schedule.writes + announced * exposed * job.writing.time;
  course.waits = course.interruptions * job.wait;
  course.restarts = seconds(struck * restarted + launched - launch);
  course.startups = (1.0 + course.interruptions) * seconds(before_end(job.startup.base()));
  course.wall =
      job.launch + job.work + course.writes + course.rework + course.restarts + course.waits;
  return course;
}

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

/// A job that meets more of them is taken to never end.
constexpr double most_interruptions = 1e5;
constexpr double most_blocks = 1e4;

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

  /// Starts for `time` until training goes on. Where that is interrupted, what replaces the
  /// instance restarts while the others go on.
  Ending start(double time) {
    for (;;) {
      const Went went = go(time);
      starts_ += went.time;
      const double starting = std::min(went.time, job_.startup.base());
      startups_ += starting;
      if (fallen_back_) startups_on_demand_ += starting;
      if (went.ending == Ending::reached || never_) return Ending::reached;
      if (went.ending == Ending::block_over) {
        begin_block();
        time = job_.relaunch.base();
        if (never_) return Ending::reached;
        continue;
      }
      wait();
      time = std::max(time - went.time, job_.restart.base());
    }
  }

  Ending restart(double time) {
    wait();
    return start(time);
  }

  Ending next_block() {
    begin_block();
    if (never_) return Ending::reached;
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

  const InterruptedJob& job_;
  const Schedule& schedule_;
  Chance chance_;
  double sudden_, announced_;
  double booked_, block_left_;
  double blocks_ = 1.0, saved_before_ = 0.0;
  bool struck_in_block_ = false;
  bool fallen_back_ = false;
  bool never_ = false;
  double saved_ = 0.0;
  double paid_ = 0.0, on_demand_ = 0.0, waits_ = 0.0, starts_ = 0.0, worked_ = 0.0;
  double startups_ = 0.0, startups_on_demand_ = 0.0, last_writes_ = 0.0, interruptions_ = 0.0;
};

Course& operator+=(Course& sum, const Course& course) {
  sum.wall += course.wall;
  sum.writes += course.writes;
  sum.rework += course.rework;
  sum.restarts += course.restarts;
  sum.waits += course.waits;
  sum.on_demand += course.on_demand;
  sum.startups += course.startups;
  sum.startups_on_demand += course.startups_on_demand;
  sum.interruptions += course.interruptions;
  sum.blocks += course.blocks;
  return sum;
}

Course operator*(double factor, Course course) {
  for (Duration* part :
       {&course.wall, &course.writes, &course.rework, &course.restarts, &course.waits,
        &course.on_demand, &course.startups, &course.startups_on_demand}) {
    *part *= factor;
  }
  course.interruptions *= factor;
  course.blocks *= factor;
  return course;
}

Course mean_of(const std::vector<Course>& courses) {
  const double share = 1.0 / static_cast<double>(courses.size());
  Course mean;
  mean.blocks = 0.0;
  for (const Course& course : courses) mean += share * course;
  return mean;
}

/// Interruptions that a job with a fallback meets in the mean, at most about.
double at_most_before_fallback(const InterruptedJob& job) {
  double most = most_interruptions;
  if (job.fallback->after_interruptions) most = *job.fallback->after_interruptions;
  if (job.fallback->after_wait && job.wait > Duration{}) {
    most = std::min(most, portable::exp(std::min(20.0, *job.fallback->after_wait / job.wait)));
  }
  InterruptedJob alone = job;
  alone.fallback.reset();
  const double without = std::min(most, closed_form(alone).interruptions);
  // And those that strike the instances that take it over.
  alone.sudden = job.fallback->sudden;
  alone.announced = Frequency{};
  return without + std::min(most_interruptions, closed_form(alone).interruptions);
}

/// What blocks add to the mean of a job that has `without` them: of each course that outlasts its
/// block, what it takes beyond the same course on and on.
Course with_blocks(const InterruptedJob& job, const Course& without) {
  InterruptedJob on_and_on = job;
  on_and_on.booked = Duration{};
  const Schedule schedule(job);
  const int plays = plays_for(without.interruptions);
  const double share = 1.0 / plays;
  Course mean = without;
  for (int i = 0; i < plays; ++i) {
    const Chance chance(1, static_cast<std::uint64_t>(i) + 1U);
    const Course in_blocks = Play(job, schedule, chance).course();
    if (in_blocks.blocks <= 1.0 && std::isfinite(in_blocks.wall.base())) continue;
    mean += share * in_blocks;
    mean += -share * Play(on_and_on, schedule, chance).course();
  }
  if (!std::isfinite(mean.wall.base())) {
    mean.wall = mean.rework = seconds(std::numeric_limits<double>::infinity());
    return mean;
  }
  for (Duration* part : {&mean.writes, &mean.rework, &mean.restarts, &mean.startups}) {
    *part = std::max(Duration{}, *part);
  }
  mean.wall = job.launch + job.work + mean.writes + mean.rework + mean.restarts + mean.waits;
  return mean;
}

}  // namespace

Duration Writing::stop(Duration interval) const {
  if (!background) return time;
  return std::max(Duration{}, storage_busy * interval + time - interval);
}

Duration Writing::delay(Duration interval) const {
  if (!background) return {};
  const Duration period = interval + stop(interval);
  return storage_busy < 1.0 ? std::min(time / (1.0 - storage_busy), period) : period;
}

double InterruptedJob::checkpoints() const {
  return interval > Duration{} ? std::floor(work / interval) : 0.0;
}

Course expected(const InterruptedJob& job) {
  if (job.fallback) return mean_of(draw_courses(job, 1, plays_for(at_most_before_fallback(job))));
  const Course without = closed_form(job);
  if (job.booked <= Duration{} || std::isinf(without.wall.base())) return without;
  if (job.rate() <= Frequency{}) return draw_course(job, 1, 1);
  return with_blocks(job, without);
}

int plays_for(double each) {
  constexpr double events = 4e5;
  return static_cast<int>(std::clamp(events / (1.0 + each), 20.0, 2000.0));
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
