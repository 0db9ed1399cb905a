// What each shipped scenario must answer, beyond the measured cases that it carries itself.
#include <cmath>
#include <map>

#include "scenarios/shipped.hpp"

using namespace testing_scenarios;
using feedrate::schema::JsonPtr;
using feedrate::schema::JsonValue;

namespace {

/// KEY of the fastest or cheapest first: "File EFS …".
std::string ranking(const std::map<std::string, double>& values) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, value] : values) order.emplace_back(value, name);
  std::sort(order.begin(), order.end());
  std::string text;
  for (const auto& [value, name] : order) text += (text.empty() ? "" : " ") + name;
  return text;
}

struct Modes {
  std::map<std::string, double> seconds, money;
};

Modes modes(int epochs) {
  Modes made;
  const std::map<std::string, std::string> files = {{"File", "input_modes.json"},
                                                    {"FastFile", "input_modes_fastfile.json"},
                                                    {"Pipe", "input_modes_pipe.json"},
                                                    {"FSx", "input_modes_fsx.json"},
                                                    {"EFS", "input_modes_efs.json"}};
  for (const auto& [name, file] : files) {
    const Run run(file + " --set epochs=" + std::to_string(epochs));
    made.seconds[name] = run.seconds();
    made.money[name] = run.money();
  }
  return made;
}

}  // namespace

TEST_CASE("scenarios: eight instances at 90 % cost 102 USD and take 3.333 h") {
  const Run alone("total_cost_24h_p3.json --set instances=1 --set efficiency=1");
  const Run eight("total_cost_24h_p3.json");
  CHECK(eight.money() == Approx(102.0).epsilon(1e-9));
  CHECK(eight.seconds() == Approx(12000.0).epsilon(1e-9));
  CHECK(eight.money() / alone.money() - 1.0 == Approx(1.0 / 9.0).epsilon(1e-9));
  CHECK(eight.seconds() / alone.seconds() - 1.0 == Approx(-31.0 / 36.0).epsilon(1e-9));
}

TEST_CASE("scenarios: total cost over efficiency is 8/13/S of one instance's") {
  const double alone =
      Run("total_cost_24h_p3.json --set instances=1 --set efficiency=1")("cost.total_usd");
  const JsonPtr sweep =
      json_of("sweep scenarios/total_cost_24h_p3.json --vary efficiency=0.1:1.0:0.1");
  const JsonValue& points = at(*sweep, "points");
  REQUIRE(points.items.size() == 10);
  for (std::size_t i = 0; i < points.items.size(); ++i) {
    const double s = 0.1 * static_cast<double>(i + 1);
    const double total = at(*points.items[i], "result.cost.total_usd").number;
    // SageMaker bills whole seconds: of 10,800 at least.
    CHECK(total / alone == Approx(8.0 / 13.0 / s).epsilon(1e-4));
  }
  CHECK(at(*sweep, "break_even_efficiency").number == Approx(8.0 / 13.0).epsilon(1e-4));
}

TEST_CASE("scenarios: Caltech-256 starves on one worker, not on seven, nor when resized ahead") {
  const Run one("caltech256_p3.json --set num_workers=1");
  CHECK(one.bottleneck() == "decode");
  CHECK(one.busy() < 0.5);
  const Run seven("caltech256_p3.json");
  CHECK(seven.bottleneck() == "gpu");
  CHECK(seven.epoch() == Approx(96.0).epsilon(0.05));
  const Run ahead("caltech256_p3.json --set num_workers=1 --set /preprocess/resize/where=offline");
  CHECK(ahead.epoch() == Approx(96.0).epsilon(0.05));
}

TEST_CASE("scenarios: 10 GB take most of an hour in 5 KB files and a minute in 5 MB files") {
  const Run small("small_files_s3.json");
  const Run large("small_files_s3.json --set samples_per_object=1000");
  CHECK(small("time.staging_s") > 2400.0);
  CHECK(large("time.staging_s") < 120.0);
  CHECK(small.bottleneck() == "download");
  CHECK(large.bottleneck() == "disk");  // the volume that the objects are written to
}

TEST_CASE("scenarios: object size has a flat optimum with two bad ends") {
  const auto staging = [](const std::string& objects, const std::string& connections) {
    // A volume that is large enough for the type's bandwidth.
    return Run("small_files_s3.json --set disk.size=1TB --set samples_per_object=" + objects +
               " --set connections=" + connections)("time.staging_s");
  };
  for (const std::string connections : {"16", "128"}) {
    INFO(connections);
    const double best = staging("10000", connections);  // 50 MB
    CHECK(staging("1", connections) > 7.0 * best);
    CHECK(staging("1000", connections) < 1.1 * best);
    CHECK(staging("20000", connections) < 1.1 * best);  // 100 MB
    CHECK(staging("1000000", connections) > 1.2 * best);
  }
  CHECK(staging("10", "16") > 1.5 * staging("10000", "16"));
  CHECK(staging("1", "128") < 0.2 * staging("1", "16"));
}

TEST_CASE("scenarios: input modes rank by epochs, File passes FastFile once credits are spent") {
  const Modes one = modes(1);
  CHECK(ranking(one.seconds) == "Pipe EFS FastFile FSx File");
  CHECK(ranking(one.money) == "Pipe FastFile FSx File EFS");
  const Modes ten = modes(10);
  CHECK(ranking(ten.seconds) == "Pipe EFS FSx FastFile File");
  CHECK(ranking(ten.money) == "Pipe FastFile FSx File EFS");
  const Modes fifteen = modes(15);
  // What FastFile's workers lose in every epoch is by then what File copied first.
  CHECK(fifteen.seconds.at("FastFile") == Approx(fifteen.seconds.at("File")).epsilon(0.01));
  const Modes sixty = modes(60);
  CHECK(sixty.seconds.at("File") < sixty.seconds.at("FastFile"));
  CHECK(ranking(sixty.seconds).starts_with("EFS FSx File "));
  // Both read about as fast as the network's baseline lets them; FastFile's workers decode between
  // their requests.
  CHECK(sixty.seconds.at("Pipe") < sixty.seconds.at("FastFile"));
  CHECK(sixty.seconds.at("FastFile") < 1.05 * sixty.seconds.at("Pipe"));
  // While credits last, a stream of several connections is faster than copying first, as AWS found.
  for (const Modes* epochs : {&one, &ten, &fifteen}) {
    CHECK(epochs->seconds.at("Pipe") < epochs->seconds.at("File"));
  }
}

TEST_CASE("scenarios: pinned memory matters for clips, not for images") {
  const std::string images =
      " --set bytes_on_gpu_per_sample='602112 B' --set batch_size=64"
      " --set step.per_sample='3.1 ms' --set /preprocess/decode/cpu='8 ms'";
  const auto epoch = [](const std::string& settings) {
    return Run("pinned_memory.json" + settings).epoch();
  };
  const std::string pinned = " --set pin_memory=true";
  const std::string overlapped = pinned + " --set non_blocking=true";
  CHECK(epoch(pinned) < 0.8 * epoch(""));
  CHECK(epoch(overlapped) < 0.8 * epoch(pinned));
  CHECK(epoch(images + pinned) > 0.97 * epoch(images));
}

TEST_CASE("scenarios: a dataset beyond memory starves on gp3 and not on NVMe") {
  const Run gp3("nvme_vs_ebs.json");
  const Run nvme("nvme_vs_ebs.json --set disk.kind=nvme");
  const Run paid("nvme_vs_ebs.json --set disk.bandwidth='1000 MiB/s' --set disk.iops='16000 /s'");
  CHECK(gp3.bottleneck() == "disk");
  CHECK(nvme.bottleneck() == "gpu");
  CHECK(paid.bottleneck() == "gpu");
  CHECK(gp3.epoch() > 1.3 * nvme.epoch());
  CHECK(paid.epoch() == Approx(nvme.epoch()).epsilon(0.01));
  CHECK(nvme.money() < paid.money());
  CHECK(paid.money() < gp3.money());
}

TEST_CASE(
    "scenarios: a fixed loader doubles the pace, five instances bring an epoch to 6 minutes") {
  const std::string slow = " --set instances=1 --set '/preprocess/0/cpu=1.10003 s'";
  const Run starving("hyundai_p3_16xlarge.json" + slow);
  const Run one_gpu("hyundai_p3_16xlarge.json" + slow + " --set gpus_per_instance=1");
  const Run fixed("hyundai_p3_16xlarge.json --set instances=1");
  CHECK(starving.bottleneck() == "decode");
  CHECK(fixed.bottleneck() == "gpu");
  CHECK(one_gpu.bottleneck() == "gpu");
  CHECK(one_gpu.busy() > 0.98);
  // An eighth of the GPUs do as many steps eight times.
  CHECK(8.0 * starving.epoch() / one_gpu.epoch() == Approx(2.0).epsilon(0.03));
  CHECK(starving.epoch() / fixed.epoch() == Approx(2.0).epsilon(0.02));
  CHECK(Run("hyundai_p3_16xlarge.json").epoch() == Approx(360.0).epsilon(0.1));
  CHECK(Run("hyundai_p3_16xlarge.json --set instances=8")("efficiency") ==
        Approx(0.93).margin(0.01));
}

TEST_CASE("scenarios: a CPU instance beside the GPU gives 23 % more for the money") {
  const Run alone("ray_hetero_g5_c5.json --set /loader/remote=null");
  const Run both("ray_hetero_g5_c5.json");
  CHECK(alone.bottleneck() == "decode");
  CHECK(both.bottleneck() == "gpu");
  CHECK(both.busy() > 1.5 * alone.busy());
  CHECK(alone.money() / both.money() - 1.0 == Approx(0.23).margin(0.05));
}

TEST_CASE("scenarios: the file system pays when a job starts every few hours, not once a day") {
  const double copied = Run("maskrcnn_coco_p3.json").money();
  const auto mounted = [](const std::string& held) {
    return Run("maskrcnn_coco_p3_fsx.json --set storage_held='" + held + "'").money();
  };
  CHECK(mounted("2 h") < copied);
  CHECK(mounted("4 h") > copied);
  CHECK(mounted("24 h") > copied);
  CHECK(Run("maskrcnn_coco_p3_fsx.json")("time.staging_s") == 0.0);
}

TEST_CASE("scenarios: MLPerf Storage is bound by the drive") {
  CHECK(Run("mlperf_storage_micron.json").bottleneck() == "disk");
  CHECK(Run("mlperf_storage_micron.json --set gpus_per_instance=40").bottleneck() == "gpu");
}
