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

TEST_CASE("import: PyTorch's example counts from 0 or from 1, and its times are the same") {
  // Ten steps of 0.5 s follow a first one of 10 s, and another ten.
  const TemporaryFolder folder;
  const auto ends = [&](std::int64_t base, int epochs) {
    std::string log;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (const auto& [step, mean] :
           {std::pair(0, 10.0), std::pair(10, 15.0 / 11.0), std::pair(20, 20.0 / 21.0)}) {
        log += fmt::format("Epoch: [{}][{:4}/5005]\tTime {} ({})\tData 0.1 (0.1)\n", epoch,
                           step + base, step == 0 ? "10.000" : "0.500", mean);
      }
    }
    std::vector<double> at;
    for (const Sample& sample :
         of_metric(samples_of(import({folder.write("log", log)})), step_time)) {
      if (sample.steps == 1.0) at.push_back(sample.at.base());
    }
    return at;
  };
  for (const std::int64_t base : {0, 1}) {
    INFO("counts from " << base);
    const std::vector<double> at = ends(base, 2);
    REQUIRE(at.size() == 6);
    const double expected[] = {10.0, 15.0, 20.0, 30.0, 35.0, 40.0};
    for (std::size_t i = 0; i < 6; ++i) CHECK(at[i] == Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("import: times of day tell of the steps between lines, and not of a pause") {
  // Ten steps take 1.6 s, of which each tenth takes 0.1 s; after 200 of them an hour passes.
  const TemporaryFolder folder;
  std::string log;
  for (int step = 10; step <= 400; step += 10) {
    const double at = 0.16 * step + (step > 200 ? 3600.0 : 0.0);
    const int s = static_cast<int>(at);
    log += fmt::format("2026-11-22 {:02}:{:02}:{:02} it {} took 100 ms\n", 11 + s / 3600,
                       s / 60 % 60, s % 60, step);
  }
  ImportOptions options;
  options.step_regex = "it (?<step>[0-9]+) took (?<time_ms>[0-9]+) ms";
  double steps = 0.0;
  double time = 0.0;
  for (const Sample& sample :
       of_metric(samples_of(import({folder.write("own.log", log)}, options)), step_time)) {
    steps += sample.steps;
    time += sample.steps * sample.value;
  }
  // The first line and the one after the pause tell of their own steps.
  CHECK(steps == 400.0 - 9.0 - 9.0);
  CHECK(time == Approx(2.0 * (0.1 + 30.4)).epsilon(0.02));
}

TEST_CASE("import: what a progress bar draws over itself are as many records as on lines") {
  // 50 steps of 2 s and 50 of 1 s. A file of a real job has no line feed for hours.
  const auto bar = [](int step, int all) {
    return fmt::format("\x1b[K {:2}%|#  | {}/{} [00:02<01:00,  {}s/it, loss=1.2]", step * 100 / all,
                       step, all, 2 * step > all ? "1.00" : "2.00");
  };
  const TemporaryFolder folder;
  const auto imported = [&](const char* before, const char* behind, int all) {
    std::string log;
    for (int step = 1; step <= all; ++step) log += before + bar(step, all) + behind;
    return import({folder.write("log", log + "\n")});
  };
  const auto as_lines = samples_of(imported("", "\n", 100));
  for (const auto& [before, behind] :
       {std::pair("\r", ""), std::pair("", "\r"), std::pair("", "\r\n")}) {
    const auto samples = samples_of(imported(before, behind, 100));
    REQUIRE(samples.size() == 100);
    CHECK(samples.back().at.base() == Approx(150.0));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      CHECK(samples[i].at == as_lines[i].at);
      CHECK(samples[i].value == as_lines[i].value);
    }
  }
  const ImportedObservation longer = imported("\r", "", 40'000);  // some 2 MB
  CHECK(longer.size() == 40'000);
  CHECK(longer.files().front().remarks.empty());
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
