// A thread of each worker that downloads while the worker makes samples: a worker is as fast as the
// slower of both, in the mean and in the events.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"
#include "tests/population.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// Workers of one GPU, which takes no time: a sample takes `download` and `decode` seconds, a shard
/// has 64 of them.
Inputs sharded(double workers, double download, double decode) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = workers;
  in.prefetch = 2.0;
  in.batch = 64.0;
  in.samples = 6400.0 * workers;
  in.per_object = 64.0;
  Read read;
  read.bytes = bytes_per_sample(1e6);
  read.rate = linear_until(bytes_per_second(1e6 / download), bytes_per_second(1e12));
  in.source = in.first_source = read;
  in.cpu = in.cached_cpu = seconds_per_sample(decode);
  in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
  in.download_thread = {64.0, 64.0, 64.0};
  in.step.fixed = seconds(1e-9);
  return in;
}

}  // namespace

TEST_CASE("download thread: the slower of download and decoding, by hand") {
  // 100 shards a worker. A first one is downloaded before any is decoded, and where downloads keep
  // the worker waiting, the last is decoded after all of them.
  const struct {
    double download, decode, seconds;
  } jobs[] = {
      {5e-3, 5e-3, 101 * 64 * 5e-3},            // 32.32 s, and not 64 s
      {1e-3, 5e-3, 64 * 1e-3 + 6400 * 5e-3},    // 32.06 s
      {10e-3, 2e-3, 6400 * 10e-3 + 64 * 2e-3},  // 64.13 s
      {5e-3, 1e-9, 6400 * 5e-3},                // 32.00 s
  };
  for (const auto& job : jobs) {
    for (const double workers : {1.0, 4.0}) {
      const Inputs in = sharded(workers, job.download, job.decode);
      INFO(workers << " workers, " << job.download << " s and " << job.decode << " s a sample");
      CHECK(time_of(in) == Approx(job.seconds).epsilon(0.005));
      CHECK(by_events(in, 1) == Approx(job.seconds).epsilon(0.002));
    }
  }
}

TEST_CASE("download thread: a short window makes a download wait for its worker, by hand") {
  // The next shard of 64 is begun when 16 samples of the last are left: 64 take 48 x 3 ms, then
  // 64 x 5 ms, of which the last 16 are decoded meanwhile.
  Inputs in = sharded(1.0, 5e-3, 3e-3);
  in.download_thread.ahead = 16.0;
  const double by_hand = 64 * 5e-3 + 99 * (48 * 3e-3 + 64 * 5e-3) + 64 * 3e-3;  // 46.45 s
  CHECK(time_of(in) == Approx(by_hand).epsilon(0.005));
  CHECK(by_events(in, 1) == Approx(by_hand).epsilon(0.005));
  // A window of a shard or more changes nothing.
  in.download_thread.ahead = 64.0;
  const double whole = time_of(in);
  in.download_thread.ahead = 640.0;
  CHECK(time_of(in) == whole);
}

TEST_CASE("download thread: what is downloaded before the first sample, by hand") {
  // All of a worker's part: one after the other, and the first step after the whole download.
  Inputs in = sharded(4.0, 2e-3, 3e-3);
  in.download_thread.first = 6400.0;
  in.download_thread.ahead = 6400.0;
  const double all = 6400 * 2e-3 + 6400 * 3e-3;
  CHECK(time_of(in) == Approx(all).epsilon(0.005));
  CHECK(by_events(in, 1) == Approx(all).epsilon(0.005));
  CHECK(simulate(in).first.first_step.base() == Approx(6400 * 2e-3 + 64 * 3e-3).epsilon(0.005));
  // A quarter of it: what comes after that is there before it is decoded.
  in.download_thread.first = 1600.0;
  in.download_thread.ahead = 1600.0;
  const double quarter = 1600 * 2e-3 + 6400 * 3e-3;
  CHECK(time_of(in) == Approx(quarter).epsilon(0.005));
  CHECK(by_events(in, 1) == Approx(quarter).epsilon(0.005));
  // Of a slow download nothing is hidden but what is decoded beside it.
  in = sharded(4.0, 5e-3, 3e-3);
  in.download_thread.first = 1600.0;
  in.download_thread.ahead = 1600.0;
  const double slow = 6400 * 5e-3 + 64 * 3e-3;
  CHECK(time_of(in) == Approx(slow).epsilon(0.005));
  CHECK(by_events(in, 1) == Approx(slow).epsilon(0.005));
}

TEST_CASE("download thread: a slow GPU begins with the last worker's first batch, by hand") {
  // A limit lets the whole part of one worker after the other through, 640 samples in 6.4 s each.
  // Batches are taken in turn, so that the fourth waits for the last download, and 36 come after
  // it.
  Inputs in = sharded(4.0, 1e-6, 1e-6);
  in.samples = 2560.0;
  in.download_thread = {640.0, 640.0, 640.0};
  for (std::optional<Read>* read : {&in.source, &in.first_source}) {
    RateLimit limit;
    limit.name = "bytes";
    limit.rate = 100.0;
    (*read)->limits = {limit};
  }
  in.step.fixed = seconds(0.5);
  const double by_hand = 4 * 6.4 + 37 * 0.5;
  CHECK(time_of(in) == Approx(by_hand).epsilon(0.005));
  CHECK(by_events(in, 1) == Approx(by_hand).epsilon(0.005));
}

TEST_CASE(
    "download thread: a cached epoch has none, and a job is slower by a first download at most") {
  Generator generate(2711);
  int sooner = 0;
  for (int i = 0; i < 600; ++i) {
    Inputs in = generate.inputs(60.0);
    if (!in.source || in.kind != LoaderKind::pytorch || in.workers < 1.0 || in.remote) continue;
    in.sequential_stream = false;
    in.read_before = 0.0;
    in.instances = 1.0;
    in.download_thread = {};
    const double serial = time_of(in);
    in.download_thread = {in.batch, in.batch, in.batch};
    const double threaded = time_of(in);
    INFO("job " << i << ": " << serial << " s without a thread, " << threaded << " s with one");
    // Its first batches are downloaded whole before any sample of them is made.
    const double active = active_workers(in);
    const Flow flow(in, EpochKind::first, misses_in(in, 1.0), active);
    CHECK(threaded <= serial * 1.01 + in.batch * active * in.ranks / flow.limit());
    sooner += threaded < 0.98 * serial ? 1 : 0;
    Misses none;
    none.source = 0.0;
    CHECK_FALSE(stream_of(in, EpochKind::later, none, active_workers(in)));
  }
  CHECK(sooner > 20);
}

TEST_CASE("download thread: the mean is that of the events") {
  Generator generate(2712);
  std::vector<double> errors;
  for (int i = 0; i < 600 && errors.size() < 120; ++i) {
    Inputs in = generate.inputs(120.0);
    if (!in.source || in.kind != LoaderKind::pytorch || in.workers < 1.0) continue;
    in.sequential_stream = false;
    in.read_before = 0.0;
    in.remote.reset();
    in.instances = 1.0;
    for (std::optional<Read>* read : {&in.source, &in.first_source}) {
      for (RateLimit& limit : (*read)->limits) limit.burst_rate = limit.credit = 0.0;
    }
    const EpochShape shape = epoch_shape(in);
    if (shape.steps < 4.0 * in.workers) continue;
    in.download_thread.at_once = std::ceil(in.batch * generate.log_uniform(0.2, 3.0));
    in.download_thread.first = in.download_thread.ahead = in.download_thread.at_once;
    errors.push_back(std::abs(time_of(in) / by_events(in, 2) - 1.0));
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  INFO(errors.size() << " jobs: median " << at(0.5) << ", 90 % " << at(0.9) << ", worst "
                     << errors.back());
  REQUIRE(errors.size() > 60);
  CHECK(at(0.5) < 0.02);
  CHECK_SHARE_BEYOND(errors, 0.07, 0.1);
}
