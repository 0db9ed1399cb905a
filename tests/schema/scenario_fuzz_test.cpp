// Damaged scenarios and random ones: read or refused, never anything else.
#include <cmath>
#include <cstdint>
#include <random>

#include "schema/scenario/scenario.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

const std::string seed_text = R"({
  "name": "fuzz µ", "include": null, "about": {"fitted": ["a"]},
  "dataset": {"samples": 30600, "bytes_per_sample": "110 KB", "size_cv": 0.3},
  "source": {"service": "s3", "input_mode": "FastFile", "connections": 16},
  "loader": {"num_workers": 7, "batch_size": 256, "pin_memory": true, "drop_last": false},
  "preprocess": [{"operation": "decode", "cpu": "8.5 ms"}, {"operation": "norm", "gpu": "1 us", "where": "gpu"}],
  "cluster": {"instance": "ml.p3.2xlarge", "instances": 8, "price": "$3.825/h"},
  "job": {"epochs": 90, "step": {"table": [[1, "10 ms"], [256, "0.7 s"]]},
          "scaling": [[1, "57 min"], [5, "13 min"]]},
  "cases": [{"name": "c", "set": {"num_workers": 1}, "metric": "total_s", "measured": 2.6e2}]
})";

constexpr std::string_view pieces[] = {"GB/s", "\"include\": \"fuzz.json\",", "<<<<<<<"};
constexpr test::Damage damage{3, 12, pieces};

TEST_CASE("scenario: five thousand damaged files are read or refused with a place") {
  std::mt19937_64 random(feedrate::test::seeded(7));
  int fine = 0;
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = test::damaged(seed_text, random, damage);
    try {
      const Scenario scenario = read_scenario(parse_document(text, "/nowhere/fuzz.json"));
      ++fine;
      // What was accepted can be written and read again.
      if (read_scenario(parse_document(write_scenario(scenario), "w")) != scenario) {
        FAIL("not the same after writing: " << text);
      }
    } catch (const InputError& error) {
      ++refused;
      for (const Problem& problem : error.problems()) {
        if (problem.file.empty() || problem.line < 1 || problem.message.find("expected ") != 0) {
          FAIL("no place or no expectation: " << problem.text() << "\n" << text);
        }
      }
    }
  }
  CHECK(fine > 100);
  CHECK(refused > 2000);
}

TEST_CASE("set: random keys and values are taken or refused") {
  std::mt19937_64 random(feedrate::test::seeded(11));
  const Document document = parse_document(seed_text, "s.json");
  const std::vector<std::string> keys = scenario_short_keys();
  const std::string_view values[] = {"1",    "-1",      "0.5", "1e400", "true", "null",
                                     "{}",   "[]",      "[1]", "\"x\"", "\"",   "{\"a\": 1}",
                                     "3 ms", "10 GB/s", "",    "{",     "s3"};
  int refused = 0;
  for (const std::string& key : keys) {
    for (const std::string_view value : values) {
      try {
        Document changed = document;
        set_value(changed, key, value);
        read_scenario(changed);
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}

/// Random but valid fields of every kind.
Scenario random_scenario(std::mt19937_64& random) {
  const auto chance = [&] { return random() % 2 == 0; };
  const auto real = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random));
  };
  const auto whole = [&](double high) { return std::floor(real(1.0, high)); };
  Scenario s;
  s.name = "r" + std::to_string(random());
  s.dataset.samples = whole(1e15);
  s.loader.batch_size = 1.0;
  if (chance()) s.dataset.bytes_per_sample = bytes_per_sample(real(1.0, 1e12));
  if (chance()) s.source.throughput_per_capacity = SpecificBandwidth::of(real(1e-9, 1e-2));
  if (chance()) s.source.storage_held = seconds(real(1e-9, 1e8));
  if (chance()) s.disk.iops = per_second(real(1.0, 1e9));
  if (chance()) s.disk.page_cache = bytes(real(1.0, 1e15));
  if (chance()) s.loader.collate = DurationPerByte::of(real(1e-15, 1e-4));
  if (chance()) s.loader.pin_memory = chance();
  if (chance()) s.cluster.price = usd_per_hour(real(1e-3, 1e5));
  if (chance()) s.cluster.price = HourlyPrice::of(real(1e-6, 1e2));
  if (chance()) s.cluster.network = bytes_per_second(real(1.0, 1e14));
  if (chance()) s.currency = Currency{"EUR", real(1e-3, 1e3), chance() ? "2026-11-01" : ""};
  if (!s.cluster.price) {
    s.cluster.purchase = static_cast<Purchase>(random() % 3);
    if (s.cluster.purchase == Purchase::savings_plan && chance()) s.cluster.savings = 0.5;
    if (chance()) {
      s.cluster.prices = {{"ml.g5.xlarge", usd_per_hour(real(1e-3, 1e5))},
                          {"a \"b\"", HourlyPrice::of(real(1e-6, 1e2))}};
    }
  }
  for (std::uint64_t i = random() % 4; i > 0; --i) {
    Operation operation;
    operation.operation = "op \"" + std::to_string(i) + "\"\n";
    operation.cpu = seconds_per_sample(real(1e-9, 1e4));
    s.preprocess.push_back(operation);
  }
  if (chance()) s.loader.num_workers = whole(4096);
  if (chance()) s.loader.num_workers = WorkerRule::automatic;
  if (chance()) s.loader.num_workers = WorkerRule::cpus_less_one;
  if (chance()) s.measured_on.gpu_times = "V100";
  if (chance()) s.measured_on.machine_figures = "ml.p3.2xlarge";
  if (chance()) {
    s.job.step.emplace();
    if (chance()) s.job.step->fixed = seconds(real(1e-6, 1e6));
    s.job.step->per_sample = seconds_per_sample(real(1e-6, 1e2));
    if (chance()) s.job.step->family = static_cast<ModelFamily>(random() % 3);
    if (chance()) s.job.step->precision = static_cast<Precision>(random() % 2);
    if (chance()) {
      auto& by_gpu = s.job.step->by_gpu.emplace();
      for (std::uint64_t i = random() % 4; i > 0; --i) {
        by_gpu["GPU \"" + std::to_string(i) + "/\""].fixed = seconds(real(1e-6, 1e6));
      }
    }
  }
  if (chance()) s.job.efficiency = real(1e-6, 1.0);
  return s;
}

TEST_CASE("scenario: random scenarios read back equal, to the last bit") {
  std::mt19937_64 random(feedrate::test::seeded(13));
  for (int i = 0; i < 1000; ++i) {
    const Scenario scenario = random_scenario(random);
    const std::string text = write_scenario(scenario);
    INFO(text);
    REQUIRE(read_scenario(parse_document(text, "r.json")) == scenario);
  }
}

}  // namespace
