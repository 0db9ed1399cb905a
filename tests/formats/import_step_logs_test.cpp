// Of logs and tables of which one form is easily taken for another: when steps ended, and whose
// CPU time is told.
#include <fmt/format.h>

#include <map>
#include <utility>

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

TEST_CASE("import: an epoch is as long as the bar of training, not as that of a validation") {
  const TemporaryFolder folder;
  const auto length = [&](const std::string& log) {
    const auto told = of_metric(samples_of(import({folder.write("log", log)})), epoch_steps);
    return told.empty() ? std::nullopt : std::optional(told.front().value);
  };
  const auto bar = [](int from, int to, const std::string& all) {
    std::string log;
    for (int step = from; step <= to; step += 7) {
      log += fmt::format("  5%|#  | {}/{} [00:02<01:00,  9.00it/s]\n", step, all);
    }
    return log;
  };
  const auto imagenet = [](int epoch, const std::string& all) {
    std::string log;
    for (int step = 0; step <= 300; step += 10) {
      log += fmt::format("Epoch: [{}][{}/{}]\tTime 0.5 (0.5)\tData 0.1 (0.1)\n", epoch, step, all);
    }
    return log;
  };
  for (const int first : {0, 1}) {
    std::string bars;
    std::string beside;
    for (int epoch = first; epoch < first + 3; ++epoch) {
      bars += bar(1, 1000, "1000") + bar(1, 50, "50");
      beside += imagenet(epoch, "5005") + bar(1, 98, "98");
    }
    INFO("epochs from " << first);
    CHECK(length(bars) == 1000.0);
    CHECK(length(beside) == 5005.0);
  }
  // One bar of all epochs, between whose parts validations are drawn.
  CHECK_FALSE(length(bar(1, 1000, "3000") + bar(1, 50, "50") + bar(1001, 2000, "3000") +
                     bar(1, 50, "50") + bar(2001, 3000, "3000")));
  // No length: what stands for none, and what is no number of steps.
  for (const char* const all : {"9223372036854775807", "1e300", "1e13", "99.5", "0"}) {
    INFO(all);
    CHECK_FALSE(length(bar(1, 100, all) + bar(1, 100, all)));
    CHECK_FALSE(length(imagenet(0, all) + imagenet(1, all)));
  }
}

/// How many steps all lines together tell, and the time of one.
std::pair<double, double> steps_and_mean(const std::vector<Sample>& all) {
  double steps = 0.0;
  double time = 0.0;
  for (const Sample& sample : of_metric(all, step_time)) {
    steps += sample.steps;
    time += sample.steps * sample.value;
  }
  return {steps, time / steps};
}

TEST_CASE("import: the first line of a job that went on tells of the steps since then") {
  // A line every ten steps, until 1200 and again from 1010 on: the first of each start takes 5 s a
  // step, the others 2 s.
  const TemporaryFolder folder;
  const auto lines = [](int from, int to) {
    std::string log;
    for (int step = from; step <= to; step += 10) {
      log += fmt::format(
          " iteration {}/ 3000 | consumed samples: 1 | elapsed time per iteration (ms): {} | "
          "global batch size: 16 |\n",
          step, step == from ? 5000 : 2000);
    }
    return log;
  };
  const auto told = [&](const std::string& log) {
    return steps_and_mean(samples_of(import({folder.write("log", log)})));
  };
  const auto [steps, mean] = told(lines(10, 1200) + lines(1010, 3000));
  CHECK(steps == 1200.0 + 2000.0);
  CHECK(mean == Approx((20.0 * 5.0 + 3180.0 * 2.0) / 3200.0));
  // Its own log alone, of which nobody tells how it began.
  CHECK(told(lines(1010, 3000)).first == 2000.0);
  // Two logs: nobody tells of what was between them.
  const auto of_both = [&](int until, int from) {
    return steps_and_mean(samples_of(import(
        {folder.write("1.log", lines(10, until)), folder.write("2.log", lines(from, 3000))})));
  };
  CHECK(of_both(1200, 1210).first == 3000.0);
  CHECK(of_both(1000, 1210).first == 1000.0 + 1800.0);
  CHECK(of_both(1000, 1210).second == Approx((20.0 * 5.0 + 2780.0 * 2.0) / 2800.0));
  // Two lines, the second at the end of an epoch, say nothing of the kind; nor do epochs of these.
  std::string epochs;
  for (const int epoch : {1, 2}) {
    for (const int step : {50, 70}) {
      epochs +=
          fmt::format("Epoch [{}][{}/70]\tlr: 2, time: 0.5, data_time: 0.1, m\n", epoch, step);
    }
    CHECK(told(epochs).first == 70.0 * epoch);
  }
}

TEST_CASE("import: of several progress bars those of training count") {
  const TemporaryFolder folder;
  const auto bar = [](const std::string& words, int from, int to, int by, int all,
                      const std::string& rate) {
    std::string log;
    for (int step = from; step <= to; step += by) {
      log += fmt::format("{} 5%|#  | {}/{} [00:02<01:00,  {}]\n", words, step, all, rate);
    }
    return log;
  };
  struct Expected {
    std::string name, log;
    double steps, mean;
  };
  std::string named, unnamed, longer, unnamed_longer, uneven, around, cached;
  cached = bar("Scanning", 2000, 40000, 2000, 40000, "4000.00it/s");
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::string train = bar("Epoch:", 25, 1000, 25, 1000, "2.50it/s");
    named += train + bar("Validating:", 10, 500, 10, 500, "10.00it/s");
    longer += train + bar("Evaluation:", 10, 2000, 10, 2000, "10.00it/s");
    unnamed_longer += train + bar("", 100, 2000, 100, 2000, "20.00it/s");
    const int length = epoch < 2 ? 950 : 1000;
    uneven += bar("", 25, length, 25, length, "2.50it/s");
    around += train + bar("Epochs:", epoch + 1, epoch + 1, 1, 3, "400.00s/it");
    // One bar of all epochs, as of Hugging Face's Trainer.
    unnamed += bar("", 1000 * epoch + 25, 1000 * epoch + 1000, 25, 3000, "2.50it/s") +
               bar("", 10, 400, 10, 400, "20.00it/s");
    cached += train;
  }
  // A hundred short epochs, whose bar is longer than an epoch's.
  std::string short_epochs;
  for (int epoch = 1; epoch <= 100; ++epoch) {
    short_epochs += bar("train", 5, 20, 5, 20, "2.00it/s");
    short_epochs += bar("epochs", epoch, epoch, 1, 100, "10.00s/it");
  }
  const Expected all[] = {
      {"named", named, 3000.0, 0.4},
      {"not named", unnamed, 3000.0, 0.4},
      {"longer", longer, 3000.0, 0.4},
      {"longer and not named", unnamed_longer, 3000.0, 0.4},
      {"not all as long", uneven, 2900.0, 0.4},
      {"around", around, 3000.0, 0.4},
      {"a cache", cached, 3000.0, 0.4},
      {"short epochs", short_epochs, 2000.0, 0.5},
      {"none but these", bar("eval", 10, 500, 10, 500, "10.00it/s"), 500.0, 0.1}};
  for (const Expected& expected : all) {
    INFO(expected.name);
    const auto [steps, mean] =
        steps_and_mean(samples_of(import({folder.write("log", expected.log)})));
    CHECK(steps == expected.steps);
    CHECK(mean == Approx(expected.mean).epsilon(1e-9));
  }
  const auto files = import({folder.write("log", named)}).files();
  CHECK(files.front().skipped.at("progress bars of validations and of other loops") == 150);
}

TEST_CASE("import: logs of the same steps are of several nodes, and no log is half of another") {
  const TemporaryFolder folder;
  const auto log = [](int from, int to, const std::string& at = "") {
    std::string text;
    for (int step = from; step <= to; ++step) {
      text += fmt::format("{}Epoch: [0][{}/900]\tTime 0.5 (0.5)\tData 0.1 (0.1)\n", at, step);
    }
    return text;
  };
  const auto same = [&](const std::string& one, const std::string& other) {
    const auto got = import({folder.write("1.log", one), folder.write("2.log", other)});
    CHECK_FALSE(got.files().front().same_steps_as);
    return got.files().back().same_steps_as;
  };
  CHECK(same(log(1, 100), log(1, 100)) == 0);
  CHECK(same(log(1, 100), log(21, 120)) == 0);
  // It went on from a checkpoint.
  CHECK_FALSE(same(log(1, 100), log(80, 300)));
  CHECK_FALSE(same(log(1, 100), log(101, 200)));
  // The same job on another day.
  CHECK_FALSE(same(log(1, 100, "2026-11-22 10:00:00 "), log(1, 100, "2026-11-23 10:00:00 ")));
}

TEST_CASE("import: tables of the same GPUs at the same times are of several machines") {
  const TemporaryFolder folder;
  const auto table = [](int from, int percent) {
    std::string csv = "timestamp, index, utilization.gpu [%]\n";
    for (int i = from; i < from + 20; ++i) {
      csv += fmt::format("2026/11/22 10:00:{:02}.000, 0, {} %\n", i, percent);
    }
    return csv;
  };
  const auto nodes = [&](const std::string& one, const std::string& other) {
    std::map<std::string, double> busy;
    for (const Sample& s :
         samples_of(import({folder.write("n1.csv", one), folder.write("n2.csv", other)}))) {
      busy[s.node] = s.value;
    }
    return busy;
  };
  CHECK(nodes(table(0, 99), table(0, 40)) ==
        std::map<std::string, double>{{"n1", 99.0}, {"n2", 40.0}});
  CHECK(nodes(table(0, 99), table(20, 99)) == std::map<std::string, double>{{"", 99.0}});
}

TEST_CASE("import: running means that begin anew, or are no means, tell nothing of other steps") {
  const TemporaryFolder folder;
  const auto all = [&](const std::string& log) {
    return samples_of(import({folder.write("log", log)}));
  };
  // Steps of 0.16 s, of which the first after the job went on at step 100 takes 10 s.
  std::string resumed;
  for (int step = 100; step <= 400; step += 10) {
    resumed += fmt::format("Epoch: [0][{}/5005]\tTime {:.3f} ({:.3f})\tData 0.0 (0.0)\n", step,
                           step == 100 ? 10.0 : 0.16, (10.0 + 0.16 * (step - 100)) / (step - 99));
  }
  // The last mean is half of those before.
  std::string lower;
  for (int step = 0; step <= 400; step += 10) {
    lower += fmt::format("Epoch: [0][{}/5005]\tTime 0.160 ({})\tData 0.0 (0.0)\n", step,
                         step == 400 ? "0.080" : "0.160");
  }
  for (const std::string& log : {resumed, lower}) {
    const auto times = of_metric(all(log), step_time);
    REQUIRE(times.size() >= 31);
    for (const Sample& sample : times) {
      CHECK(sample.steps == 1.0);
      CHECK(sample.value >= 0.16);
    }
  }
  // So fast that no rate is left between.
  std::string fast;
  for (const auto& [step, mean] : {std::pair(10, "1e308"), std::pair(20, "1.4766e308")}) {
    fast += fmt::format(
        "[2022-08-29 06:58:{},176] [INFO] [timer.py:198:stop] 0/{}, RunningAvgSamplesPerSec={}, "
        "CurrSamplesPerSec=1.7e308, MemAllocated=0.36GB, MaxMemAllocated=15.06GB\n",
        step, step, mean);
  }
  const auto rates = of_metric(all(fast), throughput);
  REQUIRE(rates.size() == 2);
  for (const Sample& sample : rates) CHECK(sample.value == 1.7e308);
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
