// What remedies come to, by hand: helpers, GPUs that are paid for, layouts of a model, spot.
#include <algorithm>

#include "laws/remediable_jobs.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Setting;
using testing_laws::run_with;
using testing_laws::tried;
using testing_resolve::catalog;
using testing_resolve::Settings;

std::vector<Setting> sets_of(const std::vector<Change>& changes) {
  std::vector<Setting> sets;
  for (const Change& change : changes) sets.push_back(change.set);
  return sets;
}

HourlyPrice on_demand_price(const std::string& instance) {
  OfferQuery query;
  query.service = "ec2";
  query.instance = instance;
  query.region = "us-east-1";
  return find_offer(catalog(), query)->price.value;
}

// 3,125 steps of 64 samples in an epoch, each of 20 ms and 64 times 1 ms.
constexpr double three_epochs = 3.0 * 3125.0 * 0.084;

TEST_CASE("remedies: helpers that are too few are more, have all their CPUs work, or go") {
  const auto with = [](const std::string& remote) {
    return Settings{{"/loader/kind", "tf.data-service"},
                    {"/loader/remote", remote},
                    {"/dataset/bytes_on_gpu_per_sample", "60 KB"},
                    {"/preprocess", R"([{"operation": "decode", "cpu": "24 ms",
                                         "where": "remote"}])"}};
  };
  // 16 threads on 8 cores make no more than 16 samples in 24 ms, of the 18.3 that a GPU takes.
  const Settings few = with(R"({"instance": "c5.4xlarge"})");
  const Result before = run_with(few, {});
  CHECK(before.bottleneck.stage == Stage::remote);
  CHECK(before.times.total.base() > 1.1 * three_epochs);
  const auto more = tried(few, "more_helpers");
  CHECK(sets_of(more) == std::vector<Setting>{{{"/loader/remote/instances", "2"}},
                                              {{"/loader/remote/instances", "3"}},
                                              {{"/loader/remote/instances", "5"}},
                                              {{"/loader/remote/instances", "8"}}});
  CHECK(run_with(few, more.front().set).times.total.base() == Approx(three_epochs).epsilon(0.06));
  CHECK(tried(few, "helper_workers").empty());
  const std::pair<std::string, std::string> here = {"/preprocess/0/where", "cpu"};
  const std::pair<std::string, std::string> gone = {"/loader/remote", "null"};
  CHECK(sets_of(tried(few, "own_cpus")) ==
        std::vector<Setting>{{here}, {here, gone}, {here, gone, {"num_workers", "auto"}}});

  // Of 32 CPUs 8 work: 8 samples in 24 ms.
  const Settings idle =
      with(R"({"instance": "c5.4xlarge", "instances": 2, "workers_per_instance": 4})");
  CHECK(run_with(idle, {}).times.total.base() > 18.3 / 8.0 * 0.99 * three_epochs);
  const auto all = tried(idle, "helper_workers");
  REQUIRE(all.size() == 1);
  CHECK(run_with(idle, all.front().set).times.total.base() == Approx(three_epochs).epsilon(0.06));
}

TEST_CASE("remedies: all GPUs of an instance train, or one that has no more is rented") {
  const Settings two = {{"/cluster/instance", "p4d.24xlarge"},
                        {"/cluster/gpus_per_instance", "2"},
                        {"/job/allreduce", R"({"gradient_bytes": "0 B"})"},
                        {"/preprocess/0/cpu", "0.1 ms"},
                        {"/job/epochs", "30"}};
  const Result before = run_with(two, {});
  const auto gpus = tried(two, "all_gpus");
  REQUIRE(gpus.size() == 4);
  const Setting all = {{"/cluster/gpus_per_instance", "8"}};
  CHECK(gpus[2].set == all);
  CHECK(gpus[2].words == "all 8 GPUs instead of 2");
  // 391 steps of 512 samples in place of 1,563 of 128.
  const Result eight = run_with(two, all);
  CHECK(eight.times.total / before.times.total == Approx(391.0 / 1563.0).epsilon(0.03));
  CHECK(eight.bill.money / before.bill.money == Approx(391.0 / 1563.0).epsilon(0.03));

  const auto smaller = [](const Settings& more) {
    Settings settings = {{"/cluster/instance", "g5.12xlarge"}};
    settings.insert(settings.end(), more.begin(), more.end());
    const auto changes = tried(settings, "smaller_instance");
    return std::any_of(changes.begin(), changes.end(), [](const Change& change) {
      return change.set == Setting{{"instance", "g5.xlarge"}};
    });
  };
  CHECK(smaller({{"/cluster/gpus_per_instance", "1"}}));
  CHECK_FALSE(smaller({{"/cluster/gpus_per_instance", "2"}}));
  CHECK_FALSE(smaller({}));
}

TEST_CASE("remedies: instances that are kept longer than a job takes are given back") {
  const Settings warm = {{"/cluster/kept_warm", "10 h"}};
  const auto cold = tried(warm, "kept_warm");
  REQUIRE(cold.size() == 1);
  CHECK((run_with(warm, {}).bill.money - run_with(warm, cold.front().set).bill.money).base() ==
        Approx(10.0 * (on_demand_price("p3.2xlarge") * hours(1.0)).base()).epsilon(1e-3));
  CHECK(tried({{"/cluster/kept_warm", "1 min"}}, "kept_warm").empty());
}

TEST_CASE("remedies: spot without checkpoints has them, or is bought on demand") {
  // 4.4 h, of which each of the interruptions, every 5 h, loses all that was done.
  const Settings spot = {{"/cluster/purchase", "spot"},
                         {"/cluster/spot", R"({"rate": "0.2 /h"})"},
                         {"/source", R"({"service": "s3", "input_mode": "File"})"},
                         {"/job/allreduce", R"({"parameters": 25000000})"},
                         {"/job/epochs", "60"}};
  const double before = run_with(spot, {}).times.total.base();
  CHECK(before > 1.3 * 20.0 * three_epochs);
  const auto demand = tried(spot, "on_demand");
  REQUIRE(demand.size() == 1);
  const double work = run_with(spot, demand.front().set).times.total.base();
  CHECK(work == Approx(20.0 * three_epochs).epsilon(0.1));
  const auto written = tried(spot, "checkpoints");
  REQUIRE(written.size() == 1);
  const double saved = run_with(spot, written.front().set).times.total.base();
  CHECK(saved > work);
  CHECK(saved - work < 0.5 * (before - work));
  Settings once = spot;
  once.emplace_back("/job/checkpoint", "{}");
  CHECK(tried(once, "checkpoints").empty());
}

/// 13 billion parameters on eight instances of eight GPUs.
Settings spread(const std::string& layout, const std::string& batch) {
  return {{"/cluster/instance", "p4d.24xlarge"},
          {"/cluster/instances", "8"},
          {"/loader/batch_size", batch},
          {"/job/step", R"({"model_parameters": 13e9, "tokens_per_sample": 4096})"},
          {"/job/allreduce", R"({"parameters": 13e9})"},
          {"/job/parallel", R"({"layers": 40, "hidden_size": 5120, )" + layout + "}"}};
}

TEST_CASE("remedies: a tensor group that reaches over two instances fits into one") {
  const Settings wide = spread(R"("tensor": 16, "pipeline": 2)", "8");
  const Result before = run_with(wide, {});
  const auto changes = tried(wide, "smaller_tensor_groups");
  REQUIRE(changes.size() > 2);
  CHECK(changes[0].set == Setting{{"/job/parallel/tensor", "8"}, {"/job/parallel/pipeline", "4"}});
  // 16 bytes a parameter are 13 GB on each of 16 GPUs, and on 8 more than 60 % of 40 GB.
  CHECK(changes[1].set == Setting{{"/job/parallel/tensor", "8"}, {"batch_size", "4"}});
  CHECK(changes[3].set ==
        Setting{{"/job/parallel/tensor", "4"}, {"batch_size", "2"}, {"/job/parallelism", "zero1"}});
  for (const Change& change : changes) {
    INFO(change.words);
    const Result after = run_with(wide, change.set);
    REQUIRE(after.layout);
    // Of a sample each: the global batch.
    CHECK(after.layout->data * after.layout->micro_batches == 16.0);
  }
  const Result within = run_with(wide, changes[0].set);
  // Of four stages and eight micro-batches of a sample.
  CHECK(within.layout->bubble == Approx(3.0 / 8.0));
  CHECK(within.layout->groups.front().group == "tensor");
  CHECK(within.layout->groups.front().instances == 1.0);
  CHECK(before.layout->groups.front().instances == 2.0);
  CHECK(within.times.total < 0.7 * before.times.total);
}

TEST_CASE("remedies: batches that are accumulated are micro-batches of a pipeline") {
  const Settings few = spread(R"("pipeline": 8, "micro_batches": 4)", "4");
  const auto changes = tried(few, "gradient_accumulation");
  REQUIRE(changes.size() == 3);
  CHECK(changes[2].words == "gradient_accumulation = 8, micro_batches = 32");
  CHECK(run_with(few, {}).layout->bubble == Approx(7.0 / 4.0));
  CHECK(run_with(few, changes[2].set).layout->bubble == Approx(7.0 / 32.0));

  const auto outermost = tried(few, "outermost");
  REQUIRE(outermost.size() == 1);
  CHECK(run_with(few, outermost.front().set).times.total < 0.7 * run_with(few, {}).times.total);
  CHECK(tried(spread(R"("pipeline": 8, "outermost": "pipeline")", "8"), "outermost").front().set ==
        Setting{{"/job/parallel/outermost", "data"}});
}

TEST_CASE("remedies: instances that have EFA use it") {
  Settings tcp = spread(R"("tensor": 8)", "1");
  tcp.emplace_back("/job/allreduce/fabric", "tcp");
  const auto efa = tried(tcp, "fabric");
  REQUIRE(efa.size() == 1);
  CHECK(run_with(tcp, efa.front().set).times.total ==
        run_with(tcp, {{"/job/allreduce/fabric", "null"}}).times.total);
  CHECK(run_with(tcp, efa.front().set).times.total < run_with(tcp, {}).times.total);
  tcp.emplace_back("/cluster/zones", "2");
  CHECK(tried(tcp, "fabric").empty());
}

TEST_CASE("remedies: a file system is as large written out as by default") {
  const auto of = [](const std::string& more) {
    return Settings{{"/source", R"({"service": "fsx-lustre", "input_mode": "mount")" + more + "}"}};
  };
  for (const char* const name : {"fsx_tier", "smaller_fsx"}) {
    INFO(name);
    const auto sizes = [&](const std::string& more) {
      std::vector<Setting> sets;
      for (const Change& change : tried(of(more), name)) {
        const bool of_size = change.set.size() == 1 && change.set.front().second != "null";
        if (of_size && change.set.front().first == "/source/capacity") sets.push_back(change.set);
      }
      return sets;
    };
    const auto by_default = sizes("");
    CHECK_FALSE(by_default.empty());
    CHECK(by_default == sizes(R"(, "capacity": "1.2 TiB")"));
    if (std::string_view(name) == "fsx_tier") {
      CHECK(by_default[2] == Setting{{"/source/capacity", "7.2 TiB"}});
    }
  }
}

}  // namespace
