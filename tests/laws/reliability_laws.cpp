// Laws of interrupted jobs, over generated ones: from a few minutes to months of work, rare and
// frequent interruptions, checkpoints in the foreground, in the background, and none.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "reliability/interval.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::reliability;

namespace {

constexpr int jobs = 2000;

/// Times over six decades would leave most jobs undisturbed or endless: an interval holds up to two
/// interruptions, and the job up to `most`.
class Jobs {
 public:
  explicit Jobs(unsigned seed) : generate_(seed) {}

  InterruptedJob job(double most = 50.0) {
    InterruptedJob job;
    job.work = seconds(generate_.log_uniform(1e2, 1e7));
    const double each = job.work.base() / generate_.log_uniform(1.0, 100.0);
    if (generate_.chance(0.8)) job.interval = seconds(each);
    const double stretch = job.interval > Duration{} ? each : job.work.base();
    const double rate =
        std::min(generate_.log_uniform(1e-3, 2.0) / stretch, most / job.work.base());
    job.sudden = Frequency::of(rate);
    if (generate_.chance(0.4)) {
      const double share = generate_.uniform(0.0, 1.0);
      job.announced = Frequency::of(rate * share);
      job.sudden = Frequency::of(rate * (1.0 - share));
    }
    job.writing.time = seconds(generate_.log_uniform(1e-3, 0.5) * stretch);
    job.writing.background = generate_.chance(0.4);
    job.writing.storage_busy = generate_.uniform(0.0, 0.9);
    job.launch = seconds(generate_.chance(0.5) ? generate_.log_uniform(1e-3, 0.3) / rate : 0.0);
    job.startup = job.launch * generate_.uniform(0.0, 0.2);
    const Duration beside = seconds(generate_.log_uniform(1e-3, 0.3) / rate);
    // Of one instance, it may take less than the launch of all.
    job.restart = beside + (generate_.chance(0.7) ? 1.0 : 0.2) * job.launch;
    job.relaunch = beside + job.launch;
    if (generate_.chance(0.5)) job.wait = seconds(generate_.log_uniform(1e-2, 1.0) / rate);
    // Copying is a part of what a start takes.
    job.copying = (job.launch - job.startup) * generate_.uniform(0.0, 1.0);
    job.copying_anew = std::min(job.copying, std::max(Duration{}, job.restart - job.startup));
    if (generate_.chance(0.7)) job.replaced = 1.0 / generate_.whole(1.0, 8.0);
    return job;
  }
  pipeline::Generator& chance() { return generate_; }

 private:
  pipeline::Generator generate_;
};

double wall(const InterruptedJob& job) {
  return expected(job).wall.base();
}

double deviation(const std::vector<Course>& courses, double mean) {
  double squares = 0.0;
  for (const Course& course : courses) squares += std::pow(course.wall.base() - mean, 2.0);
  return std::sqrt(squares / static_cast<double>(courses.size()));
}

}  // namespace

TEST_CASE("reliability: without interruptions a job takes its work and its checkpoints") {
  Jobs generated(901);
  for (int i = 0; i < jobs; ++i) {
    InterruptedJob job = generated.job();
    job.sudden = job.announced = Frequency{};
    const double writes = job.checkpoints() * job.writing.stop(job.interval).base();
    INFO("job " << i);
    REQUIRE(wall(job) ==
            Approx((job.launch + job.work).base() + (job.interval > Duration{} ? writes : 0.0))
                .epsilon(1e-12));
    REQUIRE(expected(job).interruptions == 0.0);
  }
}

TEST_CASE(
    "reliability: what strikes a launch costs one restart beside it, whatever is left of it") {
  Jobs generated(931);
  for (int i = 0; i < jobs; ++i) {
    InterruptedJob job = generated.job();
    job.wait = Duration{};
    job.fallback.reset();
    job.booked = Duration{};
    InterruptedJob longer = job;
    longer.launch = job.restart + job.launch + seconds(1.0);
    const Course shorter = expected(longer);
    longer.launch *= 20.0;
    const Course one = expected(longer);
    INFO("job " << i);
    // Once a launch is longer than a restart, what is added to it takes no more than that.
    const double added = 0.95 * longer.launch.base();
    REQUIRE(one.wall.base() == Approx(shorter.wall.base() + added).epsilon(1e-9));
    REQUIRE(one.interruptions ==
            Approx(shorter.interruptions + job.rate().base() * added).epsilon(1e-9));
  }
}

TEST_CASE("reliability: parts add up to the whole, and none is negative") {
  Jobs generated(902);
  for (int i = 0; i < jobs; ++i) {
    const InterruptedJob job = generated.job();
    std::vector<Course> courses = draw_courses(job, 7, 5);
    courses.push_back(expected(job));
    for (const Course& c : courses) {
      INFO("job " << i);
      const Duration sum = job.launch + job.work + c.writes + c.rework + c.restarts + c.waits;
      REQUIRE(c.wall.base() == Approx(sum.base()).epsilon(1e-9));
      const double least = -1e-9 * c.wall.base();
      for (const Duration part : {c.writes, c.rework, c.restarts, c.waits}) {
        REQUIRE(part.base() >= least);
      }
    }
  }
}

TEST_CASE(
    "reliability: more interruptions, longer restarts, waits and writes never shorten a job") {
  Jobs generated(903);
  for (int i = 0; i < jobs; ++i) {
    const InterruptedJob job = generated.job();
    const double now = wall(job) * (1.0 - 1e-9);
    const double more = generated.chance().uniform(1.0, 3.0);
    const auto with = [&](auto change) {
      InterruptedJob other = job;
      change(other);
      return wall(other);
    };
    INFO("job " << i);
    REQUIRE(with([&](InterruptedJob& j) { j.sudden *= more; }) >= now);
    // Announced ones alone need not: each leaves a checkpoint that a sudden one goes back to.
    REQUIRE(with([&](InterruptedJob& j) { j.sudden *= more, j.announced *= more; }) >= now);
    REQUIRE(with([&](InterruptedJob& j) { j.restart *= more; }) >= now);
    REQUIRE(with([&](InterruptedJob& j) { j.wait *= more; }) >= now);
    REQUIRE(with([&](InterruptedJob& j) { j.writing.time *= more; }) >= now);
    REQUIRE(with([&](InterruptedJob& j) { j.writing.storage_busy *= 1.0 / more; }) <=
            wall(job) * (1 + 1e-9));
    REQUIRE(with([&](InterruptedJob& j) { j.writing.background = false; }) >=
            with([&](InterruptedJob& j) { j.writing.time = Duration{}; }) * (1.0 - 1e-9));
  }
}

TEST_CASE("reliability: a warning never costs more than it saves") {
  Jobs generated(904);
  for (int i = 0; i < jobs; ++i) {
    InterruptedJob warned = generated.job();
    // A last checkpoint takes time of its own: only then may a warning be no gain.
    warned.writing.time = Duration{};
    InterruptedJob sudden = warned;
    sudden.sudden = warned.rate();
    sudden.announced = Frequency{};
    INFO("job " << i);
    REQUIRE(wall(warned) <= wall(sudden) * (1.0 + 1e-9));
  }
}

TEST_CASE("reliability: the closed form is the mean of played jobs") {
  Jobs generated(905);
  constexpr int plays = 4000;
  int beyond_three = 0;
  constexpr int tried = 250;
  for (int i = 0; i < tried; ++i) {
    const InterruptedJob job = generated.job(20.0);
    const std::vector<Course> courses = draw_courses(job, 11, plays);
    REQUIRE(courses.size() == plays);
    double mean = 0.0;
    double rework = 0.0;
    double interruptions = 0.0;
    double startups = 0.0;
    double copies = 0.0;
    double loads = 0.0;
    for (const Course& course : courses) {
      copies += course.copies / plays;
      loads += course.loads / plays;
      startups += course.startups.base() / plays;
      mean += course.wall.base() / plays;
      rework += course.rework.base() / plays;
      interruptions += course.interruptions / plays;
    }
    const double error = deviation(courses, mean) / std::sqrt(plays) + 1e-9 * mean;
    const Course closed = expected(job);
    const double off = std::abs(closed.wall.base() - mean) / error;
    INFO("job " << i << ": " << closed.wall.base() << " s, played " << mean << " +- " << error);
    if (off > 3.0) ++beyond_three;
    REQUIRE(off < 5.0);
    CHECK(closed.interruptions == Approx(interruptions).epsilon(0.15).margin(0.02));
    CHECK(closed.copies == Approx(copies).epsilon(0.05).margin(0.02));
    CHECK(closed.loads == Approx(loads).epsilon(0.15).margin(0.02));
    CHECK(closed.startups.base() ==
          Approx(startups).epsilon(0.15).margin(0.02 * job.startup.base()));
    CHECK(std::abs(closed.rework.base() - rework) < 6.0 * error + 0.02 * mean);
  }
  // Normal errors are that large in 0.3 % of all cases.
  CHECK(beyond_three <= 5);
}

TEST_CASE("reliability: copies are whole where nothing cuts them short, and parts where it does") {
  Jobs generated(932);
  int cut = 0;
  for (int i = 0; i < jobs; ++i) {
    InterruptedJob job = generated.job(20.0);
    INFO("job " << i);
    const Course course = expected(job);
    const double begun = 1.0 + job.replaced * course.interruptions;
    REQUIRE(course.copies <= begun * (1.0 + 1e-9));
    REQUIRE(course.loads <= course.interruptions * (1.0 + 1e-9));
    cut += course.copies < 0.99 * begun ? 1 : 0;
    // Played, a launch of all is one, each restart its share, and no part is counted twice.
    for (const Course& played : draw_courses(job, 7, 5)) {
      REQUIRE(played.copies <= (1.0 + job.replaced * played.interruptions) * (1.0 + 1e-9));
      REQUIRE(played.loads <= played.interruptions);
    }
    job.copying = job.copying_anew = job.startup = Duration{};
    const Course at_once = expected(job);
    REQUIRE(at_once.copies == Approx(1.0 + job.replaced * at_once.interruptions).epsilon(1e-12));
    REQUIRE(at_once.loads == Approx(at_once.interruptions).epsilon(1e-12));
    job.sudden = job.announced = Frequency{};
    REQUIRE(expected(job).copies == 1.0);
    REQUIRE(expected(job).loads == 0.0);
  }
  CHECK_DRAWN(cut > jobs / 20);
}

TEST_CASE("reliability: two halves with a checkpoint between them take what the whole takes") {
  Jobs generated(906);
  for (int i = 0; i < jobs; ++i) {
    InterruptedJob half = generated.job(20.0);
    half.writing.background = false;
    const double each = std::max(1.0, std::round(half.work / std::max(half.interval, seconds(1))));
    half.interval = half.work / each;
    InterruptedJob whole = half;
    whole.work = half.work * 2.0;
    if (whole.checkpoints() != 2.0 * half.checkpoints()) continue;  // by a last digit
    InterruptedJob second = half;
    second.launch = Duration{};
    INFO("job " << i);
    REQUIRE(wall(whole) == Approx(wall(half) + wall(second)).epsilon(1e-9));
  }
}

TEST_CASE("reliability: no other interval is better than the best") {
  Jobs generated(908);
  for (int i = 0; i < 500; ++i) {
    InterruptedJob job = generated.job(30.0);
    job.interval = best_interval(job);
    const double best = wall(job);
    for (int k = 0; k < 20; ++k) {
      InterruptedJob other = job;
      // As in the search: no interval is below a write's own time.
      const double least = std::max({job.writing.time.base(), 1.0, job.work.base() * 1e-5});
      other.interval = seconds(
          generated.chance().log_uniform(std::min(least, job.work.base()), job.work.base() * 1.01));
      INFO("job " << i << ": " << job.interval.base() << " s, tried " << other.interval.base());
      const double as_good = job.writing.background ? as_good_in_background : 1.0;
      REQUIRE(best <= wall(other) * as_good * (1.0 + (job.writing.background ? 1e-3 : 1e-7)));
    }
  }
}

TEST_CASE(
    "reliability: in blocks that nothing else interrupts no interval is better than the best") {
  Jobs generated(914);
  int blocks = 0;
  for (int i = 0; i < 200; ++i) {
    InterruptedJob job = generated.job(1.0);
    job.sudden = job.announced = Frequency{};
    job.wait = Duration{};
    job.booked = job.work * generated.chance().log_uniform(0.05, 0.9) + job.launch + job.relaunch;
    // A block has room for one that is written beside training.
    job.writing.time = std::min(job.writing.time, 0.02 * (job.booked - job.launch - job.relaunch));
    job.interval = best_interval(job);
    const double best = wall(job);
    REQUIRE(std::isfinite(best));
    blocks += expected(job).blocks > 2.0;
    for (int k = 0; k < 30; ++k) {
      InterruptedJob other = job;
      const double least = std::max(job.writing.time.base(), 1.0);
      other.interval = seconds(generated.chance().log_uniform(
          std::min(least, 0.5 * job.work.base()), job.work.base() * 1.01));
      INFO("job " << i << ": " << job.interval.base() << " s, tried " << other.interval.base());
      const double as_good = job.writing.background ? as_good_in_background : 1.0;
      REQUIRE(best <= wall(other) * as_good * (1.0 + (job.writing.background ? 5e-3 : 2e-3)));
    }
  }
  CHECK_DRAWN(blocks > 50);
}

TEST_CASE(
    "reliability: the best interval with blocks and fallbacks is no worse than without them") {
  Jobs generated(915);
  double saved = 0.0;
  for (int i = 0; i < 120; ++i) {
    InterruptedJob job = generated.job(20.0);
    InterruptedJob alone = job;
    const double unlike = generated.chance().log_uniform(0.01, 0.5);
    if (i % 2 == 0) {
      job.booked =
          job.work * generated.chance().uniform(0.1, 0.5) + 2.0 * job.launch + job.relaunch;
    } else {
      job.fallback =
          Fallback{generated.chance().whole(1.0, 6.0), std::nullopt, unlike * job.sudden};
    }
    job.interval = best_interval(alone);
    const double before = wall(job);
    job.interval = best_interval(job);
    const double now = wall(job);
    INFO("job " << i << ": " << before << " s, " << now << " s");
    if (!std::isfinite(before)) continue;
    // Both are means of played jobs.
    REQUIRE(now <= before * 1.02);
    saved += 1.0 - now / before;
  }
  CHECK_DRAWN(saved > 0.0);
}

TEST_CASE("reliability: Young's interval comes out where writes are short") {
  Jobs generated(909);
  for (int i = 0; i < 200; ++i) {
    InterruptedJob job;
    const Duration between = seconds(generated.chance().log_uniform(1e3, 1e6));
    job.sudden = 1.0 / between;
    job.writing.time = between * generated.chance().log_uniform(1e-5, 1e-3);
    job.work = between * 20.0;
    const double young = young_interval(job.writing.time, between).base();
    INFO("job " << i);
    REQUIRE(best_interval(job).base() == Approx(young).epsilon(0.05));
  }
}

TEST_CASE("reliability: the middle 90 % of jobs hold the mean where interruptions are no rarity") {
  Jobs generated(910);
  int held = 0;
  for (int i = 0; i < 300; ++i) {
    const InterruptedJob job = generated.job(20.0);
    // Where fewer than one job in twenty is interrupted, the mean may lie above the 95 %.
    const double often = expected(job).interruptions;
    if (often < 0.2) continue;
    // So it may where most interruptions are announced and cost little, and a rare sudden one much.
    const double sudden = often * (job.sudden / job.rate());
    if (job.sudden > Frequency{} && sudden < 0.2) continue;
    std::vector<double> times;
    for (const Course& course : draw_courses(job, 3, 1000)) times.push_back(course.wall.base());
    std::sort(times.begin(), times.end());
    const double mean = wall(job);
    INFO("job " << i);
    REQUIRE(times[50] <= mean);
    REQUIRE(mean <= times[949]);
    REQUIRE(times.front() >= (job.launch + job.work).base() * (1.0 - 1e-9));
    ++held;
  }
  CHECK_DRAWN(held > 100);
}

TEST_CASE("reliability: a fallback only ever shortens what spot instances take") {
  Jobs generated(911);
  for (int i = 0; i < 60; ++i) {
    InterruptedJob job = generated.job(20.0);
    job.announced = Frequency{};
    const std::vector<Course> on_spot = draw_courses(job, 5, 50);
    job.fallback = Fallback{generated.chance().whole(1.0, 6.0), std::nullopt, {}};
    const Course with = expected(job);
    INFO("job " << i);
    const std::vector<Course> courses = draw_courses(job, 5, 50);
    for (std::size_t k = 0; k < courses.size(); ++k) {
      // Each course is the same one until the fallback is asked, and meets no interruption after.
      REQUIRE(courses[k].wall <= on_spot[k].wall * (1.0 + 1e-9));
      REQUIRE(courses[k].interruptions <= *job.fallback->after_interruptions);
    }
    REQUIRE(with.on_demand <= with.wall);
    // One that is never asked changes nothing. The means may part by more than any number of errors
    // of theirs: one course in a thousand may wait a hundred times as long as the job works.
    job.fallback = Fallback{1e9, std::nullopt, {}};
    const std::vector<Course> never = draw_courses(job, 5, 50);
    for (std::size_t k = 0; k < never.size(); ++k) REQUIRE(never[k].wall == on_spot[k].wall);
    REQUIRE(expected(job).on_demand == Duration{});
  }
}

namespace {

/// Blocks that hold a launch and the way to a checkpoint, and that some jobs outlast.
InterruptedJob with_blocks_of(InterruptedJob job, double share) {
  const Duration stretch =
      job.interval > Duration{} ? job.interval + job.writing.stop(job.interval) : job.work;
  job.booked = std::max(2.5 * (job.relaunch + job.restart + stretch +
                               job.writing.delay(std::max(job.interval, seconds(1.0)))),
                        share * expected(job).wall);
  return job;
}

}  // namespace

TEST_CASE("reliability: a block that no course outlasts changes nothing") {
  Jobs generated(912);
  for (int i = 0; i < 300; ++i) {
    InterruptedJob job = generated.job(20.0);
    job.wait = Duration{};
    const Course without = expected(job);
    job.booked = 1e9 * without.wall;
    const Course with = expected(job);
    INFO("job " << i);
    REQUIRE(with.wall == without.wall);
    REQUIRE(with.rework == without.rework);
    REQUIRE(with.blocks == 1.0);
  }
}

TEST_CASE("reliability: the mean of a job in blocks is that of its played courses") {
  Jobs generated(913);
  constexpr int plays = 3000;
  int several = 0;
  for (int i = 0; i < 80; ++i) {
    InterruptedJob job = generated.job(10.0);
    job.wait = Duration{};
    job = with_blocks_of(job, generated.chance().uniform(0.4, 1.3));
    const std::vector<Course> courses = draw_courses(job, 21, plays);
    double mean = 0.0;
    double blocks = 0.0;
    for (const Course& course : courses) {
      mean += course.wall.base() / plays;
      blocks += course.blocks / plays;
      // Paid whole: no course uses more than its blocks, and each uses all of them but the last.
      REQUIRE(course.wall <=
              course.blocks * job.booked * (1.0 + 1e-9) + course.blocks * job.writing.time);
      REQUIRE(course.wall >= (course.blocks - 1.0) * job.booked * (1.0 - 1e-9));
    }
    const double error = deviation(courses, mean) / std::sqrt(plays) + 1e-9 * mean;
    const Course told = expected(job);
    INFO("job " << i << ": " << told.wall.base() << " s, played " << mean << " +- " << error);
    // Both are played, but for what the closed form knows.
    const double off = std::abs(told.wall.base() - mean);
    REQUIRE((off < 7.0 * error || off < 0.02 * mean));
    // As many more blocks as they hold of the time.
    const double of_blocks = 7.0 * error / job.booked.base();
    CHECK(told.blocks == Approx(blocks).epsilon(0.05).margin(0.03 + of_blocks));
    REQUIRE(told.blocks >= 1.0);
    several += told.blocks > 1.01 ? 1 : 0;
  }
  CHECK_DRAWN(several > 20);
}

TEST_CASE("reliability: a longer block is outlasted by fewer courses, by those that take longer") {
  Jobs generated(914);
  for (int i = 0; i < 60; ++i) {
    InterruptedJob job = generated.job(10.0);
    job.wait = Duration{};
    const std::vector<Course> free = draw_courses(job, 5, 200);
    job = with_blocks_of(job, 0.7);
    int before = 201;
    for (int step = 0; step < 4; ++step) {
      const std::vector<Course> courses = draw_courses(job, 5, 200);
      int outlasted = 0;
      int longer = 0;
      for (std::size_t k = 0; k < courses.size(); ++k) {
        outlasted += courses[k].blocks > 1.0 ? 1 : 0;
        longer += free[k].wall > job.booked ? 1 : 0;
      }
      INFO("job " << i);
      REQUIRE(outlasted == longer);
      REQUIRE(outlasted <= before);
      before = outlasted;
      job.booked *= 1.2;
    }
  }
}

TEST_CASE("reliability: more failures never raise the chance of a deadline") {
  Jobs generated(915);
  constexpr int plays = 1500;
  for (int i = 0; i < 80; ++i) {
    InterruptedJob job = generated.job(10.0);
    if (generated.chance().chance(0.5)) {
      job.wait = Duration{};
      job = with_blocks_of(job, 0.8);
    }
    const Duration deadline = expected(job).wall * generated.chance().uniform(0.8, 1.3);
    const auto in_time = [&](const InterruptedJob& of) {
      int count = 0;
      for (const Course& course : draw_courses(of, 31, plays)) count += course.wall <= deadline;
      return static_cast<double>(count) / plays;
    };
    const double now = in_time(job);
    const double more = generated.chance().uniform(1.0, 3.0);
    job.sudden *= more;
    job.announced *= more;
    INFO("job " << i);
    REQUIRE(in_time(job) <= now + 4.0 * std::sqrt(0.5 / plays));
  }
}

TEST_CASE("reliability: after one interruption on demand, as written down") {
  Jobs generated(916);
  for (int i = 0; i < 60; ++i) {
    InterruptedJob job = generated.job(5.0);
    job.sudden += job.announced;
    job.announced = Frequency{};
    job.launch = job.startup = Duration{};
    job.writing.background = false;
    const double rate = job.sudden.base();
    const double less = rate * generated.chance().uniform(0.0, 0.5);
    job.fallback = Fallback{1.0, std::nullopt, Frequency::of(less)};
    // Struck at x, the job goes on from the last checkpoint before it at the other rate.
    const double stop = job.interval > Duration{} ? job.writing.stop(job.interval).base() : 0.0;
    const double length = job.work.base() + job.checkpoints() * stop;
    const double period = job.interval > Duration{} ? job.interval.base() + stop : length;
    const auto until = [&](double time) {
      return less > 0.0 ? std::expm1(less * time) / less : time;
    };
    const double restart = until(job.restart.base());
    double mean = -std::expm1(-rate * length) / rate;
    for (double from = 0.0; from < length; from += period) {
      const double to = std::min(length, from + period);
      if (to - from < 1e-9 * length) break;
      double rest = 0.0;
      for (double at = from; at < length - 1e-9 * length; at += period) {
        rest += until(std::min(period, length - at));
      }
      const double struck = std::exp(-rate * from) - std::exp(-rate * to);
      mean += struck * (restart + (1.0 + less * restart) * rest);
    }
    const std::vector<Course> courses = draw_courses(job, 17, 2000);
    const double error = deviation(courses, mean) / std::sqrt(2000.0) + 1e-9 * mean;
    INFO("job " << i << ": " << mean << " s, told " << wall(job) << " +- " << error);
    REQUIRE(std::abs(wall(job) - mean) < 6.0 * error);
  }
}
