// How fast a loader is in closed form: with a disk that serves one read at a time, with remote
// workers beside its own, and in whatever unit its cores are counted.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "queueing/single_server.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

Inputs loader(Generator& generate) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = generate.whole(1.0, 8.0);
  in.ranks = generate.whole(1.0, 3.0);
  in.instances = generate.whole(1.0, 4.0);
  in.batch = generate.whole(2.0, 32.0);
  in.samples = in.batch * in.gpus() * 100.0;
  in.step.fixed = milliseconds(1.0);
  return in;
}

double capacity(const Inputs& in, Stage stage) {
  return capacities(in, EpochKind::first, 1.0)[stage].base() / in.instances;
}

/// As many cores, none of which is slower for the others.
Curve<double> even_cores(double cores) {
  Curve<double> curve{{{1.0, 1.0}, {cores, cores}}, 0.0};
  if (cores <= 1.0) curve.points.resize(1);
  return curve;
}

}  // namespace

TEST_CASE("loader rates: a disk that serves one read at a time, with sizes that vary or do not") {
  Generator generate(2401);
  int slower = 0;
  for (int i = 0; i < 500; ++i) {
    Inputs in = loader(generate);
    const double customers = in.workers * in.ranks;
    in.disk.emplace();
    in.disk->discipline = Discipline::one_at_a_time;
    in.disk->requests = generate.log_uniform(0.2, 3.0);
    in.disk->latency = seconds(generate.log_uniform(1e-4, 1e-2));
    in.disk->bytes = bytes_per_sample(1e5);
    in.disk->rate = {{{1.0, bytes_per_second(generate.log_uniform(1e7, 1e9))}}, 0.0};
    in.cpu = seconds_per_sample(generate.log_uniform(1e-4, 1e-2));
    in.cores = even_cores(customers + 1.0);
    const double served = 1e5 / in.disk->rate.maximum().base();
    const double elsewhere = in.disk->latency.base() * in.disk->requests + in.cpu.base();
    INFO("loader " << i << ", " << customers << " readers");
    // The same sizes take turns without waiting, or keep the disk at work.
    in.size_cv = 0.0;
    const std::vector<double> even = loader_curve(in, EpochKind::first, 1.0);
    REQUIRE(static_cast<double>(even.size()) == customers);
    for (std::size_t k = 0; k < even.size(); ++k) {
      const double n = static_cast<double>(k) + 1.0;
      const double most = std::min(n / (elsewhere + served), 1.0 / served);
      REQUIRE(even[k] <= most * (1.0 + 1e-9));
      if (n == 1.0) REQUIRE(even[k] == Approx(most));
    }
    in.size_cv = generate.uniform(0.1, 1.0);
    queueing::ClosedNetwork rest(static_cast<int>(customers));
    rest.add_delay(elsewhere);
    const auto expected = queueing::with_single_server(rest, {served, in.size_cv}, in.size_cv,
                                                       static_cast<int>(customers));
    const std::vector<double> curve = loader_curve(in, EpochKind::first, 1.0);
    for (std::size_t k = 0; k < curve.size(); ++k) {
      REQUIRE(curve[k] == Approx(expected[k]).epsilon(1e-9));
    }
    if (curve.back() < even.back() * 0.99) ++slower;
    REQUIRE(capacity(in, Stage::disk) <= 1.0 / served * (1.0 + 1e-9));
  }
  CHECK_DRAWN(slower > 50);
}

TEST_CASE("loader rates: remote workers add to a loader's own, whichever stage is looked at") {
  Generator generate(2402);
  for (int i = 0; i < 500; ++i) {
    Inputs in = loader(generate);
    in.kind = LoaderKind::pool;
    in.prefetch = generate.whole(1.0, 3.0);
    in.cpu = seconds_per_sample(generate.log_uniform(1e-4, 1e-2));
    in.speed[Stage::decode] = generate.log_uniform(0.5, 2.0);
    in.speed[Stage::remote] = generate.log_uniform(0.5, 2.0);
    // Fewer cores than threads, or more; or parts of objects to read.
    const double helpers = in.gpus() * generate.whole(1.0, 5.0);
    // Samples of a rank that may be begun: beside local threads each helper's has its own batches.
    const double asked = in.batch * in.prefetch * (1.0 + helpers / in.gpus());
    const bool objects = generate.chance(0.4);
    const double cores = objects ? 24.0 : generate.whole(1.0, 12.0);
    in.cores = even_cores(cores);
    const double threads = std::min(in.workers, asked);
    double local = in.cpu.base() / in.speed[Stage::decode];
    if (objects) {
      const double each = generate.uniform(0.5, 10.0);  // of a rank
      Read read;
      read.latency = seconds(generate.log_uniform(0.1, 10.0));
      read.requests = each * in.gpus() / in.samples;
      in.first_source = in.source = read;
      local += read.latency.base() * read.requests;
    }
    const double here = std::min(threads * in.ranks, cores) / local;
    RemotePool& pool = in.remote.emplace();
    pool.workers = helpers;
    pool.cores = even_cores(64.0);
    pool.cpu = seconds_per_sample(generate.log_uniform(1e-4, 1e-2));
    pool.latency = seconds(generate.log_uniform(1e-4, 1e-2));
    pool.deliveries = 1.0 / in.batch;
    const double each =
        (pool.cpu.base() + pool.latency.base() / in.batch) / in.speed[Stage::remote];
    INFO("loader " << i << ": " << here << " here, " << helpers << " remote workers at "
                   << 1.0 / each);
    // Each makes samples without the other: what keeps one of them back is not what all can do.
    const double all = here + helpers / each / in.instances;
    REQUIRE(capacity(in, Stage::decode) == Approx(all).epsilon(1e-9));
    REQUIRE(capacity(in, Stage::remote) == Approx(all).epsilon(1e-9));
    if (!objects) {
      REQUIRE(loader_curve(in, EpochKind::first, 1.0).back() == Approx(all).epsilon(1e-9));
    }
    in.cpu = DurationPerSample{};
    // Alone they are one pool, which has no more samples in work than the ranks have asked for.
    const double at_work = std::min(helpers, in.batch * in.prefetch * in.gpus());
    REQUIRE(capacity(in, Stage::remote) == Approx(at_work / each / in.instances).epsilon(1e-9));
  }
}

TEST_CASE(
    "loader rates: a line that helpers' samples pass carries their share, and the rest beside") {
  Generator generate(2403);
  for (int i = 0; i < 100; ++i) {
    Inputs in = loader(generate);
    in.kind = LoaderKind::pool;
    in.instances = in.ranks = 1.0;
    in.workers = 4.0;
    in.batch = 32.0;
    in.cores = even_cores(4.0);
    in.cpu = seconds_per_sample(generate.log_uniform(1e-3, 1e-1));
    RemotePool& pool = in.remote.emplace();
    pool.workers = 3.0;
    pool.cores = even_cores(3.0);
    pool.cpu = seconds_per_sample(generate.log_uniform(1e-3, 1e-1));
    pool.sent = bytes_per_sample(1e5);
    const double here = 4.0 / in.cpu.base();
    const double there = 3.0 / pool.cpu.base();
    INFO("loader " << i << ": " << here << " here, " << there << " by helpers");
    // A line that hardly anything of is used.
    const double wide = 1e3 * there;
    pool.network = bytes_per_second(1e5 * wide);
    REQUIRE(capacity(in, Stage::network) == Approx(wide * (here + there) / there).epsilon(0.02));
    // And one that keeps helpers back: the job is at its limit.
    const double narrow = 0.01 * there;
    pool.network = bytes_per_second(1e5 * narrow);
    REQUIRE(capacity(in, Stage::network) == Approx(here + narrow).epsilon(0.02));
  }
}

TEST_CASE("loader rates: in whichever unit cores are counted, work in the same unit is as fast") {
  Generator generate(2403);
  for (int i = 0; i < 500; ++i) {
    Inputs in = generate.inputs(50.0);
    in.locked = DurationPerSample{};
    Inputs other = in;
    const double unit = generate.log_uniform(0.01, 100.0);
    for (auto& point : other.cores.points) point.total *= unit;
    other.cpu *= unit;
    other.cached_cpu *= unit;
    other.collate *= unit;
    if (other.source) other.source->cpu *= unit;
    if (other.first_source) other.first_source->cpu *= unit;
    INFO("loader " << i << ", unit " << unit);
    for (const EpochKind kind : {EpochKind::first, EpochKind::later}) {
      const double epoch = kind == EpochKind::first ? 1.0 : 2.0;
      const std::vector<double> was = loader_curve(in, kind, epoch);
      const std::vector<double> is = loader_curve(other, kind, epoch);
      REQUIRE(is.size() == was.size());
      for (std::size_t k = 0; k < was.size(); ++k) REQUIRE(is[k] == Approx(was[k]).epsilon(1e-9));
      for (const Stage stage : {Stage::download, Stage::disk, Stage::decode, Stage::collate}) {
        REQUIRE(capacities(other, kind, epoch)[stage].base() ==
                Approx(capacities(in, kind, epoch)[stage].base()).epsilon(1e-9));
      }
    }
  }
}
