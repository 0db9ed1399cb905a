// Worker processes whose batches come in any order (in_order=False of PyTorch's DataLoader).
#include <cmath>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// One rank that waits for workers whose batches differ as a whole.
Inputs waiting(Draws& draws) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
  in.workers = draws.whole(2.0, 12.0);
  in.prefetch = draws.whole(1.0, 3.0);
  in.batch = draws.whole(1.0, 32.0);
  in.make_cv = draws.uniform(0.3, 1.0);
  in.cpu = in.cached_cpu = seconds_per_sample(1e-2);
  in.step.fixed = seconds(1e-9);
  in.samples = in.batch * in.workers * 400.0;
  return in;
}

}  // namespace

TEST_CASE("unordered: a loop that waits for its workers has as many batches as these can make") {
  Draws draws(4801);
  for (int i = 0; i < 30; ++i) {
    Inputs in = waiting(draws);
    const double ordered = by_events(in, 1);
    in.in_order = false;
    const double every_worker = in.samples / in.workers * 1e-2;
    INFO("job " << i << ": " << in.workers << " workers, cv " << in.make_cv << ", " << in.prefetch
                << " ahead");
    const double events = by_events(in, 1);
    // 400 batches of each worker, and what the last of them has in work at the end.
    const double error = 4.0 * in.make_cv / std::sqrt(400.0 * in.workers) + 8.0 / 400.0;
    CHECK(events == Approx(every_worker).epsilon(error));
    CHECK(time_of(in) == Approx(every_worker).epsilon(0.02));
    // In order, those that are done wait for the slowest.
    CHECK(events < ordered);
  }
}

TEST_CASE("unordered: the mean is as near to the events as in order") {
  Generator generate(4802);
  int jobs = 0, far = 0, far_in_order = 0, smaller_last = 0;
  for (int i = 0; i < 2000 && jobs < 300; ++i) {
    Inputs in = generate.inputs(120.0);
    const bool large = in.gpus() * (in.workers + 3.0) > 200.0;
    if (in.kind != LoaderKind::pytorch || in.workers < 2.0 || in.remote || large) continue;
    in.epochs = 1.0;
    in.in_order = in.whole_objects = in.own_batches = false;
    const EpochShape shape = epoch_shape(in);
    // As many rounds as workers are out of step after.
    if (shape.steps < 8.0 * in.workers) continue;
    ++jobs;
    smaller_last += shape.last_batch < in.batch ? 1 : 0;
    const double off = std::abs(time_of(in) / by_events(in, 3) - 1.0);
    Inputs ordered = in;
    ordered.in_order = true;
    const double off_in_order = std::abs(time_of(ordered) / by_events(ordered, 3) - 1.0);
    INFO("job " << i << ", off by " << off << ", in order by " << off_in_order);
    CHECK(off < off_in_order + 0.15);
    far += off > 0.05 ? 1 : 0;
    far_in_order += off_in_order > 0.05 ? 1 : 0;
  }
  CHECK_DRAWN(jobs == 300);
  CHECK_DRAWN(smaller_last > 20);
  // Their numbers among so many draws, by three standard deviations.
  CHECK(far <= far_in_order + 3.0 * std::sqrt(far_in_order + 1.0));
}

TEST_CASE("unordered: one worker has an order, whatever is asked for") {
  Generator generate(4803);
  int jobs = 0;
  for (int i = 0; i < 400; ++i) {
    Inputs in = generate.inputs(60.0);
    if (in.kind != LoaderKind::pytorch || in.workers < 1.0 || in.remote) continue;
    in.workers = 1.0;
    in.epochs = 1.0;
    Inputs any = in;
    any.in_order = false;
    CHECK(time_of(any) == time_of(in));
    if (++jobs <= 20) CHECK(by_events(any, 1) == by_events(in, 1));
  }
  CHECK_DRAWN(jobs > 50);
}
