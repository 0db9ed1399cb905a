// What a sample weighs on its way, where its operations run, and for how many steps.
#include <string>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;
using Catch::Matchers::Contains;

namespace {

Scenario scenario(const std::string& preprocess) {
  return schema::read_scenario(schema::parse_document(R"({
    "dataset": {"samples": 6400, "bytes_per_sample": "39 KB"},
    "loader": {"kind": "pool", "num_workers": 4, "batch_size": 64},
    "cluster": {"vcpus": 8, "cores": 8, "gpus_per_instance": 1, "price": "1 USD/h",
                "memory": "64 GB"},
    "disk": {"kind": "other", "bandwidth": "2 GB/s"},
    "job": {"epochs": 2, "step": {"fixed": "100 ms"}},
    "preprocess": [)" + preprocess + "]}",
                                                      "chain.json"));
}

double to_gpu(const Scenario& given) {
  const auto found = resolve::bytes_in_chain(given).to_gpu;
  return found ? found->value.base() : -1.0;
}

const std::string gpu_decode =
    R"({"operation": "decode", "gpu": "0.2 ms", "where": "gpu", "output_bytes": "602112 B"})";
const std::string cpu_decode =
    R"({"operation": "decode", "cpu": "5 ms", "output_bytes": "602112 B"})";

/// Of a machine on whose GPU this operation takes 0.3 ms a sample.
HostProfile profile(const std::string& operation) {
  HostProfile host;
  host.name = "lab";
  host.gpu_operations[operation] = {seconds_per_sample(0.3e-3), {Origin::measured, "lab", 0.0}};
  return host;
}

std::string refusal(const Scenario& given, const HostProfile* host = nullptr) {
  try {
    resolve::resolve(given, Catalog{}, host);
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems()) {
      all += problem.pointer + ": " + problem.message + "\n";
    }
    return all;
  }
  return "";
}

}  // namespace

TEST_CASE("chain: what crosses to the GPU is what the last operation on the CPU makes") {
  CHECK(to_gpu(scenario(cpu_decode)) == 602112.0);
  CHECK(to_gpu(scenario(gpu_decode)) == 39000.0);
  const std::string crop = R"({"operation": "crop", "cpu": "1 ms", "output_bytes": "150528 B"})";
  CHECK(to_gpu(scenario(cpu_decode + "," + crop)) == 150528.0);
  CHECK(to_gpu(scenario(crop + "," + gpu_decode)) == 150528.0);
  // Made ahead and stored: that is read, and what the GPU then gets.
  const std::string resized =
      R"({"operation": "resize", "cpu": "1 ms", "where": "offline", "output_bytes": "20 KB"})";
  CHECK(to_gpu(scenario(resized + "," + gpu_decode)) == 20000.0);
  CHECK(resolve::bytes_in_chain(scenario(resized + "," + gpu_decode)).stored.base() == 20000.0);
}

TEST_CASE("chain: an operation that does not say what it makes leaves its output unknown") {
  const std::string unsaid = R"({"operation": "decode", "cpu": "5 ms"})";
  CHECK(to_gpu(scenario(unsaid)) == -1.0);
  CHECK(to_gpu(scenario("")) == -1.0);
  CHECK(to_gpu(scenario(cpu_decode + "," + unsaid)) == -1.0);
  CHECK(resolve::bytes_in_chain(scenario(cpu_decode)).stored.base() == 39000.0);
}

TEST_CASE("chain: bytes that are given come before what operations make") {
  Scenario given = scenario(gpu_decode);
  given.dataset.bytes_on_gpu_per_sample = bytes_per_sample(1000.0);
  CHECK(to_gpu(given) == 1000.0);
}

TEST_CASE("chain: a decode on the GPU copies the JPEG, not the tensor") {
  const auto on_cpu = resolve::resolve(scenario(cpu_decode), Catalog{});
  const auto on_gpu = resolve::resolve(scenario(gpu_decode), Catalog{});
  CHECK(on_cpu.inputs.copy / on_gpu.inputs.copy == Approx(602112.0 / 39000.0));
  CHECK(on_gpu.inputs.cpu.base() == 0.0);
  CHECK(on_gpu.inputs.gpu_preprocess.base() == Approx(0.2e-3));
}

TEST_CASE("chain: a decode on the GPU is a stage of its own, in its time and in what it gains") {
  const Result result = study::run(scenario(gpu_decode), Catalog{}, nullptr, {});
  const StageStats& stage = result.stages[Stage::gpu_preprocess];
  REQUIRE(stage.capacity);
  CHECK(stage.capacity->base() == Approx(5000.0));
  CHECK(result.stages[Stage::gpu].capacity->base() == Approx(640.0));
  // 100 ms of step and 12.8 ms of decoding a batch.
  CHECK(result.times.epoch.base() == Approx(100 * 0.1128).epsilon(0.01));
}

TEST_CASE("chain: an operation on the GPU costs what the scenario or the host profile says") {
  const std::string bare = R"({"operation": "decode", "where": "gpu"})";
  CHECK(refusal(scenario(bare)).starts_with("/preprocess/0/gpu: needed here and not known"));
  const HostProfile measured = profile("decode");
  const auto by_profile = resolve::resolve(scenario(bare), Catalog{}, &measured);
  CHECK(by_profile.inputs.gpu_preprocess.base() == Approx(0.3e-3));
  CHECK(resolve::resolve(scenario(gpu_decode), Catalog{}, &measured).inputs.gpu_preprocess.base() ==
        Approx(0.2e-3));
  const HostProfile other = profile("resize");
  CHECK(refusal(scenario(bare), &other).starts_with("/preprocess/0/gpu: needed here"));
}

TEST_CASE("chain: in the loader's stream an operation on the GPU is none of the step's") {
  const std::string ahead =
      R"({"operation": "decode", "gpu": "0.2 ms", "where": "gpu", "in_loader": true})";
  const auto resolved = resolve::resolve(scenario(ahead), Catalog{});
  CHECK(resolved.inputs.gpu_preprocess.base() == 0.0);
  CHECK(resolved.inputs.gpu_preprocess_ahead.base() == Approx(0.2e-3));
}

TEST_CASE(
    "chain: a cache in memory keeps what the first operation on the CPU makes, or the named") {
  const std::string load = R"({"operation": "load", "cpu": "5 ms", "output_bytes": "60 MB")";
  const std::string crop = R"({"operation": "crop", "cpu": "1 ms", "output_bytes": "8 MB")";
  const auto kept = [](const Scenario& given) {
    return resolve::bytes_in_chain(given).kept->base();
  };
  Scenario of_load = scenario(load + "}, " + crop + "}");
  Scenario of_crop = scenario(load + "}, " + crop + R"(, "cached": true})");
  CHECK(kept(of_load) == 60e6);
  CHECK(kept(of_crop) == 8e6);
  // What is said of the decoded samples is for an operation that does not say it of its own.
  of_crop.dataset.decoded_bytes_per_sample = bytes_per_sample(60e6);
  CHECK(kept(of_crop) == 8e6);
  of_load.preprocess[0].output_bytes.reset();
  CHECK(kept(of_load) == 8e6);
  of_load.dataset.decoded_bytes_per_sample = bytes_per_sample(50e6);
  CHECK(kept(of_load) == 50e6);
  CHECK(kept(scenario(gpu_decode)) == 39e3);
  // 6,400 samples of 8 MB are 51.2 GB of the 64 GB, of 60 MB they are 384 GB.
  Scenario small = of_crop;
  small.loader.batch_size = 1.0;
  small.loader.in_memory_cache = true;
  CHECK(refusal(small).empty());
  small.preprocess[1].cached.reset();
  CHECK_THAT(refusal(small), Contains("/loader/in_memory_cache: 384 GB of decoded samples"));
}

TEST_CASE(
    "steps: a job of steps reads only what it trains on, and twice the instances twice that") {
  Scenario given = scenario(cpu_decode);
  given.job.epochs.reset();
  given.job.steps = 130.0;  // of 100 an epoch
  const auto resolved = resolve::resolve(given, Catalog{});
  CHECK(resolved.inputs.epochs == 1.0);
  CHECK(resolved.inputs.unfinished_steps == 30.0);
  const Result result = study::run(given, Catalog{}, nullptr, {});
  CHECK(result.steps == 130.0);
  CHECK(result.steps_per_epoch == 100.0);
  given.cluster.instances = 2.0;
  const auto two = resolve::resolve(given, Catalog{});
  CHECK(pipeline::trained_samples(two.inputs) ==
        Approx(2.0 * pipeline::trained_samples(resolved.inputs)));
}

TEST_CASE("steps: efficiency is of the same samples, whatever number of instances shares them") {
  Scenario given = scenario(R"({"operation": "decode", "cpu": "0.1 ms"})");
  given.job.epochs.reset();
  given.job.steps = 1000.0;
  given.cluster.instances = 4.0;
  given.job.allreduce = AllReduce{};  // gradients that cost next to nothing, steps that are alike
  given.job.allreduce->gradient_bytes = bytes(1.0);
  given.job.allreduce->busbw = gigabytes(10.0) / seconds(1.0);
  given.job.allreduce->latency = microseconds(0.001);
  given.job.step->cv = 0.0;
  const Result result = study::run(given, Catalog{}, nullptr, {});
  CHECK(*result.efficiency == Approx(1.0).epsilon(0.01));
  given.job.allreduce.reset();
  given.job.efficiency = 0.8;
  CHECK(*study::run(given, Catalog{}, nullptr, {}).efficiency == Approx(0.8).epsilon(0.001));
}
