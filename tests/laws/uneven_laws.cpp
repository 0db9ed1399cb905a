// Objects that do not divide evenly among workers who read whole ones: each makes what it owns.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// One rank whose workers have a core each, and nothing that varies: `objects` of `each` samples.
Inputs alone(double workers, double objects, double each, double batch) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = workers;
  in.batch = batch;
  in.samples = objects * each;
  in.per_object = each;
  in.whole_objects = true;
  in.cores = {{{1.0, 1.0}, {1000.0, 1000.0}}, 0.0};
  in.cpu = milliseconds(10.0) / samples(1.0);
  in.step.fixed = microseconds(1.0);
  return in;
}

}  // namespace

TEST_CASE("uneven: an epoch is as long as its busiest worker makes what it owns, by hand") {
  struct Case {
    double workers, owns;  // of 25 objects
  };
  for (const Case& c :
       {Case{2.0, 13.0}, {3.0, 9.0}, {6.0, 5.0}, {8.0, 4.0}, {12.0, 3.0}, {24.0, 2.0}}) {
    for (const double batch : {250.0, 256.0, 300.0, 500.0}) {
      const Inputs in = alone(c.workers, 25.0, 1000.0, batch);
      INFO(c.workers << " workers, batches of " << batch);
      CHECK(time_of(in) == Approx(c.owns * 10.0).epsilon(2e-3));
      CHECK(by_events(in, 1) == Approx(c.owns * 10.0).epsilon(2e-3));
    }
  }
}

TEST_CASE("uneven: what workers drop they have read and made before an epoch ends, by hand") {
  struct Case {
    double workers, owns;  // of 25 objects
  };
  for (const Case& c : {Case{2.0, 13.0}, {3.0, 9.0}, {6.0, 5.0}, {8.0, 4.0}, {12.0, 3.0}}) {
    // Of 1,300: 8 workers that own 3,000 make two batches each, and one that owns 4,000 makes
    // three.
    for (const double batch : {300.0, 700.0, 1300.0, 1900.0}) {
      Inputs in = alone(c.workers, 25.0, 1000.0, batch);
      in.drop_last = true;
      REQUIRE(division_of(in).drops());
      REQUIRE(trained_samples(in) < in.samples);
      INFO(c.workers << " workers, batches of " << batch);
      for (const bool waits : {false, true}) {
        in.asynchronous_step = !waits;
        CHECK(time_of(in) == Approx(c.owns * 10.0).epsilon(2e-3));
        CHECK(by_events(in, 1) == Approx(c.owns * 10.0).epsilon(2e-3));
      }
      // A loop that is left waits for nobody's end.
      in.epochs = 0.0;
      in.unfinished_steps = 1.0;
      Epochs one;
      one.steps = 1.0;
      Effort effort;
      CHECK(simulate(in).total.wall.base() == Approx(batch * 10e-3).epsilon(2e-3));
      CHECK(random_epoch(in, one, 1, effort).wall.base() == Approx(batch * 10e-3).epsilon(2e-3));
    }
  }
}

TEST_CASE("uneven: a GPU that is slower than its workers hides what they drop") {
  // 2 workers of 10 s each, in which they make 6 batches and drop 100 samples; a step takes 4 s.
  Inputs in = alone(2.0, 2.0, 1000.0, 300.0);
  in.drop_last = true;
  in.step.fixed = seconds(4.0);
  CHECK(time_of(in) == Approx(3.0 + 6.0 * 4.0).epsilon(1e-3));
  CHECK(by_events(in, 1) == Approx(3.0 + 6.0 * 4.0).epsilon(1e-3));
}

TEST_CASE("uneven: who makes a smaller last batch makes what it owns") {
  for (const double last : {1.0, 4.0, 6.0, 10.0}) {
    Inputs in = alone(2.0, 3.0, (20.0 + last) / 3.0, 10.0);
    INFO("its " << last << " samples");
    // Two objects of three.
    CHECK(time_of(in) == Approx((20.0 + last) * 2.0 / 3.0 * 10e-3).epsilon(1e-3));
    CHECK(by_events(in, 1) == Approx((20.0 + last) * 2.0 / 3.0 * 10e-3).epsilon(1e-3));
  }
}

TEST_CASE("uneven: workers make what they own, all of it and nothing else") {
  Draws draws(3301);
  int uneven = 0;
  for (int i = 0; i < 3000; ++i) {
    Inputs in = alone(draws.whole(1.0, 40.0), draws.whole(1.0, 100.0), draws.whole(10.0, 1000.0),
                      draws.whole(1.0, 300.0));
    in.asynchronous_step = draws.chance(0.5);
    if (draws.chance(0.3)) in.accumulation = draws.whole(2.0, 20.0);
    const Division division = division_of(in);
    if (division.few <= 0.0) continue;
    ++uneven;
    double batches = 0.0;
    double samples = 0.0;
    for (double w = 0.0; w < division.workers; w += 1.0) {
      REQUIRE(division.batches_of(w) >= 1.0);
      batches += division.batches_of(w);
      samples += division.of(w).samples;
    }
    INFO("job " << i);
    REQUIRE(batches == epoch_shape(in).steps);
    REQUIRE(samples == Approx(in.samples).epsilon(1e-12));
    REQUIRE(epoch_shape(in).samples() == Approx(in.samples).epsilon(1e-12));
  }
  CHECK_DRAWN(uneven > 1000);
}

TEST_CASE("uneven: an epoch is within one batch of its busiest worker, in the mean and by events") {
  Draws draws(3302);
  int jobs = 0;
  int uneven = 0;
  for (int i = 0; i < 2000; ++i) {
    const double objects = draws.whole(1.0, 100.0);
    Inputs in =
        alone(draws.whole(1.0, 40.0), objects, draws.whole(10.0, 1000.0), draws.whole(1.0, 300.0));
    in.prefetch = draws.whole(1.0, 4.0);
    in.asynchronous_step = draws.chance(0.5);
    if (draws.chance(0.3)) in.accumulation = draws.whole(2.0, 20.0);
    in.drop_last = draws.chance(0.2);
    const double workers = std::min(in.workers, objects);
    const Division division = division_of(in);
    if (epoch_shape(in).steps < workers) continue;  // all that some own is dropped
    ++jobs;
    uneven += division.few > 0.0 ? 1 : 0;
    const double owned = (division.of(0.0).samples + division.dropped_by(0.0)) * 10e-3;
    const double most = std::ceil(objects / workers) / objects * in.samples * 10e-3;
    REQUIRE(std::abs(owned - most) <= (in.drop_last ? 10e-3 : 1e-9 * most));
    const double batch = in.batch * 10e-3;
    const double steps = 1e-6 * epoch_shape(in).steps;  // of the GPU
    INFO("job " << i << ": " << in.workers << " workers, " << objects << " objects, batches of "
                << in.batch << ", " << in.accumulation << " a step");
    for (const double time : {time_of(in), by_events(in, 1)}) {
      REQUIRE(time >= owned - 0.1 * batch);
      REQUIRE(time <= owned + batch + steps);
    }
    // More of them of whom none owns more.
    Inputs more = in;
    more.workers = std::min(objects, in.workers + draws.whole(1.0, 8.0));
    if (std::ceil(objects / more.workers) < std::ceil(objects / workers) ||
        more.workers < workers || in.drop_last) {
      continue;
    }
    REQUIRE(time_of(more) <= time_of(in) * (1.0 + 1e-6) + 1e-3);
    REQUIRE(by_events(more, 1) <= by_events(in, 1) + batch);
  }
  CHECK_DRAWN(jobs > 1000);
  CHECK_DRAWN(uneven > 700);
}

TEST_CASE("uneven: no number of ranks makes an object faster than one worker does") {
  // 40 objects of 10 s of a worker: with 27 ranks some have two objects, for a worker each.
  double before = 1e300;
  for (const double ranks : {1.0, 3.0, 7.0, 13.0, 20.0, 27.0, 39.0, 40.0, 41.0, 80.0, 200.0}) {
    Inputs in = alone(4.0, 40.0, 1000.0, 5.0);
    in.instances = ranks;
    INFO(ranks << " ranks");
    const double most = std::ceil(std::ceil(40.0 / ranks) / 4.0);  // of one worker
    for (const double time : {time_of(in), by_events(in, 1)}) {
      CHECK(time >= std::min(most, 40.0 / ranks) * 9.95);
      CHECK(time >= 9.95);
      CHECK(time <= most * 10.0 * 1.06);
      CHECK(time <= before * 1.06);
    }
    before = time_of(in);
  }
}

TEST_CASE("uneven: a worker more of whom none owns more makes no job slower that has a core each") {
  // 24 workers of 25 objects took 3.6 times as long as the busiest makes its two, for what did not
  // fill a round of all was left for it alone.
  for (const double batch : {100.0, 256.0, 300.0}) {
    double before = 1e300;
    for (double workers = 1.0; workers <= 30.0; workers += 1.0) {
      const double time = time_of(alone(workers, 25.0, 1000.0, batch));
      INFO(workers << " workers, batches of " << batch);
      CHECK(time <= before * (1.0 + 1e-3) + 1e-3);
      before = time;
    }
  }
}
