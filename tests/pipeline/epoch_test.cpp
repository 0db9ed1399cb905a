// One epoch against closed forms.
#include <algorithm>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// 1000 batches of 32, 1 ms of GPU a sample, nothing else.
Inputs gpu_only() {
  Inputs in;
  in.samples = 32000.0;
  in.batch = 32.0;
  in.kind = LoaderKind::pytorch;
  in.workers = 4.0;
  in.cores = {{{1.0, 1.0}, {8.0, 8.0}}, 0.0};
  in.step.per_sample = seconds_per_sample(1e-3);
  return in;
}

double wall(const Inputs& in) {
  return simulate(in, {}).first.wall.base();
}

Read reading(Duration latency, double requests, double bytes, Curve<Bandwidth> rate) {
  Read read;
  read.latency = latency;
  read.requests = requests;
  read.bytes = bytes_per_sample(bytes);
  read.rate = std::move(rate);
  return read;
}

}  // namespace

TEST_CASE("epoch: a job without a loader's costs takes steps times step time") {
  CHECK(wall(gpu_only()) == Approx(32.0).epsilon(1e-9));
}

TEST_CASE("epoch: one worker of a slow loader makes the epoch its own CPU time") {
  Inputs in = gpu_only();
  in.workers = 1.0;
  in.cpu = seconds_per_sample(5e-3);
  // The last batch's step comes after the worker has finished.
  CHECK(wall(in) == Approx(32000.0 * 5e-3 + 0.032).epsilon(1e-9));
}

TEST_CASE("epoch: W workers on enough cores load W times as fast") {
  Inputs in = gpu_only();
  in.cpu = seconds_per_sample(10e-3);
  for (const double workers : {2.0, 4.0, 8.0}) {
    in.workers = workers;
    CHECK(wall(in) == Approx(32000.0 * 10e-3 / workers).epsilon(0.01));
  }
}

TEST_CASE("epoch: workers cannot use more than the cores give") {
  Inputs in = gpu_only();
  in.cpu = seconds_per_sample(10e-3);
  in.workers = 16.0;
  CHECK(wall(in) == Approx(32000.0 * 10e-3 / 8.0).epsilon(0.02));
}

TEST_CASE("epoch: a loop that loads itself and waits adds loading, hand-over, copy and step") {
  Inputs in = gpu_only();
  in.workers = 0.0;
  in.asynchronous_step = false;
  in.cpu = seconds_per_sample(2e-3);
  in.handover = milliseconds(3.0);
  in.copy = seconds_per_sample(1e-4);
  in.copy_latency = microseconds(50.0);
  const double period = 32.0 * 2e-3 + 3e-3 + 32.0 * 1e-4 + 50e-6 + 32.0 * 1e-3;
  CHECK(wall(in) == Approx(1000.0 * period).epsilon(1e-9));
  // Launching the step and going on hides the shorter of the two sides; the copy is waited for.
  in.asynchronous_step = true;
  const double loading = 32.0 * 2e-3 + 3e-3;
  CHECK(wall(in) == Approx(1000.0 * (loading + 32.0 * 1e-4 + 50e-6)).epsilon(0.002));
  in.copies = Copies::queued;
  CHECK(wall(in) == Approx(1000.0 * loading).epsilon(0.002));
}

TEST_CASE("epoch: a side stream hides the copy behind the step") {
  Inputs in = gpu_only();
  in.copy = seconds_per_sample(4e-4);
  CHECK(wall(in) == Approx(32000.0 * (1e-3 + 4e-4)).epsilon(1e-6));
  in.copies = Copies::queued;
  CHECK(wall(in) == Approx(32000.0 * (1e-3 + 4e-4)).epsilon(1e-6));
  in.copies = Copies::beside;
  CHECK(wall(in) == Approx(32000.0 * 1e-3).epsilon(0.001));
}

TEST_CASE(
    "epoch: the main process waits for a copy, for its launch in the step's stream, or neither") {
  // 12.8 ms of copy, a step of 8 ms, and a main process that needs 10 ms for a batch.
  Inputs in = gpu_only();
  in.step = Step{};
  in.step.fixed = milliseconds(8.0);
  in.copy = seconds_per_sample(4e-4);
  in.handover = milliseconds(10.0);
  const auto periods = [&](Copies copies) {
    in.copies = copies;
    return wall(in) / 1000.0;
  };
  CHECK(periods(Copies::waited) == Approx(12.8e-3 + 10e-3).epsilon(0.002));
  CHECK(periods(Copies::queued) == Approx(12.8e-3 + 8e-3).epsilon(0.002));
  CHECK(periods(Copies::beside) == Approx(12.8e-3).epsilon(0.002));
  in.asynchronous_step = false;
  for (const Copies copies : {Copies::waited, Copies::queued, Copies::beside}) {
    CHECK(periods(copies) == Approx(12.8e-3 + 10e-3 + 8e-3).epsilon(0.002));
  }
}

TEST_CASE("epoch: latency is hidden by workers only, bandwidth is shared by them") {
  Inputs in = gpu_only();
  in.source = reading(milliseconds(20.0), 1.0, 100e3,
                      linear_until(bytes_per_second(50e6), bytes_per_second(400e6)));
  in.first_source = in.source;
  in.workers = 4.0;  // 4 samples in flight: 20 ms + 2 ms each
  CHECK(wall(in) == Approx(32000.0 * 22e-3 / 4.0).epsilon(0.005));
  in.source->latency = {};
  in.first_source = in.source;
  in.samples = 640000.0;  // so that the first and the last wave of batches hardly count
  in.workers = 64.0;      // the link is full: 400 MB/s
  CHECK(wall(in) == Approx(640000.0 * 1e-3).epsilon(0.01));
  in.source->rate = linear_until(bytes_per_second(50e6), bytes_per_second(80e6));
  in.first_source = in.source;
  CHECK(wall(in) == Approx(640000.0 * 100e3 / 80e6).epsilon(0.01));
}

TEST_CASE(
    "epoch: a service's request rate is a limit of its own, whatever one connection carries") {
  Inputs in = gpu_only();
  in.samples = 320000.0;
  in.workers = 32.0;
  in.source = reading(milliseconds(10.0), 1.0, 5e3,
                      linear_until(bytes_per_second(50e6), bytes_per_second(5e9)));
  in.source->limits.push_back({"request rate", 800.0, 0.0, 0.0, 1.0, true});
  in.first_source = in.source;
  CHECK(wall(in) == Approx(320000.0 / 800.0).epsilon(0.01));
  // Far below the limit it hardly shows: 32 requests in 10.1 ms are 3,168 a second.
  in.step.per_sample = seconds_per_sample(1e-5);
  in.source->limits.front().rate = 100000.0;
  in.first_source = in.source;
  CHECK(wall(in) == Approx(320000.0 * 10.1e-3 / 32.0).epsilon(0.03));
}

TEST_CASE("epoch: an IOPS limit binds small reads of a disk, its bandwidth large ones") {
  Inputs in = gpu_only();
  in.workers = 8.0;
  in.disk = reading({}, 1.0, 5e3, {});
  in.disk->limits.push_back({"IOPS", 500.0, 0.0, 0.0, 1.0, true});
  in.disk->limits.push_back({"bandwidth", 500e6, 0.0, 0.0, 5e3, false});
  CHECK(wall(in) == Approx(32000.0 / 500.0).epsilon(0.005));
  in.disk->bytes = bytes_per_sample(2e6);
  in.disk->limits.back().each = 2e6;
  CHECK(wall(in) == Approx(32000.0 * 2e6 / 500e6).epsilon(0.005));
}

TEST_CASE("epoch: credit lets a limit be passed until it is used up") {
  Inputs in = gpu_only();
  in.workers = 8.0;
  in.epochs = 4.0;
  in.step.per_sample = seconds_per_sample(1e-6);
  in.disk = reading({}, 1.0, 5e3, {});
  // 1,000 a second for ever, 4,000 while 48,000 of credit last: 16 s and 64,000 samples.
  in.disk->limits.push_back({"IOPS credits", 1000.0, 4000.0, 48000.0, 1.0, true});
  const Outcome out = simulate(in);
  CHECK(out.first.wall.base() == Approx(8.0).epsilon(0.01));
  CHECK(out.total.wall.base() == Approx(16.0 + 64.0).epsilon(0.01));
  REQUIRE(out.ends.size() == 1);
  CHECK(out.ends.front().after.base() == Approx(16.0).epsilon(0.01));
  CHECK(out.later.wall.base() == Approx(32.0).epsilon(0.01));
  // Event by event the same: an epoch finds what those before it have left.
  SimulationOptions all;
  all.exact = true;
  const Outcome exact = simulate(in, all);
  CHECK(exact.first.wall.base() == Approx(8.0).epsilon(0.02));
  CHECK(exact.later.wall.base() == Approx(32.0).epsilon(0.02));
  CHECK(exact.total.wall.base() == Approx(16.0 + 64.0).epsilon(0.02));
}

TEST_CASE("epoch: what is earned meanwhile makes credit last longer, by mean and by events") {
  Inputs in = gpu_only();
  in.workers = 8.0;
  in.epochs = 6.0;
  in.disk = reading({}, 1.0, 5e3, {});
  in.disk->limits.push_back({"IOPS credits", 900.0, 4000.0, 12000.0, 1.0, true});
  // The GPU takes 1,000 a second, so 100 of them are credit: 120 s, then 72,000 at 900.
  SimulationOptions all;
  all.exact = true;
  for (const SimulationOptions& options : {SimulationOptions{}, all}) {
    const Outcome out = simulate(in, options);
    CHECK(out.total.wall.base() == Approx(120.0 + 72000.0 / 900.0).epsilon(0.01));
  }
}

TEST_CASE("law: the first epoch and the later ones are the epochs, wherever credit runs out") {
  Inputs in = gpu_only();
  in.workers = 8.0;
  in.step.per_sample = seconds_per_sample(1e-6);
  in.disk = reading({}, 1.0, 5e3, {});
  for (const double credit : {8e3, 20e3, 30e3, 40e3, 60e3}) {
    in.disk->limits = {{"IOPS credits", 1000.0, 4000.0, credit, 1.0, true}};
    INFO(credit << " of credit");
    // The only later epoch is what the first leaves of both.
    in.epochs = 2.0;
    const Outcome two = simulate(in);
    CHECK((two.first.wall + two.later.wall).base() == Approx(two.total.wall.base()));
    // As the last of three is what a third one adds.
    in.epochs = 3.0;
    const Outcome three = simulate(in);
    CHECK(three.later.wall.base() == Approx((three.total.wall - two.total.wall).base()));
    // Of one epoch there is no other.
    in.epochs = 1.0;
    const Outcome one = simulate(in);
    CHECK(one.later.wall == one.first.wall);
  }
}

TEST_CASE("epoch: ranks of an instance share its cores, instances do not") {
  Inputs in = gpu_only();
  in.cpu = seconds_per_sample(10e-3);
  in.workers = 8.0;
  const double one = wall(in);
  in.ranks = 4.0;
  CHECK(wall(in) == Approx(one).epsilon(0.02));
  in.instances = 2.0;
  CHECK(wall(in) == Approx(one / 2.0).epsilon(0.03));
}

TEST_CASE("epoch: an all-reduce after every second batch is paid half as often") {
  Inputs in = gpu_only();
  in.exposed_allreduce = milliseconds(8.0);
  CHECK(wall(in) == Approx(1000.0 * (0.032 + 0.008)).epsilon(1e-6));
  in.accumulation = 2.0;
  CHECK(wall(in) == Approx(1000.0 * 0.032 + 500.0 * 0.008).epsilon(1e-6));
}

TEST_CASE("epoch: a pool of threads loads one batch together") {
  Inputs in = gpu_only();
  in.kind = LoaderKind::pool;
  in.workers = 4.0;
  in.cpu = seconds_per_sample(8e-3);
  for (const bool in_order : {true, false}) {
    in.in_order = in_order;
    CHECK(wall(in) == Approx(32000.0 * 8e-3 / 4.0).epsilon(0.005));
  }
}

TEST_CASE("epoch: a pool that costs nothing hands over chunk after chunk without taking time") {
  Inputs in = gpu_only();
  in.kind = LoaderKind::pool;
  in.workers = 8.0;
  in.batch = 1000.0;
  CHECK(wall(in) == Approx(32.0).epsilon(1e-9));
  in.in_order = false;
  CHECK(wall(in) == Approx(32.0).epsilon(1e-9));
}

TEST_CASE("epoch: remote workers add to the pool and their link can bind") {
  Inputs in = gpu_only();
  in.kind = LoaderKind::pool;
  in.workers = 4.0;
  in.cores = {{{1.0, 1.0}, {4.0, 4.0}}, 0.0};
  in.cpu = seconds_per_sample(8e-3);
  in.step.per_sample = seconds_per_sample(1e-4);
  RemotePool remote;
  remote.workers = 12.0;
  remote.cores = {{{1.0, 1.0}, {12.0, 12.0}}, 0.0};
  remote.cpu = in.cpu;
  remote.sent = bytes_per_sample(600e3);
  remote.network = bytes_per_second(10e9);
  in.remote = remote;
  CHECK(wall(in) == Approx(32000.0 * 8e-3 / 16.0).epsilon(0.02));
  in.cpu = {};  // remote only, and a link of 120 MB/s: 5 ms a sample
  in.remote->network = bytes_per_second(120e6);
  CHECK(wall(in) == Approx(32000.0 * 5e-3).epsilon(0.01));
}

TEST_CASE("epoch: one sequential stream ahead of the workers bounds Pipe mode") {
  Inputs in = gpu_only();
  in.sequential_stream = true;
  in.source = reading({}, 0.01, 200e3, {{{1.0, bytes_per_second(85e6)}}, 0.0});
  in.source->connections = 1.0;
  in.first_source = in.source;
  CHECK(wall(in) == Approx(32000.0 * 200e3 / 85e6).epsilon(0.005));
}

TEST_CASE("epoch: decoded samples kept in memory leave only the rest of the work to later epochs") {
  Inputs in = gpu_only();
  in.epochs = 2.0;
  in.workers = 1.0;
  in.cpu = seconds_per_sample(5e-3);
  in.cached_cpu = seconds_per_sample(2e-3);
  in.caches.decoded = true;
  const Outcome out = simulate(in, {});
  CHECK(out.first.wall.base() == Approx(32000.0 * 5e-3).epsilon(0.001));
  CHECK(out.later.wall.base() == Approx(32000.0 * 2e-3).epsilon(0.001));
}

TEST_CASE("staging: a burst is used up once, by what comes first, however small it is") {
  Generator random(32);
  int partly = 0;
  for (int i = 0; i < 200; ++i) {
    Inputs in = gpu_only();
    Staging staging;
    staging.connections = 1.0;
    staging.objects = random.whole(1.0, 2000.0);
    const double rate = random.log_uniform(1.0, 100.0);  // objects/s
    const double burst = rate * random.log_uniform(1.5, 20.0);
    const double credit = random.log_uniform(0.1, 3000.0);
    staging.read.limits.push_back({"requests", rate, burst, credit, 1.0, true});
    in.staging = staging;
    Credits credits;
    INFO("job " << i);
    const double used =
        staging.objects * (1.0 - rate / burst);  // of the credit, if there were enough
    const double time = std::max(staging.objects / burst, (staging.objects - credit) / rate);
    CHECK(mean_staging(in, credits).time.base() == Approx(time));
    CHECK(credits.share_left("requests") ==
          Approx(std::max(0.0, 1.0 - used / credit)).margin(1e-9));
    if (used < credit) ++partly;
    // What is left serves the next to come, and no more.
    const double left = credit * credits.share_left("requests");
    CHECK(mean_staging(in, credits).time.base() ==
          Approx(std::max(staging.objects / burst, (staging.objects - left) / rate)));
  }
  CHECK_DRAWN(partly > 20);
  CHECK_DRAWN(partly < 180);
}

TEST_CASE("staging: connections hide latency until the link is full; the disk may be slower") {
  Inputs in = gpu_only();
  Staging staging;
  staging.objects = 1000.0;
  staging.connections = 10.0;
  staging.object_size = megabytes(1.0);
  staging.read.latency = milliseconds(100.0);
  staging.read.rate = linear_until(bytes_per_second(100e6), bytes_per_second(1e9));
  in.staging = staging;
  CHECK(simulate(in, {}).staging.base() == Approx(100.0 * (0.1 + 0.01)).epsilon(0.01));
  in.staging->read.latency = {};
  CHECK(simulate(in, {}).staging.base() == Approx(1.0).epsilon(0.01));
  in.staging->disk_write = bytes_per_second(200e6);
  CHECK(simulate(in, {}).staging.base() == Approx(5.0).epsilon(0.01));
  in.staging->read.limits.push_back({"request rate", 100.0, 0.0, 0.0, 1.0, true});
  CHECK(simulate(in, {}).staging.base() == Approx(10.0).epsilon(0.01));
}

TEST_CASE("job: stalls and GPU-busy time add up to the wall time") {
  Generator generator(5);
  for (int i = 0; i < 300; ++i) {
    INFO("job " << i);
    Inputs in = generator.inputs(30.0);
    in.startup = seconds(20.0);
    in.checkpoint_interval = seconds(1.0);
    in.checkpoint_time = milliseconds(100.0);
    const Outcome out = simulate(in, {});
    Duration sum = out.total.busy;
    for (Stage stage : all_stages()) sum += out.total.stall[stage];
    CHECK(sum.base() == Approx(out.total.wall.base()).epsilon(1e-12));
    CHECK(out.total.busy > Duration{});
  }
}

TEST_CASE("job: doubling every speed halves the time") {
  Generator generator(6);
  for (int i = 0; i < 200; ++i) {
    INFO("job " << i);
    Inputs in = generator.inputs(30.0);
    const double before = simulate(in, {}).total.wall.base();
    for (Stage stage : all_stages()) in.speed[stage] = 2.0;
    CHECK(simulate(in, {}).total.wall.base() == Approx(before / 2.0).epsilon(2e-3));
  }
}

TEST_CASE("job: the wait of a starved GPU is booked on the stage that starves it") {
  Inputs in = gpu_only();
  in.workers = 1.0;
  in.cpu = seconds_per_sample(5e-3);
  const Outcome out = simulate(in, {});
  CHECK(out.total.stall[Stage::decode].base() == Approx(32000.0 * 4e-3).epsilon(0.001));
  CHECK(out.total.stall[Stage::download].base() == 0.0);
}

TEST_CASE("shape: the last batch is what is left, or dropped") {
  Inputs in = gpu_only();
  in.samples = 100.0;
  in.batch = 32.0;
  CHECK(epoch_shape(in).steps == 4.0);
  CHECK(epoch_shape(in).last_batch == 4.0);
  in.drop_last = true;
  CHECK(epoch_shape(in).steps == 3.0);
  in.drop_last = false;
  in.ranks = 3.0;  // 34 each: a padded sampler gives every rank the same
  CHECK(epoch_shape(in).steps == 2.0);
  CHECK(epoch_shape(in).last_batch == 2.0);
}

TEST_CASE("shape: workers have nothing to do where batches or objects are fewer than they are") {
  Generator random(81);
  int by_objects = 0;
  int whole_samples = 0;  // more steps than samples a GPU: one pads the others
  for (int i = 0; i < 5000; ++i) {
    Inputs in = gpu_only();
    in.kind = random.chance(0.5) ? LoaderKind::pytorch : LoaderKind::pool;
    in.samples = random.whole(1.0, 200.0);
    in.batch = random.whole(1.0, 4.0);
    in.ranks = random.whole(1.0, 8.0);
    in.workers = random.whole(0.0, 64.0);
    in.prefetch = random.whole(1.0, 4.0);
    in.sequential_stream = random.chance(0.2);
    // Of a sample: a part of an object, an object of its own, or several requests for it.
    const double requests = random.chance(0.3)   ? 1.0
                            : random.chance(0.5) ? 1.0 / random.whole(2.0, 50.0)
                                                 : random.uniform(1.0, 3.0);
    if (random.chance(0.9)) in.source = reading(milliseconds(1.0), requests, 1e3, {});
    const double samples = in.samples / in.ranks;
    const auto at_work = [&] {
      const double steps = epoch_shape(in).steps;
      return in.kind == LoaderKind::pytorch ? steps : in.batch * std::min(in.prefetch, steps);
    };
    double most = std::min(std::max(1.0, in.workers), at_work());
    if (requests < 1.0 && in.kind == LoaderKind::pytorch && in.workers >= 1.0 &&
        !in.sequential_stream) {
      in.whole_objects = true;
      in.per_object = 1.0 / requests;
      const double objects = std::max(1.0, std::ceil(samples * requests - 1e-6));
      by_objects += objects < most ? 1 : 0;
      // Each of them cuts a batch of its own.
      most = std::min(in.workers, objects);
    } else if (in.source && !in.sequential_stream) {
      whole_samples += requests * samples < most ? 1 : 0;
    }
    INFO(in.samples << " samples, batches of " << in.batch << ", " << in.ranks << " ranks, "
                    << in.workers << " workers, " << requests << " requests a sample");
    CHECK(active_workers(in) == Approx(most).epsilon(1e-12));
  }
  CHECK(by_objects > 100);
  CHECK(whole_samples > 10);
}

TEST_CASE("epoch: the batches of a round come together, and GPUs take them one after the other") {
  // Workers' rounds of 1 s; the last round, or the one before it, is drained step by step.
  struct Known {
    double workers, batches, step, wall;
  };
  for (const Known& known :
       {Known{12, 22, 0.05, 2.0 + 10 * 0.05}, Known{12, 24, 0.05, 2.0 + 12 * 0.05},
        Known{6, 12, 0.1, 2.0 + 6 * 0.1}, Known{3, 6, 0.2, 2.0 + 3 * 0.2},
        Known{4, 16, 0.2, 4.0 + 4 * 0.2}, Known{12, 12, 0.05, 1.0 + 12 * 0.05},
        Known{12, 13, 0.07, 2.0 + 1 * 0.07}, Known{12, 13, 0.09, 1.0 + 13 * 0.09},
        Known{4, 5, 0.3, 1.0 + 5 * 0.3}, Known{2, 40, 0.01, 20.0 + 2 * 0.01},
        // A smaller last batch is done before the others of its round.
        Known{2, 3.9, 0.05, 2.0 + 2 * 0.05}, Known{8, 1.9, 0.05, 1.0 + 2 * 0.05},
        Known{8, 9.5, 0.05, 2.0 + 2 * 0.05}, Known{8, 8.5, 0.1, 1.0 + 9 * 0.1}}) {
    INFO(known.workers << " workers, " << known.batches << " batches, steps of " << known.step);
    Inputs in = gpu_only();
    in.batch = 100.0;
    in.samples = in.batch * known.batches;
    in.workers = known.workers;
    in.cores = {{{1.0, 1.0}, {16.0, 16.0}}, 0.0};
    in.cpu = seconds_per_sample(0.01);
    in.step.per_sample = DurationPerSample{};
    in.step.fixed = seconds(known.step);
    in.size_cv = in.make_cv = in.read_cv = 0.0;
    CHECK(wall(in) == Approx(known.wall).epsilon(1e-6));
    CHECK(simulate(in, {.exact = true}).first.wall.base() == Approx(known.wall).epsilon(1e-6));
  }
}

TEST_CASE(
    "epoch: where GPUs set the pace, handing over is no work of the cores before a batch comes") {
  // Eight workers and the main process share four cores: of a loop of two rounds, each step waits
  // for no more than in one of three.
  Inputs in = gpu_only();
  in.batch = 25.0;
  in.samples = in.batch * 64.0;
  in.workers = 8.0;
  in.prefetch = 4.0;
  in.cores = {{{1.0, 1.0}, {4.0, 4.0}}, 0.0};
  in.cpu = seconds_per_sample(3.6e-4);
  in.handover = seconds(1.2e-3);
  in.step.per_sample = DurationPerSample{};
  in.step.fixed = seconds(3.2e-3);
  in.size_cv = in.make_cv = in.read_cv = in.handover_cv = 0.0;
  double before = 0.0;
  for (double steps = 8.0; steps <= 32.0; ++steps) {
    INFO(steps << " steps");
    set_steps(in, steps);
    const double mean = simulate(in).training().base();
    CHECK(mean > before);
    CHECK(mean == Approx(simulate(in, {.exact = true}).training().base()).epsilon(0.025));
    before = mean;
  }
}

TEST_CASE("epoch: few workers' last batches come no sooner than those of all are trained on") {
  // Three workers make five batches each and one of them the sixteenth, of a single sample.
  Inputs in = gpu_only();
  in.batch = 92.0;
  in.samples = in.batch * 15.0 + 1.0;
  in.workers = 3.0;
  in.prefetch = 4.0;
  in.kind = LoaderKind::pytorch;
  in.cpu = seconds_per_sample(2e-3);
  in.step.per_sample = DurationPerSample{};
  in.step.fixed = seconds(0.0618);
  in.size_cv = in.make_cv = in.read_cv = 0.0;
  for (const double steps : {14.0, 15.0, 16.0}) {
    INFO(steps << " steps");
    set_steps(in, steps);
    const double mean = simulate(in).training().base();
    CHECK(mean == Approx(simulate(in, {.exact = true}).training().base()).epsilon(0.02));
  }
}
