// feedrate observe fit of logs that tell some of the steps: every n-th, medians, means of others.
#include <fmt/format.h>

#include <functional>

#include "cli/process.hpp"
#include "schema/json/json_reader.hpp"
#include "tests/catch.hpp"

namespace {

using namespace testing_cli;
using feedrate::schema::parse_json;

// Of 64 samples each, with two workers that take turns: steps with an even number find their batch
// ready and take 100 ms, the others wait for theirs and take 220 ms. 160 ms on average: 400
// samples/s, of which 60 ms are waiting.
constexpr int steps = 401;
double time_of(int step) {
  return step % 2 == 0 ? 0.1 : 0.22;
}
double wait_of(int step) {
  return time_of(step) - 0.1;
}
/// Of all steps from the first to this one.
double sum_of(const std::function<double(int)>& each, int step) {
  double sum = 0.0;
  for (int i = 0; i <= step; ++i) sum += each(i);
  return sum;
}
double mean_of(const std::function<double(int)>& each, int step) {
  return sum_of(each, step) / (step + 1);
}

/// A line for every tenth step of three epochs.
std::string every_tenth(const std::function<std::string(int epoch, int step)>& line) {
  std::string log;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < steps; step += 10) log += line(epoch, step);
  }
  return log;
}

std::string clock(double seconds) {
  const int s = static_cast<int>(seconds);
  return fmt::format("2026-11-22 11:{:02}:{:02}", s / 60, s % 60);
}

const char* const job = " --batch-size 64 --gpus 1 --num-workers 2";

double number(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + before.size()));
}

TEST_CASE("observe fit: a log of every tenth step tells of the steps between") {
  const Folder folder;
  const auto imagenet = [](int epoch, int i) {
    return fmt::format("Epoch: [{}][{:3}/{}]\tTime {:6.3f} ({:6.3f})\tData {:6.3f} ({:6.3f})\n",
                       epoch, i, steps, time_of(i), mean_of(time_of, i), wait_of(i),
                       mean_of(wait_of, i));
  };
  const auto timm = [](int epoch, int i) {
    return fmt::format(
        "Train: {} [{:4}/{} ( 10%)]  Loss: 6.9 (6.9)  Time: {:.3f}s, {:.2f}/s  ({:.3f}s, "
        "{:.2f}/s)  LR: 1.0e-05  Data: {:.3f} ({:.3f})\n",
        epoch, i, steps, time_of(i), 64.0 / time_of(i), mean_of(time_of, i),
        64.0 / mean_of(time_of, i), wait_of(i), mean_of(wait_of, i));
  };
  for (const auto& [name, log] :
       {std::pair("imagenet", every_tenth(imagenet)), std::pair("timm", every_tenth(timm))}) {
    const std::string made = folder / (std::string(name) + ".json");
    const Outcome fit = shell("feedrate observe fit '" + folder.write(name, log) + "'" + job +
                              " -o '" + made + "'");
    INFO(name << fit.out << fit.err);
    REQUIRE(fit.status == 0);
    // Means are told to the millisecond.
    CHECK(number(fit.out, "throughput") == Approx(400.0).epsilon(0.02));
    CHECK(number(fit.out, "step time") == Approx(160.0).epsilon(0.02));
    CHECK(number(fit.out, "wait for the batch") == Approx(60.0).epsilon(0.05));
    CHECK(number(fit.out, "/job/step/fixed") == Approx(100.0).epsilon(0.005));
    CHECK_FALSE(has(fit.out, "that takes a batch of"));
    CHECK_FALSE(has(fit.out, "--throughput"));
    // The lines tell how long an epoch is.
    CHECK_FALSE(has(fit.out, "how long an epoch is"));
    CHECK(has(slurp(made), fmt::format("\"samples\": {}", 64 * steps)));
  }
}

TEST_CASE("observe fit: rates of single steps are no mean of the job's") {
  // Of 1.6 s in 10 steps, the last always takes 0.1 s.
  const Folder folder;
  std::string log;
  for (int i = 10; i <= 1200; i += 10) {
    // DeepSpeed's mean leaves out the first two steps, 0.32 s.
    log += fmt::format(
        "[{},123] [INFO] [timer.py:260:stop] epoch=0/micro_step={}/global_step={}, "
        "RunningAvgSamplesPerSec={}, CurrSamplesPerSec=640.0, MemAllocated=1.0GB\n",
        clock(0.16 * i), i, i, 64.0 * (i - 2) / (0.16 * i - 0.32));
  }
  const Outcome fit =
      shell("feedrate observe fit '" + folder.write("deepspeed.log", log) + "'" + job);
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);
  CHECK(number(fit.out, "throughput") == Approx(400.0));
}

TEST_CASE(
    "observe fit: where steps between are not told, that is said, and --throughput settles it") {
  const Folder folder;
  std::string medians;
  std::string tenth;
  for (int i = 1; i <= 40; ++i) {
    medians += fmt::format(R"({{"data_time": 0.0, "iteration": {}, "loss": 1.2, "time": 0.1}})"
                           "\n",
                           20 * i - 1);
    tenth += fmt::format("it {} took 100 ms, 0 of it data\n", 10 * i);
  }
  const std::string own =
      " --step-regex 'it (?<step>[0-9]+) took (?<time_ms>[0-9]+) ms, (?<wait_ms>[0-9]+)'";
  for (const auto& [file, flags, why] : {std::tuple(folder.write("metrics.json", medians),
                                                    std::string(job), "where one step in 2 waits"),
                                         std::tuple(folder.write("own.log", tenth), own + job,
                                                    "tells one step in 10, and 2 workers")}) {
    const std::string fit = "feedrate observe fit '" + file + "'" + flags;
    const Outcome unsure = shell(fit);
    INFO(unsure.out << unsure.err);
    REQUIRE(unsure.status == 0);
    CHECK(has(unsure.out, why));
    CHECK(number(unsure.out.substr(unsure.out.find("throughput")), "±") >= 40.0);
    const Outcome told = shell(fit + " --throughput 400");
    INFO(told.out << told.err);
    REQUIRE(told.status == 0);
    CHECK_FALSE(has(told.out, why));
    CHECK(number(told.out, "step time") == Approx(160.0));
    CHECK(number(told.out, "wait for the batch") == Approx(60.0));
    CHECK(number(told.out, "/job/step/fixed") == Approx(100.0));
    const std::string contradicted = "--throughput leaves a step ";
    CHECK_FALSE(has(told.out, contradicted));
    // 64 samples in 6.4 ms.
    const Outcome faster = shell(fit + " --throughput 10000");
    INFO(faster.out << faster.err);
    REQUIRE(faster.status == 0);
    CHECK(number(faster.out, "/job/step/fixed") == Approx(6.4));
    CHECK(has(faster.out, contradicted + "6.4 ms, but by the lines one takes 100 ms"));
  }
  // Of three workers every one is seen in turn.
  const Outcome sure = shell("feedrate observe fit '" + (folder / "own.log") + "'" + own +
                             " --batch-size 64 --gpus 1 --num-workers 3");
  INFO(sure.out << sure.err);
  CHECK(sure.status == 0);
  CHECK_FALSE(has(sure.out, "take turns"));
}

TEST_CASE("observe fit: an epoch that was resumed, whose means begin anew, is said to be unsure") {
  const Folder folder;
  std::string log;
  double sum = 9.9;  // that the first step takes longer
  for (int i = 100; i <= 400; ++i) {
    sum += time_of(i);
    if (i % 10 != 0) continue;
    log += fmt::format("Epoch: [0][{}/5005]\tTime {:.3f} ({:.3f})\tData 0.000 (0.000)\n", i,
                       time_of(i) + (i == 100 ? 9.9 : 0.0), sum / (i - 99));
  }
  const Outcome fit = shell("feedrate observe fit '" + folder.write("log", log) + "'" + job);
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(has(fit.out, "tells one step in 10, and 2 workers"));
  CHECK(number(fit.out, "step time") == Approx(100.0));
}

TEST_CASE(
    "observe fit: lengths, steps and rates that no job has are not used, or refused by file") {
  const Folder folder;
  const std::string begin = R"({"Type": "job", "Name": "x", "Dimension": )";
  const auto fit = [&](const std::string& log) {
    return shell("feedrate observe fit '" + folder.write("log", log) + "'" + job);
  };
  std::string of_steps;
  for (int i = 1; i <= 40; ++i) {
    of_steps +=
        fmt::format(R"({{"Type": "step", "Name": "r", "Dimension": "StepSeconds", "Value": 0.1, )"
                    R"("Timestamp": {}, "Step": {}}})"
                    "\n",
                    i, i);
  }
  for (const char* const length : {"1e300", "99.5", "1e14"}) {
    const Outcome odd =
        fit(begin + "\"EpochSteps\", \"Value\": " + length + ", \"Timestamp\": 1}\n" + of_steps);
    INFO(length << odd.out << odd.err);
    CHECK(odd.status == 0);
    CHECK(has(odd.out, "how long an epoch is"));
  }
  std::string rates;
  for (int i = 10; i <= 50; i += 10) {
    rates += fmt::format(
        "[{},123] [INFO] [timer.py:260:stop] epoch=0/micro_step={}/global_step={}, "
        "RunningAvgSamplesPerSec=1e308, CurrSamplesPerSec=1e308, MemAllocated=1.0GB\n",
        clock(i), i, i);
  }
  const Outcome absurd = fit(rates);
  INFO(absurd.out << absurd.err);
  CHECK(absurd.status == 2);
  CHECK(has(absurd.err, "log: expected steps of 1 us to 1,000,000 s, got steps of 0 s"));
}

TEST_CASE("observe fit: a batch that times and rates tell need not be told again") {
  const Folder folder;
  const std::string file =
      folder.write("hf.log",
                   "{'train_runtime': 194.7621, 'train_samples_per_second': 394.327, "
                   "'train_steps_per_second': 6.161, 'train_loss': 0.4, 'epoch': 3.0}\n");
  const std::string fit =
      "feedrate observe fit '" + file + "' --num-workers 4 --format json --gpus ";
  for (const auto& [gpus, batch] : {std::pair("1", "64"), std::pair("4", "16")}) {
    const Outcome out = shell(fit + gpus);
    INFO(out.out << out.err);
    REQUIRE(out.status == 0);
    CHECK(has(out.out, std::string("\"batch_size\": ") + batch));
    CHECK(has(out.out, std::string("a batch has ") + batch + " samples"));
  }
  // Of three GPUs no whole number is.
  const Outcome none = shell(fit + "3");
  CHECK(none.status == 2);
  CHECK(has(none.err, "--gpus: expected a number of GPUs that share the 64 samples of a step"));
}

/// 64 samples a step; a line every tenth of 300 steps of 500 ms.
std::string log_of_job() {
  std::string log;
  for (int i = 10; i <= 300; i += 10) {
    log += fmt::format(
        " [{}] iteration {}/ 1000 | consumed samples: 1 | elapsed time per iteration (ms): 500.0 | "
        "global batch size: 64 |\n",
        clock(0.5 * i), i);
  }
  return log;
}

TEST_CASE("observe fit: a log of a job on several machines is told of all of them") {
  const Folder folder;
  const std::string made = folder / "job.json";
  const std::string fit = "feedrate observe fit '" + folder.write("job.log", log_of_job()) +
                          "' --instances 4 --instance p5.48xlarge --num-workers 2 --gpus ";
  const Outcome of_all = shell(fit + "32 -o '" + made + "'");
  INFO(of_all.out << of_all.err);
  REQUIRE(of_all.status == 0);
  CHECK(has(of_all.out, "128 samples/s."));
  CHECK(number(of_all.out, "throughput") == Approx(128.0));
  CHECK(number(slurp(made), "\"measured\":") == Approx(128.0));
  // As many on each as on the others.
  for (const std::string gpus : {"2", "30"}) {
    const Outcome none = shell(fit + gpus);
    CHECK(none.status == 2);
    CHECK(has(none.err, "--gpus: expected the GPUs of all 4 instances together"));
  }
  // What they exchange is in the step, and how much that is nobody knows.
  const Outcome scale = shell("feedrate scale '" + made + "' --to 8");
  CHECK(has(scale.out, "With 2 instances: What gradients cost is not known"));
}

TEST_CASE("observe fit: logs of several nodes are set side by side, and the slow one is named") {
  // All steps take 200 ms; the third node's loader is waited for in 60 of them.
  const Folder folder;
  const auto log = [](const char* wait) {
    std::string text;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int i = 1; i <= 100; ++i) {
        text += fmt::format("Epoch: [{0}][{1}/100]\tTime 0.200 (0.200)\tData {2} ({2})\n", epoch, i,
                            wait);
      }
    }
    return text;
  };
  const std::string files = "'" + folder.write("node1.log", log("0.000")) + "' '" +
                            folder.write("node3.log", log("0.060")) + "' '" +
                            folder.write("node2.log", log("0.001")) + "'";
  const std::string flags = " --batch-size 64 --num-workers 4 --cpus 32 --gpus ";
  const Outcome fit = shell("feedrate observe fit " + files + flags + "3");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(has(fit.out, "3 nodes, 960 samples/s. node3 holds the others up"));
  CHECK(number(fit.out, "/job/step/fixed") == Approx(140.0).epsilon(0.01));
  CHECK_FALSE(has(fit.err, "not used: repeats"));
  const std::string of_machines = "3 logs tell the same steps and are taken to be of 3 machines";
  CHECK(has(fit.err, of_machines));
  const Outcome told = shell("feedrate observe fit " + files + flags + "3 --instances 3");
  CHECK(told.out == fit.out);
  CHECK_FALSE(has(told.err, of_machines));
  // The ranks of one machine may each write a log: 3 x 64 samples in 200 ms.
  const std::string made = folder / "job.json";
  const Outcome ranks =
      shell("feedrate observe fit " + files + flags + "3 --instances 1 -o '" + made + "'");
  INFO(ranks.out << ranks.err);
  REQUIRE(ranks.status == 0);
  CHECK(number(ranks.out, "throughput") == Approx(960.0));
  CHECK(has(ranks.err, "not used: steps that another log tells too (200)"));
  CHECK_FALSE(has(ranks.err, of_machines));
  const auto job_of_ranks = parse_json(slurp(made), "job.json");
  const auto* const cluster = job_of_ranks->find("cluster");
  CHECK(cluster->find("gpus_per_instance")->number == 3.0);
  CHECK((cluster->find("instances") == nullptr || cluster->find("instances")->number == 1.0));
}

TEST_CASE("observe fit: a mean wait counts beside a throughput that is told") {
  // 400 calls of 60 ms in 64 s: of 160 ms a step 100 are its own.
  const Folder folder;
  const std::string profile = folder.write(
      "lightning.log",
      "FIT Profiler Report\n"
      "|  Action  |  Mean duration (s) |  Num calls |  Total time (s) |  Percentage %   |\n"
      "|  [_TrainingEpochLoop].train_dataloader_next  |  0.06 |  400 |  24.0 |  37.5 |\n");
  const std::string rate = folder.write("iters.log", "avg iter/s: 6.25\n");
  const std::string fit = "feedrate observe fit '" + profile + "'";
  for (const std::string& pace : {std::string(" --throughput 400"), " '" + rate + "'"}) {
    const Outcome out = shell(fit + pace + job);
    INFO(out.out << out.err);
    REQUIRE(out.status == 0);
    CHECK(has(out.out, "38 % of each step waiting for its batch"));
    CHECK(number(out.out, "throughput") == Approx(400.0));
    CHECK(number(out.out, "wait for the batch") == Approx(60.0));
    CHECK(number(out.out, "/job/step/fixed") == Approx(100.0));
    CHECK_FALSE(has(out.out, "the GPU is the limit"));
  }
}

TEST_CASE("observe fit: what DLIO's accelerators do not compute is waiting, however little it is") {
  // Of 8 accelerators with 7 samples a step, 101 samples/s: a step of 554.46 ms.
  const Folder folder;
  for (const double use : {60.0, 89.0, 91.0, 92.9, 97.0}) {
    const std::string file = folder.write(
        "summary.json",
        fmt::format(R"({{"num_accelerators": 8, "metric": {{"train_au_percentage": [{0}, {0}],)"
                    R"( "train_throughput_samples_per_second": [101.0, 101.0]}}}})",
                    use));
    const Outcome out = shell("feedrate observe fit '" + file + "' --batch-size 7 --num-workers 4");
    INFO(out.out << out.err);
    REQUIRE(out.status == 0);
    CHECK(number(out.out, "wait for the batch") ==
          Approx(554.46 * (1.0 - use / 100.0)).epsilon(0.005));
    CHECK(number(out.out, "/job/step/fixed") == Approx(554.46 * use / 100.0).epsilon(0.001));
    CHECK_FALSE(has(out.out, "the wait for batches: none"));
  }
}

TEST_CASE("observe fit: an epoch's first step in a log tells when its workers were there") {
  // Steps of 300 ms; the two workers of each epoch are there after 2 s each, and make a first batch
  // in 256 ms. Five epochs of 40 steps: 4.556 + 39 x 0.3 = 16.256 s, 157.5 samples/s.
  const Folder folder;
  const auto log = [&](double first, int every) {
    std::string text;
    for (int epoch = 0; epoch < 5; ++epoch) {
      double sum = 0.0;
      double waited = 0.0;
      for (int i = 0; i < 40; ++i) {
        const double wait = i == 0 ? first - 0.3 : 0.001;
        sum += i == 0 ? first : 0.3;
        waited += wait;
        if (i % every != 0) continue;
        text +=
            fmt::format("Epoch: [{}][{:3}/40]\tTime {:6.3f} ({:6.3f})\tData {:6.3f} ({:6.3f})\n",
                        epoch, i, i == 0 ? first : 0.3, sum / (i + 1), wait, waited / (i + 1));
      }
    }
    return folder.write("train.log", text);
  };
  for (const int every : {1, 10}) {
    const std::string made = folder / "job.json";
    const Outcome out =
        shell("feedrate observe fit '" + log(4.556, every) + "'" + job + " -o '" + made + "'");
    INFO(out.out << out.err);
    REQUIRE(out.status == 0);
    // Means are told to the millisecond.
    CHECK(number(out.out, "waiting for its batch;") == Approx(157.5).epsilon(0.01));
    CHECK(number(out.out, "/loader/worker_startup") == Approx(2128.0).epsilon(0.002));
    CHECK_FALSE(has(out.out, "whether workers live on between epochs"));
    CHECK(has(slurp(made), "\"persistent_workers\": false"));
    const Outcome run = shell("feedrate run '" + made + "' --mean --format json");
    REQUIRE(run.status == 0);
    CHECK(parse_json(run.out, "out")->find("result")->find("throughput_samples_per_s")->number ==
          Approx(64.0 * 40.0 / 16.256).epsilon(0.01));
    CHECK(shell("feedrate cases '" + made + "'").status == 0);
    // Workers that are there already need no more than a batch's time.
    const Outcome same = shell("feedrate observe fit '" + log(0.556, every) + "'" + job);
    INFO(same.out << same.err);
    REQUIRE(same.status == 0);
    CHECK(has(same.out, "whether workers live on between epochs: they do"));
    CHECK_FALSE(has(same.out, "over whole epochs"));
  }
}

TEST_CASE("observe fit: of a machine that nobody tells of, more workers find CPUs") {
  // Two workers that compute 5 ms a sample give 400 samples/s; each further one as many again, but
  // for what busy cores cost each other.
  const Folder folder;
  std::string log;
  for (int i = 0; i < 100; ++i) {
    log += fmt::format("Epoch: [0][{}/100]\tTime 0.160 (0.160)\tData 0.120 (0.120)\n", i);
  }
  const std::string fit =
      "feedrate observe fit '" + folder.write("train.log", log) + "'" + job + " --format json";
  const auto predicted = [&](const std::string& flags, const std::string& set) {
    const Outcome made = shell(fit + flags);
    INFO(made.err);
    REQUIRE(made.status == 0);
    const std::string file = folder.write("job.json", made.out.substr(made.out.find('{')));
    const Outcome run = shell("feedrate run '" + file + "' --mean --format json" + set);
    INFO(run.err);
    REQUIRE(run.status == 0);
    return parse_json(run.out, "out")->find("result")->find("throughput_samples_per_s")->number;
  };
  CHECK(predicted("", "") == Approx(400.0).epsilon(0.02));
  CHECK(predicted("", " --set num_workers=4") == Approx(800.0).epsilon(0.06));
  // Of 17 rounds the last is not whole, and what it brings is taken step by step.
  CHECK(predicted("", " --set num_workers=6") == Approx(1200.0).epsilon(0.11));
  // As many, and no more, of a machine with CPUs for two.
  CHECK(predicted(" --cpus 2", "") == Approx(400.0).epsilon(0.02));
  CHECK(predicted(" --cpus 2", " --set num_workers=6") < 500.0);
  const Outcome both = shell(fit + " --cpus 2 --instance p3.2xlarge");
  CHECK(both.status == 2);
  CHECK(has(both.err, "--cpus"));
}

}  // namespace
