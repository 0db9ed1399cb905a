// The samples of a simulated job are what the simulation did.
#include "observe/twin.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "catalog/catalog.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"
#include "study/timeline.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::observe;

namespace {

/// One epoch or more of a job that waits for two workers: small enough to be shown whole.
Scenario small_job(double workers, double step_ms) {
  const std::string text = fmt::format(
      R"({{"dataset": {{"samples": 3200, "bytes_per_sample": "100 kB"}},
           "disk": {{"kind": "nvme", "bandwidth": "400 MB/s"}},
           "loader": {{"num_workers": {}, "batch_size": 32, "worker_startup": "10 ms"}},
           "preprocess": [{{"operation": "decode", "cpu": "5 ms"}}],
           "cluster": {{"gpus_per_instance": 1, "vcpus": 8, "cores": 8, "memory": "32 GB",
                        "price": "1 USD/h"}},
           "job": {{"epochs": 2, "step": "{} ms"}}}})",
      workers, step_ms);
  return schema::read_scenario(schema::parse_document(text, "small.json"));
}

struct Totals {
  std::map<std::string, double> busy;  ///< seconds by series
  std::map<std::string, int> marks;
  double read = 0.0;  ///< bytes, of the disk
  Duration length;
};

constexpr Duration interval = milliseconds(70.0);

Totals totals_of(const Timeline& timeline) {
  Totals totals;
  std::map<std::string, Duration> last;
  Duration section;  // its beginning
  write_twin(timeline, interval, "n", [&](const TwinLine& line) {
    if (const auto* const mark = std::get_if<Mark>(&line)) {
      ++totals.marks[fmt::format("{} {}", name_of(mark->kind), mark->begins)];
      if (mark->kind == MarkKind::epoch && mark->begins) section = mark->at;
    }
    const auto* const sample = std::get_if<Sample>(&line);
    if (sample == nullptr) return;
    CHECK(sample->value >= 0.0);
    if (sample->metric == MetricId::disk_reads) return;
    if (sample->metric == MetricId::process_cpu_wait) return;
    const double k = std::ceil((sample->at - section) / interval - 1e-6) - 1.0;
    const Duration from = section + k * interval;
    if (sample->metric == MetricId::disk_read) {
      totals.read += sample->value * (sample->at - from).base();
      return;
    }
    CHECK(sample->value <= 100.0);
    const std::string series = fmt::format("{}/{}", metric(sample->metric).type, sample->name);
    CHECK(last[series].base() <= from.base() + 1e-6);
    last[series] = sample->at;
    totals.busy[series] += sample->value / 100.0 * (sample->at - from).base();
  });
  for (const TimelineSection& one : timeline.sections) totals.length += one.length;
  return totals;
}

TEST_CASE("twin: samples average to what the simulation's GPU, workers and cores did") {
  for (const double workers : {1.0, 3.0, 6.0}) {
    for (const double step : {5.0, 60.0}) {
      INFO(workers << " workers, a step of " << step << " ms");
      const Scenario scenario = small_job(workers, step);
      const Timeline timeline =
          study::timeline(scenario, Catalog{}, nullptr, {1000.0, 1'000'000, true});
      REQUIRE(timeline.sections.size() == 2);
      const Totals totals = totals_of(timeline);
      double gpu = 0.0;
      double main = 0.0;
      std::size_t steps = 0;
      for (const TimelineSection& section : timeline.sections) {
        REQUIRE(section.whole);
        steps += section.steps.size();
        for (const Track& track : section.tracks) {
          for (const TimelineSpan& span : track.spans) {
            const bool works = !span.waiting || span.stage == Stage::allreduce;
            if (track.kind == TrackKind::gpu && works) gpu += (span.end - span.begin).base();
            if (track.kind == TrackKind::main && !span.waiting) {
              main += (span.end - span.begin).base();
            }
          }
        }
      }
      CHECK(totals.busy.at("gpu/gpu0") == Approx(gpu).epsilon(1e-9));
      CHECK(totals.busy.at("process/trainer-0") == Approx(main).epsilon(1e-9).margin(1e-9));
      CHECK(totals.marks.at("step false") == static_cast<int>(steps));
      CHECK(totals.marks.at("epoch true") == 2);
      CHECK(totals.marks.at("epoch false") == 2);
      if (totals.marks.contains("batch true")) {
        CHECK(totals.marks.at("batch true") == totals.marks.at("batch false"));
      }
      // What run says that monitors show: the closed form of the same job.
      const Result result = study::run(scenario, Catalog{}, nullptr, {});
      REQUIRE(result.monitors);
      const double length = totals.length.base();
      CHECK(totals.busy.at("gpu/gpu0") / length == Approx(result.monitors->gpu).margin(0.06));
      if (result.monitors->cpu) {
        CHECK(totals.busy.at("cpu/cpu") / length == Approx(*result.monitors->cpu).margin(0.08));
      }
      // The first epoch reads all samples, of which the second finds all in memory.
      CHECK(totals.read == Approx(3200.0 * 100e3));
      // Workers, main process and pinning thread use no more than the cores.
      double processes = 0.0;
      for (const auto& [series, busy] : totals.busy) {
        if (series.starts_with("process/")) processes += busy;
      }
      CHECK(totals.busy.at("stage/decode") <= processes + 1e-9);
    }
  }
}

TEST_CASE("twin: who waits for a CPU quota does not compute, and its counters tell so") {
  // Four workers that need 5 ms of a CPU for a sample, and two CPUs: 400 samples/s.
  Scenario scenario = small_job(4.0, 5.0);
  scenario.cluster.cpu_quota = 2.0;
  const Timeline timeline =
      study::timeline(scenario, Catalog{}, nullptr, {1000.0, 1'000'000, true});
  double workers = 0.0, held = 0.0, periods = 0.0;
  int samples = 0;
  write_twin(timeline, seconds(1.0), "n", [&](const TwinLine& line) {
    const auto* const sample = std::get_if<Sample>(&line);
    // The beginning and the end of each epoch of 8 s are others.
    if (sample == nullptr || sample->at < seconds(2.5) || sample->at > seconds(6.5)) return;
    if (sample->metric == MetricId::process_cpu && sample->name.starts_with("worker")) {
      workers += sample->value;
    }
    if (sample->metric == MetricId::throttled_cores) held += sample->value;
    if (sample->metric == MetricId::throttled_periods) {
      periods += sample->value;
      ++samples;
    }
  });
  REQUIRE(samples >= 3);
  // Of four that are ready each is slower than of two, which the quota counts and the twin does not.
  CHECK(workers / samples == Approx(200.0).epsilon(0.1));
  CHECK(held / samples == Approx(200.0).epsilon(0.15));
  CHECK(periods / samples == Approx(100.0).epsilon(0.05));
}

TEST_CASE("twin: who waits for a core that others have does not compute") {
  // Eight workers and twelve other threads are ready for eight CPUs: each has one for 8/20 of the
  // time. With 24 workers and no others it is 8/24.
  for (const auto& [workers, others] : {std::pair(8.0, 12.0), std::pair(24.0, 0.0)}) {
    INFO(workers << " workers, " << others << " others");
    Scenario scenario = small_job(workers, 1.0);
    scenario.dataset.samples = 32000.0;
    if (others > 0.0) scenario.cluster.other_threads = others;
    const Timeline timeline =
        study::timeline(scenario, Catalog{}, nullptr, {2000.0, 1'000'000, true});
    double all = 0.0, computing = 0.0, waiting = 0.0;
    int samples_of_all = 0;
    write_twin(timeline, seconds(1.0), "n", [&](const TwinLine& line) {
      const auto* const sample = std::get_if<Sample>(&line);
      // The second epoch reads nothing; its beginning is another.
      if (sample == nullptr || sample->at < timeline.sections.back().begin + seconds(2.5)) return;
      if (sample->at > timeline.sections.back().begin + seconds(8.5)) return;
      const bool of_worker = sample->name.starts_with("worker");
      if (sample->metric == MetricId::cpu_busy) {
        all += sample->value;
        ++samples_of_all;
      }
      if (sample->metric == MetricId::process_cpu && of_worker) computing += sample->value;
      if (sample->metric == MetricId::process_cpu_wait && of_worker) waiting += sample->value;
    });
    REQUIRE(samples_of_all >= 4);
    const double share = 8.0 / (workers + others);
    CHECK(all / samples_of_all == Approx(100.0).epsilon(0.01));
    CHECK(computing / samples_of_all == Approx(100.0 * workers * share).epsilon(0.05));
    CHECK(waiting / samples_of_all == Approx(100.0 * workers * (1.0 - share)).epsilon(0.05));
  }
}

TEST_CASE("twin: checkpoints that it leaves out are told of") {
  Scenario scenario = small_job(4.0, 10.0);
  const auto remarks = [&] {
    return study::timeline(scenario, Catalog{}, nullptr, {20.0}).remarks.size();
  };
  CHECK(remarks() == 0);
  scenario.job.checkpoint.emplace();
  scenario.job.checkpoint->interval = seconds(1.0);
  scenario.job.checkpoint->size = gigabytes(1.0);
  scenario.job.checkpoint->bandwidth = bytes_per_second(1e9);
  CHECK(remarks() == 1);
}

TEST_CASE("twin: a part of an epoch says that it goes on") {
  const Timeline timeline = study::timeline(small_job(2.0, 10.0), Catalog{}, nullptr, {20.0});
  int remarks = 0;
  write_twin(timeline, interval, "n", [&](const TwinLine& line) {
    if (const auto* const remark = std::get_if<ObservationRemark>(&line)) {
      ++remarks;
      CHECK(remark->text.find("the rest continues likewise") != std::string::npos);
    }
  });
  CHECK(remarks == 2);
}

}  // namespace
