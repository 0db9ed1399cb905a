// feedrate observe fit as a user meets it.
#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/process.hpp"
#include "schema/json/json_reader.hpp"
#include "tests/catch.hpp"

namespace {

using namespace testing_cli;
using feedrate::schema::parse_json;

const char* const scenario = "scenarios/caltech256_p3.json";

/// Samples per second, as `run` has them of a job.
double predicted(const std::string& job) {
  const Outcome run = shell("feedrate run " + job + " --mean --format json");
  INFO(run.err);
  REQUIRE(run.status == 0);
  return parse_json(run.out, "out")->find("result")->find("throughput_samples_per_s")->number;
}

TEST_CASE("observe fit: a simulated job's samples give a scenario that is validated from birth") {
  const Folder folder;
  const std::string twin = folder / "twin.jsonl";
  const std::string job = folder / "job.json";
  REQUIRE(shell(std::string("feedrate run ") + scenario + " --set num_workers=1 --samples '" +
                twin + "' --interval 200ms")
              .status == 0);
  const Outcome fit = shell("feedrate observe fit '" + twin + "' --batch-size 64 -o '" + job + "'");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  for (const char* part : {"waiting for its batch", "workers' CPU", "/preprocess/0/cpu",
                           "Not observed, and what is assumed instead", "prefetch_factor"}) {
    CHECK(has(fit.out, part));
  }
  const std::string text = slurp(job);
  for (const char* part : {"\"errors\"", "\"/preprocess/0/cpu\"", "steps of", "\"fitted\"",
                           "\"cases\"", "bottleneck is gpu"}) {
    CHECK(has(text, part));
  }
  const Outcome cases = shell("feedrate cases '" + job + "'");
  INFO(cases.out << cases.err);
  CHECK(cases.status == 0);
  // Inputs were made of the others.
  CHECK(has(cases.out, "The only prediction misses by"));
  CHECK(has(cases.out, "(\"observed: GPUs in nvidia-smi\""));
  CHECK(has(cases.out, "3 points that an input was fitted on are not counted."));
  CHECK(shell("feedrate run '" + job + "' --set num_workers=4").status == 0);
  CHECK(shell("feedrate observe fit '" + twin + "' --batch-size 64 --format json | diff - '" + job +
              "'")
            .status == 0);
}

TEST_CASE("observe fit: the nodes of a job are set side by side, each with its own log") {
  const Folder folder;
  std::string recordings;
  for (int i = 1; i <= 3; ++i) {
    const std::string name = "node" + std::to_string(i);
    const std::string one = folder / (name + ".jsonl");
    const std::string cpu = i == 2 ? "30 ms" : "13 ms";
    REQUIRE(shell(std::string("feedrate run ") + scenario +
                  " --set num_workers=2 --set /preprocess/resize/cpu='" + cpu + "' --samples '" +
                  one +
                  "' --interval 200ms && sed -i 's/\"NodeId\": \"simulation\"/\"NodeId\": \"" +
                  name + "\"/' '" + one + "'")
                .status == 0);
    recordings += " '" + one + "'";
  }
  const std::string job = folder / "job.json";
  const Outcome fit =
      shell("feedrate observe fit" + recordings + " --batch-size 64 --gpus 3 -o '" + job + "'");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(has(fit.out, "3 nodes, "));
  CHECK(has(fit.out, "node2 holds the others up"));
  CHECK(has(fit.out, "its workers need "));
  CHECK(has(slurp(job), "\"instances\": 3"));
  CHECK(has(slurp(job), "node2 holds the others up"));
  CHECK(shell("feedrate cases '" + job + "'").status == 0);

  // A log that is of none of them.
  folder.write("train.log", "Epoch: [0][1/9]\tTime 0.1 (0.1)\tData 0.0 (0.0)\n");
  const Outcome refused =
      shell("feedrate observe fit '" + (folder / "train.log") + "'" + recordings);
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "expected the recording of its node before it"));
}

TEST_CASE("observe fit: a scenario is set beside what was observed, and what differs is found") {
  const Folder folder;
  const std::string twin = folder / "twin.jsonl";
  REQUIRE(shell(std::string("feedrate run ") + scenario +
                " --set num_workers=1 --set /preprocess/resize/cpu='13 ms' --samples '" + twin +
                "' --interval 200ms")
              .status == 0);
  // The scenario as it stands has seven workers: that is the larger difference.
  const Outcome first =
      shell("feedrate observe fit '" + twin + "' " + scenario +
            " --batch-size 64 | grep -A2 'With one observed input at a time' | tail "
            "-n 1");
  INFO(first.out);
  CHECK(has(first.out, "num_workers=1"));
}

TEST_CASE("observe fit: real loops are told from their observations, and settings not observed") {
  const Outcome table = shell(
      "python3 bench/observed_jobs/observe_jobs.py table --program \"$(command -v feedrate)\" "
      "bench/measurements/observed_jobs");
  INFO(table.out << table.err);
  REQUIRE(table.status == 0);
  CHECK(has(table.out, "11 of 11 bottlenecks named rightly"));
  const std::string summary = "Settings that were not observed: ";
  const std::size_t at = table.out.find(summary);
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(table.out.substr(at + summary.size())) <= 5.0);
  const std::string worst = " in the median, ";
  CHECK(std::stod(table.out.substr(table.out.find(worst) + worst.size())) <= 25.0);
  // But for the ranks of one job, whose steps hold what each waits for the other.
  std::istringstream lines(table.out);
  int others = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t percent = line.find(" %");
    if (line.size() < 70 || percent == std::string::npos || line.find("two ranks") == 0) continue;
    if (line.find_first_of("0123456789") == std::string::npos || line[26] == ' ') continue;
    ++others;
    INFO(line);
    // Of two cores of which one was seen busy, what both lose is what studies teach of others, and
    // more than this machine's (0.24 for 0.09).
    const bool by_others = line.find("one worker") == 0 && line.find("2 workers") < percent;
    const double most = by_others ? 20.0 : 15.0;
    CHECK(std::abs(std::stod(line.substr(line.rfind(' ', percent - 1)))) <= most);
  }
  CHECK(others > 40);
}

TEST_CASE("observe fit: a step log needs what it does not tell, and says the flag") {
  const Folder folder;
  std::string log;
  for (int i = 0; i < 60; ++i) {
    log += "Epoch: [0][" + std::to_string(i) + "/5005]\tTime 0.400 (0.400)\tData 0.150 (0.150)\n";
  }
  const std::string file = folder.write("train.log", log);
  const Outcome bare = shell("feedrate observe fit '" + file + "'");
  INFO(bare.err);
  CHECK(bare.status == 2);
  for (const char* flag : {"--batch-size", "--gpus", "--num-workers"}) CHECK(has(bare.err, flag));
  const Outcome fit = shell("feedrate observe fit '" + file +
                            "' --batch-size 64 --gpus 1 --num-workers 4 --format json");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);
  CHECK(has(fit.out, "\"fixed\": \"250 ms\""));
  // 64 samples each 0.4 s, whatever of their 25 ms the workers lose to each other.
  CHECK(predicted("'" + folder.write("job.json", fit.out.substr(fit.out.find('{'))) + "'") ==
        Approx(160.0).epsilon(0.01));
}

TEST_CASE("observe fit: logs are read with the flags of --import") {
  const Folder folder;
  std::string log;
  for (int i = 10; i < 50; ++i) {
    log += "2026-11-22T12:21:" + std::to_string(i) + " it " + std::to_string(i) +
           " took 400 ms, 150 of it data\n";
  }
  const std::string file = folder.write("own.log", log);
  const std::string job = " --batch-size 64 --gpus 1 --num-workers 4 --format json";
  CHECK(shell("feedrate observe fit '" + file + "'" + job).status == 2);
  const std::string regex =
      " --step-regex 'it (?<step>[0-9]+) took (?<time_ms>[0-9]+) ms, (?<wait_ms>[0-9]+)'";
  const Outcome fit = shell("feedrate observe fit '" + file + "'" + regex + job);
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);
  CHECK(has(fit.out, "\"fixed\": \"250 ms\""));
  CHECK(has(fit.err, "own.log: 40 records of"));
  for (const char* bad : {" --time-zone x", " --start noon", " --interval -1s"}) {
    const Outcome refused = shell("feedrate observe fit '" + file + "'" + regex + job + bad);
    INFO(bad << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, std::string(bad + 1, 6)));
  }
}

TEST_CASE("observe fit: twins of many GPUs and of loaders on other machines are predicted") {
  const Folder folder;
  struct Twin {
    const char* name;
    const char* batch;
  };
  for (const Twin& twin : {Twin{"albert_p3dn", "32"}, Twin{"aws_hetero_tf", "1024"},
                           Twin{"mlperf_storage_micron", "400"}}) {
    const std::string lines = folder / "twin.jsonl";
    const std::string job = folder / "job.json";
    REQUIRE(shell(std::string("feedrate run scenarios/") + twin.name + ".json --samples '" + lines +
                  "' --interval 500ms")
                .status == 0);
    const Outcome fit = shell("feedrate observe fit '" + lines + "' --batch-size " + twin.batch +
                              " -o '" + job + "'");
    INFO(twin.name << fit.err);
    REQUIRE(fit.status == 0);
    const Outcome cases = shell("feedrate cases '" + job + "'");
    INFO(cases.out);
    CHECK_FALSE(has(cases.out, "and misses"));
    CHECK_FALSE(has(cases.out, "misses 5.0 %"));
  }
}

/// Observes the twin of a job and fits it; the file of the scenario.
std::string fitted_twin(const Folder& folder, const std::string& job) {
  const std::string twin = folder / "twin.jsonl";
  const std::string fitted = folder / "fitted.json";
  REQUIRE(shell("feedrate run " + job + " --samples '" + twin + "' --interval 200ms").status == 0);
  const Outcome fit =
      shell("feedrate observe fit '" + twin + "' --batch-size 64 -o '" + fitted + "'");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  return fitted;
}

/// What explains most of the difference between a job with another value and its twin.
std::string explained(const Folder& folder, const std::string& job, const std::string& set) {
  const std::string other = folder / "other.json";
  REQUIRE(shell("sed 's/" + set + "/' '" + job + "' > '" + other + "'").status == 0);
  const Outcome beside =
      shell("feedrate observe fit '" + (folder / "twin.jsonl") + "' '" + other +
            "' --batch-size 64 | grep -A2 'With one observed input' | tail -n 1");
  INFO(beside.out);
  return beside.out;
}

TEST_CASE("observe fit: a twin of several GPUs has the workers of one, and says so") {
  const Folder folder;
  const std::string job = folder.write(
      "job.json",
      R"({"dataset": {"samples": 200000, "bytes_per_sample": "10 KB"}, "source": {"service": "local"},
          "disk": {"kind": "nvme", "bandwidth": "2 GB/s"}, "loader": {"num_workers": 2, "batch_size": 64},
          "preprocess": [{"operation": "decode", "cpu": "60 ms"}],
          "cluster": {"gpus_per_instance": 4, "vcpus": 64, "cores": 64, "memory": "64 GB",
                      "price": "1 USD/h"},
          "job": {"epochs": 2, "step": "1 ms"}})");
  const std::string fitted = fitted_twin(folder, "'" + job + "'");
  CHECK(has(slurp(folder / "twin.jsonl"), "\"GPUs\": 4, \"Ranks\": 1"));
  CHECK(has(slurp(fitted), "\"num_workers\": 2"));
  for (const char* workers : {"2", "4"}) {
    INFO(workers);
    const std::string set = std::string(" --set num_workers=") + workers;
    CHECK(predicted("'" + fitted + "'" + set) ==
          Approx(predicted("'" + job + "'" + set)).epsilon(0.05));
  }
  // The threads of a pool are one rank's as well.
  const std::string pool = "'" + job + "' --set loader.kind=tf.data --set num_workers=8";
  CHECK(predicted("'" + fitted_twin(folder, pool) + "'") == Approx(predicted(pool)).epsilon(0.05));
  CHECK(has(slurp(folder / "twin.jsonl"), "\"GPUs\": 4, \"Ranks\": 1"));
}

TEST_CASE("observe fit: the twin of a job that a disk holds back knows what the disk gives") {
  const Folder folder;
  const std::string job = folder.write(
      "job.json",
      R"({"dataset": {"samples": 100000, "bytes_per_sample": "1 MB"}, "source": {"service": "local"},
          "disk": {"kind": "other", "bandwidth": "200 MB/s", "page_cache": "1 B"},
          "loader": {"num_workers": 4, "batch_size": 64},
          "cluster": {"gpus_per_instance": 1, "vcpus": 32, "cores": 32, "memory": "8 GB",
                      "price": "1 USD/h"},
          "job": {"epochs": 2, "step": "1 ms"}})");
  const std::string fitted = fitted_twin(folder, "'" + job + "'");
  for (const char* workers : {"4", "8", "16"}) {
    INFO(workers);
    const std::string set = std::string(" --set num_workers=") + workers;
    CHECK(predicted("'" + fitted + "'" + set) ==
          Approx(predicted("'" + job + "'" + set)).epsilon(0.05));
  }
  CHECK(has(explained(folder, job, "200 MB.s/1 GB\\/s"), "/disk/bandwidth"));
}

TEST_CASE("observe fit: the twin of a job that its line holds back knows what the line carries") {
  const Folder folder;
  const std::string job =
      folder.write("job.json",
                   R"({"dataset": {"samples": 50000, "bytes_per_sample": "1 MB"},
          "source": {"service": "s3", "input_mode": "stream", "bandwidth_per_connection": "90 MB/s"},
          "loader": {"num_workers": 12, "batch_size": 64},
          "cluster": {"gpus_per_instance": 1, "vcpus": 32, "cores": 32, "memory": "64 GB",
                      "region": "us-east-1", "network": "2 Gbit/s", "price": "1 USD/h"},
          "job": {"epochs": 2, "step": "1 ms"}})");
  const std::string fitted = fitted_twin(folder, "'" + job + "'");
  for (const char* workers : {"12", "24", "48"}) {
    INFO(workers);
    const std::string set = std::string(" --set num_workers=") + workers;
    CHECK(predicted("'" + fitted + "'" + set) ==
          Approx(predicted("'" + job + "'" + set)).epsilon(0.05));
  }
  CHECK(has(explained(folder, job, "2 Gbit.s/10 Gbit\\/s"), "/cluster/network"));
}

TEST_CASE("observe fit: the time to the first byte is tried as what explains a difference") {
  const Folder folder;
  const std::string job =
      folder.write("job.json",
                   R"({"dataset": {"samples": 200000, "bytes_per_sample": "110 KB"},
          "source": {"service": "s3", "input_mode": "FastFile", "first_byte_latency": "20 ms"},
          "loader": {"num_workers": 4, "batch_size": 64},
          "preprocess": [{"operation": "decode", "cpu": "8 ms"}],
          "cluster": {"instance": "ml.g5.2xlarge", "region": "us-east-1"},
          "job": {"epochs": 2, "step": {"per_sample": "0.9 ms"}}})");
  fitted_twin(folder, "'" + job + "' --set /source/first_byte_latency=60ms");
  const Outcome beside =
      shell("feedrate observe fit '" + (folder / "twin.jsonl") + "' '" + job +
            "' --batch-size 64 | grep -A2 'With one observed input' | tail -n 1");
  INFO(beside.out);
  CHECK(has(beside.out, "first_byte_latency"));
}

TEST_CASE("observe fit: a batch that contradicts the log's own rate is told of") {
  const Folder folder;
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += " iteration " + std::to_string(10 * i) +
           "/ 1000 | elapsed time per iteration (ms): 1000.0 | global batch size: 64 |\n";
  }
  const std::string fit = "feedrate observe fit '" + folder.write("train.log", log) +
                          "' --gpus 8 --num-workers 2 --format json --batch-size ";
  const Outcome wrong = shell(fit + "64 --throughput 100");
  INFO(wrong.out << wrong.err);
  CHECK(wrong.status == 0);
  CHECK(has(wrong.out, "says 64 samples/s, and its steps of 512 samples are 512 samples/s"));
  CHECK(has(wrong.out, "that takes a batch of 8 on each GPU"));
  CHECK(has(wrong.out, "--throughput is not used"));
  const Outcome right = shell(fit + "8");
  INFO(right.out);
  CHECK_FALSE(has(right.out, "that takes a batch of"));
}

TEST_CASE("observe fit: a few lines that are means of many steps are enough") {
  const Folder folder;
  // 50 steps of which the first are slow, and 50 more; and all of a run at once.
  const std::string two = folder.write(
      "mmengine.log",
      "2026/11/22 11:21:46 - mmengine - INFO - Epoch(train)  [1][  50/1000]  lr: 2.0e-03  eta: "
      "1:00:00  time: 0.5000  data_time: 0.1000  memory: 5000  loss: 1.0\n"
      "2026/11/22 11:22:06 - mmengine - INFO - Epoch(train)  [1][ 100/1000]  lr: 2.0e-03  eta: "
      "1:00:00  time: 0.4000  data_time: 0.1000  memory: 5000  loss: 1.0\n");
  const std::string one =
      folder.write("trainer.log",
                   "{'train_runtime': 100.0, 'train_samples_per_second': 160.0, "
                   "'train_steps_per_second': 10.0, 'train_loss': 0.5, 'epoch': 3.0}\n");
  const std::string flags = " --batch-size 16 --gpus 1 --num-workers 2 --format json";
  const Outcome of_two = shell("feedrate observe fit '" + two + "'" + flags);
  INFO(of_two.err << of_two.out);
  CHECK(has(of_two.out, "\"fixed\": \"300 ms\""));
  const Outcome of_one = shell("feedrate observe fit '" + one + "'" + flags);
  INFO(of_one.err << of_one.out);
  CHECK(has(of_one.out, "\"fixed\": \"100 ms\""));
}

std::string steps_of(const std::string& seconds) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += R"({"Type":"step","Name":"","Dimension":"StepSeconds","NodeId":"n","Timestamp":)" +
            std::to_string(i) + R"(,"Value":)" + seconds + "}\n";
  }
  return text;
}

TEST_CASE("observe fit: a job on several instances stays one, and its exchange is told of") {
  const Folder folder;
  const std::string twin = folder / "twin.jsonl";
  const std::string run =
      "feedrate run scenarios/caltech256_p3.json --set instance=p4d.24xlarge "
      "--set instances=4 --set num_workers=8 ";
  REQUIRE(shell(run + "--set /job/allreduce/parameters=25.6e6 --samples '" + twin +
                "' --interval 200ms")
              .status == 0);
  CHECK(has(slurp(twin), "\"GPUs\": 8, \"Instances\": 4"));
  const Outcome fit = shell("feedrate observe fit '" + twin +
                            "' --batch-size 64 --instance p4d.24xlarge --format json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(has(fit.out, "\"instances\": 4"));
  CHECK(has(fit.out, "\"gpus_per_instance\": 8"));
  CHECK(has(fit.out, "what 4 instances exchange"));
  // Of one that does not say it, the flag does.
  REQUIRE(shell("sed -i 's/, \"Instances\": 4//' '" + twin + "'").status == 0);
  const std::string again = "feedrate observe fit '" + twin + "' --batch-size 64 --format json";
  CHECK_FALSE(has(shell(again).out, "\"instances\": 4"));
  CHECK(has(shell(again + " --instances 4").out, "\"instances\": 4"));
  CHECK(shell(again + " --instances 0").status == 2);
}

TEST_CASE("observe fit: what a rank waits for others, or for all at once, is not counted again") {
  const Folder folder;
  const std::string start =
      R"({"dataset": {"samples": 200000, "bytes_per_sample": "10 KB"}, "source": {"service": "local"},
          "disk": {"kind": "nvme", "bandwidth": "2 GB/s"}, "loader": {"num_workers": 12, "batch_size": 64},
          "cluster": {"gpus_per_instance": 1, "vcpus": 16, "cores": 16, "memory": "64 GB",
                      "price": "1 USD/h", "network": "10 Gbit/s", "instances": )";
  const std::string accumulates = folder.write(
      "accumulates.json", start + R"(4}, "job": {"epochs": 5, "step": {"per_sample": "2 ms"},
          "gradient_accumulation": 4,
          "allreduce": {"gradient_bytes": "400 MB", "busbw": "1.2 GB/s"}}})");
  const std::string straggles = folder.write("straggles.json", start + R"(8}, "job": {"epochs": 5,
          "step": {"per_sample": "2 ms", "cv": 0.1},
          "allreduce": {"gradient_bytes": "1 KB", "busbw": "10 GB/s"}}})");
  for (const std::string& job : {accumulates, straggles}) {
    INFO(job);
    const std::string fitted = fitted_twin(folder, "'" + job + "'");
    CHECK_FALSE(has(slurp(fitted), "\"cv\""));
    CHECK(predicted("'" + fitted + "'") == Approx(predicted("'" + job + "'")).epsilon(0.05));
  }
}

TEST_CASE("observe fit: a quota, and workers that start anew, are what the twin's job waits for") {
  const Folder folder;
  const std::string start =
      R"({"source": {"service": "local"}, "disk": {"kind": "nvme", "bandwidth": "2 GB/s"},
          "preprocess": [{"operation": "decode", "cpu": "5 ms"}],
          "job": {"epochs": 4, "step": "64 ms"}, "cluster": {"gpus_per_instance": 1, "vcpus": 16,
          "cores": 16, "memory": "64 GB", "price": "1 USD/h")";
  const std::string quota = folder.write("quota.json", start + R"(, "cpu_quota": 2},
          "dataset": {"samples": 64000, "bytes_per_sample": "10 KB"},
          "loader": {"num_workers": 4, "batch_size": 64}})");
  const std::string anew = folder.write("anew.json", start + R"(},
          "dataset": {"samples": 12800, "bytes_per_sample": "10 KB"},
          "loader": {"num_workers": 8, "batch_size": 64, "worker_startup": "1 s",
                     "persistent_workers": false}})");
  for (const auto& [job, key] :
       // The twin counts what the work takes on cores that fewer share.
       {std::pair(quota, "\"cpu_quota\": 1.9"), std::pair(anew, "\"persistent_workers\": false")}) {
    INFO(job);
    const std::string fitted = fitted_twin(folder, "'" + job + "'");
    CHECK(has(slurp(fitted), key));
    for (const char* workers : {"4", "8", "16"}) {
      INFO(workers);
      const std::string set = std::string(" --set num_workers=") + workers;
      CHECK(predicted("'" + fitted + "'" + set) ==
            Approx(predicted("'" + job + "'" + set)).epsilon(0.06));
    }
    CHECK_FALSE(
        has(shell("feedrate diagnose '" + (folder / "twin.jsonl") + "'").out, "raise num_workers"));
  }
}

TEST_CASE("observe fit: workers that a recording does not show are no other programs") {
  const Folder folder;
  std::string text = "_timestamp,system.cpu,system.cpu.0.cpu_percent,system.cpu.1.cpu_percent\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(1700000000 + 10 * i) + ",3,80,80\n";
  const std::string fit = "feedrate observe fit '" + folder.write("wandb.csv", text) +
                          "' --batch-size 64 --throughput 500 --gpus 1 --num-workers ";
  const Outcome workers = shell(fit + "4");
  CHECK(workers.status == 0);
  CHECK_FALSE(has(workers.out, "other programs"));
  // Without workers the process is the whole job.
  const Outcome alone = shell(fit + "0");
  CHECK(alone.status == 0);
  CHECK(has(alone.out, "other programs 77 %"));
}

TEST_CASE("observe fit: what is no observation is refused, and nothing is written") {
  const Folder folder;
  const std::string output = folder / "job.json";
  const std::string line =
      R"({"Type":"gpu","Name":"gpu0","Dimension":"GPUUtilization","Value":38,"NodeId":"n","Timestamp":)";
  struct Bad {
    const char* name;
    std::string text;
  };
  for (const Bad& bad : {
           Bad{"empty.jsonl", ""},
           Bad{"noise.jsonl", "nothing of the kind\n"},
           Bad{"nan.jsonl", line + "NaN}\n"},
           Bad{"negative.jsonl", line + "-5}\n"},
           Bad{"twice.jsonl", line + "5}\n" + line + "5}\n"},
           Bad{"cut.jsonl", line},
           Bad{"zero.jsonl", steps_of("0")},
           Bad{"huge.jsonl", steps_of("1e300")},
           Bad{"tiny.jsonl", steps_of("1e-300")},
           Bad{"no_steps.jsonl", line + "5}\n" + line + "6}\n"},
       }) {
    const std::string file = folder.write(bad.name, bad.text);
    const Outcome outcome = shell("feedrate observe fit '" + file +
                                  "' --batch-size 8 --gpus 1 --num-workers 2 -o '" + output + "'");
    INFO(bad.name << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') <= 2);
    CHECK_FALSE(std::filesystem::exists(output));
  }
  const std::string fine = folder.write("fine.jsonl", line + "5}\n" + line + "6}\n");
  for (const char* flag : {"--batch-size 0", "--batch-size x", "--gpus 1.5", "--throughput 0",
                           "--throughput nan", "--num-workers -1", "--samples 1e99"}) {
    const Outcome outcome = shell("feedrate observe fit '" + fine + "' " + flag);
    INFO(flag << ": " << outcome.err);
    CHECK(outcome.status == 2);
  }
}

}  // namespace
