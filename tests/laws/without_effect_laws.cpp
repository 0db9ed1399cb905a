// Keys of which a run says that they have no effect have none; and whatever kind of parallelism
// varies, keys that another kind knows stand in nobody's way.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "model/figures.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/drawn_world.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::Settings;

namespace {

constexpr std::string_view words = " has no effect: ";

std::string any_of(pipeline::Generator& random, const std::vector<std::string>& list) {
  return list[static_cast<std::size_t>(random.whole(0.0, static_cast<double>(list.size()) - 1.0))];
}

/// With keys that hang on what is bought, and on what is exchanged.
Settings with_keys(pipeline::Generator& random) {
  Settings settings = testing_resolve::generated_settings(random);
  const auto maybe = [&](const char* key, const std::string& value) {
    if (random.chance(0.6)) settings.emplace_back(key, value);
  };
  settings.emplace_back("/cluster/instances", any_of(random, {"1", "2", "4"}));
  const bool priced = random.chance(0.7);
  if (priced) settings.emplace_back("/cluster/price", "3 USD/h");
  settings.emplace_back("/cluster/purchase",
                        any_of(random, {"on_demand", "spot", "capacity_block", "training_plan"}));
  maybe("/cluster/booked", "24 h");
  maybe("/cluster/spot", random.chance(0.5) ? R"({"rate": "0.01 /h", "on_demand_price": "9 USD/h"})"
                                            : R"({"rate": "0.01 /h"})");
  if (!priced) maybe("/cluster/savings", "0.2");
  maybe("/job/checkpoint", R"({"restart": "5 min"})");
  settings.emplace_back("/job/parallelism", any_of(random, {"ddp", "horovod", "smddp", "fsdp",
                                                            "zero1", "zero2", "zero3"}));
  settings.emplace_back("/job/allreduce", R"({"parameters": 25600000})");
  maybe("/job/allreduce/blocks", "7");
  maybe("/job/allreduce/first_bucket", "3 MiB");
  maybe("/job/allreduce/bucket", "9 MiB");
  maybe("/job/allreduce/parameter_type", "bf16");
  const auto seldom = [&](const char* key, const std::string& value) {
    if (random.chance(0.2)) settings.emplace_back(key, value);
  };
  seldom("/source/throughput_mode", "bursting");
  seldom("/source/provisioned_throughput", "200 MB/s");
  seldom("/source/deployment_type", "PERSISTENT_2");
  seldom("/source/capacity", "2.4 TiB");
  seldom("/source/throughput_per_capacity", "250 MB/s/TiB");
  seldom("/source/lazy_load_from_s3", "true");
  seldom("/source/storage_class", "STANDARD_IA");
  seldom("/job/step/utilization", "0.3");
  seldom("/dataset/tokens_per_document", "100");
  seldom("/loader/persistent_workers", "true");
  seldom("/source/storage_held", "100 h");
  seldom("/loader/in_order", "false");
  seldom("/disk/bandwidth", "300 MB/s");
  seldom("/disk/iops", "5000 /s");
  seldom("/disk/latency", "2 ms");
  seldom("/disk/open_latency", "1 ms");
  seldom("/disk/discipline", "one-at-a-time");
  seldom("/disk/reads_per_sample", "3");
  seldom("/disk/page_cache", "5 GB");
  seldom("/disk/cache_policy", "lru");
  maybe("/job/allreduce/algorithm", any_of(random, {"nccl", "tree", "ring"}));
  return settings;
}

Result run_of(const Settings& settings) {
  const api::ScenarioMaker make(testing_resolve::document_with(settings));
  return study::run(make.scenario(), catalog(), nullptr);
}

std::vector<std::optional<double>> figures_of(const Result& result) {
  std::vector<std::optional<double>> all;
  for (const Figure& figure : all_figures()) all.push_back(figure.of(result));
  return all;
}

/// Whether it is said of the key, or of all that it stands among.
bool said_of(const std::vector<std::string>& remarks, const std::string& key) {
  const std::string whole = key.substr(0, key.find('/', 1));
  return std::any_of(remarks.begin(), remarks.end(), [&](const std::string& remark) {
    return remark.starts_with(key + std::string(words)) ||
           remark.starts_with(whole + std::string(words));
  });
}

}  // namespace

TEST_CASE("law: a key that has no effect may be left out, and nothing changes") {
  std::set<std::string> told;
  int checked = 0;
  pipeline::Generator random(15);
  for (int i = 0; i < 400; ++i) {
    const Settings settings = with_keys(random);
    std::optional<Result> with;
    try {
      with = run_of(settings);
    } catch (const InputError&) {
      continue;
    }
    for (const std::string& remark : with->remarks) {
      const std::size_t end = remark.find(words);
      if (end == std::string::npos) continue;
      const std::string key = remark.substr(0, end);
      told.insert(key);
      Settings without = settings;
      // An object with nothing in it asks for checkpoints with all defaults, which is something
      // else.
      const bool last_of_its_object = key == "/job/checkpoint/restart";
      without.emplace_back(last_of_its_object ? "/job/checkpoint" : key, "null");
      INFO(remark);
      const Result result = run_of(without);
      CHECK(result.times.total == with->times.total);
      CHECK(result.bill.total == with->bill.total);
      CHECK(figures_of(result) == figures_of(*with));
      CHECK(std::none_of(result.remarks.begin(), result.remarks.end(), [&](const std::string& one) {
        return one.starts_with(key + std::string(words));
      }));
      ++checked;
    }
  }
  CHECK_DRAWN(checked > 100);
  for (const char* const key : {"/cluster/spot",
                                "/cluster/booked",
                                "/cluster/savings",
                                "/job/checkpoint/restart",
                                "/job/allreduce/blocks",
                                "/job/allreduce/first_bucket",
                                "/job/allreduce/bucket",
                                "/job/allreduce/parameter_type",
                                "/job/allreduce/algorithm",
                                "/source/throughput_mode",
                                "/source/provisioned_throughput",
                                "/source/deployment_type",
                                "/source/capacity",
                                "/source/throughput_per_capacity",
                                "/source/lazy_load_from_s3",
                                "/source/storage_class",
                                "/source/storage_held",
                                "/job/step/utilization",
                                "/dataset/tokens_per_document",
                                "/loader/persistent_workers",
                                "/loader/in_order",
                                "/disk",
                                "/disk/kind",
                                "/disk/volume_type",
                                "/disk/size",
                                "/disk/open_latency"}) {
    INFO(key);
    CHECK_DRAWN(told.contains(key));
  }
}

TEST_CASE("law: experts that are not spread over GPUs send no tokens, however many each goes to") {
  const Settings job = {{"/cluster/instance", "p4d.24xlarge"},
                        {"/job/allreduce", R"({"parameters": 25600000})"},
                        {"/job/step/tokens_per_sample", "100"}};
  const auto with = [&](const char* parallel) {
    Settings settings = job;
    settings.emplace_back("/job/parallel", parallel);
    return run_of(settings);
  };
  const Result four = with(R"({"tensor": 2, "experts_per_token": 4, "layers": 8,
                               "hidden_size": 1024})");
  CHECK(said_of(four.remarks, "/job/parallel/experts_per_token"));
  CHECK(figures_of(four) == figures_of(with(R"({"tensor": 2, "layers": 8, "hidden_size": 1024})")));
}

TEST_CASE("law: an operation that is marked as kept changes nothing where nothing is kept") {
  const Settings job = {{"/preprocess", R"([{"operation": "a", "cpu": "2 ms"},
                                            {"operation": "b", "cpu": "1 ms"}])"},
                        {"/dataset/samples", "1000"},
                        {"/job/epochs", "3"}};
  const auto with = [&](const char* kept) {
    Settings settings = job;
    settings.emplace_back("/loader/in_memory_cache", kept);
    settings.emplace_back("/preprocess/1/cached", "true");
    return run_of(settings);
  };
  const Result none = with("false");
  CHECK(said_of(none.remarks, "/preprocess/1/cached"));
  CHECK(figures_of(none) == figures_of(run_of(job)));
  CHECK_FALSE(said_of(with("true").remarks, "/preprocess/1/cached"));
}

TEST_CASE("law: a file system as large as its data holds it, and none that is smaller") {
  // 200,000 samples of 100 kB.
  for (const char* const store : {"efs", "fsx-ontap", "weka"}) {
    const auto with = [&](const char* capacity) {
      return run_of({{"/source", fmt::format(R"({{"service": "{}", "bandwidth": "1 GB/s",
                                                  "first_byte_latency": "1 ms"}})",
                                             store)},
                     {"/source/capacity", capacity}});
    };
    INFO(store);
    CHECK_NOTHROW(with("20 GB"));
    CHECK_NOTHROW(with("1 TB"));
    CHECK_THROWS_AS(with("19 GB"), InputError);
    CHECK_THROWS_AS(with("1 B"), InputError);
  }
}

TEST_CASE("law: a key of a disk that changes nothing over its range is said to have no effect") {
  // So far that a disk of which hardly anything is read is waited for.
  const std::pair<const char*, std::pair<const char*, const char*>> ranges[] = {
      {"/disk/bandwidth", {"1 MB/s", "100 GB/s"}},     {"/disk/iops", {"0.001 /s", "1000000 /s"}},
      {"/disk/latency", {"0 s", "1000000 s"}},         {"/disk/open_latency", {"0 s", "1000000 s"}},
      {"/disk/reads_per_sample", {"0.01", "1000000"}}, {"/disk/page_cache", {"0 B", "1000 GB"}}};
  int changes = 0, nothing = 0;
  pipeline::Generator random(16);
  for (int i = 0; i < 120; ++i) {
    Settings job = testing_resolve::generated_settings(random);
    // Of files that stay in memory, nothing is read from the disk.
    job.emplace_back("/disk/page_cache", "0 B");
    const auto outcome = [&](const char* key, const char* value) -> std::optional<Result> {
      Settings settings = job;
      settings.emplace_back(key, value);
      try {
        return run_of(settings);
      } catch (const InputError&) {
        return std::nullopt;
      }
    };
    for (const auto& [key, range] : ranges) {
      const auto low = outcome(key, range.first), high = outcome(key, range.second);
      if (!low || !high) continue;
      const bool same = figures_of(*low) == figures_of(*high);
      std::string list;
      for (const auto& [name, value] : job) list += name + "=" + value + " ";
      INFO(key << ", job " << i << ": " << list);
      CHECK(said_of(low->remarks, key) == same);
      CHECK(said_of(high->remarks, key) == same);
      (same ? nothing : changes) += 1;
    }
  }
  CHECK_DRAWN(changes > 100);
  CHECK_DRAWN(nothing > 50);
}

TEST_CASE("law: an order of batches that nothing can tell is said to have no effect") {
  using namespace testing_world;
  Drawn d(17);
  int said = 0, matters = 0, changes = 0;
  for (int i = 0; i < 400; ++i) {
    World w = draw_world(d);
    w.scenario.loader.in_order = false;
    const auto any = resolved_if_fits(w);
    w.scenario.loader.in_order = true;
    const auto ordered = resolved_if_fits(w);
    REQUIRE(any.has_value() == ordered.has_value());
    if (!any) continue;
    const bool told = said_of(any->remarks, "/loader/in_order");
    INFO("world " << i);
    CHECK(told == said_of(ordered->remarks, "/loader/in_order"));
    CHECK(told == any->inputs.in_order);
    // Threads that are waited for, samples that differ, and batches that have few of them.
    Inputs loaded = ordered->inputs;
    loaded.size_cv = 1.0;
    loaded.batch = 4.0;
    loaded.step = Step{};
    loaded.step.fixed = microseconds(1.0);
    Inputs turned = loaded;
    turned.in_order = false;
    const auto wall = [](const Inputs& in) { return pipeline::simulate(in).total.wall; };
    const bool same = wall(turned) == wall(loaded);
    if (told) CHECK(same);
    said += told ? 1 : 0;
    matters += told ? 0 : 1;
    changes += same ? 0 : 1;
  }
  CHECK_DRAWN(said > 100);
  CHECK_DRAWN(matters > 50);
  CHECK_DRAWN(changes > 20);
}
