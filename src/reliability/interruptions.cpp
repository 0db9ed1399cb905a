#include "reliability/interruptions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace feedrate::reliability {
namespace {

/// (e^(λt) − 1) / λ: the time until t has passed without an interruption, when each one starts it
/// anew and costs nothing else.
double until_undisturbed(double rate, double time) {
  return rate > 0.0 ? std::expm1(rate * time) / rate : time;
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
    if (rate_ * stretch > near_overflow) return (rate_ * stretch + std::log(b_ / rate_)) / b_;
    return std::log1p(b_ / rate_ * std::expm1(rate_ * stretch)) / b_;
  }

  /// The same of a stretch at whose beginning the job is `ahead` of what a sudden interruption goes
  /// back to.
  [[nodiscard]] double of(double stretch, double ahead) const {
    if (ahead <= 0.0 || a_ <= 0.0) return of(stretch);
    const double struck = a_ / rate_ * -std::expm1(-rate_ * stretch);
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
  const double launch_struck = -std::expm1(-rate * launch);
  const double phases = rate * exposed + launch_struck;
  const double attempts = std::exp(rate * job.restart.base());
  const double launching = rate > 0.0 ? launch_struck / rate : launch;

  Course course;
  course.interruptions = rate > 0.0 ? phases * attempts : 0.0;
  course.rework = seconds(std::max(0.0, exposed - schedule.length));
  course.writes = schedule.writes + announced * exposed * job.writing.time;
  course.waits = course.interruptions * job.wait;
  course.restarts =
      seconds(phases * until_undisturbed(rate, job.restart.base()) + launching - launch);
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
    return -std::log(u) / rate;
  }
  bool one_in(double share) { return exponential(1.0) > -std::log(share); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// A job that meets more of them is taken to never end.
constexpr double most_interruptions = 1e5;

/// Plays one job from its launch to its end.
class Play {
 public:
  Play(const InterruptedJob& job, const Schedule& schedule, Chance chance)
      : job_(job),
        schedule_(schedule),
        chance_(chance),
        sudden_(job.sudden.base()),
        announced_(job.announced.base()) {}

  Course course() {
    if (!lasts(job_.launch.base())) start_again();
    while (!works_to_end()) start_again();
    const double launched = job_.launch.base();
    Course course;
    if (interruptions_ >= most_interruptions) {
      course.wall = seconds(std::numeric_limits<double>::infinity());
      return course;
    }
    course.wall = seconds(paid_ + waits_);
    course.writes = schedule_.writes + seconds(last_writes_);
    course.rework = seconds(worked_ - schedule_.length);
    course.restarts = seconds(starts_ - launched);
    course.waits = seconds(waits_);
    course.on_demand = seconds(on_demand_);
    course.interruptions = interruptions_;
    return course;
  }

 private:
  void pay(double time) {
    paid_ += time;
    if (fallen_back_) on_demand_ += time;
  }

  /// Whether a start takes its time without an interruption.
  bool lasts(double time) {
    const double until = chance_.exponential(sudden_ + announced_);
    pay(std::min(until, time));
    starts_ += std::min(until, time);
    if (until < time) interruptions_ += 1.0;
    return until >= time;
  }

  void start_again() {
    do {
      wait();
    } while (!lasts(job_.restart.base()) && interruptions_ < most_interruptions);
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

  /// Goes on from `saved_` until the job ends or is interrupted.
  bool works_to_end() {
    const double until = chance_.exponential(sudden_ + announced_);
    const double left = schedule_.length - saved_;
    pay(std::min(until, left));
    worked_ += std::min(until, left);
    if (until >= left || interruptions_ >= most_interruptions) return true;
    interruptions_ += 1.0;
    const double at = saved_ + until;
    if (announced_ > 0.0 && chance_.one_in(announced_ / (sudden_ + announced_))) {
      saved_ = at;
      pay(job_.writing.time.base());
      last_writes_ += job_.writing.time.base();
    } else {
      saved_ = std::max(saved_, schedule_.usable(at));
    }
    return false;
  }

  const InterruptedJob& job_;
  const Schedule& schedule_;
  Chance chance_;
  double sudden_, announced_;
  bool fallen_back_ = false;
  double saved_ = 0.0;
  double paid_ = 0.0, on_demand_ = 0.0, waits_ = 0.0, starts_ = 0.0, worked_ = 0.0;
  double last_writes_ = 0.0, interruptions_ = 0.0;
};

Course mean_of(const std::vector<Course>& courses) {
  Course mean;
  const double share = 1.0 / static_cast<double>(courses.size());
  for (const Course& course : courses) {
    mean.wall += share * course.wall;
    mean.writes += share * course.writes;
    mean.rework += share * course.rework;
    mean.restarts += share * course.restarts;
    mean.waits += share * course.waits;
    mean.on_demand += share * course.on_demand;
    mean.interruptions += share * course.interruptions;
  }
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
  if (job.fallback) return mean_of(draw_courses(job, 1, fallback_draws));
  return closed_form(job);
}

std::vector<Course> draw_courses(const InterruptedJob& job, std::uint64_t seed, int count) {
  const Schedule schedule(job);
  std::vector<Course> courses;
  courses.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    courses.push_back(
        Play(job, schedule, Chance(seed, static_cast<std::uint64_t>(i) + 1U)).course());
    // One is enough to make the mean infinite.
    if (std::isinf(courses.back().wall.base())) break;
  }
  return courses;
}

}  // namespace feedrate::reliability
