// When on-demand instances take a job over, and for how much of it, as thinned Poisson processes
// have it in closed form: the n-th interruption, or the first wait that is too long.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "reliability/interval.hpp"
#include "reliability/schedule.hpp"

using namespace feedrate;
using namespace feedrate::reliability;

namespace {

constexpr double unlimited = 1e9;

/// Interruptions are announced and lose nothing, so that all of `work` is exposed to them once.
struct Taken {
  double work, rate, wait;  ///< s, 1/s, s
  double count;             ///< the fallback's after_interruptions
  double longest;           ///< its after_wait

  [[nodiscard]] InterruptedJob job() const {
    InterruptedJob job;
    job.work = seconds(work);
    job.announced = Frequency::of(rate);
    job.wait = seconds(wait);
    job.fallback = Fallback{};
    if (count < unlimited) job.fallback->after_interruptions = count;
    if (longest < unlimited) job.fallback->after_wait = seconds(longest);
    return job;
  }
  /// The chance that a wait is too long.
  [[nodiscard]] double gives_up() const { return std::exp(-longest / wait); }
  /// Σ of (1 − p)^k P(N(x) = k) over k < count: that the job is still on spot instances.
  [[nodiscard]] double on_spot_at(double x) const {
    double chance = std::exp(-rate * x);
    double sum = 0.0;
    for (double k = 0.0; k < std::min(count, 400.0); k += 1.0) {
      sum += chance;
      chance *= rate * x * (1.0 - gives_up()) / (k + 1.0);
    }
    return sum;
  }
  /// Σ of (1 − p)^(k − 1) P(N ≥ k) over k ≤ most: each is met if no wait before it was too long.
  [[nodiscard]] double met(double most) const {
    double none = std::exp(-rate * work);
    double fewer = none;
    double sum = 0.0;
    double patient = 1.0;
    for (double k = 1.0; k <= std::min(most, 400.0); k += 1.0) {
      sum += patient * (1.0 - fewer);
      none *= rate * work / k;
      fewer += none;
      patient *= 1.0 - gives_up();
    }
    return sum;
  }
  [[nodiscard]] double on_demand() const {
    constexpr int steps = 400;
    double sum = 0.0;
    for (int i = 0; i < steps; ++i) sum += (1.0 - on_spot_at(work * (i + 0.5) / steps)) / steps;
    return work * sum;
  }
  /// The n-th interruption is not waited for, and no wait is longer than the longest.
  [[nodiscard]] double waits() const { return met(count - 1.0) * wait * (1.0 - gives_up()); }
};

Taken drawn(pipeline::Generator& random) {
  Taken of{};
  of.work = random.log_uniform(1e3, 1e6);
  // As often as nobody would bear, too.
  of.rate = random.log_uniform(0.3, random.chance(0.5) ? 1e5 : 20.0) / of.work;
  of.wait = random.log_uniform(1e-2, 1.0) / of.rate;
  const double kind = random.whole(0.0, 2.0);
  of.count = kind < 2.0 ? random.whole(1.0, 8.0) : unlimited;
  of.longest = kind > 0.0 ? of.wait * random.log_uniform(0.1, 4.0) : unlimited;
  return of;
}

}  // namespace

TEST_CASE(
    "fallback: whatever ends the patience, what is waited for and taken over is as computed") {
  pipeline::Generator random(941);
  constexpr int plays = 1500;
  for (int i = 0; i < 60; ++i) {
    const Taken of = drawn(random);
    InterruptedJob job = of.job();
    if (random.chance(0.5)) {
      // Sudden ones lose nothing either where checkpoints are free.
      std::swap(job.sudden, job.announced);
      job.interval = seconds(1e-4 / of.rate);
    }
    struct Mean {
      double sum = 0.0, squares = 0.0;
      void add(double value) { sum += value / plays, squares += value * value / plays; }
      /// Whether `value`, the mean of `count` courses, is what was computed; but for what hardly
      /// ever happens, of which so few courses may have none.
      void is(double value, int count, double computed, double all) const {
        const double error = std::sqrt(std::max(0.0, squares - sum * sum) / count);
        CHECK(std::abs(value - computed) <= 5.0 * error + 0.005 * all);
      }
    };
    Mean interruptions, waits, on_demand;
    for (const Course& course : draw_courses(job, 23, plays)) {
      interruptions.add(course.interruptions);
      waits.add(course.waits.base());
      on_demand.add(course.on_demand.base());
      REQUIRE(course.wall.base() == Approx((job.work + course.waits + course.rework).base()));
    }
    INFO("job " << i << ": " << of.rate * of.work << " interruptions, after " << of.count << " or "
                << of.longest / of.wait << " waits");
    interruptions.is(interruptions.sum, plays, of.met(of.count), 1.0);
    waits.is(waits.sum, plays, of.waits(), of.wait);
    on_demand.is(on_demand.sum, plays, of.on_demand(), of.work);
    // What is told has as little luck in it as so few interruptions allow.
    const Course told = expected(job);
    const int told_by = plays_for(of.met(of.count));
    waits.is(told.waits.base(), told_by, of.waits(), of.wait);
    on_demand.is(told.on_demand.base(), told_by, of.on_demand(), of.work);
  }
}

TEST_CASE("fallback: as many courses are played as were promised, or a share of them") {
  // After so many interruptions, which all courses meet: of 2,000 courses, or 100,000 in all.
  struct Played {
    double met;
    int courses, tenth;
  };
  for (const Played& one : {Played{9.0, 2000, 200}, Played{99.0, 1000, 100}, Played{999.0, 100, 20},
                            Played{9999.0, 10, 10}}) {
    InterruptedJob job;
    job.work = seconds(1e6);
    job.announced = Frequency::of(1.0);
    job.wait = seconds(60.0);
    job.fallback = Fallback{one.met, std::nullopt, {}};
    const auto mean_of = [&](int courses) {
      double sum = 0.0;
      for (const Course& course : draw_courses(job, 1, courses)) sum += course.wall.base();
      return sum / courses;
    };
    INFO(one.met);
    CHECK(expected(job).wall.base() == Approx(mean_of(one.courses)).epsilon(1e-12));
    CHECK(expected_by(job, 0.1).wall.base() == Approx(mean_of(one.tenth)).epsilon(1e-12));
  }
}

TEST_CASE("fallback: the best interval is Young's for the part of the work that is on spot") {
  pipeline::Generator random(942);
  double least = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double between = random.log_uniform(1e4, 1e6);
    Taken of{20.0 * between, 1.0 / between, 0.1 * between, unlimited, unlimited};
    const double kind = random.whole(0.0, 2.0);
    if (kind < 2.0) of.count = random.whole(1.0, 15.0);
    if (kind > 0.0) of.longest = of.wait * random.log_uniform(0.1, 3.0);
    InterruptedJob job = of.job();
    job.sudden = job.announced;
    job.announced = Frequency{};
    job.writing.time = seconds(between * random.log_uniform(1e-7, 1e-5));
    const double other = random.chance(0.5) ? random.uniform(0.0, 1.0) : 0.0;
    job.fallback->sudden = other * job.sudden;
    // As many interruptions as it meets until then, of the twenty that all of it meets.
    const double p = of.gives_up();
    const double until = p > 0.0 ? (1.0 - std::pow(1.0 - p, of.count)) / p : of.count;
    const double on_spot = std::min(1.0, until / 20.0);
    const double rate = on_spot + (1.0 - on_spot) * other;
    const double young = std::sqrt(2.0 * job.writing.time.base() * between / rate);
    INFO("job " << i << ": " << on_spot << " on spot, " << other << " as many interruptions there");
    CHECK(best_interval(job).base() == Approx(young).epsilon(0.05));
    least = std::min(least, on_spot);
  }
  CHECK(least < 0.06);
}
