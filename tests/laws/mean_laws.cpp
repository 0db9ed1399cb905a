// Laws that the mean of a job must hold for every input, over 2,000 generated jobs each. A law that
// holds only up to something says up to what, and why.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

constexpr int jobs = 2000;

double time_of(const Inputs& inputs) {
  return simulate(inputs).total.wall.base();
}

/// The time in which every worker makes its first batch, over all epochs: more workers that share
/// the same capacities take longer over it, which is the one way in which more of them may cost
/// time (beside forking).
double first_batches(const Inputs& inputs) {
  const double active = active_workers(inputs);
  double sum = 0.0;
  for (double epoch = 1.0; epoch <= inputs.epochs; epoch += 1.0) {
    const EpochKind kind = epoch < 2.0 ? EpochKind::first : EpochKind::later;
    const double rate = Flow(inputs, kind, misses_in(inputs, epoch), active).rate(1.0);
    if (rate < 1e299) sum += active * inputs.ranks * inputs.batch / rate;
  }
  return sum;
}

/// What one worker alone needs for a batch.
double lone_batch(const Inputs& inputs) {
  Inputs alone = inputs;
  alone.workers = alone.ranks = 1.0;
  const double rate = Flow(alone, EpochKind::first, Misses{}, 1.0).rate(1.0);
  return rate < 1e299 ? inputs.batch / rate : 0.0;
}

/// Who is ready to run under a quota shares the cores until it is used up: the more are ready, as
/// where less is waited for, the less they do.
Inputs without_quota(Inputs inputs) {
  inputs.cpu_quota.reset();
  return inputs;
}

template <class Change>
void never_slower(unsigned seed, const Change& change, double tolerance = 1e-9) {
  Generator generate(seed);
  int faster = 0;
  for (int i = 0; i < jobs; ++i) {
    const Inputs before = without_quota(generate.inputs(200.0));
    Inputs after = before;
    change(after);
    const double was = time_of(before);
    const double is = time_of(after);
    INFO("job " << i << ": " << was << " s, then " << is << " s");
    // A single server is an approximation, monotone to a thousandth or two.
    const double most = before.locked.base() > 0.0 ? 2e-3 : tolerance;
    REQUIRE(is <= was * (1.0 + most));
    if (is < was * (1.0 - 1e-9)) ++faster;
  }
  CHECK_DRAWN(faster > jobs / 100);
}

template <class Each>
void for_reads(Inputs& inputs, Each&& each) {
  if (inputs.source) each(*inputs.source);
  if (inputs.first_source) each(*inputs.first_source);
  if (inputs.disk) each(*inputs.disk);
}

void scale(Read& read, double speed) {
  read.latency /= speed;
  read.cpu /= speed;
  for (auto& point : read.rate.points) point.total *= speed;
  for (RateLimit& limit : read.limits) {
    if (limit.of_nic) continue;
    limit.rate *= speed;
    limit.burst_rate *= speed;
  }
}

/// A nanosecond a sample or a batch, added to each cost in turn.
std::vector<void (*)(Inputs&)> nanoseconds_more() {
  return {
      [](Inputs& in) { in.cpu += seconds_per_sample(1e-9); },
      [](Inputs& in) { in.collate += seconds_per_sample(1e-9); },
      [](Inputs& in) { in.handover += seconds(1e-9); },
      [](Inputs& in) { in.copy += seconds_per_sample(1e-9); },
      [](Inputs& in) { *in.step.fixed += seconds(1e-9); },
      [](Inputs& in) { in.exposed_allreduce += seconds(1e-9); },
      [](Inputs& in) { for_reads(in, [](Read& read) { read.latency += seconds(1e-9); }); },
      [](Inputs& in) { in.worker_startup += seconds(1e-9); },
  };
}

}  // namespace

TEST_CASE("mean: more bandwidth, lower latency, more IOPS never make a job slower") {
  never_slower(101, [](Inputs& in) {
    for_reads(in, [](Read& read) {
      for (auto& point : read.rate.points) point.total *= 1.07;
      if (read.nic) *read.nic *= 1.07;
    });
  });
  never_slower(102, [](Inputs& in) { for_reads(in, [](Read& read) { read.latency *= 0.9; }); });
  never_slower(103, [](Inputs& in) {
    for_reads(in, [](Read& read) {
      for (RateLimit& limit : read.limits) limit.rate *= 1.1;
    });
  });
}

TEST_CASE("mean: more cores, connections and room in RAM never make a job slower") {
  never_slower(104, [](Inputs& in) {
    for (auto& point : in.cores.points) point.total *= 1.1;
  });
  never_slower(105, [](Inputs& in) {
    for_reads(in, [](Read& read) {
      if (read.connections > 0.0) read.connections += 1.0;
    });
  });
  // Caches count as steady once an epoch's hits are within 1e-6 of those of all later ones.
  never_slower(
      106, [](Inputs& in) { in.caches.room *= 1.2; }, 1e-5);
}

TEST_CASE(
    "mean: copies that are only queued, and copies beside the step, never make a job slower") {
  Generator generate(108);
  int queued_faster = 0;
  int beside_faster = 0;
  for (int i = 0; i < jobs; ++i) {
    Inputs in = generate.inputs(200.0);
    const auto with = [&](Copies copies) {
      in.copies = copies;
      return time_of(in);
    };
    const double waited = with(Copies::waited);
    const double queued = with(Copies::queued);
    const double beside = with(Copies::beside);
    INFO("job " << i);
    // A loop that waits leaves its core to the workers meanwhile, which may gain a trifle: in the
    // events of epochs of two batches 2e-4.
    const double tolerance = std::max(5e-4, left_by_uneven(in));
    REQUIRE(queued <= waited * (1.0 + tolerance));
    REQUIRE(beside <= queued * (1.0 + tolerance));
    // A loop that waits for its steps has nothing to overlap.
    if (!in.asynchronous_step) REQUIRE(beside == waited);
    if (queued < waited * (1.0 - 1e-9)) ++queued_faster;
    if (beside < queued * (1.0 - 1e-9)) ++beside_faster;
  }
  CHECK_DRAWN(queued_faster > jobs / 100);
  CHECK_DRAWN(beside_faster > jobs / 100);
}

TEST_CASE("mean: a cache that misses hardly ever is as good as one that never does") {
  Generator generate(119);
  int with_reading = 0;
  for (int i = 0; i < jobs; ++i) {
    Inputs all = generate.inputs(200.0);
    all.read_cv = all.make_cv + 0.2;
    all.caches = Caches{};
    all.caches.policy = CachePolicy::no_eviction;
    all.caches.staged = true;
    all.caches.room = 1.0;
    Inputs hardly_any = all;
    hardly_any.caches.room = 1.0 - 1e-13;
    Inputs none = all;
    none.caches.room = 0.0;
    INFO("job " << i);
    const double digits = 1e-8;
    REQUIRE(time_of(hardly_any) == Approx(time_of(all)).epsilon(digits));
    if (time_of(none) > time_of(all) * (1.0 + digits)) ++with_reading;
  }
  CHECK_DRAWN(with_reading > jobs / 20);
}

TEST_CASE("mean: a nanosecond more of anything never makes a job faster") {
  const auto ns = nanoseconds_more();
  for (unsigned which = 0; which < ns.size(); ++which) {
    Generator generate(200 + which);
    for (int i = 0; i < jobs / 4; ++i) {
      const Inputs before = without_quota(generate.inputs(200.0));
      if (before.locked.base() > 0.0) continue;
      Inputs after = before;
      ns[which](after);
      INFO("change " << which << ", job " << i);
      // Where few workers make the last batches, two paces are found, each to some digits.
      const double digits = before.whole_objects ? 1e-6 : 1e-10;
      REQUIRE(time_of(after) >= time_of(before) * (1.0 - digits));
    }
  }
}

TEST_CASE("mean: more workers never make a job slower, but for forking, first and last batches") {
  Generator generate(107);
  for (int i = 0; i < jobs; ++i) {
    // Each fills a buffer of its own, and one more than the objects has nothing to do.
    Inputs before = without_quota(without_pieces(generate.inputs(200.0)));
    if (before.kind == LoaderKind::inline_ || before.workers < 1.0) continue;
    before.worker_startup = {};
    // Oversubscription is a price of its own: also what workers cost the main process.
    before.cores.points.pop_back();
    before.handover = {};
    before.pinned = false;
    Inputs after = before;
    after.workers += 1.0;
    INFO("job " << i);
    // Three times, for they also vary, in proportion; and a batch that is left for a last round.
    const double allowed = 3.0 * std::max(0.0, first_batches(after) - first_batches(before)) +
                           before.epochs * lone_batch(after);
    REQUIRE(time_of(after) <= time_of(before) * (1.0 + 1e-9) + allowed);
  }
}

TEST_CASE("mean: \"if twice as fast\" is the run with it") {
  Generator generate(108);
  for (int i = 0; i < jobs; ++i) {
    const Inputs before = generate.inputs(200.0);
    for (const Stage stage : {Stage::download, Stage::disk, Stage::decode, Stage::gpu}) {
      Inputs claimed = before;
      claimed.speed[stage] = 2.0;
      Inputs real = before;
      if (stage == Stage::download && real.source) {
        scale(*real.source, 2.0);
        scale(*real.first_source, 2.0);
      }
      if (stage == Stage::disk && real.disk) scale(*real.disk, 2.0);
      if (stage == Stage::decode) {
        real.cpu /= 2.0;
        real.cached_cpu /= 2.0;
        real.locked /= 2.0;
        if (real.memory) real.memory->rate *= 2.0;
      }
      if (stage == Stage::gpu) {
        *real.step.fixed /= 2.0;
        *real.step.per_sample /= 2.0;
      }
      INFO("job " << i << ", " << name_of(stage));
      const double was = time_of(before);
      REQUIRE(time_of(claimed) == Approx(time_of(real)).epsilon(1e-9));
      // A lock, and what serves one at a time, are approximated: monotone to a thousandth.
      const auto serves_one = [](const std::optional<Read>& read) {
        return read && read->discipline == Discipline::one_at_a_time;
      };
      const bool server = before.locked.base() > 0.0 || serves_one(before.source) ||
                          serves_one(before.first_source) || serves_one(before.disk);
      const double tolerance = std::max(server ? 1e-3 : 1e-9, left_by_uneven(before));
      if (!before.cpu_quota) REQUIRE(time_of(claimed) <= was * (1.0 + tolerance));
    }
  }
}

TEST_CASE("mean: everything k times as fast takes a k-th of the time") {
  Generator generate(109);
  for (int i = 0; i < jobs; ++i) {
    const Inputs before = generate.inputs(200.0);
    Inputs after = before;
    const double k = generate.log_uniform(0.1, 10.0);
    for (const Stage stage : all_stages()) after.speed[stage] = k;
    INFO("job " << i << ", " << k);
    REQUIRE(time_of(after) * k == Approx(time_of(before)).epsilon(1e-9));
  }
}

TEST_CASE("mean: independent instances with as much more data take the time of one") {
  Generator generate(110);
  for (int i = 0; i < jobs; ++i) {
    Inputs one = generate.inputs(200.0);
    one.instances = 1.0;
    one.samples = one.batch * one.ranks * std::ceil(one.samples / (one.batch * one.ranks));
    // The last of all objects may be a part of one, which instances do not share alike.
    one.per_object = one.samples / std::ceil(one.samples / std::max(1e-300, one.per_object));
    one.caches.readers = 1.0;
    // What couples instances: a barrier of more ranks, and steps that vary.
    one.size_cv = one.read_cv = one.make_cv = one.step_cv = one.handover_cv = 0.0;
    Inputs many = one;
    many.instances = generate.whole(2.0, 64.0);
    many.samples *= many.instances;
    INFO("job " << i << ", " << many.instances << " instances");
    REQUIRE(time_of(many) == Approx(time_of(one)).epsilon(1e-9));
  }
}

TEST_CASE("mean: throughput is never above any stage's samples/s") {
  Generator generate(111);
  for (int i = 0; i < jobs; ++i) {
    const Inputs in = generate.inputs(200.0);
    const Outcome out = simulate(in);
    const EpochKind kind = in.epochs > 1.0 ? EpochKind::later : EpochKind::first;
    const double throughput = out.samples / out.later.wall.base();
    const PerStage<Throughput> capacity = capacities(in, kind, in.epochs);
    for (const Stage stage : all_stages()) {
      if (capacity[stage].base() <= 0.0) continue;
      INFO("job " << i << ", " << name_of(stage) << ": " << capacity[stage].base() << " against "
                  << throughput);
      REQUIRE(throughput <= capacity[stage].base() * (1.0 + 1e-9));
    }
  }
}

TEST_CASE("mean: stalls and busy time add up to the wall time, and none is negative") {
  Generator generate(112);
  for (int i = 0; i < jobs; ++i) {
    const Outcome out = simulate(generate.inputs(200.0));
    double sum = out.total.busy.base();
    for (const Stage stage : all_stages()) {
      INFO("job " << i << ", " << name_of(stage));
      REQUIRE(out.total.stall[stage].base() >= 0.0);
      sum += out.total.stall[stage].base();
    }
    REQUIRE(sum == Approx(out.total.wall.base()).epsilon(1e-9));
  }
}

TEST_CASE("mean: as variability goes to zero it stops mattering") {
  Generator generate(113);
  for (int i = 0; i < jobs; ++i) {
    Inputs none = generate.inputs(200.0);
    none.size_cv = none.read_cv = none.make_cv = none.step_cv = none.handover_cv = 0.0;
    Inputs little = none;
    little.size_cv = little.read_cv = little.make_cv = little.step_cv = little.handover_cv = 1e-6;
    INFO("job " << i);
    REQUIRE(time_of(little) == Approx(time_of(none)).epsilon(1e-5));
  }
}

TEST_CASE("mean: less variability never makes a job slower") {
  // How many customers wait before a server is found to 1e-9 of all, and paces to some times that.
  never_slower(
      114,
      [](Inputs& in) {
        in.size_cv *= 0.7;
        in.read_cv *= 0.7;
        in.make_cv *= 0.7;
        in.step_cv *= 0.7;
        in.handover_cv *= 0.7;
      },
      1e-7);
}

TEST_CASE("mean: N GPUs with W workers each are one GPU with N times W for the same work") {
  Generator generate(115);
  for (int i = 0; i < jobs; ++i) {
    Inputs many = without_pieces(generate.inputs(100.0));
    if (many.kind != LoaderKind::pytorch || many.workers < 1.0) continue;
    many.instances = 1.0;
    many.caches.readers = 1.0;
    many.handover = {};
    many.pinned = false;
    many.worker_startup = {};
    many.size_cv = many.read_cv = many.make_cv = many.step_cv = 0.0;
    many.drop_last = false;
    many.exposed_allreduce = {};
    many.cpu_quota.reset();
    many.locked = {};
    many.samples = many.batch * many.ranks * many.workers * 50.0;
    Inputs one = many;
    one.ranks = 1.0;
    one.workers = many.workers * many.ranks;
    // The loader's own pace; the GPUs are as fast together as the one.
    many.step.fixed = one.step.fixed = Duration{};
    many.step.per_sample = one.step.per_sample = seconds_per_sample(1e-12);
    many.copy = one.copy = {};
    many.copy_latency = one.copy_latency = {};
    if (loader_curve(many, EpochKind::first, 1.0).back() > 1e9) continue;  // nothing to load
    // Of objects that are fewer than workers, each rank reads one at least.
    one.workers = std::min(one.workers, active_workers(one));
    if (one.workers < many.workers * many.ranks) continue;
    INFO("job " << i);
    REQUIRE(time_of(one) == Approx(time_of(many)).epsilon(1e-5));
  }
}

TEST_CASE("mean: half the samples of twice the size keep the time of a job bound by bytes") {
  Generator generate(116);
  for (int i = 0; i < jobs; ++i) {
    Inputs small = without_pieces(generate.inputs(400.0));
    if (!small.disk || small.kind != LoaderKind::pytorch || small.workers < 1.0) continue;
    small.cpu = small.cached_cpu = small.collate = {};
    small.handover = {};
    small.disk->latency = {};
    small.disk->limits.clear();
    small.disk->connections = 0.0;
    small.batch = 2.0 * std::ceil(small.batch / 2.0);
    small.samples = small.batch * small.ranks * small.instances * 40.0;
    small.step.fixed = milliseconds(0.01);
    small.step.per_sample = DurationPerSample{};
    small.copy = {};
    small.size_cv = 0.0;
    small.pinned = false;
    small.caches.room = 0.0;
    small.caches.decoded = false;
    Inputs large = small;
    large.samples /= 2.0;
    large.batch /= 2.0;
    large.disk->bytes *= 2.0;
    INFO("job " << i);
    REQUIRE(time_of(large) == Approx(time_of(small)).epsilon(1e-9));
  }
}
