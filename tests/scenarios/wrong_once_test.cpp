// Scenarios whose answers were wrong once, and what is right, from the scenario's own numbers.
#include <string>
#include <vector>

#include "resolve/assumptions.hpp"
#include "scenarios/shipped.hpp"

using namespace testing_scenarios;
namespace resolve = feedrate::resolve;

namespace {

constexpr double tolerance = 0.03;

/// A figure of one run, and what it must be.
struct Right {
  std::string scenario;
  std::string flags;
  std::string figure;
  double value;
  double within = tolerance;
};

class Once {
 public:
  explicit Once(const std::string& arguments)
      : json_(json_of("run tests/scenarios/wrong_once/" + arguments)) {}

  [[nodiscard]] double operator()(const std::string& path) const {
    return at(*json_, "result." + path).number;
  }
  /// A stage's gain if it were twice as fast; 0 where none is claimed.
  [[nodiscard]] double gain(const std::string& stage) const {
    for (const auto& item : at(*json_, "result.bottleneck.gains").items) {
      if (at(*item, "stage").text == stage) return at(*item, "gain").number;
    }
    return 0.0;
  }
  [[nodiscard]] std::string bottleneck() const {
    return at(*json_, "result.bottleneck.stage").text;
  }

 private:
  feedrate::schema::JsonPtr json_;
};

void check(const std::vector<Right>& list) {
  for (const Right& right : list) {
    INFO(right.scenario << " " << right.flags);
    CHECK(Once(right.scenario + ".json" + right.flags)(right.figure) ==
          Approx(right.value).epsilon(right.within));
  }
}

constexpr const char* total = "time.total_s";
constexpr const char* epoch = "time.epoch_s";
constexpr const char* pace = "throughput_samples_per_s";

/// What is worked out by hand knows no variation, and cores that lose nothing to each other.
const std::string steady = " --set read_cv=0 --set make_cv=0 --set size_cv=0 --set contention=0";

}  // namespace

TEST_CASE("wrong once: the workers of all ranks are customers of one disk and its cores") {
  // Mean value analysis of 8 customers over 0.125 ms of disk and 1 ms of own core: 6,115/s.
  check({{"01_fold_of_ranks", "", pace, 6100},
         {"01_fold_of_ranks", " --set gpus_per_instance=4 --set num_workers=2", pace, 6100},
         {"01_fold_of_ranks", " --set gpus_per_instance=1 --set num_workers=8", pace, 6100}});
}

TEST_CASE("wrong once: instances that read random parts fill their caches over the epochs") {
  // In the second epoch each of 8 instances has seen an eighth: 7/8 of 24 GB at 240 MB/s.
  check({{"02_page_cache_instances", "", epoch, 87.5},
         {"02_page_cache_instances", " --set instances=1", epoch, 24},
         {"03_in_memory_cache_instances", steady, epoch, 137},
         {"38_imagenet_fsx_8_nodes", "", total, 3465, 0.08}});
  // What stays in memory is the first operation's output, whatever it is called.
  const std::string renamed = " --set instances=1 --set '/preprocess/0/operation=jpeg decode'";
  CHECK(Once("03_in_memory_cache_instances.json" + renamed)(epoch) ==
        Approx(Once("03_in_memory_cache_instances.json --set instances=1")(epoch)));
}

TEST_CASE("wrong once: no lockstep, and a nanosecond more changes nothing") {
  check({{"04_lockstep_latency", "", total, 100},
         {"04_lockstep_latency", " --set '/preprocess/0/cpu=1 ns'", total, 100}});
  const Once before("33_artefact_bistable.json --set '/source/bandwidth=150 MB/s'");
  for (const char* bandwidth : {"150.00015 MB/s", "150.001 MB/s", "150.01 MB/s"}) {
    const Once after(
        "33_artefact_bistable.json --set '/source/bandwidth=" + std::string(bandwidth) + "'");
    CHECK(after(epoch) == Approx(before(epoch)).epsilon(1e-4));
    CHECK(after(epoch) <= before(epoch));
  }
}

TEST_CASE("wrong once: remote workers have their own number, NICs and connections") {
  check({{"05_remote_source_curve", "", total, 63.1},
         {"05_remote_source_curve", " --set num_workers=32", total, 63.1},
         {"06_remote_rounding", "", total, 250},
         {"06_remote_rounding", " --set instances=1 --set gpus_per_instance=1", total, 250},
         {"07_remote_nic", "", total, 2.5, 0.3}});
}

TEST_CASE("wrong once: helpers that send more than a NIC takes wait for the network") {
  for (const char* helpers : {"10", "50", "200"}) {
    INFO(helpers << " helpers");
    const std::string job =
        std::string("07_remote_nic.json --set '/loader/remote/bytes_per_sample=1.5 MB'") +
        " --set /loader/remote/instances=" + helpers;
    // 150 GB through nine tenths of 10 Gbit/s, whoever sends them.
    const Once once(job);
    CHECK(once(total) == Approx(120.0 / 0.9).epsilon(tolerance));
    CHECK(once.bottleneck() == "network");
    CHECK(once.gain("network") == Approx(0.5).margin(0.02));
    CHECK(once.gain("remote") < 0.02);
    CHECK(Once(job + " --set '/cluster/network=20 Gbit/s'")(total) ==
          Approx(once(total) * (1.0 - once.gain("network"))).epsilon(1e-3));
  }
}

TEST_CASE("wrong once: connections are requests in flight") {
  // 10,000 requests of 100 ms, one or sixteen at a time.
  check({{"08_connections_latency", "", total, 1000},
         {"08_connections_latency", steady + " --set connections=16", total, 63.5}});
}

TEST_CASE("wrong once: Pipe mode has one stream an instance, of so many connections") {
  check({{"09_pipe_stream_per_gpu", "", total, 88},
         {"09_pipe_stream_per_gpu", " --set gpus_per_instance=1", total, 88},
         {"10_pipe_connections", "", total, 1070, 0.065},
         {"10_pipe_connections", " --set connections=2", total, 2056},
         {"10_pipe_connections", " --set connections=16", total, 1000}});
}

TEST_CASE("wrong once: of IOPS and bandwidth the tighter limit binds, not their sum") {
  check({{"11_ebs_iops_plus_bandwidth", "", pace, 2930},
         {"11_ebs_iops_plus_bandwidth", " --set 'bytes_per_sample=131072 B'", pace, 1000},
         {"12_ebs_shards", "", pace, 12900},
         {"12_ebs_shards", " --set /disk/reads_per_sample=0.04", pace, 12900}});
}

TEST_CASE("wrong once: staging waits for the disk that is written, and for all bytes once") {
  const Once staged("13_staging_verdict.json");
  CHECK(staged.gain("disk") == Approx(0.417).epsilon(0.05));
  CHECK(staged.gain("download") < 0.02);
  CHECK(Once("13_staging_verdict.json --set '/disk/bandwidth=400 MB/s'")(total) ==
        Approx(staged(total) * (1.0 - staged.gain("disk"))).epsilon(0.001));
  CHECK(Once("14_staging_partial_shard.json")("time.staging_s") == Approx(0.1).epsilon(0.01));
}

TEST_CASE("wrong once: claimed gains are real ones, none left out") {
  const Once base("15_whatif_pruned.json");
  const Once collate("15_whatif_pruned.json --set '/loader/collate=0.1 ms/MB'");
  const Once decode("15_whatif_pruned.json --set '/preprocess/0/cpu=0.25 ms'");
  CHECK(base.gain("collate") == Approx(0.245).epsilon(0.05));
  CHECK(base.gain("collate") == Approx(1.0 - collate(total) / base(total)).margin(0.001));
  CHECK(base.gain("decode") == Approx(1.0 - decode(total) / base(total)).margin(0.001));
}

TEST_CASE("wrong once: what is given comes before what was measured") {
  const std::string host = " --host tests/scenarios/wrong_once/host_download.json";
  check({{"16_host_curve_wins", host + steady, total, 21.8},
         // 313 batches by 16 workers are 20 rounds, of 64 requests of 201 ms each.
         {"16_host_curve_wins", host + steady + " --set '/source/bandwidth_per_connection=5 MB/s'",
          total, 20 * 64 * 0.201},
         // One request at a time: 1 ms to the first byte, then 1 MB at 90 MB/s.
         {"16_host_curve_wins", host + " --set connections=1", total, 20000 * (1e-3 + 1.0 / 90.0)},
         {"16_host_curve_wins", host + " --set 'network=1 Gbit/s'", total, 160}});
}

TEST_CASE("wrong once: EFS gives a client so much and no more") {
  const std::string provisioned =
      " --set /source/throughput_mode=provisioned --set '/source/provisioned_throughput=3 GiB/s'";
  check({{"17_efs_per_client", "", total, 636}, {"17_efs_per_client", provisioned, total, 1907}});
}

TEST_CASE("wrong once: scaling points and an efficiency that are given are what comes out") {
  const Once one("23_scaling_not_reproduced.json --set instances=1");
  CHECK(Once("23_scaling_not_reproduced.json --set instances=2")(total) / one(total) ==
        Approx(0.6).epsilon(0.001));
  CHECK(Once("23_scaling_not_reproduced.json --set instances=4")(total) / one(total) ==
        Approx(0.35).epsilon(0.001));
  CHECK(Once("24_efficiency_not_reproduced.json")("efficiency") == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("wrong once: a machine's vCPUs typed in change nothing") {
  CHECK(Once("25_vcpus_same_value.json --set vcpus=32")(total) ==
        Once("25_vcpus_same_value.json")(total));
}

TEST_CASE("wrong once: dropped samples, hidden communication and accumulation have bounds") {
  const double decoded = 4472.0 * (1.0 + resolve::assumed::contention.value) / 1.0922;
  check(
      {{"26_drop_last_throughput", "", pace, 5664},
       // 245 steps, each as long as its all-reduce of 19.7 s, which a step of 6 ms cannot hide.
       {"27_overlap_unbounded", "", total, 4826},
       {"28_async_ignored", "", total, 300},
       // Decode on cores that are all busy: 4,472 s by a loss of 0.0922, and by studies' loss now.
       {"29_accumulation_extrapolated", "", total, decoded},
       {"29_accumulation_extrapolated", " --set gradient_accumulation=1000", total, decoded}});
}

TEST_CASE("wrong once: bands hold their headline, and but for assumptions shrink with the job") {
  for (const std::string name :
       {"30_accumulation_random", "31_band_width", "32_headline_outside_band",
        "36_extrapolated_106x4", "37_gains_of_extrapolated"}) {
    INFO(name);
    // Of a job that was measured the model's own error is none: what is left is the inputs'.
    std::string text =
        testing_cli::slurp(FEEDRATE_SOURCE_DIR "/tests/scenarios/wrong_once/" + name + ".json");
    text.insert(text.find('{') + 1,
                R"("about": {"study": {"id": "own", "bound_by": "gpu", "known": "profile"}},)");
    const testing_cli::Folder folder;
    const auto json = json_of("run " + folder.write("job.json", text) + " --replications 60");
    const double mean = at(*json, "result." + std::string(total)).number;
    const auto& band = at(*json, "result.bands.total_s").items;
    CHECK(band[0]->number <= mean);
    CHECK(band[2]->number >= mean);
    double shortest = mean;
    double longest = mean;
    for (const auto& input : at(*json, "result.inputs").items) {
      const auto* with_ends = at(*input, "uncertainty").find("total_s");
      if (with_ends == nullptr || at(*input, "provenance").text != "assumed") continue;
      const auto& ends = with_ends->items;
      shortest -= std::max(0.0, mean - std::min(ends[0]->number, ends[1]->number));
      longest += std::max(0.0, std::max(ends[0]->number, ends[1]->number) - mean);
    }
    CHECK(band[0]->number > shortest - 0.0015 * mean);
    CHECK(band[2]->number < longest + 0.0015 * mean);
  }
}

TEST_CASE("wrong once: seeds that follow each other share no replication") {
  const std::string run = "run tests/scenarios/wrong_once/39_seeds.json --replications 2 --seed ";
  const auto one = json_of(run + "1");
  const auto two = json_of(run + "2");
  const auto& a = at(*one, "result.bands.total_s").items;
  const auto& b = at(*two, "result.bands.total_s").items;
  CHECK(a[0]->number != b[0]->number);
  CHECK(a[2]->number != b[0]->number);
  CHECK(a[0]->number != b[2]->number);
  CHECK(a[2]->number != b[2]->number);
}

TEST_CASE("wrong once: GPUs that hardly work are no bottleneck, whatever their speed spares") {
  const std::string job =
      "run tests/scenarios/wrong_once/72_scaling_extrapolated.json --set instances=1 --set "
      "/job/scaling=null --set '/job/checkpoint={\"interval\": \"1 s\", \"bandwidth\": \"1 GB/s\", "
      "\"size\": \"";
  for (const char* size : {"9 GB", "49 GB"}) {
    INFO(size);
    const auto json = json_of(job + size + "\"}'");
    CHECK(at(*json, "result.bottleneck.stage").text == "checkpoint");
  }
  CHECK(at(*json_of(job + "100 MB\"}' --set '/preprocess/0/cpu=1 ms'"), "result.bottleneck.stage")
            .text == "gpu");
}

TEST_CASE("wrong once: an extrapolated loss to communication is all-reduce's") {
  const auto json = json_of("run tests/scenarios/wrong_once/72_scaling_extrapolated.json");
  CHECK(at(*json, "result.bottleneck.stage").text == "allreduce");
}

TEST_CASE("wrong once: fewer workers are found where these are faster") {
  // 64 workers on 8 threads crowd their cores: 7 of each 8 of them are too many.
  const auto json = json_of(
      "run tests/scenarios/wrong_once/72_scaling_extrapolated.json --set instances=1 --set "
      "/job/scaling=null --set num_workers=64 --set oversubscription=0.3 --set "
      "'/preprocess/0/cpu=20 ms'");
  const auto& workers = at(*json, "result.bottleneck.workers");
  CHECK(at(workers, "best").number <= 8.0);
  CHECK(at(workers, "gain").number > 0.1);
}
