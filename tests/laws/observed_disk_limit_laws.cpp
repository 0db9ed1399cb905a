// What a control group lets a job read of a disk is a bound of every prediction, whether or not the
// job came near to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

#include "catalog/catalog.hpp"
#include "observe/heat_map.hpp"
#include "observe/job_observer.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/diagnose.hpp"
#include "study/observed_parts.hpp"
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

ObservedNumber samples_of(double value) {
  return {value, 0.0, 100.0, "samples"};
}

/// A job that reads from a disk of which its control group may use so much that it used `used`.
ObservedJob limited(Draw& draw, double used, bool waits) {
  ObservedJob job;
  job.source = "drawn";
  job.batch_size = draw.whole(8, 64);
  job.workers = draw.whole(1, 8);
  job.cpus = 16.0;
  job.epoch_steps = 2000.0;
  job.interval = samples_of(draw.real(0.02, 1.0));
  job.throughput = samples_of(job.batch_size / job.interval.value);
  job.wait = samples_of(waits ? job.interval.value * draw.real(0.4, 0.8) : 0.0);
  job.least_wait = 0.0;
  job.cpu_busy = samples_of(0.1);
  const double each = job.workers / job.throughput.value;
  job.worker_cpu = samples_of(each * draw.real(0.05, 0.4));
  job.device_bytes = samples_of(draw.real(1e3, 1e7));
  if (draw.chance()) job.cached_bytes = samples_of(draw.real(1e3, 1e7));
  job.device_reads = samples_of(draw.real(0.1, 20.0));
  ObservedDevice disk;
  disk.name = "sda";
  disk.busy = samples_of(0.02);
  disk.rate = samples_of(job.device_bytes->value * job.throughput.value);
  disk.highest_rate = disk.rate.value;
  disk.limit.emplace();
  disk.limit->used = samples_of(used);
  disk.limit->bytes = samples_of(disk.rate.value / used);
  job.disk = disk;
  return job;
}

/// The same whose requests are counted instead of their bytes.
ObservedJob counted(ObservedJob job) {
  ObservedLimit& limit = *job.disk->limit;
  limit.bytes.reset();
  limit.reads = samples_of(job.device_reads->value * job.throughput.value / limit.used->value);
  return job;
}

Result run(const Scenario& scenario) {
  const Scenario again = schema::read_scenario(
      schema::parse_document(schema::write_scenario(scenario), "observed.json"));
  return study::run(again, Catalog{}, nullptr);
}

double predicted(const Scenario& scenario) {
  return run(scenario).throughput->base();
}

/// Everything but the limit as good as it can be.
Scenario unbound(Scenario scenario, double workers) {
  scenario.loader.num_workers = WorkerCount(workers);
  scenario.cluster.vcpus = 512.0;
  scenario.disk.latency = Duration{};
  scenario.job.step->fixed = microseconds(1.0);
  return scenario;
}

TEST_CASE("observed disk limit: no prediction is over what the limit lets through") {
  Draw draw(151);
  int bound = 0;
  for (int i = 0; i < 60; ++i) {
    const double used = draw.real(0.05, 1.0);
    ObservedJob job = limited(draw, used, draw.chance());
    const bool requests = draw.chance();
    if (requests) job = counted(job);
    const ObservedScenario made = observed_scenario(job);
    const double most = job.throughput.value / used;
    INFO("case " << i << ": used " << used << (requests ? " of its requests" : " of its bytes"));
    CHECK(predicted(made.scenario) <= most * 1.001);
    CHECK(predicted(made.scenario) == Approx(job.throughput.value).epsilon(0.05));
    for (const double workers : {1.0, job.workers, 64.0}) {
      const double got = predicted(unbound(made.scenario, workers));
      CHECK(got <= most * 1.001);
      if (got > 0.98 * most) ++bound;
    }
  }
  CHECK_DRAWN(bound > 60);
}

TEST_CASE("observed disk limit: a higher limit makes no job slower") {
  Draw draw(152);
  for (int i = 0; i < 30; ++i) {
    ObservedJob job = limited(draw, 0.94, draw.chance());
    if (draw.chance()) job = counted(job);
    const double workers = draw.whole(1, 32);
    double before = 0.0;
    // The same job under other limits, each of which it kept within.
    for (const double used : {0.94, 0.7, 0.4, 0.2, 0.05}) {
      ObservedJob other = job;
      ObservedLimit& limit = *other.disk->limit;
      limit.used->value = used;
      if (limit.bytes) limit.bytes->value *= 0.94 / used;
      if (limit.reads) limit.reads->value *= 0.94 / used;
      Scenario scenario = observed_scenario(other).scenario;
      scenario.loader.num_workers = WorkerCount(workers);
      const double now = predicted(scenario);
      INFO("case " << i << ", used " << used);
      CHECK(now >= before * 0.999);
      before = now;
    }
    // What if it were set to another.
    before = 0.0;
    for (const double factor : {0.01, 0.3, 1.0, 3.0, 100.0}) {
      Scenario scenario = observed_scenario(job).scenario;
      if (scenario.disk.discipline == Discipline::rate_limit) *scenario.disk.bandwidth *= factor;
      if (scenario.disk.iops) *scenario.disk.iops *= factor;
      const double now = predicted(scenario);
      INFO("case " << i << ", limit times " << factor);
      CHECK(now >= before * 0.999);
      CHECK(now <= factor * job.throughput.value / 0.94 * 1.001);
      before = now;
    }
  }
}

TEST_CASE(
    "observed disk limit: where the job reaches it, it is the bottleneck, named as its origin") {
  Draw draw(153);
  for (int i = 0; i < 30; ++i) {
    ObservedJob job = limited(draw, draw.real(0.96, 1.1), true);
    const bool requests = draw.chance();
    if (requests) job = counted(job);
    const ObservedScenario made = observed_scenario(job);
    INFO("case " << i << ": " << schema::write_scenario(made.scenario));
    CHECK(run(made.scenario).bottleneck.stage == Stage::disk);
    const char* const key = requests ? "/disk/iops" : "/disk/bandwidth";
    int named = 0;
    for (const study::ObservedInput& input : made.inputs) {
      if (input.pointer != key) continue;
      ++named;
      CHECK(input.origin == "observed: the limit of the job's control group on sda");
    }
    CHECK(named == 1);
    // What waits for the limit waits no less with more workers.
    const double more = predicted(unbound(made.scenario, 64.0));
    CHECK(more < 1.06 * job.throughput.value);
  }
}

TEST_CASE("observed disk limit: reads of a sample are those that the limit counted, where it did") {
  Draw draw(8);
  for (int i = 0; i < 200; ++i) {
    ObservedJob job = limited(draw, draw.real(0.3, 1.0), true);
    ObservedLimit& limit = *job.disk->limit;
    limit.reads = samples_of(draw.real(10.0, 1e5));
    const double rate = job.throughput.value;
    const double of_device = job.device_reads->value;
    const double of_limit = limit.used->value * limit.reads->value / rate;
    const auto found = [&] { return study::reads_of_limit(job).value(); };
    INFO("device " << of_device << ", limit " << of_limit);
    // Its bytes are all used, so that its requests may not be: no more than either.
    CHECK(found() == Approx(std::min(of_device, of_limit)).epsilon(1e-2));
    job.device_reads.reset();
    CHECK(found() == Approx(of_limit).epsilon(1e-2));
    job.device_reads = samples_of(of_device);
    limit.bytes->value *= draw.real(1.2, 10.0);
    CHECK(found() == Approx(of_limit).epsilon(1e-2));
    limit.bytes.reset();
    CHECK(found() == Approx(of_limit).epsilon(1e-2));
    limit.used.reset();
    CHECK(found() == Approx(of_device).epsilon(1e-2));
    job.device_reads.reset();
    CHECK_FALSE(study::reads_of_limit(job));
  }
}

TEST_CASE("observed disk limit: what comes from the page cache is bound by none") {
  Draw draw(154);
  for (int i = 0; i < 20; ++i) {
    ObservedJob job = limited(draw, draw.real(0.05, 0.9), draw.chance());
    job.device_bytes->value = 0.0;
    ObservedJob without = job;
    without.disk->limit.reset();
    const Scenario one = observed_scenario(job).scenario;
    const Scenario other = observed_scenario(without).scenario;
    CHECK(schema::write_scenario(one) == schema::write_scenario(other));
  }
}

TEST_CASE("observed disk limit: what others of the group read is no part of what the job gets") {
  Draw draw(155);
  for (int i = 0; i < 20; ++i) {
    ObservedJob job = limited(draw, 1.0, true);
    job.disk->limit->bytes->value *= draw.real(1.3, 5.0);
    CHECK(predicted(observed_scenario(job).scenario) == Approx(job.throughput.value).epsilon(0.05));
  }
}

TEST_CASE("observed disk limit: beside a scenario with another limit it is what explains the gap") {
  Draw draw(157);
  for (int i = 0; i < 10; ++i) {
    ObservedJob job = limited(draw, 1.0, true);
    job.cached_bytes.reset();
    const ObservedScenario made = observed_scenario(job);
    ObservedJob other = job;
    other.disk->limit->bytes->value *= 1.5;
    other.disk->limit->used->value = 0.5;
    const schema::Document document = schema::parse_document(
        schema::write_scenario(observed_scenario(other).scenario), "other.json");
    const auto make = [&](const study::Setting& set) {
      schema::Document changed = document;
      for (const auto& [key, value] : set) schema::set_value(changed, key, value);
      return schema::read_scenario(changed);
    };
    Scenario before = make({});
    const study::ObservedComparison comparison =
        study::compare_observed(made, before, make, Catalog{}, nullptr);
    const auto found = std::find_if(
        comparison.explanations.begin(), comparison.explanations.end(),
        [](const study::Explanation& one) { return one.set.front().first == "/disk/bandwidth"; });
    REQUIRE(found != comparison.explanations.end());
    CHECK(found->predicted <= job.throughput.value * 1.05);
  }
}

/// 100 steps of 100 ms in which a control group uses a share of its limit on one of two disks.
template <class Take>
void tell(double used, double busy, const Take& take) {
  ObservationHeader header;
  header.clock = ClockKind::relative;
  header.interval = milliseconds(100.0);
  header.gpus = 1.0;
  take(header);
  for (int i = 1; i <= 100; ++i) {
    const auto put = [&](MetricId metric, const char* name, double value) {
      take(Sample{.at = milliseconds(100.0 * i), .metric = metric, .name = name, .value = value});
    };
    put(MetricId::cpu_busy, "cpu0", 10.0);
    put(MetricId::gpu_busy, "gpu0", 20.0);
    put(MetricId::disk_busy, "sda", 1.0);
    put(MetricId::disk_busy, "sdb", 100.0 * busy);
    put(MetricId::disk_read, "sda", used * 1e7);
    put(MetricId::disk_read, "sdb", 1e6);
    // It lets bursts through, and makes up for them.
    put(MetricId::disk_limit_busy, "sda", 100.0 * used * (i % 2 == 0 ? 1.1 : 0.9));
    put(MetricId::disk_limit_bytes, "sda", 1e7);
  }
  for (int i = 0; i <= 100; ++i) {
    take(Mark{milliseconds(100.0 * i), MarkKind::step, false, i, "", ""});
  }
}

TEST_CASE("observed disk limit: the disk that is nearest to its limit or its end is looked at") {
  Draw draw(156);
  for (int i = 0; i < 30; ++i) {
    const double used = draw.real(0.01, 1.0);
    const double busy = draw.real(0.01, 1.0);
    observe::JobObserver observer;
    tell(used, busy, [&](const auto& line) { observer.add(line); });
    const ObservedJob job = observer.finish({8.0, 1.0, 0.0, {}, {}}, "drawn");
    REQUIRE(job.disk);
    CHECK(job.disk->name == (used > busy ? "sda" : "sdb"));
    CHECK(job.disk->limit.has_value() == (used > busy));
    if (job.disk->limit) {
      CHECK(job.disk->limit->used->value == Approx(used).epsilon(0.02));
      CHECK(job.disk->limit->bytes->value == Approx(1e7));
    }
    // A picture of it has a row of its own, and its reading is the busier of both.
    observe::HeatMapMaker maker;
    tell(used, busy, [&](const auto& line) { maker.add(line); });
    const observe::HeatMap map = maker.finish({}, "drawn");
    int rows = 0;
    for (const observe::HeatRow& row : map.rows) rows += row.name == "sda limit" ? 1 : 0;
    CHECK(rows == 1);
    const double reading = map.readings[ReadingId::disk].value();
    CHECK(reading <= 1.0);
    CHECK(reading >= 0.94 * std::max(used, busy));
    const auto causes = study::causes_of(study::judge(map.readings, Thresholds{}));
    const bool is_disk = std::find(causes.begin(), causes.end(), Cause::disk) != causes.end();
    CHECK(is_disk == (reading >= Thresholds{}[ThresholdId::high]));
  }
}

TEST_CASE("observed disk limit: none is made of a limit that nobody can set") {
  for (const double most : {0.0, 0.5}) {
    observe::JobObserver observer;
    tell(0.9, 0.1, [&](auto line) {
      if constexpr (std::is_same_v<decltype(line), Sample>) {
        if (line.metric == MetricId::disk_limit_bytes) line.value = most;
      }
      observer.add(line);
    });
    const ObservedJob job = observer.finish({8.0, 1.0, 0.0, {}, {}}, "drawn");
    REQUIRE(job.disk);
    CHECK_FALSE(job.disk->limit);
    CHECK_NOTHROW(run(observed_scenario(job).scenario));
  }
}

}  // namespace
