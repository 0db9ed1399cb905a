// Keys of which a run says that they have no effect have none; and whatever kind of parallelism
// varies, keys that another kind knows stand in nobody's way.
#include <algorithm>
#include <set>
#include <string>

#include "api/scenario_maker.hpp"
#include "catch.hpp"
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
  seldom("/source/storage_held", "100 h");
  maybe("/job/allreduce/algorithm", any_of(random, {"nccl", "tree", "ring"}));
  return settings;
}

Result run_of(const Settings& settings) {
  const api::ScenarioMaker make(testing_resolve::document_with(settings));
  return study::run(make.scenario(), catalog(), nullptr);
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
      CHECK(std::none_of(result.remarks.begin(), result.remarks.end(), [&](const std::string& one) {
        return one.starts_with(key + std::string(words));
      }));
      ++checked;
    }
  }
  CHECK_DRAWN(checked > 100);
  for (const char* const key :
       {"/cluster/spot", "/cluster/booked", "/cluster/savings", "/job/checkpoint/restart",
        "/job/allreduce/blocks", "/job/allreduce/first_bucket", "/job/allreduce/bucket",
        "/job/allreduce/parameter_type", "/job/allreduce/algorithm", "/source/throughput_mode",
        "/source/provisioned_throughput", "/source/deployment_type", "/source/capacity",
        "/source/throughput_per_capacity", "/source/lazy_load_from_s3", "/source/storage_held"}) {
    INFO(key);
    CHECK(told.contains(key));
  }
}
