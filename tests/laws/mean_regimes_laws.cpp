// The mean where one thing alone sets the pace, in closed form, and its symmetries.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "queueing/pace.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// A loader that the GPU never waits with: of threads on as many cores, or of workers.
Inputs loader_bound(Generator& generate, LoaderKind kind) {
  Inputs in;
  in.kind = kind;
  in.workers = generate.whole(1.0, 8.0);
  in.ranks = generate.whole(1.0, 3.0);
  in.instances = generate.whole(1.0, 3.0);
  in.batch = generate.whole(2.0, 16.0);
  in.samples = in.batch * in.gpus() * 2000.0;
  in.cpu = seconds_per_sample(generate.log_uniform(1e-3, 1e-2));
  in.step.fixed = microseconds(1.0);
  const double threads = in.workers * in.ranks + 4.0;
  in.cores = {{{1.0, 1.0}, {threads, threads}}, 0.0};
  return in;
}

double epoch(const Inputs& in) {
  return simulate(in).trained.wall.base();
}

/// What n GPUs wait for the slowest of lognormal steps.
double slowest(double n, double cv) {
  return queueing::largest_of(n, cv).mean;
}

}  // namespace

TEST_CASE("mean regimes: threads that are done with a batch wait for its last sample") {
  Generator generate(2302);
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pool);
    in.workers = std::min(in.workers, in.batch);
    in.prefetch = generate.whole(1.0, 3.0);
    const double whole = in.batch * in.cpu.base() / in.workers;
    // Half a sample each, on average, where no other batch may be begun; none where each makes one.
    const double idle = (in.workers - 1.0) / (2.0 * in.batch) * (1.0 - in.workers / in.batch);
    const double lost = in.prefetch < 2.0 ? idle : 0.0;
    INFO("job " << i);
    REQUIRE(epoch(in) == Approx(2000.0 * whole * (1.0 + lost)).epsilon(3e-3));
  }
}

TEST_CASE("mean regimes: threads beyond the hardware's cost all of them, at all times") {
  Generator generate(2303);
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    const double threads = generate.whole(2.0, 12.0);
    const double crowd = generate.uniform(0.02, 0.3);
    in.cores = {
        {{1.0, 1.0}, {threads, threads * 0.9}, {threads + 1.0, threads * 0.9 / (1.0 + crowd)}},
        0.0};
    const double workers = in.workers * in.ranks;
    const double total = in.cores.total(workers);
    const double rate = capacities(in, EpochKind::first, 1.0)[Stage::decode].base() / in.instances;
    INFO("job " << i << ", " << workers << " workers on " << threads << " threads");
    REQUIRE(rate == Approx(total / in.cpu.base()).epsilon(1e-9));
    REQUIRE(epoch(in) ==
            Approx(2000.0 * in.batch * in.ranks * in.cpu.base() / total).epsilon(6e-3));
    // A measured curve that falls sooner is taken as it is: fewer at work never do more.
    const std::vector<double> curve = loader_curve(in, EpochKind::first, 1.0);
    REQUIRE(curve.size() == static_cast<std::size_t>(workers));
    REQUIRE(std::is_sorted(curve.begin(), curve.end(),
                           [](double a, double b) { return a < b * (1.0 - 1e-12); }));
    REQUIRE(curve.back() == Approx(rate));
  }
}

TEST_CASE("mean regimes: no more workers read than there are objects to stream, parts of one too") {
  Generator generate(2307);
  int fewer = 0;
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    in.cpu = {};
    Read read;
    read.latency = seconds(generate.log_uniform(1.0, 100.0));  // of an object
    const double objects = generate.uniform(0.5, 10.0);        // of a rank
    read.requests = objects * in.gpus() / in.samples;
    in.first_source = in.source = read;
    in.whole_objects = true;
    in.per_object = in.samples / in.gpus() / objects;
    const double whole = std::ceil(objects);
    const double active = std::min(in.workers, whole);
    if (active < in.workers) ++fewer;
    const double each = read.latency.base() * read.requests;
    INFO("job " << i << ", " << objects << " objects for " << in.workers << " workers");
    REQUIRE(active_workers(in) == Approx(active));
    REQUIRE(capacities(in, EpochKind::first, 1.0)[Stage::download].base() ==
            Approx(active * std::min(1.0, objects) * in.gpus() / each).epsilon(1e-9));
    // Who has one more than the others ends last; where that one alone is a part, as much later.
    // Of an object that several ranks share one is ready as if it read all of it.
    const double most = std::ceil(whole / active);
    const bool of_part = whole - (most - 1.0) * active <= 1.0;
    const double longest = of_part ? std::max(1.0, objects - (whole - most)) : most;
    REQUIRE(epoch(in) == Approx(read.latency.base() * longest).epsilon(0.03));
  }
  CHECK_DRAWN(fewer > 100);
}

TEST_CASE("mean regimes: GPUs wait for the slowest of all, or of as many as it is said") {
  Generator generate(2304);
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    in.cpu = {};
    in.step.fixed = seconds(generate.log_uniform(1e-3, 1e-1));
    in.step_cv = generate.uniform(0.02, 0.5);
    in.accumulation = generate.whole(1.0, 4.0);
    if (generate.chance(0.3)) in.slowest_of = generate.whole(1.0, in.gpus());
    const double n = in.slowest_of > 0.0 ? in.slowest_of : in.gpus();
    // Between two all-reduces steps average out.
    const double factor = slowest(n, in.step_cv / std::sqrt(in.accumulation));
    const Outcome out = simulate(in);
    INFO("job " << i << ", slowest of " << n);
    const double steps = 2000.0 * in.step.fixed->base();
    REQUIRE(out.trained.wall.base() == Approx(steps * factor).epsilon(2e-3));
    REQUIRE(out.trained.busy.base() == Approx(steps).epsilon(1e-9));
    REQUIRE(out.trained.straggling.base() ==
            Approx(steps * (factor - 1.0)).epsilon(2e-3).margin(1e-9));
    const double group = queueing::largest_of(n, in.step_cv / std::sqrt(in.accumulation)).deviation;
    const double each = group * in.step.fixed->base();
    // Each group of steps is independent of the others, and within it one varies with the next.
    REQUIRE(out.variance == Approx(2000.0 * each * each * in.accumulation).epsilon(1e-6));
  }
}

TEST_CASE(
    "mean regimes: a loop that loads for itself waits for a reduction once its stock is full") {
  Generator generate(2308);
  int waited = 0, never = 0;
  for (int i = 0; i < 300; ++i) {
    Inputs in;
    in.workers = 0.0;
    in.asynchronous_step = true;
    in.copies = static_cast<Copies>(generate.whole(0.0, 2.0));
    in.batch = generate.whole(1.0, 16.0);
    in.accumulation = generate.whole(2.0, 8.0);
    const double batch = generate.log_uniform(1e-3, 1e-1);
    in.cpu = seconds_per_sample(batch / in.batch);
    in.cores = {{{1.0, 1.0}, {4.0, 4.0}}, 0.0};
    in.step.fixed = seconds(batch * generate.uniform(0.05, 0.9));
    in.exposed_allreduce = seconds(batch * generate.log_uniform(0.1, 20.0));
    // The batch that is made, one that is launched, one that is copied, and one that has been.
    const double stock = in.copies == Copies::waited   ? 1.0
                         : in.copies == Copies::beside ? 4.0
                                                       : 2.0;
    const double groups = 40.0;
    in.samples = in.batch * in.accumulation * groups;
    const double gpu = in.step.fixed->base() + in.exposed_allreduce.base();
    const double stands = gpu - std::min(stock, in.accumulation) * batch;
    // Where the GPU is slower than the loop, it is the GPU that sets the pace.
    const double all = in.step.fixed->base() * in.accumulation + in.exposed_allreduce.base();
    const double group = std::max(in.accumulation * batch + std::max(0.0, stands), all);
    INFO("job " << i << ": copies " << static_cast<int>(in.copies) << ", a group of "
                << in.accumulation << ": made in " << in.accumulation * batch << " s, taken in "
                << all << " s, stands " << stands << " s");
    SimulationOptions exact;
    exact.exact = true;
    CHECK(epoch(in) == Approx(groups * group).epsilon(0.03));
    CHECK(simulate(in, exact).trained.wall.base() == Approx(groups * group).epsilon(0.05));
    waited += stands > 0.0 && group > all ? 1 : 0;
    never += stands <= 0.0 ? 1 : 0;
  }
  CHECK_DRAWN(waited > 30);
  CHECK_DRAWN(never > 30);
}

TEST_CASE("mean regimes: a NIC carries what is downloaded and gradients, one after the other") {
  Generator generate(2305);
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    in.cpu = {};
    in.accumulation = generate.whole(1.0, 4.0);
    Read read;
    read.bytes = bytes_per_sample(1e5);
    read.rate = linear_until(bytes_per_second(1e10), bytes_per_second(1e12));
    in.first_source = in.source = read;
    in.network = bytes_per_second(generate.log_uniform(1e7, 1e9));
    in.network_allreduce = bytes(generate.log_uniform(1e6, 1e8));
    const double a_step = 1e5 * in.batch * in.ranks + in.network_allreduce.base() / in.accumulation;
    INFO("job " << i);
    REQUIRE(epoch(in) == Approx(2000.0 * a_step / in.network->base()).epsilon(5e-3));
  }
}

TEST_CASE("mean regimes: a line that gradients fill keeps no loader whose stock is full") {
  Generator generate(2309);
  for (int i = 0; i < 200; ++i) {
    // Batches are made in no time, so few as a loader holds; GPUs step, and wait for the exchange.
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    in.workers = generate.whole(0.0, 2.0);
    in.prefetch = generate.whole(1.0, 2.0);
    in.asynchronous_step = in.workers > 0.0 || generate.chance(0.5);
    in.cpu = seconds_per_sample(1e-9);
    in.accumulation = generate.whole(8.0, 40.0);
    in.samples = in.batch * in.gpus() * in.accumulation * 30.0;
    in.step.fixed = seconds(generate.log_uniform(1e-3, 1e-1));
    const double steps = in.accumulation * in.step.fixed->base();
    in.exposed_allreduce = seconds(steps * generate.log_uniform(0.3, 5.0));
    const double group = steps + in.exposed_allreduce.base();
    Read read;
    read.bytes = bytes_per_sample(1e3);
    read.rate = linear_until(bytes_per_second(1e12), bytes_per_second(1e14));
    in.first_source = in.source = read;
    in.network = bytes_per_second(1e10);
    // The line is done with them before the next exchange, and is idle for the rest.
    in.network_allreduce = bytes(1e10 * group * generate.uniform(0.3, 0.95));
    INFO("job " << i << ": " << in.workers << " workers, " << in.prefetch << " ahead, "
                << in.accumulation << " batches in " << steps << " s, and "
                << in.exposed_allreduce.base() << " s");
    // But for the last batch, which is as long as the line has for each.
    CHECK(epoch(in) == Approx(30.0 * group).epsilon(5e-3));
    if (i % 10 != 0) continue;
    SimulationOptions exact;
    exact.exact = true;
    CHECK(simulate(in, exact).trained.wall.base() == Approx(30.0 * group).epsilon(3e-3));
  }
}

TEST_CASE("mean regimes: workers begin one after the other, warm up together, and end the epoch") {
  Generator generate(2306);
  for (int i = 0; i < 400; ++i) {
    Inputs in = loader_bound(generate, LoaderKind::pytorch);
    in.samples = in.batch * in.gpus() * 50.0;
    in.epochs = generate.whole(1.0, 4.0);
    in.persistent_workers = generate.chance(0.5);
    const double before = epoch(in);
    in.worker_startup = seconds(generate.log_uniform(1e-3, 1e-1));
    in.worker_warmup = seconds(generate.log_uniform(1e-3, 1e-1));
    in.worker_shutdown = seconds(generate.log_uniform(1e-3, 1e-1));
    in.speed[Stage::startup] = generate.log_uniform(0.5, 2.0);
    const double once = (in.worker_startup * in.workers + in.worker_warmup).base();
    const double ends = in.persistent_workers ? 0.0 : in.worker_shutdown.base() * in.epochs;
    const double starts = in.persistent_workers ? 1.0 : in.epochs;
    INFO("job " << i);
    REQUIRE(epoch(in) - before == Approx((starts * once + ends) / in.speed[Stage::startup]));
    const Outcome out = simulate(in);
    REQUIRE(out.trained.stall[Stage::startup].base() ==
            Approx((starts * once + ends) / in.speed[Stage::startup]));
  }
}

TEST_CASE(
    "mean regimes: of the main process and the GPU it is nothing to the time which is the slower") {
  Generator generate(2301);
  int near_balance = 0;
  for (int i = 0; i < 1000; ++i) {
    Inputs in;
    in.workers = generate.whole(1.0, 6.0);
    in.ranks = generate.whole(1.0, 3.0);
    in.batch = generate.whole(1.0, 16.0);
    in.samples = in.batch * in.gpus() * generate.whole(20.0, 200.0);
    in.copies = Copies::queued;
    in.disk.emplace();
    in.disk->latency = seconds(generate.log_uniform(1e-3, 1e-2));
    in.read_cv = generate.uniform(0.1, 0.5);
    const double loader = in.disk->latency.base() * in.batch / in.workers;
    const Duration slow = seconds(loader * generate.log_uniform(0.7, 1.4));
    const Duration fast = slow * generate.uniform(0.3, 0.95);
    in.handover = slow;
    in.step.fixed = fast;
    Inputs swapped = in;
    swapped.handover = fast;
    swapped.step.fixed = slow;
    INFO("job " << i);
    const double time = simulate(in).trained.wall.base();
    REQUIRE(simulate(swapped).trained.wall.base() == Approx(time).epsilon(1e-12));
    // What varies costs time where the two are near each other.
    Inputs even = in;
    even.read_cv = 0.0;
    if (time > simulate(even).trained.wall.base() * 1.01) ++near_balance;
    const auto gap = round_gap(in, EpochKind::first, 1.0);
    const auto other = round_gap(swapped, EpochKind::first, 1.0);
    REQUIRE(gap.has_value() == other.has_value());
    if (gap) REQUIRE(gap->wait.base() == Approx(other->wait.base()));
  }
  CHECK_DRAWN(near_balance > 300);
}
