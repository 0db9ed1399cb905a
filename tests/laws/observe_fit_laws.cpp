// What a simulated job's samples are fitted to predicts that job, whichever part of them is seen.
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

#include "catalog/catalog.hpp"
#include "observe/job_observer.hpp"
#include "observe/twin.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/observed_scenario.hpp"
#include "study/run.hpp"
#include "study/timeline.hpp"
#include "tests/catch.hpp"
#include "tests/seed.hpp"

using namespace feedrate;

namespace {

using observe::JobObserver;
using observe::TwinLine;

constexpr double batch = 32.0;

struct Drawn {
  double workers = 1.0;
  double cpu_ms = 1.0;
  double step_ms = 1.0;
  double read_ms = 0.0;
};

/// Loaders and GPUs of like speed, either of which may be the limit.
Drawn draw(std::mt19937_64& random, bool reads) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Drawn job;
  job.workers = std::floor(1.0 + 6.0 * uniform(random));
  job.cpu_ms = 1.0 + 9.0 * uniform(random);
  job.read_ms = reads ? 1.0 + 5.0 * uniform(random) : 0.0;
  const double batch_ms = batch * (job.cpu_ms + job.read_ms) / job.workers;
  double ratio = std::exp((2.0 * uniform(random) - 1.0) * std::log(4.0));
  // At a tie the two wait for each other in turn, which no closed form has to the last percent.
  if (std::abs(std::log(ratio)) < 0.2) ratio = 1.3;
  if (reads) ratio = std::min(ratio, 0.7);
  job.step_ms = batch_ms * ratio;
  return job;
}

Scenario scenario_of(const Drawn& job) {
  const std::string text = fmt::format(
      R"({{"dataset": {{"samples": 256000, "bytes_per_sample": "1 B", "bytes_on_gpu_per_sample": "0 B"}},
           "disk": {{"kind": "other", "bandwidth": "1 TB/s", "latency": "{} ms", "open_latency": "0 s",
                     "page_cache": "{}"}},
           "loader": {{"num_workers": {}, "batch_size": {}, "worker_startup": "10 ms",
                       "persistent_workers": true}},
           "preprocess": [{{"operation": "decode", "cpu": "{} ms"}}],
           "cluster": {{"gpus_per_instance": 1, "vcpus": 8, "cores": 8, "memory": "32 GB",
                        "price": "1 USD/h"}},
           "job": {{"epochs": 2, "step": "{} ms"}}}})",
      job.read_ms, job.read_ms > 0.0 ? "1 B" : "1 TB", job.workers, batch, job.cpu_ms, job.step_ms);
  return schema::read_scenario(schema::parse_document(text, "drawn.json"));
}

std::vector<TwinLine> lines_of(const Scenario& scenario, Duration interval) {
  std::vector<TwinLine> lines;
  const Timeline timeline = study::timeline(scenario, Catalog{}, nullptr, {200.0, 1'000'000, true});
  observe::write_twin(timeline, interval, "n",
                      [&](const TwinLine& line) { lines.push_back(line); });
  return lines;
}

Duration time_of(const TwinLine& line) {
  return std::visit([](const auto& of) { return of.at; }, line);
}

struct Seen {
  double scale = 1.0;  ///< of time
  Duration from;
  Duration to = seconds(1e9);
  bool idle_devices = false;
};

ObservedJob observed(const std::vector<TwinLine>& lines, Duration interval, const Seen& seen = {}) {
  JobObserver observer;
  ObservationHeader header;
  header.clock = ClockKind::relative;
  header.interval = interval * seen.scale;
  header.cpus = seen.idle_devices ? 16.0 : 8.0;
  header.cores = header.cpus;
  header.gpus = 1.0;
  observer.add(header);
  double last = -1.0;
  for (TwinLine line : lines) {
    if (time_of(line) < seen.from || time_of(line) >= seen.to) continue;
    std::visit([&](auto& of) { of.at *= seen.scale; }, line);
    const auto* const sample = std::get_if<Sample>(&line);
    if (seen.idle_devices && sample != nullptr && sample->at.base() != last) {
      last = sample->at.base();
      Sample idle = *sample;
      idle.metric = MetricId::process_cpu;
      idle.name = "other-99";
      idle.value = 0.0;
      observer.add(idle);
      idle.metric = MetricId::disk_busy;
      idle.name = "sdz";
      observer.add(idle);
    }
    if (seen.idle_devices && sample != nullptr && sample->metric == MetricId::cpu_busy) {
      Sample half = *sample;  // of twice as many
      half.value /= 2.0;
      observer.add(half);
      continue;
    }
    std::visit([&](const auto& of) { observer.add(of); }, line);
  }
  ToldOfJob told;
  told.batch_size = batch;
  return observer.finish(told, "drawn");
}

/// How much longer a core takes where so much is done a second.
double stretch_of(const Curve<double>& cores, double work) {
  double busy = std::max(1.0, work);
  for (int i = 0; i < 100; ++i) busy = std::max(1.0, work * busy / cores.total(busy));
  return busy / cores.total(busy);
}

double error(double value, double of) {
  return std::abs(value / of - 1.0);
}

TEST_CASE("observe fit: what a job's samples are fitted to predicts its throughput") {
  std::mt19937_64 random(feedrate::test::seeded(20261122));
  int starved = 0;
  for (int i = 0; i < 30; ++i) {
    const Drawn job = draw(random, i % 3 == 2);
    INFO(job.workers << " workers, " << job.cpu_ms << " ms, reads " << job.read_ms << " ms, step "
                     << job.step_ms << " ms");
    const Scenario scenario = scenario_of(job);
    const Result simulated = study::run(scenario, Catalog{}, nullptr);
    const Duration interval = milliseconds(job.step_ms);
    const ObservedJob seen = observed(lines_of(scenario, interval), interval);
    CHECK(seen.workers == job.workers);
    REQUIRE(seen.worker_cpu);
    // Cores that are busy together take longer.
    const Curve<double> cores = resolve::resolve(scenario, Catalog{}).inputs.cores;
    const double stretched =
        job.cpu_ms * 1e-3 * stretch_of(cores, simulated.throughput->base() * job.cpu_ms * 1e-3);
    CHECK(error(seen.worker_cpu->value, stretched) < 0.05);
    const study::ObservedScenario fitted = study::observed_scenario(seen);
    // As it is written, with every key allowed.
    const Scenario again = schema::read_scenario(
        schema::parse_document(schema::write_scenario(fitted.scenario), "fitted.json"));
    const Result predicted = study::run(again, Catalog{}, nullptr);
    CHECK(error(predicted.throughput->base(), simulated.throughput->base()) < 0.05);
    CHECK(error(again.job.step->fixed->base(), job.step_ms * 1e-3) < 0.05);
    const bool waits = simulated.gpu_busy < 0.9;
    starved += waits ? 1 : 0;
    if (waits && job.read_ms > 0.0) {
      CHECK(error(again.disk.latency->base(), job.read_ms * 1e-3) < 0.1);
    }
    // Other workers than those that were observed; where they read, only if that was seen.
    Scenario more = scenario;
    Scenario fitted_more = again;
    more.loader.num_workers = WorkerCount(job.workers + 1.0);
    fitted_more.loader.num_workers = more.loader.num_workers;
    const double truth = study::run(more, Catalog{}, nullptr).throughput->base();
    CHECK(error(study::run(fitted_more, Catalog{}, nullptr).throughput->base(), truth) < 0.07);
  }
  CHECK_DRAWN(starved > 5);
  CHECK(starved < 28);
}

TEST_CASE("observe fit: demands are the same of either half, and of more that does nothing") {
  std::mt19937_64 random(feedrate::test::seeded(7));
  for (int i = 0; i < 10; ++i) {
    const Drawn job = draw(random, false);
    INFO(job.workers << " workers, " << job.cpu_ms << " ms, step " << job.step_ms << " ms");
    const Duration interval = milliseconds(job.step_ms / 2.0);
    std::vector<TwinLine> lines = lines_of(scenario_of(job), interval);
    Duration begin = seconds(1e9);
    Duration end;
    for (const TwinLine& line : lines) {
      const auto* const mark = std::get_if<Mark>(&line);
      if (mark == nullptr || mark->kind != MarkKind::step) continue;
      end = std::max(end, mark->at);
      begin = std::min(begin, mark->at);
    }
    // One epoch: from where the second begins.
    for (const TwinLine& line : lines) {
      const auto* const mark = std::get_if<Mark>(&line);
      if (mark != nullptr && mark->kind == MarkKind::epoch && mark->number == 2) {
        begin = std::max(begin, mark->at);
      }
    }
    const Duration middle = 0.5 * (begin + end);
    const ObservedJob whole = observed(lines, interval, {1.0, begin, seconds(1e9), false});
    for (const ObservedJob& half :
         {observed(lines, interval, {1.0, begin, middle, false}),
          observed(lines, interval, {1.0, middle, seconds(1e9), false})}) {
      CHECK(error(half.worker_cpu->value, whole.worker_cpu->value) < 0.06);
      CHECK(error(half.throughput.value, whole.throughput.value) < 0.03);
    }
    const ObservedJob slower = observed(lines, interval, {3.0, {}, seconds(1e9), false});
    const ObservedJob same = observed(lines, interval);
    CHECK(error(slower.worker_cpu->value, 3.0 * same.worker_cpu->value) < 1e-6);
    CHECK(error(slower.interval.value, 3.0 * same.interval.value) < 1e-6);
    const ObservedJob idle = observed(lines, interval, {1.0, {}, seconds(1e9), true});
    CHECK(error(idle.worker_cpu->value, same.worker_cpu->value) < 1e-6);
    CHECK(error(idle.all_cpu->value, same.all_cpu->value) < 1e-6);
    CHECK(error(idle.throughput.value, same.throughput.value) < 1e-9);
  }
}

}  // namespace
