#include "reliability/interruptions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/portable_math.hpp"
#include "reliability/schedule.hpp"

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

  /// The same of a stretch that begins where `behind` has been passed since what a sudden
  /// interruption goes back to was left, announced ones' saves meanwhile included: both from there,
  /// less the way to where it begins.
  [[nodiscard]] double after(double behind, double stretch) const {
    return behind > 0.0 ? of(behind + stretch) - of(behind) : of(stretch);
  }

 private:
  double a_, b_, rate_;
};

/// Mean time of exposure until all of `schedule` has been trained.
double expected_exposure(const Schedule& schedule, const Exposure& exposure) {
  const double length = schedule.length;
  const double usable = schedule.usable(length);
  const double last = usable == length ? length - schedule.period : usable;
  if (schedule.period <= 0.0 || last <= 0.0) return exposure.of(length);
  const double between = std::round(last / schedule.period) - 1.0;
  const double first = exposure.of(schedule.period + schedule.delay);
  if (std::isinf(first)) return first;
  return first + between * exposure.after(schedule.delay, schedule.period) +
         exposure.after(schedule.delay, length - last - schedule.delay);
}

Course closed_form(const InterruptedJob& job) {
  const double sudden = job.sudden.base();
  const double announced = job.announced.base();
  const double rate = sudden + announced;
  const double launch = job.launch.base();
  const Schedule schedule(job);
  const double exposed = expected_exposure(schedule, Exposure(sudden, announced));

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

  // A copy begins behind the start-up, and goes on through what strikes others than its instance.
  const double startup = job.startup.base();
  const auto copied = [&](Duration copying) {
    const double own = rate * job.replaced;
    if (own <= 0.0 || copying <= Duration{}) return 1.0;
    return portable::exp(-own * startup) * -portable::expm1(-own * copying.base()) /
           (own * copying.base());
  };

  Course course;
  course.interruptions = struck * portable::exp(rate * restart) + rate * launched;
  course.copies =
      copied(job.copying) + job.replaced * course.interruptions * copied(job.copying_anew);
  course.loads =
      course.interruptions * portable::exp(-rate * (job.startup + job.copying_anew).base());
  course.rework = seconds(std::max(0.0, exposed - schedule.length));
  course.writes = schedule.writes + announced * exposed * job.writing.time;
  course.waits = course.interruptions * job.wait;
  course.restarts = seconds(struck * restarted + launched - launch);
  course.startups = (1.0 + course.interruptions) * seconds(before_end(startup));
  course.wall =
      job.launch + job.work + course.writes + course.rework + course.restarts + course.waits;
  return course;
}

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
  sum.copies += course.copies;
  sum.loads += course.loads;
  return sum;
}

Course operator*(double factor, Course course) {
  for (Duration* part :
       {&course.wall, &course.writes, &course.rework, &course.restarts, &course.waits,
        &course.on_demand, &course.startups, &course.startups_on_demand}) {
    *part *= factor;
  }
  for (double* part : {&course.interruptions, &course.blocks, &course.copies, &course.loads}) {
    *part *= factor;
  }
  return course;
}

Course mean_of(const std::vector<Course>& courses) {
  const double share = 1.0 / static_cast<double>(courses.size());
  Course mean;
  mean.blocks = mean.copies = 0.0;
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
Course with_blocks(const InterruptedJob& job, const Course& without, int plays) {
  InterruptedJob on_and_on = job;
  on_and_on.booked = Duration{};
  const double share = 1.0 / plays;
  Course mean = without;
  for (int i = 0; i < plays; ++i) {
    const auto stream = static_cast<std::uint64_t>(i) + 1U;
    const Course in_blocks = draw_course(job, 1, stream);
    if (in_blocks.blocks <= 1.0 && std::isfinite(in_blocks.wall.base())) continue;
    mean += share * in_blocks;
    mean += -share * draw_course(on_and_on, 1, stream);
  }
  if (!std::isfinite(mean.wall.base())) {
    mean.wall = mean.rework = seconds(std::numeric_limits<double>::infinity());
    return mean;
  }
  for (Duration* part : {&mean.writes, &mean.rework, &mean.restarts, &mean.startups}) {
    *part = std::max(Duration{}, *part);
  }
  mean.copies = std::max(0.0, mean.copies);
  mean.loads = std::max(0.0, mean.loads);
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
  // One that comes with the last step is written: its share of the work is rounded.
  constexpr double rounded_up = 1.0 + 1e-12;
  return interval > Duration{} ? std::floor(rounded_up * (work / interval)) : 0.0;
}

Course expected(const InterruptedJob& job) {
  return expected_by(job, 1.0);
}

Course expected_by(const InterruptedJob& job, double share) {
  constexpr double least = 20.0;
  const auto plays = [&](double each) {
    const double all = plays_for(each);
    return static_cast<int>(std::min(all, std::max(least, share * all)));
  };
  if (job.fallback) return mean_of(draw_courses(job, 1, plays(at_most_before_fallback(job))));
  const Course without = closed_form(job);
  if (job.booked <= Duration{} || std::isinf(without.wall.base())) return without;
  if (job.rate() <= Frequency{}) return draw_course(job, 1, 1);
  return with_blocks(job, without, plays(without.interruptions));
}

}  // namespace feedrate::reliability
