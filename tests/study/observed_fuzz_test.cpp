// Damaged recordings and impossible jobs on the whole way to a scenario: it can be run, or the
// complaint says what was expected.
#include <cmath>
#include <random>

#include "base/text_file.hpp"
#include "catalog/catalog.hpp"
#include "observe/job_observer.hpp"
#include "schema/documents/observation.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/observed_scenario.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/formats/imports.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

constexpr ToldOfJob told{8.0, 1.0, 2.0, {}, 100.0};

/// Throughput of the scenario as it is written.
double throughput_of(const ObservedJob& job) {
  const std::string text = schema::write_scenario(observed_scenario(job).scenario);
  const Scenario again = schema::read_scenario(schema::parse_document(text, "observed job"));
  return run(again, Catalog{}, nullptr).throughput.value_or(Throughput{}).base();
}

void expect_said(const InputError& error, const std::string& of) {
  for (const Problem& problem : error.problems()) {
    if (problem.message.find("expected ") == std::string::npos ||
        problem.text().find('\n') != std::string::npos) {
      FAIL(problem.text() << "\nof\n" << of);
    }
  }
}

TEST_CASE("observe fit: damaged recordings give a scenario that runs, or a complaint") {
  std::mt19937_64 random(feedrate::test::seeded(29));
  const test::TemporaryFolder folder;
  int fine = 0;
  int refused = 0;
  for (const std::string& name : test::recordings()) {
    const std::string whole = read_text_file(test::recording(name));
    for (int i = 0; i < 30; ++i) {
      const std::string text = test::damaged(whole, random);
      try {
        observe::JobObserver observer;
        const formats::ImportedObservation of = test::import({folder.write("fuzz", text)});
        observer.add(of.header());
        of.for_each([&](const schema::ObservationLine& line) {
          std::visit([&](const auto& one) { observer.add(one); }, line);
        });
        const double throughput = throughput_of(observer.finish(told, "fuzz"));
        if (!std::isfinite(throughput) || throughput <= 0.0) FAIL(throughput << " of\n" << text);
        ++fine;
      } catch (const InputError& error) {
        expect_said(error, text);
        ++refused;
      }
    }
  }
  CHECK(fine > 200);
  CHECK(refused > 20);
}

TEST_CASE("observe fit: whatever was observed, the scenario runs, or the complaint names a key") {
  std::mt19937_64 random(feedrate::test::seeded(31));
  const auto chance = [&] { return random() % 2 == 0; };
  const auto real = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random));
  };
  const auto number = [&](double low, double high) {
    const double value = random() % 8 == 0 ? 0.0 : real(low, high);
    return ObservedNumber{value, real(1e-6, 10.0), std::floor(real(1.0, 1e6)), "samples"};
  };
  const auto maybe = [&](double low, double high) {
    return chance() ? std::optional(number(low, high)) : std::nullopt;
  };
  const auto device = [&] {
    ObservedDevice seen;
    seen.name = "d";
    seen.busy = maybe(1e-6, 1.0);
    seen.saturated = chance() ? 1.0 : 0.0;
    seen.rate = number(1e-6, 1e13);
    seen.highest_rate = seen.rate.value;
    seen.written = chance() ? 0.0 : real(1.0, 1e12);
    return seen;
  };
  int fine = 0;
  for (int i = 0; i < 1500; ++i) {
    ObservedJob job;
    job.source = "drawn";
    job.batch_size = std::floor(real(1.0, 1e5));
    job.gpus = std::floor(real(1.0, 64.0));
    job.workers = chance() ? 0.0 : std::floor(real(1.0, 256.0));
    if (chance()) job.cpus = std::floor(real(1.0, 512.0));
    if (chance()) job.epoch_steps = std::floor(real(1.0, 1e6));
    job.interval = number(1e-6, 1e6);
    if (job.interval.value <= 0.0) job.interval.value = 1e-6;
    job.throughput = job.interval;
    job.throughput.value = job.batch_size * job.gpus / job.interval.value;
    if (chance()) {
      job.wait = number(1e-9, 1.0);
      job.wait->value = std::min(job.wait->value, 1.0) * job.interval.value;
      job.least_wait = job.wait->value * real(1e-3, 1.0);
      if (chance()) {
        job.others_wait = number(1e-6, 1.0);
        job.others_wait->value *= job.interval.value - job.wait->value;
      }
    }
    if (chance()) job.step_cv = real(1e-6, 1e3);
    job.exposed_collective = maybe(1e-9, 1e3);
    job.collective_time = maybe(1e-9, 1e3);
    job.all_reduced_bytes = maybe(1e-3, 1e15);
    job.copy_time = maybe(1e-9, 1e3);
    job.exposed_copy = maybe(1e-9, 1e3);
    job.copied_bytes = maybe(1e-3, 1e15);
    if (chance()) job.pinned_share = real(1e-3, 1.0);
    job.pinned_rate = maybe(1e-3, 1e18);
    job.pageable_rate = maybe(1e-3, 1e18);
    job.gpu_busy = maybe(1e-6, 1.0);
    job.cpu_busy = maybe(1e-6, 1.0);
    if (chance()) job.disk = device();
    if (chance()) job.link = device();
    job.worker_cpu = maybe(1e-12, 1e6);
    job.main_cpu = maybe(1e-12, 1e6);
    job.all_cpu = maybe(1e-12, 1e6);
    job.device_bytes = maybe(1e-6, 1e15);
    job.cached_bytes = maybe(1e-6, 1e15);
    job.network_bytes = maybe(1e-6, 1e15);
    job.device_reads = maybe(1e-9, 1e9);
    job.gpu_bytes = maybe(1e-6, 1e15);
    const std::string text = schema::write_scenario(observed_scenario(job).scenario);
    try {
      const double throughput = throughput_of(job);
      if (!std::isfinite(throughput) || throughput <= 0.0) FAIL(throughput << " of\n" << text);
      ++fine;
    } catch (const InputError& error) {
      expect_said(error, text);
      for (const Problem& problem : error.problems()) {
        if (problem.pointer.empty()) FAIL(problem.text() << "\nof\n" << text);
      }
    }
  }
  CHECK(fine > 1000);
}

}  // namespace
