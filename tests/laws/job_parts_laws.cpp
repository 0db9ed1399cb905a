// The parts of a job beside its steps, in closed form: copying in File mode, bursts that are used
// up, checkpoints and restarts, capacities, and what instances share.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/complete_job.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/timeline.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

constexpr double unlimited = 1e300;

/// Copying whose connections never get in each other's way.
Staging copying(Generator& generate) {
  Staging staging;
  staging.objects = generate.whole(1.0, 5000.0);
  staging.connections = generate.whole(1.0, 32.0);
  staging.object_size = bytes(generate.log_uniform(1e5, 1e7));
  staging.read.latency = seconds(generate.log_uniform(1e-3, 1e-1));
  const Bandwidth each = bytes_per_second(generate.log_uniform(1e7, 1e8));
  staging.read.rate = linear_until(each, each * 64.0);
  return staging;
}

/// Seconds of an object, which no other is in the way of.
double one_object(const Staging& staging, double speed) {
  const double each = staging.read.rate.points.front().total.base();
  return (staging.read.latency.base() + staging.object_size.base() / each) / speed;
}

/// Objects a second of all connections, each at work all the time.
double pace_of(const Staging& staging, double speed) {
  return std::min(staging.connections, staging.objects) / one_object(staging, speed);
}

/// Seconds of all objects: rounds of as many as there are connections, the last one of what is
/// left, where no more than `limit` come a second.
double in_rounds(const Staging& staging, double speed, double limit) {
  const double at_once = std::min(staging.connections, staging.objects);
  const double one = one_object(staging, speed);
  const double rest = std::fmod(staging.objects, at_once);
  double time = (staging.objects - rest) / std::min(at_once / one, limit);
  if (rest > 0.0) time += rest / std::min(rest / one, limit);
  return time;
}

RateLimit limit_of(const char* name, double rate, double each) {
  RateLimit limit;
  limit.name = name;
  limit.rate = rate * each;
  limit.each = each;
  return limit;
}

/// Of a loader that is limited by counting, and by nothing else that matters.
Inputs limited_job(Generator& generate) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = generate.whole(2.0, 8.0);
  in.instances = generate.whole(1.0, 3.0);
  in.ranks = generate.whole(1.0, 3.0);
  in.batch = generate.whole(8.0, 64.0);
  in.samples = in.batch * in.gpus() * generate.whole(50.0, 200.0);
  in.epochs = generate.whole(1.0, 6.0);
  in.step.per_sample = seconds_per_sample(1e-6);
  in.disk.emplace();
  in.disk->bytes = bytes_per_sample(1e5);
  in.disk->latency = microseconds(10.0);
  return in;
}

double wall(const Inputs& inputs) {
  return simulate(inputs).trained.wall.base();
}

}  // namespace

TEST_CASE("job parts: copying is as fast as its connections, its limits and the disk allow") {
  Generator generate(2201);
  for (int i = 0; i < 1500; ++i) {
    Inputs in;
    in.samples = 100.0;
    in.step.fixed = milliseconds(1.0);
    in.staging = copying(generate);
    in.speed[Stage::download] = generate.log_uniform(0.5, 2.0);
    in.speed[Stage::disk] = generate.log_uniform(0.5, 2.0);
    Staging& staging = *in.staging;
    const double speed = in.speed[Stage::download];
    const double written = in.speed[Stage::disk];
    const double size = staging.object_size.base();
    const double free = pace_of(staging, speed);
    double read = unlimited, write = unlimited;
    if (generate.chance(0.6)) {
      read = free / speed * generate.log_uniform(0.1, 10.0);
      staging.read.limits.push_back(limit_of("reads", read, generate.log_uniform(1.0, 1e6)));
      read *= speed;
    }
    if (generate.chance(0.4)) {
      write = free / written * generate.log_uniform(0.1, 10.0);
      staging.write_limits.push_back(limit_of("writes", write, size));
      write *= written;
    }
    if (generate.chance(0.4)) {
      const double device = free / written * generate.log_uniform(0.1, 10.0);
      staging.disk_write = bytes_per_second(device * size);
      write = std::min(write, device * written);
    }
    const double expected = in_rounds(staging, speed, std::min(read, write));
    Credits credits;
    const MeanStaging made = mean_staging(in, credits);
    INFO("job " << i);
    REQUIRE(made.time.base() == Approx(expected).epsilon(1e-6));
    REQUIRE((made.waits_for == Stage::disk) == (write < std::min(free, read)));
    const Outcome out = simulate(in);
    REQUIRE(out.staging == made.time);
    REQUIRE(out.total.wall.base() == Approx((out.trained.wall + made.time).base()));
    REQUIRE((out.total.stall[made.waits_for] - out.trained.stall[made.waits_for]).base() ==
            Approx(made.time.base()));
  }
}

TEST_CASE("job parts: copying that is watched takes what its connections, limits and disk allow") {
  Generator generate(2207);
  for (int i = 0; i < 300; ++i) {
    Inputs in;
    in.staging = copying(generate);
    in.speed[Stage::download] = generate.log_uniform(0.5, 2.0);
    Staging& staging = *in.staging;
    const double speed = in.speed[Stage::download];
    staging.objects = staging.connections * generate.whole(20.0, 40.0);
    const double size = staging.object_size.base();
    const double free = pace_of(staging, speed);
    double pace = free;
    // Twice too slow, or far from mattering.
    const auto rate = [&] { return free / speed * (generate.chance(0.5) ? 0.5 : 5.0); };
    if (generate.chance(0.4)) {
      const double read = rate();
      staging.read.limits.push_back(limit_of("reads", read, size));
      pace = std::min(pace, read * speed);
    }
    if (generate.chance(0.4)) {
      const double write = rate();
      staging.write_limits.push_back(limit_of("writes", write, size));
      pace = std::min(pace, write * speed);
    }
    const TimelineSection section = watch_staging(in, {1000.0, 10'000'000});
    INFO("job " << i);
    REQUIRE(section.whole);
    if (pace < free) {
      // A limit lets one through at once, and the last has its own way to go after the limit.
      const double own = staging.connections / free;
      REQUIRE(section.length.base() == Approx((staging.objects - 1.0) / pace + own).epsilon(1e-3));
    } else {
      // Connections begin one after the other, as their objects then come.
      REQUIRE(section.length.base() == Approx(staging.objects / free).epsilon(0.06));
    }
    double copied = 0.0;
    for (const Track& track : section.tracks) {
      if (track.kind != TrackKind::connection) continue;
      std::int64_t last = -1;
      for (const TimelineSpan& span : track.spans) {
        if (span.batch) last = std::max(last, *span.batch);
      }
      copied += last >= 0 ? 1.0 : 0.0;
      REQUIRE(static_cast<double>(last) < staging.objects);
    }
    REQUIRE(copied == staging.connections);
  }
}

TEST_CASE("job parts: a burst of copying lasts as long as its credit, and is kept for training") {
  Generator generate(2202);
  for (int i = 0; i < 1500; ++i) {
    Inputs in;
    in.staging = copying(generate);
    Staging& staging = *in.staging;
    staging.objects = staging.connections * generate.whole(1.0, 500.0);  // whole rounds
    const double free = pace_of(staging, 1.0);
    const double rate = free * generate.log_uniform(0.05, 0.9);
    const double burst = rate * generate.log_uniform(1.1, 30.0);
    const double each = generate.log_uniform(1.0, 1e6);
    RateLimit limit = limit_of("credits", rate, each);
    limit.burst_rate = burst * each;
    const double credit = staging.objects * generate.log_uniform(0.01, 3.0);
    limit.credit = credit * each;
    const bool of_disk = generate.chance(0.5);
    (of_disk ? staging.write_limits : staging.read.limits).push_back(limit);
    Credits credits;
    const double had = generate.chance(0.5) ? generate.uniform(0.1, 1.0) : 1.0;
    if (had < 1.0) credits.keep("credits", had);
    const double fast = std::min(free, burst);
    // The credit goes down by what exceeds the rate that it is earned at.
    const double lasts = had * credit / (fast - rate);
    const double all = staging.objects / fast;
    const MeanStaging made = mean_staging(in, credits);
    INFO("job " << i);
    const double expected = lasts >= all ? all : lasts + (staging.objects - lasts * fast) / rate;
    REQUIRE(made.time.base() == Approx(expected).epsilon(1e-6));
    const double left = std::max(0.0, had - (fast - rate) * all / credit);
    REQUIRE(credits.share_left("credits") == Approx(left).margin(1e-9));
  }
}

TEST_CASE("job parts: a job with a burst is one at its pace, then one without, as credit lasts") {
  Generator generate(2203);
  int used_up = 0;
  for (int i = 0; i < 500; ++i) {
    Inputs slow = limited_job(generate);
    const double rate = generate.log_uniform(100.0, 1000.0);  // samples a second of an instance
    slow.disk->limits.push_back(limit_of("credits", rate, 1e5));
    Inputs fast = slow;
    const double burst = rate * generate.log_uniform(1.5, 5.0);
    fast.disk->limits.back().rate = burst * 1e5;
    Inputs both = slow;
    RateLimit& limit = both.disk->limits.back();
    limit.burst_rate = burst * 1e5;
    const double each = samples_of_instance(slow);
    const double of_fast = wall(fast) / fast.epochs;
    const double of_slow = wall(slow) / slow.epochs;
    const double credit = each * generate.log_uniform(0.05, 10.0);
    limit.credit = credit * 1e5;
    // An epoch uses what it reads beyond what is earned meanwhile.
    const double lasts = credit / (each - rate * of_fast);
    const double epochs_fast = std::min(slow.epochs, lasts);
    const Outcome out = simulate(both);
    INFO("job " << i << ", " << lasts << " of " << slow.epochs << " epochs");
    // While the first batch of an epoch is made, a little of it is earned again.
    REQUIRE(out.trained.wall.base() ==
            Approx(epochs_fast * of_fast + (slow.epochs - epochs_fast) * of_slow).epsilon(2e-3));
    if (i < test::some(200)) {
      // Events carry from epoch to epoch what is left, too, but for a chunk that each is lent.
      SimulationOptions all;
      all.exact = true;
      const double lent = slow.epochs * slow.batch / 8.0 * slow.ranks * slow.workers / rate;
      const double events = simulate(both, all).trained.wall.base();
      REQUIRE(events == Approx(out.trained.wall.base()).epsilon(0.02).margin(lent));
    }
    REQUIRE(out.ends.empty() == (lasts >= slow.epochs));
    if (out.ends.empty()) continue;
    ++used_up;
    REQUIRE(out.ends[0].limit == "credits");
    REQUIRE(out.ends[0].stage == Stage::disk);
    REQUIRE(out.ends[0].after.base() == Approx(lasts * of_fast));
    REQUIRE(out.ends[0].epoch_before.base() == Approx(of_fast));
    // The last epoch is on credit for as long as that lasts.
    const double last_fast = std::clamp(lasts - (slow.epochs - 1.0), 0.0, 1.0);
    REQUIRE(out.later.wall.base() ==
            Approx(last_fast * of_fast + (1.0 - last_fast) * of_slow).epsilon(1e-2));
  }
  CHECK_DRAWN(used_up > 100);
}

TEST_CASE("job parts: checkpoints, restarts and what they start anew") {
  Generator generate(2204);
  for (int i = 0; i < 250; ++i) {
    Inputs in = complete_job(generate, 100.0);
    give_interruptions(generate, in, simulate(in).training().base());
    in.best_interval = false;
    in.booked = generate.chance(0.3) ? 2.0 * in.checkpoint_interval + hours(1000.0) : Duration{};
    const Outcome out = simulate(in);
    const auto& job = out.interrupted.job;
    INFO("job " << i);
    REQUIRE(job.work == out.trained.wall);
    REQUIRE(job.launch == out.startup + out.staging);
    REQUIRE(job.startup == in.startup);
    REQUIRE(job.booked == in.booked);
    REQUIRE(job.interval == in.checkpoint_interval);
    REQUIRE(job.writing.time.base() ==
            Approx((in.checkpoint_time / in.speed[Stage::checkpoint]).base()));
    REQUIRE(job.writing.background == in.checkpoint_background);
    const double cold = std::max(0.0, (out.first.wall - out.later.wall).base());
    const double anew = job.launch.base() + (out.epochs > 1.0 ? cold : 0.0);
    const double given = in.interruptions ? in.interruptions->restart.base() : 0.0;
    REQUIRE(job.relaunch.base() == Approx(given + anew).epsilon(1e-9));
    if (in.restarts_all || in.instances <= 1.0 || !shares_limits(in)) {
      REQUIRE(job.restart.base() == Approx(given + anew).epsilon(1e-9));
    } else {
      REQUIRE(job.restart.base() <= given + anew + 1e-9);
      REQUIRE(job.restart >= in.startup);
    }
    if (in.interruptions) {
      const double often = 1.0 / in.speed[Stage::interruption];
      REQUIRE(job.sudden.base() == Approx(in.interruptions->sudden.base() * often));
      REQUIRE(job.announced.base() == Approx(in.interruptions->announced.base() * often));
      REQUIRE(job.wait == in.interruptions->wait);
    }
    // What reading leaves of the storage, and of a NIC on the way there, is what checkpoints in the
    // background have of it: at most as busy as if no more could be read than these workers read.
    double most_busy = 0.0;
    double least_busy = 0.0;
    if (in.checkpoint_background && in.checkpoint_beside) {
      const auto carried = capacities(in, EpochKind::later, epochs_begun(in));
      const double rate = out.samples / out.later.wall.base();
      const double nic = carried[Stage::network].base();
      if (in.checkpoint_beside == Stage::download && nic > 0.0) {
        least_busy = std::min(1.0, rate / nic);
      }
      const double read = carried[*in.checkpoint_beside].base();
      most_busy = std::max(least_busy, read > 0.0 ? std::min(1.0, rate / read) : 0.0);
    }
    REQUIRE(job.writing.storage_busy <= most_busy + 1e-9);
    REQUIRE(job.writing.storage_busy >= least_busy - 1e-9);
    const auto& course = out.interrupted.counted;
    const double lost = (course.rework + course.restarts + course.waits).base();
    REQUIRE(out.checkpoints == course.writes);
    REQUIRE(out.total.stall[Stage::checkpoint] == course.writes);
    REQUIRE(out.total.stall[Stage::interruption].base() == Approx(lost));
    REQUIRE(out.total.wall.base() ==
            Approx((out.trained.wall + out.startup + out.staging + course.writes).base() + lost));
    REQUIRE(out.interrupted.checkpoints == job.checkpoints());
    REQUIRE(out.interrupted.mean.wall == course.wall);
  }
}

TEST_CASE("job parts: what each stage could carry, were it alone") {
  Generator generate(2205);
  for (int i = 0; i < 1000; ++i) {
    Inputs in = complete_job(generate, 50.0);
    in.remote.reset();
    const PerStage<Throughput> most = capacities(in, EpochKind::later, 3.0);
    const double gpus = in.gpus();
    const auto check = [&](Stage stage, double seconds_of_batch, double batches) {
      INFO("job " << i << ", " << name_of(stage));
      const double expected = seconds_of_batch > 0.0
                                  ? batches * in.batch * gpus * in.speed[stage] / seconds_of_batch
                                  : 0.0;
      REQUIRE(most[stage].base() == Approx(expected).epsilon(1e-9));
    };
    check(Stage::handover, in.handover.base(), 1.0);
    check(Stage::h2d, in.copy_latency.base() + in.copy.base() * in.batch, 1.0);
    check(Stage::gpu, step_time(in, in.batch).base(), 1.0);
    check(Stage::gpu_preprocess, (in.gpu_preprocess + in.gpu_preprocess_ahead).base() * in.batch,
          1.0);
    // Of groups of batches, those that an epoch cuts short have an exchange, too.
    const auto groups = [&](double steps) { return std::ceil(steps / in.accumulation); };
    const double exchanged =
        in.epochs * groups(epoch_shape(in).steps) + groups(in.unfinished_steps);
    check(Stage::allreduce, in.exposed_allreduce.base(),
          trained_samples(in) / (exchanged * in.batch * gpus));
    const Misses misses = misses_in(in, 3.0);
    const double cpu = in.cached_cpu.base() + (in.cpu - in.cached_cpu).base() * misses.decode;
    if (in.cpu_quota || in.memory || in.locked.base() > 0.0 || cpu <= 0.0) continue;
    double work = cpu / in.speed[Stage::decode];
    if (in.source && !in.sequential_stream) {
      const double fetched = bytes_fetched(in, EpochKind::later, misses) / in.source->bytes.base();
      work += in.source->cpu.base() * fetched / in.speed[Stage::download];
    }
    // The cores, or as many of them as there are workers.
    const double workers = active_workers(in) * in.ranks;
    double cores = in.cores.total(workers);  // of objects that are streamed there may be half a one
    for (double n = 1.0; n <= workers; n += 1.0) cores = std::max(cores, in.cores.total(n));
    const double rate = most[Stage::decode].base() / in.instances_alike() * work;
    REQUIRE(rate <= cores * (1.0 + 1e-9));
    if (workers < in.cores.points[1].users) REQUIRE(rate == Approx(cores).epsilon(1e-6));
  }
}

TEST_CASE("job parts: what is read from afar, and what of it instances share") {
  Generator generate(2206);
  int shared = 0;
  for (int i = 0; i < 1500; ++i) {
    Inputs in = without_pieces(complete_job(generate, 50.0));
    in.remote.reset();
    // An epoch has fewer steps where a rank's batches are dealt.
    in.unfinished_steps = std::min(in.unfinished_steps, epoch_shape(in).steps - 1.0);
    if (in.unequal) {
      Inputs other = without_pieces(*in.unequal->others[0].inputs);
      other.unfinished_steps = in.unfinished_steps;
      if (in.disk || in.source) other.caches.room = generate.uniform(0.0, 1.3);
      in.unequal->others[0].inputs = std::make_shared<const Inputs>(other);
    }
    const auto read_of = [](const Inputs& one, double epoch) {
      const Misses misses = misses_in(one, epoch);
      return one.disk ? misses.decode : misses.disk;
    };
    const auto read = [&](double epoch) { return read_of(in, epoch); };
    const auto reads_of = [&](const Inputs& one) {
      double sum = 0.0;
      for (double epoch = 1.0; epoch <= in.epochs; epoch += 1.0) sum += read_of(one, epoch);
      // Of an epoch that is left in its middle, what is trained of it.
      const double part = in.unfinished_steps > 0.0 ? samples_of_instance(in, in.unfinished_steps) /
                                                          samples_of_instance(in)
                                                    : 0.0;
      return sum + (part > 0.0 ? part * read_of(one, in.epochs + 1.0) : 0.0);
    };
    // A cache that is not steady by then, of a few ten-thousandths of the data, is taken as it is.
    constexpr double last_looked_at = 4096.0;
    const auto cold_of = [&](const Inputs& one) {
      const double cold = read_of(one, 1.0) - read_of(one, last_looked_at);
      return in.epochs > 1.0 ? std::max(0.0, cold) : 0.0;
    };
    // Of unequal instances each reads what its GPUs train on.
    const auto mean = [&](const auto& of) {
      if (!in.unequal) return of(in);
      const auto& [others, other] = in.unequal->others[0];
      const double here = in.unequal->alike * in.ranks;
      const double there = others * other->ranks;
      return (here * of(in) + there * of(*other)) / (here + there);
    };
    INFO("job " << i);
    REQUIRE(epochs_read(in) == Approx(mean(reads_of)).epsilon(1e-5).margin(1e-6));
    REQUIRE(cold_reads(in) == Approx(mean(cold_of)).margin(1e-5));
    if (in.unequal) continue;
    for (const EpochKind kind : {EpochKind::first, EpochKind::later}) {
      const auto& source = kind == EpochKind::first ? in.first_source : in.source;
      const double fetched = source ? source->bytes.base() * read(2.0) : 0.0;
      REQUIRE(bytes_fetched(in, kind, misses_in(in, 2.0)) == Approx(fetched));
    }
    const auto is_shared = [](const Read& source) {
      return source.shared_by_all > Bandwidth{} ||
             std::any_of(source.limits.begin(), source.limits.end(),
                         [](const RateLimit& limit) { return limit.shared; });
    };
    REQUIRE(shares_limits(in) ==
            ((in.source && (is_shared(*in.source) || is_shared(*in.first_source))) ||
             (in.staging && is_shared(in.staging->read))));
    const Inputs lifted = without_shared_limits(in);
    if (in.source) {
      for (const RateLimit& limit : lifted.source->limits) REQUIRE_FALSE(limit.shared);
      const bool all_share = in.source->shared_by_all > Bandwidth{};
      REQUIRE(lifted.source->rate == (all_share ? in.source->unshared : in.source->rate));
    }
    const Outcome free = simulate(lifted);
    for (const SharedDemand& demand : shared_demands(in)) {
      if (demand.when == SharedIn::staging) continue;
      ++shared;
      const bool first = demand.when == SharedIn::first_epoch;
      const auto& source = first ? in.first_source : in.source;
      const double epoch = first ? 1.0 : epochs_begun(in);
      const double pace = read(epoch) * samples_of_instance(in) /
                          (first ? free.first.wall : free.later.wall).base();
      if (demand.name == "source bandwidth") {
        REQUIRE(demand.rate == source->shared_by_all.base());
        REQUIRE(demand.demand == Approx(pace * source->bytes.base()));
        continue;
      }
      // Of a limit with burst credits the rate that binds in that part of the job.
      const bool bursts = demand.name == "burst rate";
      const bool spent = demand.name == "rate without burst credits";
      const auto limit =
          std::find_if(source->limits.begin(), source->limits.end(), [&](const RateLimit& one) {
            if (!bursts && !spent) return one.name == demand.name;
            const double binds = bursts ? one.burst_rate : one.rate;
            return one.shared && one.burst_rate > 0.0 && one.of_requests == demand.of_requests &&
                   demand.rate == Approx(binds * in.instances);
          });
      REQUIRE(limit != source->limits.end());
      const auto ends = simulate(in).ends;
      const bool ended = std::any_of(ends.begin(), ends.end(), [&](const CreditEnd& end) {
        return end.limit == limit->name && (!first || end.after < free.first.wall);
      });
      if (limit->burst_rate > 0.0) REQUIRE(bursts == !ended);
      REQUIRE(limit->shared);
      REQUIRE(demand.of_requests == limit->of_requests);
      const double binds = bursts ? limit->burst_rate : limit->rate;
      REQUIRE(demand.rate == Approx(binds * in.instances));
      REQUIRE(demand.demand == Approx(pace * limit->each));
    }
    // One instance has all of what all share, while the others do not read.
    const Inputs whole = with_whole_limits(in);
    if (!in.source) continue;
    for (std::size_t k = 0; k < in.source->limits.size(); ++k) {
      const RateLimit& was = in.source->limits[k];
      const double times = was.shared ? in.instances : 1.0;
      REQUIRE(whole.source->limits[k].rate == Approx(was.rate * times));
      REQUIRE(whole.source->limits[k].burst_rate == Approx(was.burst_rate * times));
      REQUIRE(whole.source->limits[k].credit == Approx(was.credit * times));
    }
    if (in.source->shared_by_all > Bandwidth{}) {
      REQUIRE(whole.source->rate.maximum() ==
              std::min(in.source->unshared.maximum(), in.source->shared_by_all));
    }
  }
  CHECK_DRAWN(shared > 50);
}

TEST_CASE("job parts: a part of an object is copied as a part of one, by mean and events") {
  // Objects of 100 MB at 100 MB/s for each connection: a second each, and a quarter for the last.
  Inputs in;
  in.samples = 100.0;
  in.step.fixed = milliseconds(1.0);
  Staging& staging = in.staging.emplace();
  staging.objects = 3.25;
  staging.object_size = bytes(1e8);
  staging.read.rate = linear_until(bytes_per_second(1e8), bytes_per_second(1e10));
  const auto check = [&](double connections, double expected) {
    staging.connections = connections;
    INFO(connections << " connections");
    CHECK(simulate(in).staging.base() == Approx(expected).epsilon(1e-6));
    CHECK(simulate(in, {.exact = true}).staging.base() == Approx(expected).epsilon(1e-3));
  };
  check(1.0, 3.25);
  check(2.0, 2.0);
  check(3.0, 1.25);
  check(8.0, 1.0);
  // Through a NIC that is slower than all of them it is the bytes that count.
  staging.read.nic = bytes_per_second(1e8);
  check(1.0, 3.25);
  check(8.0, 3.25);
}
