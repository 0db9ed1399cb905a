// What was seen of limits, copies and communication stands in the scenario by itself, and the
// scenario predicts the job that was observed whichever of it was seen.
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

#include "catalog/catalog.hpp"
#include "observe/job_observer.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/observed_scenario.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"
#include "tests/draw.hpp"
#include "tests/seed.hpp"

using namespace feedrate;

namespace {

using study::observed_scenario;
using study::ObservedScenario;
using test::Draw;

ObservedNumber steps_of(double value) {
  return {value, 0.0, 100.0, "steps"};
}

/// A job that waits for its loader, whose workers wait for what they read most of the time.
ObservedJob starved(Draw& draw) {
  ObservedJob job;
  job.source = "drawn";
  job.batch_size = draw.whole(8, 64);
  job.workers = draw.whole(1, 6);
  job.cpus = 16.0;
  job.epoch_steps = 2000.0;
  job.interval = steps_of(draw.real(0.02, 1.0));
  job.throughput = steps_of(job.batch_size / job.interval.value);
  job.wait = steps_of(job.interval.value * draw.real(0.4, 0.8));
  job.least_wait = 0.0;
  job.cpu_busy = steps_of(0.1);
  const double each = job.workers / job.throughput.value;
  job.worker_cpu = steps_of(each * draw.real(0.05, 0.4));
  return job;
}

/// The same with workers enough that something they read from is never without one of them.
ObservedJob crowded(Draw& draw) {
  ObservedJob job = starved(draw);
  job.workers = draw.whole(6, 12);
  job.worker_cpu = steps_of(0.05 * job.workers / job.throughput.value);
  return job;
}

/// The same whose GPUs are the limit.
ObservedJob fed(Draw& draw) {
  ObservedJob job = starved(draw);
  job.wait = steps_of(0.0);
  return job;
}

Result run(const ObservedScenario& made) {
  // As it is written, with every key allowed.
  const Scenario again = schema::read_scenario(
      schema::parse_document(schema::write_scenario(made.scenario), "observed.json"));
  return study::run(again, Catalog{}, nullptr);
}

double predicted(const ObservedScenario& made) {
  return run(made).throughput->base();
}

ObservedScenario with_workers(ObservedScenario made, double workers) {
  made.scenario.loader.num_workers = WorkerCount(workers);
  return made;
}

bool has_input(const ObservedScenario& made, const std::string& pointer) {
  for (const study::ObservedInput& input : made.inputs) {
    if (input.pointer == pointer) return input.origin.starts_with("observed: ");
  }
  return false;
}

TEST_CASE("observed limits: workers that others keep from the cores do not wait for the disk") {
  Draw draw(147);
  int kept = 0;
  for (int i = 0; i < 60; ++i) {
    ObservedJob job = starved(draw);
    job.cpus = 16.0;
    const double each = job.workers / job.throughput.value;
    const double cpu = each * draw.real(0.2, 0.6);
    const double queue =
        draw.chance() ? each * draw.real(0.15, 0.35) : each * draw.real(0.001, 0.05);
    job.worker_cpu = steps_of(cpu);
    job.worker_cpu_wait = steps_of(queue);
    job.others = 0.7;
    job.cpu_busy = steps_of(0.9);
    const ObservedScenario made = observed_scenario(job);
    INFO("case " << i << ": " << cpu / each << " CPU, " << queue / each << " queue, "
                 << schema::write_scenario(made.scenario));
    const bool short_of_cores = queue >= 0.1 * each;
    kept += short_of_cores ? 1 : 0;
    CHECK(has_input(made, "/cluster/other_threads") == short_of_cores);
    // What is neither computing nor waiting for a core is reading.
    CHECK(made.scenario.disk.latency->base() == Approx(each - cpu - queue).epsilon(0.02));
    if (!short_of_cores) continue;
    CHECK(predicted(made) == Approx(job.throughput.value).epsilon(0.05));
    // Cores that nobody else takes give that time back; more workers take a larger share.
    ObservedScenario alone = made;
    alone.scenario.cluster.other_threads.reset();
    CHECK(predicted(alone) > predicted(made));
    CHECK(predicted(with_workers(made, job.workers + 1.0)) > predicted(made));
  }
  CHECK_DRAWN(kept > 15);
  CHECK_DRAWN(kept < 45);
}

TEST_CASE("observed limits: copies and communication seen apart leave the job as it was") {
  Draw draw(141);
  int beside = 0;
  int reduced = 0;
  for (int i = 0; i < 60; ++i) {
    ObservedJob job = fed(draw);
    const double copy = job.interval.value * draw.real(0.01, 0.3);
    const bool pinned = draw.chance();
    job.copy_time = steps_of(copy);
    // The thread that pins them has its own pace, which nobody saw to be the limit.
    job.copied_bytes = steps_of(job.interval.value * draw.real(1e6, 1e9));
    job.pinned_share = pinned ? 1.0 : 0.0;
    (pinned ? job.pinned_rate : job.pageable_rate) = steps_of(job.copied_bytes->value / copy);
    job.exposed_copy = steps_of(pinned && draw.chance() ? 0.0 : copy);
    if (draw.chance()) {
      job.gpus = draw.whole(2, 8);
      job.throughput.value *= job.gpus;
      job.cpus = 128.0;
      job.collective_time = steps_of(job.interval.value * draw.real(0.02, 0.5));
      job.exposed_collective = steps_of(job.collective_time->value * draw.real(0.05, 1.0));
      if (draw.chance()) job.all_reduced_bytes = steps_of(draw.real(1e6, 1e9));
    }
    const ObservedScenario made = observed_scenario(job);
    INFO("case " << i << ": copy " << copy << " of " << job.interval.value << ", "
                 << schema::write_scenario(made.scenario));
    CHECK(std::abs(predicted(made) / job.throughput.value - 1.0) < 0.02);
    const bool hidden = job.exposed_copy->value < copy;
    beside += hidden ? 1 : 0;
    reduced += made.scenario.job.allreduce ? 1 : 0;
    CHECK(made.scenario.job.allreduce.has_value() == job.all_reduced_bytes.has_value());
    CHECK(has_input(made, pinned ? "/cluster/pinned_bandwidth" : "/cluster/pageable_bandwidth") ==
          !hidden);
    // What is waited for would take less time over a faster link.
    if (hidden) continue;
    ObservedScenario faster = made;
    faster.scenario.cluster.pinned_bandwidth = faster.scenario.cluster.pageable_bandwidth =
        bytes_per_second(1e15);
    const double gain = predicted(faster) / predicted(made);
    CHECK(gain == Approx(job.interval.value / (job.interval.value - copy)).epsilon(0.03));
  }
  CHECK_DRAWN(beside > 5);
  CHECK_DRAWN(reduced > 5);
}

TEST_CASE(
    "observed limits: a disk's limit is written where it was full, and then workers do not "
    "help") {
  Draw draw(142);
  for (int i = 0; i < 40; ++i) {
    ObservedJob job = crowded(draw);
    job.device_bytes = steps_of(draw.real(1e3, 1e7));
    ObservedDevice disk;
    disk.name = "sda";
    disk.saturated = draw.chance() ? 1.0 : draw.real(0.01, 0.9);
    disk.busy = steps_of(disk.saturated);
    disk.rate = steps_of(job.device_bytes->value * job.throughput.value);
    disk.highest_rate = disk.rate.value;
    job.disk = disk;
    const ObservedScenario made = observed_scenario(job);
    INFO("case " << i << ": full " << disk.saturated << " of the time");
    CHECK(has_input(made, "/disk/bandwidth") == disk.is_saturated());
    CHECK(has_input(made, "/disk/latency") != disk.is_saturated());
    CHECK(std::abs(predicted(made) / job.throughput.value - 1.0) < 0.05);
    const double more = predicted(with_workers(made, job.workers + 1.0));
    if (disk.is_saturated()) {
      CHECK(made.scenario.disk.bandwidth->base() == Approx(disk.rate.value).epsilon(1e-3));
      CHECK(more < 1.05 * job.throughput.value);
    } else {
      CHECK(more > 1.05 * job.throughput.value);
    }
    // A job that does not wait has seen no limit, however busy its disk is.
    job.wait = steps_of(0.0);
    CHECK_FALSE(has_input(observed_scenario(job), "/disk/bandwidth"));
  }
}

TEST_CASE("observed limits: reads of a device share the waiting among them") {
  Draw draw(143);
  for (int i = 0; i < 20; ++i) {
    ObservedJob job = starved(draw);
    job.device_bytes = steps_of(1e5);
    job.device_reads = steps_of(draw.real(0.1, 20.0));
    ObservedDevice disk;
    disk.name = "sda";
    disk.busy = steps_of(0.8);
    disk.rate = steps_of(1e6);
    job.disk = disk;
    const ObservedScenario several = observed_scenario(job);
    job.device_reads.reset();
    const ObservedScenario one = observed_scenario(job);
    CHECK(has_input(several, "/disk/reads_per_sample"));
    CHECK_FALSE(has_input(one, "/disk/reads_per_sample"));
    CHECK(predicted(several) == Approx(predicted(one)).epsilon(0.03));
  }
}

TEST_CASE("observed limits: what comes by the network is a source, and a full line its limit") {
  Draw draw(144);
  for (int i = 0; i < 40; ++i) {
    ObservedJob job = crowded(draw);
    job.network_bytes = steps_of(draw.real(1e5, 1e7));
    ObservedDevice link;
    link.name = "eth0";
    link.saturated = draw.chance() ? 1.0 : 0.0;
    link.busy = steps_of(link.saturated);
    link.rate = steps_of(job.network_bytes->value * job.throughput.value);
    link.highest_rate = link.rate.value;
    job.link = link;
    const ObservedScenario made = observed_scenario(job);
    INFO("case " << i << (link.is_saturated() ? ": full" : ": not full"));
    CHECK(made.scenario.source.service.family() == Service::http);
    CHECK(made.scenario.dataset.bytes_per_sample->base() ==
          Approx(job.network_bytes->value).epsilon(1e-3));
    CHECK(has_input(made, "/cluster/network") == link.is_saturated());
    const Result result = run(made);
    CHECK(std::abs(result.throughput->base() / job.throughput.value - 1.0) < 0.05);
    CHECK(result.bottleneck.stage == (link.is_saturated() ? Stage::network : Stage::download));
    const double more = predicted(with_workers(made, job.workers + 1.0));
    CHECK((more < 1.05 * job.throughput.value) == link.is_saturated());
    // Other ranks' gradients come by the network too.
    job.ranks_elsewhere = true;
    CHECK(observed_scenario(job).scenario.source.service.family() == Service::local);
  }
}

struct Look {
  std::string disk = "sda";
  bool idle_disk = false;
  double halves = 1.0;  ///< samples of an interval
};

/// 100 steps of 100 ms; in a share of the time the disk is full.
ObservedJob looked(double share, const Look& look) {
  observe::JobObserver observer;
  ObservationHeader header;
  header.clock = ClockKind::relative;
  header.interval = milliseconds(100.0) / look.halves;
  header.gpus = 1.0;
  observer.add(header);
  const int all = static_cast<int>(100.0 * look.halves);
  for (int i = 1; i <= all; ++i) {
    const Duration at = static_cast<double>(i) * *header.interval;
    const bool full = static_cast<double>(i - 1) < share * all;
    observer.add(Sample{
        .at = at, .metric = MetricId::disk_busy, .name = look.disk, .value = full ? 100.0 : 40.0});
    observer.add(Sample{
        .at = at, .metric = MetricId::disk_read, .name = look.disk, .value = full ? 2e8 : 1e8});
    if (look.idle_disk) {
      observer.add(Sample{.at = at, .metric = MetricId::disk_busy, .name = "sdz", .value = 0.0});
      observer.add(Sample{.at = at, .metric = MetricId::disk_read, .name = "sdz", .value = 0.0});
    }
  }
  for (int i = 0; i <= 100; ++i) {
    observer.add(Mark{milliseconds(100.0 * i), MarkKind::step, false, i, "", ""});
  }
  return observer.finish({8.0, 1.0, 0.0, {}, {}}, "drawn");
}

TEST_CASE("observed limits: a disk is as full under another name, beside others and in halves") {
  for (const double share : {0.0, 0.3, 0.7, 1.0}) {
    const ObservedJob whole = looked(share, {});
    REQUIRE(whole.disk);
    for (const Look& look : {Look{"nvme1n1", false, 1.0}, Look{"sda", true, 1.0},
                             Look{"sda", false, 2.0}, Look{"sda", true, 4.0}}) {
      const ObservedJob same = looked(share, look);
      REQUIRE(same.disk);
      CHECK(same.disk->name == look.disk);
      CHECK(same.disk->saturated == Approx(whole.disk->saturated).margin(0.02));
      CHECK(same.disk->busy->value == Approx(whole.disk->busy->value).epsilon(0.02));
      CHECK(same.disk->rate.value == Approx(whole.disk->rate.value).epsilon(0.02));
      CHECK(same.disk->is_saturated() == (share == 1.0));
    }
  }
}

TEST_CASE("observed limits: neighbours are what is busy beside the job and what is stolen") {
  Draw draw(145);
  int named = 0;
  for (int i = 0; i < 40; ++i) {
    const double own = draw.real(1.0, 39.0);  // percent of both CPUs
    const double others = draw.real(1.0, 60.0);
    const double steal = draw.real(0.1, 9.0);
    observe::JobObserver observer;
    ObservationHeader header;
    header.clock = ClockKind::relative;
    header.interval = seconds(1.0);
    header.gpus = 1.0;
    header.cpus = 2.0;
    observer.add(header);
    for (int k = 1; k <= 30; ++k) {
      const auto put = [&](MetricId metric, const char* name, double value) {
        observer.add(Sample{.at = seconds(k), .metric = metric, .name = name, .value = value});
      };
      for (const char* cpu : {"cpu0", "cpu1"}) {
        put(MetricId::cpu_busy, cpu, own + others);
        put(MetricId::cpu_steal, cpu, steal);
      }
      put(MetricId::process_cpu, "trainer-1", 0.5 * own);
      put(MetricId::process_cpu, "worker-2", own);
      put(MetricId::process_cpu, "other-3", 0.5 * own);
      observer.add(Mark{seconds(k), MarkKind::step, false, k, "", ""});
    }
    const ObservedJob job = observer.finish({8.0, {}, {}, {}, {}}, "drawn");
    REQUIRE(job.others);
    CHECK(*job.others == Approx(0.01 * others).margin(1e-9));
    CHECK(job.steal->value == Approx(0.01 * steal).margin(1e-9));
    const std::string said = observed_scenario(job).scenario.about.expectation;
    const bool much = others + steal >= 10.0;
    CHECK((said.find("other work took CPU time of the machine") != std::string::npos) == much);
    named += much ? 1 : 0;
  }
  CHECK_DRAWN(named > 5);
  CHECK(named < 35);
}

}  // namespace
