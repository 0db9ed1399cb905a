// Laws of what a restart takes: of one instance that is replaced, and of all of them.
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/interruptions.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// Generated jobs whose instances share what they read from.
Inputs sharing(Generator& generate) {
  Inputs in = generate.inputs(20.0);
  in.epochs = generate.whole(1.0, 3.0);
  in.startup = seconds(generate.uniform(0.0, 60.0));
  for (std::optional<Read>* read : {&in.source, &in.first_source}) {
    if (!*read) continue;
    for (RateLimit& limit : (*read)->limits) limit.shared = !limit.of_nic;
    if (generate.chance(0.3) && !(*read)->rate.empty()) {
      (*read)->unshared = (*read)->rate;
      (*read)->shared_by_all = 0.7 * in.instances * (*read)->through_nic().maximum();
      (*read)->rate = capped((*read)->rate, (*read)->shared_by_all / in.instances);
    }
  }
  if (generate.chance(0.5)) {
    Staging staging;
    staging.objects = generate.whole(1.0, 1000.0);
    staging.object_size = megabytes(generate.log_uniform(0.1, 100.0));
    staging.connections = generate.whole(1.0, 16.0);
    staging.read.rate = linear_until(bytes_per_second(5e7), bytes_per_second(5e8));
    staging.read.limits.push_back({"shared", generate.log_uniform(1e6, 1e9), 0.0, 0.0,
                                   staging.object_size.base(), false, true});
    in.staging = staging;
  }
  in.interruptions.emplace();
  in.interruptions->restart = seconds(generate.uniform(0.0, 600.0));
  in.interruptions->sudden = Frequency::of(1e-6);
  return in;
}

}  // namespace

TEST_CASE("restarts: one instance takes no longer than the launch of all, alone just as long") {
  Generator generate(921);
  int shorter = 0;
  for (int i = 0; i < 300; ++i) {
    Inputs in = sharing(generate);
    const Outcome out = simulate(in);
    const reliability::InterruptedJob job = interrupted_job(out, in, *in.interruptions);
    INFO("job " << i);
    REQUIRE(job.restart >= in.interruptions->restart + out.startup);
    REQUIRE(job.restart <= job.relaunch * (1.0 + 1e-12));
    REQUIRE(job.relaunch >= in.interruptions->restart + job.launch);
    if (in.instances == 1.0) REQUIRE(job.restart == job.relaunch);
    if (job.restart < 0.99 * job.relaunch) ++shorter;
    in.restarts_all = true;
    REQUIRE(interrupted_job(out, in, *in.interruptions).restart == job.relaunch);
  }
  CHECK_DRAWN(shorter > 20);
}

TEST_CASE("restarts: what is shared is all that tells one instance from all of them") {
  Generator generate(922);
  for (int i = 0; i < 200; ++i) {
    Inputs in = sharing(generate);
    if (in.staging) in.staging->read.limits.clear();
    for (std::optional<Read>* read : {&in.source, &in.first_source}) {
      if (!*read) continue;
      (*read)->limits.clear();
      (*read)->shared_by_all = Bandwidth{};
    }
    const reliability::InterruptedJob job = interrupted_job(simulate(in), in, *in.interruptions);
    INFO("job " << i);
    REQUIRE(job.restart == job.relaunch);
  }
}

TEST_CASE(
    "checkpoints: only those in the background share a storage, and only one that training reads") {
  Generator generate(923);
  int shared = 0;
  for (int i = 0; i < 100; ++i) {
    Inputs in = sharing(generate);
    const Outcome out = simulate(in);
    const auto busy = [&](bool background, std::optional<Stage> beside) {
      in.checkpoint_background = background;
      in.checkpoint_beside = beside;
      return interrupted_job(out, in, *in.interruptions).writing.storage_busy;
    };
    INFO("job " << i);
    REQUIRE(busy(false, {}) == 0.0);
    REQUIRE(busy(true, {}) == 0.0);
    for (const Stage stage : {Stage::download, Stage::disk}) {
      REQUIRE(busy(false, stage) == 0.0);
      const double share = busy(true, stage);
      REQUIRE(share >= 0.0);
      REQUIRE(share <= 1.0);
      if (share > 0.0) ++shared;
    }
  }
  CHECK_DRAWN(shared > 50);
}

TEST_CASE("restarts: a job that hardly ever gets through is cut at what a double still counts") {
  Generator generate(924);
  int cut = 0, through = 0, booked = 0;
  for (int i = 0; i < 300; ++i) {
    Inputs in = sharing(generate);
    // Without checkpoints all of it is lost each time: exp(attempt · rate) attempts.
    const Outcome alone = simulate(in);
    const Duration attempt = alone.interrupted.job.relaunch + alone.trained.wall;
    in.interruptions->sudden = generate.log_uniform(0.1, 1e4) / attempt;
    if (generate.chance(0.2)) {
      // Beyond a double: of what is within, blocks would be played, which takes long.
      in.interruptions->sudden = generate.log_uniform(1e3, 1e6) / alone.trained.wall;
      in.booked = hours(generate.log_uniform(1e3, 1e6));
    }
    const Outcome out = simulate(in);
    const auto& course = out.interrupted.counted;
    INFO("job " << i);
    constexpr double longest = 1e15;
    REQUIRE(course.wall.base() <= longest);
    const double plain = (out.startup + out.staging + out.trained.wall).base();
    const double lost = (course.rework + course.restarts + course.waits).base();
    REQUIRE(course.wall.base() == Approx(plain + lost).epsilon(1e-9));
    REQUIRE(out.total.wall.base() == Approx(plain + lost).epsilon(1e-9));
    if (course.wall.base() < longest) {
      ++through;
      continue;
    }
    ++cut;
    if (in.booked > Duration{}) ++booked;
    REQUIRE(course.startups == in.startup);
    REQUIRE(course.interruptions > 1.0);
    REQUIRE(course.blocks == (in.booked > Duration{} ? longest / in.booked.base() : 1.0));
    REQUIRE(course.restarts == Duration{});
  }
  CHECK_DRAWN(cut > 50);
  CHECK_DRAWN(through > 50);
  CHECK_DRAWN(booked > 20);
}
