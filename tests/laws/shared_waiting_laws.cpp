// A rank that waits for a batch waits for all of its making: events book that waiting under the
// stages of the making, each by its part of it.
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/random.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

TEST_CASE(
    "shared waiting: of several workers that nobody disturbs, each stage has its part of the "
    "making") {
  Generator generate(71);
  for (int i = 0; i < 60; ++i) {
    Inputs in;
    in.kind = LoaderKind::pytorch;
    in.asynchronous_step = false;
    in.workers = generate.whole(1.0, 8.0);
    in.ranks = generate.whole(1.0, 3.0);
    in.batch = generate.whole(4.0, 32.0);
    in.samples = in.batch * in.ranks * 100.0;
    in.size_cv = generate.uniform(0.0, 0.3);
    in.cpu = in.cached_cpu = seconds_per_sample(generate.log_uniform(1e-3, 1e-2));
    in.collate = in.cpu * generate.log_uniform(0.1, 3.0);
    // The disk's latency is waited for by each worker alone.
    in.disk.emplace();
    in.disk->latency = seconds(generate.log_uniform(1e-4, 1e-2));
    in.disk->requests = 1.0;
    in.disk->bytes = bytes_per_sample(1.0);
    in.disk->rate = linear_until(bytes_per_second(1e9), bytes_per_second(1e11));
    in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
    in.step.fixed = seconds(1e-6);
    CAPTURE(i, in.workers, in.ranks, in.cpu.base(), in.collate.base(), in.disk->latency.base());
    Effort effort;
    const Span span = random_epoch(in, {}, 1, effort);
    const double each = in.disk->latency.base() + in.cpu.base() + in.collate.base();
    const Duration made =
        span.stall[Stage::disk] + span.stall[Stage::decode] + span.stall[Stage::collate];
    CHECK(made > 0.5 * span.wall);
    CHECK(span.stall[Stage::disk] / made == Approx(in.disk->latency.base() / each).epsilon(0.05));
    CHECK(span.stall[Stage::decode] / made == Approx(in.cpu.base() / each).epsilon(0.05));
    CHECK(span.stall[Stage::collate] / made == Approx(in.collate.base() / each).epsilon(0.05));
    Duration all = span.busy;
    for (const Stage stage : all_stages()) all += span.stall[stage];
    CHECK(all / span.wall == Approx(1.0).epsilon(1e-6));
  }
}
