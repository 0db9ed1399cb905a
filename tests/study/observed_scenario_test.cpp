// What is made of an observed job: from what each number comes, and what is said where it is not
// seen.
#include "study/observed_scenario.hpp"

#include <algorithm>

#include "catalog/catalog.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

ObservedNumber of_steps(double value) {
  return {value, 0.01, 100.0, "steps"};
}

/// 160 samples/s by two workers, of which each is 12.5 ms at a sample.
ObservedJob starved() {
  ObservedJob job;
  job.source = "job.jsonl";
  job.batch_size = 16.0;
  job.workers = 2.0;
  job.cpus = 8.0;
  job.throughput = of_steps(160.0);
  job.interval = of_steps(0.1);
  job.wait = of_steps(0.08);
  job.least_wait = 0.05;
  job.cpu_busy = of_steps(0.1);
  job.worker_cpu = of_steps(0.0025);
  job.main_cpu = of_steps(0.0001);
  job.all_cpu = of_steps(0.005);
  return job;
}

bool says(const ObservedScenario& made, const std::string& part) {
  return std::any_of(made.unseen.begin(), made.unseen.end(), [&](const Unseen& one) {
    return one.what.find(part) != std::string::npos || one.instead.find(part) != std::string::npos;
  });
}

double predicted(const ObservedScenario& made) {
  return run(made.scenario, Catalog{}, nullptr).throughput->base();
}

TEST_CASE("observed scenario: what a worker is at a sample without its CPU is reading") {
  const ObservedScenario made = observed_scenario(starved());
  CHECK(made.scenario.disk.latency->base() == Approx(0.01));
  CHECK(made.scenario.job.step->fixed->base() == Approx(0.02));
  CHECK(made.scenario.preprocess.front().cpu->base() == Approx(0.0025));
  CHECK(predicted(made) == Approx(160.0).epsilon(0.03));
  CHECK(made.scenario.errors.contains("/disk/latency"));
  CHECK(says(made, "prefetch_factor"));
}

TEST_CASE("observed scenario: a lock lets as many samples pass, however many workers wait for it") {
  // Two workers, each 6 ms at a sample under the lock, of 12.5 ms.
  ObservedJob job = starved();
  job.worker_cpu = of_steps(0.006);
  job.worker_lock_wait = of_steps(0.006);
  ObservedScenario made = observed_scenario(job);
  CHECK(made.scenario.disk.iops->base() == Approx(160.0));
  CHECK(says(made, "how long a worker holds the lock"));
  CHECK(predicted(made) == Approx(160.0).epsilon(0.03));
  made.scenario.loader.num_workers = WorkerCount(6.0);
  CHECK(predicted(made) == Approx(160.0).epsilon(0.03));
  made.scenario.loader.num_workers = WorkerCount(1.0);
  CHECK(predicted(made) == Approx(160.0).epsilon(0.05));

  // One that is seldom waited for is none, nor are threads of a worker's own that it waits for.
  job.worker_lock_wait = of_steps(0.001);
  CHECK_FALSE(observed_scenario(job).scenario.disk.iops);
  job.worker_lock_wait = of_steps(0.006);
  job.worker_cpu = of_steps(0.012);
  CHECK_FALSE(observed_scenario(job).scenario.disk.iops);
}

TEST_CASE("observed scenario: workers that start anew make epochs begin late") {
  // Steps of 100 ms, 20 ms of which are the GPU's; two workers make two batches in 200 ms. The
  // first batch of an epoch is there after 2.98 s: 2.78 s later than they need for it.
  ObservedJob job = starved();
  job.first_step = ObservedNumber{3.0, 0.0, 2.0, "epochs"};
  job.epoch_steps = 40.0;
  job.epoch = ObservedNumber{3.0 + 39.0 * 0.1, 0.0, 2.0, "epochs"};
  const ObservedScenario made = observed_scenario(job);
  CHECK(made.scenario.loader.persistent_workers == false);
  CHECK(made.scenario.loader.worker_startup->base() == Approx(1.39));
  CHECK_FALSE(says(made, "whether workers live on"));
  CHECK(predicted(made) == Approx(40.0 * 16.0 / 6.9).epsilon(0.05));
  REQUIRE(made.scenario.cases.size() == 1);
  CHECK(made.scenario.cases.front().measured == Approx(92.7536));
  // Processes that are there in the next epoch too wait for something else.
  job.workers_live_on = true;
  const ObservedScenario same = observed_scenario(job);
  CHECK(same.scenario.loader.persistent_workers == true);
  CHECK_FALSE(same.scenario.loader.worker_startup);
  CHECK_FALSE(says(same, "whether workers live on"));
  CHECK(same.scenario.cases.front().name == "observed: throughput");
  // Others are new, however soon they are there.
  job.workers_live_on = false;
  job.first_step = ObservedNumber{0.23, 0.0, 2.0, "epochs"};
  const ObservedScenario soon = observed_scenario(job);
  CHECK(soon.scenario.loader.persistent_workers == false);
  CHECK(soon.scenario.loader.worker_startup->base() == Approx(0.005));
  CHECK(soon.scenario.cases.front().name == "observed: throughput");
  // Where neither is seen, it is said.
  job.workers_live_on.reset();
  CHECK(says(observed_scenario(job), "whether workers live on"));
  CHECK(observed_scenario(job).scenario.loader.persistent_workers == true);
}

TEST_CASE("observed scenario: of a disk that is nearly full, what it gives at most is said") {
  ObservedJob job = starved();
  job.device_bytes = of_steps(1e5);
  ObservedDevice disk;
  disk.name = "sda";
  disk.busy = of_steps(0.8);
  disk.rate = of_steps(16e6);
  disk.highest_rate = 18e6;
  job.disk = disk;
  CHECK(says(observed_scenario(job),
             "any rate; it gave up to 18 MB/s; one that serves a read at a "
             "time gives 20 MB/s at most"));
  job.disk->busy = of_steps(0.79);
  CHECK(says(observed_scenario(job), "any rate; it gave up to 18 MB/s"));
  CHECK_FALSE(says(observed_scenario(job), "one that serves"));
  // Two workers that wait 10 of 12.5 ms each wait for nothing in 4 % of the time: a disk that
  // serves both at once would be idle for no longer.
  job.disk->saturated = 0.93;
  job.disk->busy = of_steps(0.94);
  CHECK(says(observed_scenario(job), "any rate"));
  job.disk->busy = of_steps(0.9);
  CHECK(observed_scenario(job).scenario.disk.bandwidth->base() == Approx(16e6));
  CHECK_FALSE(says(observed_scenario(job), "any rate"));
}

TEST_CASE("observed scenario: a CPU quota that is used up is what workers wait for") {
  // 2.5 ms of workers and 0.1 ms of the main process, 160 times a second.
  ObservedJob job = starved();
  job.throttled = of_steps(0.9);
  const ObservedScenario made = observed_scenario(job);
  CHECK(*made.scenario.cluster.cpu_quota == Approx(0.416));
  CHECK(made.scenario.disk.latency == Duration{});
  CHECK(says(made, "besides the CPU quota"));
  CHECK(predicted(made) == Approx(160.0).epsilon(0.06));
  job.workers = 8.0;
  CHECK(predicted(observed_scenario(job)) == Approx(160.0).epsilon(0.06));
  // One that is used up now and then does not hold the job back.
  job.throttled = of_steps(0.1);
  CHECK_FALSE(observed_scenario(job).scenario.cluster.cpu_quota);
}

TEST_CASE("observed scenario: of a log alone, it predicts the throughput that it was made of") {
  // What workers lose to each other on busy cores is in what they were seen to take.
  for (const double workers : {1.0, 2.0, 4.0, 12.0}) {
    for (const std::optional<double> cpus : {std::optional<double>(), {4.0}, {16.0}}) {
      for (const double gpus : {1.0, 4.0}) {
        ObservedJob job = starved();
        job.workers = workers;
        job.gpus = gpus;
        job.throughput = of_steps(160.0 * gpus);
        job.cpus = cpus;
        job.cpu_busy = job.worker_cpu = job.main_cpu = job.all_cpu = std::nullopt;
        const ObservedScenario made = observed_scenario(job);
        INFO(workers << " workers, " << gpus << " GPUs, " << cpus.value_or(0.0) << " CPUs");
        CHECK(predicted(made) == Approx(160.0 * gpus).epsilon(0.03));
      }
    }
  }
  // One process on a core of its own loses nothing: 0.08 s of each 16 samples.
  ObservedJob alone = starved();
  alone.workers = 0.0;
  alone.cpus.reset();
  alone.cpu_busy = alone.worker_cpu = alone.main_cpu = alone.all_cpu = std::nullopt;
  alone.least_wait = 0.0;
  CHECK(observed_scenario(alone).scenario.preprocess.front().cpu->base() == Approx(0.005));
}

TEST_CASE("observed scenario: of a job whose GPU is the limit, reading is not seen, and said so") {
  ObservedJob job = starved();
  job.wait = of_steps(0.0005);
  job.least_wait = 0.0003;
  const ObservedScenario made = observed_scenario(job);
  CHECK(made.scenario.disk.latency->base() == 0.0);
  CHECK(says(made, "at most 10 ms a sample"));
  CHECK(predicted(made) == Approx(160.0).epsilon(0.02));
  CHECK(made.scenario.cases.back().metric == "bottleneck is gpu");
  CHECK(made.scenario.cases.back().measured == 1.0);
  CHECK(run(made.scenario, Catalog{}, nullptr).bottleneck.stage == Stage::gpu);
}

TEST_CASE("observed scenario: figures that its inputs give back are no predictions") {
  // Two workers that compute all the time: 160 samples/s of 12.5 ms each, and the step's rest.
  ObservedJob job = starved();
  job.worker_cpu = of_steps(0.0125);
  job.gpu_busy = of_steps(0.2);
  const ObservedScenario made = observed_scenario(job);
  int predictions = 0;
  for (const Case& one : made.scenario.cases) {
    INFO(one.name);
    // What nvidia-smi shows was not needed, as the steps tell their wait.
    CHECK(one.fitted == (one.metric != "gpu_kernels"));
    predictions += one.fitted ? 0 : 1;
  }
  CHECK(made.scenario.cases.size() == 4);
  CHECK(predictions == 1);
}

TEST_CASE("observed scenario: what binds is a case where the wait tells it, ends not included") {
  const auto bottleneck = [](double workers, double wait) -> std::optional<double> {
    ObservedJob job = starved();
    job.workers = workers;
    job.interval = of_steps(1.0);
    job.throughput = of_steps(16.0);
    job.wait = of_steps(wait);
    job.least_wait = 0.0;  // none of it is every step's
    for (const Case& one : observed_scenario(job).scenario.cases) {
      if (one.metric == "bottleneck is gpu") return one.measured;
    }
    return std::nullopt;
  };
  CHECK(bottleneck(2.0, 0.019) == 1.0);
  for (const double wait : {0.02, 0.05, 0.1}) CHECK_FALSE(bottleneck(2.0, wait));
  CHECK(bottleneck(2.0, 0.101) == 0.0);
  CHECK(bottleneck(0.0, 0.399) == 1.0);
  for (const double wait : {0.4, 0.5, 0.6}) CHECK_FALSE(bottleneck(0.0, wait));
  CHECK(bottleneck(0.0, 0.601) == 0.0);
}

TEST_CASE("observed scenario: without marked steps the GPU's utilisation bounds the step") {
  ObservedJob job = starved();
  job.wait.reset();
  job.least_wait.reset();
  job.gpu_busy = of_steps(0.3);
  const ObservedScenario made = observed_scenario(job);
  CHECK(made.scenario.job.step->fixed->base() == Approx(0.03));
  CHECK(says(made, "no step was marked"));
}

TEST_CASE(
    "observed scenario: what instances exchange is no sample's, or is said to be among them") {
  ObservedJob job = starved();
  job.network_bytes = of_steps(5e6);
  const auto bytes = [&] {
    return observed_scenario(job).scenario.dataset.bytes_per_sample->base();
  };
  CHECK(bytes() == Approx(5e6));
  CHECK_FALSE(says(observed_scenario(job), "instances exchange"));
  job.instances = 4.0;
  const ObservedScenario made = observed_scenario(job);
  CHECK(made.scenario.cluster.instances == 4.0);
  CHECK(bytes() == Approx(5e6));
  CHECK(says(made, "what 4 instances exchange"));
  // 1.5 times 40 MB a step of 16 samples.
  job.all_reduced_bytes = of_steps(40e6);
  CHECK(bytes() == Approx(5e6 - 1.5 * 40e6 / 16.0));
  CHECK_FALSE(says(observed_scenario(job), "instances exchange"));
  // Nothing else comes by the network.
  job.all_reduced_bytes = of_steps(60e6);
  CHECK(observed_scenario(job).scenario.source.service.family() != Service::http);
}

TEST_CASE("observed scenario: cores that are busy with the job, or with other programs") {
  ObservedJob own = starved();
  own.workers = 4.0;
  own.cpus = own.cores = 2.0;
  own.cpu_busy = of_steps(0.99);
  own.worker_cpu = of_steps(0.012);
  const ObservedScenario busy = observed_scenario(own);
  CHECK(busy.scenario.disk.latency->base() == 0.0);
  CHECK_FALSE(busy.scenario.cluster.cpu_quota);
  CHECK(run(busy.scenario, Catalog{}, nullptr).bottleneck.stage == Stage::decode);

  ObservedJob crowded = own;
  crowded.worker_cpu = of_steps(0.006);
  const ObservedScenario left = observed_scenario(crowded);
  REQUIRE(left.scenario.cluster.cpu_quota);
  CHECK(*left.scenario.cluster.cpu_quota < 1.2);
  CHECK(predicted(left) == Approx(160.0).epsilon(0.06));

  ObservedJob few = crowded;
  few.workers = 2.0;
  const ObservedScenario reads = observed_scenario(few);
  CHECK(says(reads, "observe again while nothing else runs"));
  CHECK(predicted(reads) == Approx(160.0).epsilon(0.06));
}

}  // namespace
