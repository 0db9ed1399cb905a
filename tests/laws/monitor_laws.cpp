// What monitors would show obeys the utilisation law: share = demand · throughput / capacity, held
// against the plain numbers of the pipeline over generated jobs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "model/figures.hpp"
#include "pipeline/mean.hpp"
#include "seed.hpp"
#include "study/drawn_jobs.hpp"
#include "study/monitors.hpp"
#include "study/other_workers.hpp"
#include "study/run.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using namespace testing_study;
using testing_resolve::catalog;
using testing_resolve::scenario_with;

namespace {

struct Shown {
  resolve::Resolved resolved;
  pipeline::Outcome outcome;
  Monitors monitors;

  [[nodiscard]] const pipeline::Inputs& inputs() const { return resolved.inputs; }
  /// Samples/s of an instance in the steady epoch.
  [[nodiscard]] double rate() const {
    return pipeline::samples_of_instance(inputs()) / outcome.later.wall.base();
  }
  [[nodiscard]] pipeline::EpochKind kind() const {
    return outcome.epochs > 1.0 ? pipeline::EpochKind::later : pipeline::EpochKind::first;
  }
  [[nodiscard]] pipeline::Misses misses() const {
    return pipeline::misses_in(inputs(), pipeline::epochs_begun(inputs()));
  }
};

std::optional<Shown> shown(const Settings& settings) {
  return where_possible([&] {
    Shown all;
    all.resolved =
        resolve::resolve(scenario_with(settings), catalog(), nullptr, {}, resolve::Want::numbers);
    all.outcome = pipeline::simulate(all.resolved.inputs);
    all.monitors = study::monitors_of(all.resolved, all.outcome);
    return all;
  });
}

/// The same with everything at `times` its speed.
Monitors at_speed(Shown job, double times) {
  pipeline::Inputs& inputs = job.resolved.inputs;
  for (const Stage stage : all_stages()) inputs.speed[stage] = times;
  return study::monitors_of(job.resolved, pipeline::simulate(inputs));
}

}  // namespace

TEST_CASE("monitors: every share is one, and a busy GPU runs kernels") {
  pipeline::Generator random(1201);
  int checked = 0, cpus = 0, disks = 0, networks = 0;
  for (int i = 0; i < 2000; ++i) {
    const Settings settings = drawn_job(random);
    const auto job = shown(settings);
    if (!job) continue;
    INFO(text_of(settings));
    const Monitors& m = job->monitors;
    for (const auto& share :
         {m.cpu, m.disk, m.disk_of_limit, m.network, m.memory, std::optional(m.gpu)}) {
      if (!share) continue;
      CHECK(*share >= 0.0);
      CHECK(*share <= 1.0);
    }
    const double busy = job->outcome.later.busy / job->outcome.later.wall;
    CHECK(m.gpu >= busy - 1e-12);
    CHECK(m.start == job->outcome.startup + job->outcome.staging);
    ++checked;
    if (m.cpu && *m.cpu > 0.01 && *m.cpu < 1.0) ++cpus;
    if (*m.disk > 0.01) ++disks;
    if (m.network && *m.network > 0.01) ++networks;
  }
  CHECK_DRAWN(checked > 1000);
  CHECK_DRAWN(cpus > 500);
  CHECK_DRAWN(disks > 100);
  CHECK_DRAWN(networks > 100);
}

TEST_CASE("monitors: where threads add up, top shows demand times throughput over threads") {
  pipeline::Generator random(1202);
  int checked = 0, locks = 0;
  for (int i = 0; i < 400; ++i) {
    Settings settings = drawn_job(random);
    for (const char* key : {"/loader/contention", "/loader/oversubscription"}) {
      settings.emplace_back(key, "0");
    }
    settings.emplace_back("/cluster/vcpus", "24");
    settings.emplace_back("/cluster/cores", "24");
    // What is done under a lock is a part of the CPU time.
    if (random.chance(0.5)) {
      settings.emplace_back("/loader/lock", fmt::format("{} us", random.log_uniform(1.0, 1000.0)));
    }
    const auto job = shown(settings);
    if (!job) continue;
    INFO(text_of(settings));
    const pipeline::Inputs& in = job->inputs();
    locks += in.locked.base() > 0.0 ? 1 : 0;
    const bool workers = in.workers > 0.0 && in.kind != LoaderKind::inline_;
    const double decoded = job->misses().decode;
    double of_sample =
        in.cached_cpu.base() + (in.cpu - in.cached_cpu).base() * decoded + in.collate.base();
    if (workers && in.pinned) of_sample += in.pin.base();
    double of_epoch = in.handover.base() * job->outcome.steps;
    if (workers && !(in.persistent_workers && job->kind() == pipeline::EpochKind::later)) {
      of_epoch += in.worker_startup.base() * in.workers;
      of_epoch += in.worker_warmup.base() * pipeline::active_workers(in);
    }
    const double busy =
        job->rate() * of_sample + in.ranks * of_epoch / job->outcome.later.wall.base();
    CHECK(*job->monitors.cpu == Approx(std::min(1.0, busy / 24.0)).epsilon(1e-9));
    ++checked;
  }
  CHECK_DRAWN(checked > 200);
  CHECK_DRAWN(locks > 50);
}

TEST_CASE("monitors: threads that share cores do no more each than alone") {
  pipeline::Generator random(1203);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const Settings settings = drawn_job(random);
    const auto job = shown(settings);
    if (!job || !job->monitors.cpu) continue;
    INFO(text_of(settings));
    const double least = job->rate() * job->inputs().cached_cpu.base();
    CHECK(*job->monitors.cpu * *job->resolved.installed.threads >=
          std::min(least, *job->resolved.installed.threads) * (1.0 - 1e-9));
    ++checked;
  }
  CHECK_DRAWN(checked > 200);
}

TEST_CASE("monitors: disk and network show what is read and received over what they carry") {
  pipeline::Generator random(1204);
  int disks = 0, networks = 0;
  for (int i = 0; i < 800; ++i) {
    const Settings settings = drawn_job(random);
    const auto job = shown(settings);
    if (!job) continue;
    INFO(text_of(settings));
    const pipeline::Inputs& in = job->inputs();
    const pipeline::Misses misses = job->misses();
    const double touched = misses.disk + misses.written;  // what fills a cache is work of the disk
    if (in.disk && touched > 0.0) {
      double most = 0.0;
      if (!in.disk->rate.empty()) {
        most = job->rate() * touched * in.disk->bytes.base() / in.disk->rate.maximum().base();
      }
      bool bursts = false;
      for (const pipeline::RateLimit& limit : in.disk->limits) {
        most = std::max(most, job->rate() * touched * limit.each / limit.rate);
        bursts = bursts || limit.burst_rate > 0.0;
      }
      const double shows = *job->monitors.disk_of_limit;
      if (bursts) CHECK(shows <= std::min(1.0, most) * (1.0 + 1e-9));
      if (!bursts) CHECK(shows == Approx(std::min(1.0, most)).epsilon(1e-9));
      // The capacity of the stage counts first bytes as well, which are no load of the disk.
      const auto capacity =
          pipeline::capacities(in, job->kind(), pipeline::epochs_begun(in))[Stage::disk];
      const double all = job->rate() * in.instances;
      if (!bursts && capacity.base() > 0.0) {
        CHECK(shows <= std::min(1.0, all / capacity.base()) * (1.0 + 1e-6));
      }
      ++disks;
    }
    if (in.source && in.network) {
      const double gradients = in.network_allreduce.base() * job->outcome.steps / in.accumulation /
                               job->outcome.later.wall.base();
      const double received =
          job->rate() * pipeline::bytes_fetched(in, job->kind(), misses) + gradients;
      CHECK(
          *job->monitors.network ==
          Approx(std::min(1.0, received / job->resolved.installed.network->base())).epsilon(1e-9));
      ++networks;
    }
  }
  CHECK_DRAWN(disks > 50);
  CHECK_DRAWN(networks > 50);
}

TEST_CASE("monitors: what waits for a volume whose credit is over is in its queue") {
  const auto disk = [](const char* type, const char* size, const char* epochs) {
    const test::Billed billed(test::job({{"source.service", "ebs"},
                                         {"disk.volume_type", type},
                                         {"disk.bandwidth", "null"},
                                         {"disk.size", size},
                                         {"samples_per_object", "1"},
                                         {"disk.page_cache", "0 B"},
                                         {"preprocess", "[]"},
                                         {"bytes_per_sample", "150 KB"},
                                         {"epochs", epochs}}));
    return *study::monitors_of(billed.resolved, billed.outcome).disk;
  };
  // A million reads an epoch, each a MiB of st1, or an operation of gp2 that is paid by 5.4
  // million.
  CHECK(disk("st1", "500 GiB", "4") > 0.99);
  CHECK(disk("gp2", "150 GiB", "40") > 0.99);
  // While credit lasts, what the burst rate lets through is all of it, too.
  CHECK(disk("gp2", "150 GiB", "1") > 0.99);
}

TEST_CASE("monitors: helpers that send as much as is fetched leave what is received as it is") {
  pipeline::Generator random(1206);
  int checked = 0, shared = 0;
  for (int i = 0; i < 800; ++i) {
    Settings settings = drawn_job(random);
    settings.emplace_back("/loader/remote", R"({"instance": "c5.4xlarge", "instances": 2})");
    auto job = shown(settings);
    if (!job || !job->inputs().source || !job->inputs().network) continue;
    INFO(text_of(settings));
    pipeline::Inputs& in = job->resolved.inputs;
    const double fetched = pipeline::bytes_fetched(in, job->kind(), job->misses());
    in.remote->sent = bytes_per_sample(fetched);
    const double gradients = in.network_allreduce.base() * job->outcome.steps / in.accumulation /
                             job->outcome.later.wall.base();
    const double received = (job->rate() * fetched + gradients) / in.network->base();
    CHECK(*study::monitors_of(job->resolved, job->outcome).network ==
          Approx(std::min(1.0, received)).epsilon(1e-9));
    ++checked;
    if (pipeline::most_begun_here(in) > 0.0 && fetched > 0.0) ++shared;
  }
  CHECK_DRAWN(checked > 50);
  CHECK_DRAWN(shared > 20);
}

TEST_CASE("monitors: everything twice as fast leaves every share as it is") {
  pipeline::Generator random(1205);
  int checked = 0;
  for (int i = 0; i < 800; ++i) {
    const Settings settings = drawn_job(random);
    const auto job = shown(settings);
    if (!job) continue;
    INFO(text_of(settings));
    const Monitors twice = at_speed(*job, 2.0);
    const auto same = [](std::optional<double> a, std::optional<double> b) {
      REQUIRE(a.has_value() == b.has_value());
      if (a) CHECK(*a == Approx(*b).margin(1e-6));
    };
    same(twice.cpu, job->monitors.cpu);
    same(twice.disk, job->monitors.disk);
    same(twice.disk_of_limit, job->monitors.disk_of_limit);
    same(twice.network, job->monitors.network);
    same(twice.gpu, job->monitors.gpu);
    same(twice.memory, job->monitors.memory);
    ++checked;
  }
  CHECK_DRAWN(checked > 400);
}

TEST_CASE("monitors: a job by another name shows the same") {
  pipeline::Generator random(1206);
  for (int i = 0; i < 60; ++i) {
    const Settings settings = drawn_job(random);
    const auto run = [&](const std::string& name) {
      Scenario scenario = scenario_with(settings);
      scenario.name = name;
      return where_possible([&] { return study::run(scenario, catalog(), nullptr); });
    };
    const auto one = run("one"), other = run("other");
    REQUIRE(one.has_value() == other.has_value());
    if (!one) continue;
    for (const Figure& figure : figures_in(FigureGroup::monitors)) {
      CHECK(figure.of(*one) == figure.of(*other));
    }
  }
}

TEST_CASE("monitors: the threads that a curve of cores needs for some work") {
  const Curve<double> cores{{{1.0, 1.0}, {4.0, 4.0}, {8.0, 5.2}, {9.0, 4.8}}, 0.0};
  CHECK(study::threads_for(cores, 0.0) == 0.0);
  CHECK(study::threads_for(cores, 0.5) == Approx(0.5));
  CHECK(study::threads_for(cores, 3.0) == Approx(3.0));
  CHECK(study::threads_for(cores, 4.6) == Approx(6.0));
  CHECK(study::threads_for(cores, 5.2) == Approx(8.0));
  CHECK(study::threads_for(cores, 6.0) == Approx(9.0));
}

TEST_CASE("workers: others are named where they gain, and where too few are, they do most of it") {
  pipeline::Generator random(1207);
  study::RunOptions options;
  options.list_inputs = false;
  options.try_workers = true;
  // As many samples come as there are workers to wait for them: up to the last that is tried.
  const Settings waits = {{"/cluster/instance", "g4dn.16xlarge"},
                          {"/dataset/samples", "504840"},
                          {"/dataset/bytes_per_sample", "385804 B"},
                          {"/source/service", "s3"},
                          {"/source/input_mode", "mount"},
                          {"/loader/kind", "inline"},
                          {"/loader/num_workers", "0"},
                          {"/loader/pin_memory", "false"},
                          {"/loader/batch_size", "82"},
                          {"/job/step", R"({"fixed": "4 ms", "per_sample": "162 us"})"},
                          {"/preprocess", R"([{"operation": "decode", "cpu": "336 us"}])"},
                          {"/job/epochs", "1"}};
  int tried = 0, few = 0, enough = 0;
  for (int i = 0; i < 300; ++i) {
    const Settings settings = i == 0 ? waits : drawn_job(random);
    const auto result = where_possible(
        [&] { return study::run(scenario_with(settings), catalog(), nullptr, options); });
    if (!result || !result->bottleneck.workers) continue;
    INFO(text_of(settings));
    const OtherWorkers& workers = *result->bottleneck.workers;
    ++tried;
    CHECK(workers.best >= std::min(1.0, workers.now));
    CHECK(workers.best <= workers.tried);
    CHECK((workers.gain > 0.0) == (workers.best != workers.now));
    const auto with = [&](double n) {
      Settings more = settings;
      more.emplace_back("/loader/num_workers", fmt::format("{:g}", n));
      if (workers.replaces_inline) more.emplace_back("/loader/kind", "pytorch");
      study::RunOptions plain;
      plain.list_inputs = false;
      const auto other = where_possible(
          [&] { return study::run(scenario_with(more), catalog(), nullptr, plain); });
      return other ? other->times.total.base() : 1e300;
    };
    const double now = result->times.total.base();
    const double best = with(workers.best);
    CHECK(1.0 - best / now == Approx(workers.gain).margin(1e-9));
    for (const double n : {workers.tried, std::ceil(workers.tried / 2.0),
                           std::max(1.0, std::floor(workers.now / 2.0)), 1.0}) {
      CHECK(best <= with(n) * 1.0102);
    }
    (workers.gain > 0.0 ? few : enough) += 1;
  }
  CHECK_DRAWN(tried > 60);
  CHECK_DRAWN(few > 20);
  CHECK_DRAWN(enough > 20);
}
