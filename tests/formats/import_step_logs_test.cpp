// Of logs and tables of which one form is easily taken for another: when steps ended, and whose
// CPU time is told.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/formats/imports.hpp"

using namespace feedrate;
using namespace feedrate::formats;

namespace {

using test::import;
using test::samples_of;
using test::TemporaryFolder;
using enum MetricId;

std::vector<Sample> of_metric(const std::vector<Sample>& all, MetricId metric) {
  std::vector<Sample> some;
  for (const Sample& sample : all) {
    if (sample.metric == metric) some.push_back(sample);
  }
  return some;
}

TEST_CASE("import: W&B's system.cpu is the training process's, and no CPU more") {
  const TemporaryFolder folder;
  const ImportedObservation of = import({folder.write("wandb.csv",
                                                      "_timestamp,system.cpu,system.cpu.0.cpu_"
                                                      "percent,system.cpu.1.cpu_percent\n"
                                                      "1700000000,5,90,80\n")});
  CHECK(of.header().cpus == 2.0);
  const auto cpus = of_metric(samples_of(of), cpu_busy);
  REQUIRE(cpus.size() == 2);
  CHECK(cpus.front().value == 90.0);
  CHECK(cpus.back().value == 80.0);
  // 5 % of both are 10 % of one.
  const auto process = of_metric(samples_of(of), process_cpu);
  REQUIRE(process.size() == 1);
  CHECK(process.front().name == "trainer");
  CHECK(process.front().value == 10.0);

  const ImportedObservation alone = import(
      {folder.write("alone.csv", "_timestamp,system.cpu,system.gpu.0.gpu\n1700000000,5,40\n")});
  CHECK(alone.size() == 1);
  CHECK_FALSE(alone.header().cpus);
  REQUIRE(alone.files().front().remarks.size() == 1);
  CHECK(alone.files().front().remarks.front().find("system.cpu is what the training process") == 0);
}

}  // namespace
