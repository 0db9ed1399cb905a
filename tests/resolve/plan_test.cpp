// Plans that cannot be are refused, with the nearest one that can: by laws over generated plans,
// then the wrong answers that made the checks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

/// "POINTER: message" of each problem; empty where the plan is possible.
std::vector<std::string> problems(const Settings& settings) {
  try {
    resolve::resolve(scenario_with(settings), catalog());
  } catch (const InputError& error) {
    std::vector<std::string> texts;
    for (const Problem& problem : error.problems()) {
      texts.push_back(problem.pointer + ": " + problem.message);
    }
    return texts;
  }
  return {};
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::vector<std::string> caveats(const Settings& settings) {
  return resolve::resolve(scenario_with(settings), catalog()).caveats;
}

bool has(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

std::string all(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "\n"));
}

/// The number after a phrase.
double number_after(const std::string& text, std::string_view phrase) {
  const std::size_t at = text.find(phrase);
  REQUIRE(at != std::string::npos);
  return std::strtod(text.c_str() + at + phrase.size(), nullptr);
}

}  // namespace

TEST_CASE("plan: a volume holds the data or is refused, to the byte") {
  pipeline::Generator random(3);
  for (int i = 0; i < 100; ++i) {
    const double bytes = std::floor(random.log_uniform(1e9, 1e12));
    const double size = std::floor(bytes * random.log_uniform(0.5, 2.0));
    const Settings settings = {{"/dataset/samples", "1000"},
                               {"/dataset/bytes_per_sample", fmt::format("{} B", bytes / 1000.0)},
                               {"/disk/kind", "ebs"},
                               {"/disk/size", fmt::format("{} B", size)}};
    INFO(bytes << " on " << size);
    CHECK(problems(settings).empty() == (bytes <= size));
  }
}

TEST_CASE("plan: what is possible stays so with more memory, and what is refused says what fits") {
  pipeline::Generator random(4);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    const double workers = std::floor(random.log_uniform(1.0, 3000.0));
    const double gib = std::floor(random.log_uniform(8.0, 500.0));
    const auto asked = [&](double n, double memory) {
      return Settings{{"/loader/num_workers", fmt::format("{}", n)},
                      {"/loader/worker_memory", "0.5 GB"},
                      {"/cluster/memory", fmt::format("{} GiB", memory)}};
    };
    const auto found = problems(asked(workers, gib));
    if (found.empty()) {
      CHECK(problems(asked(workers, 2.0 * gib)).empty());
      continue;
    }
    ++refused;
    const double fit = number_after(found.front(), "at most ");
    INFO(found.front());
    CHECK(problems(asked(fit, gib)).empty());
    CHECK(!problems(asked(fit + 1.0, gib)).empty());
  }
  CHECK(refused > 20);
}

TEST_CASE("plan: a batch fits the GPU's memory or is refused with the largest that does") {
  const Settings memory = {{"/cluster/memory", "2000 GiB"},
                           {"/job/step/gpu_memory", R"({"fixed": "2 GB", "per_sample": "90 MB"})"}};
  const auto at = [&](double batch) {
    return problems(with(memory, {{"/loader/batch_size", fmt::format("{}", batch)}}));
  };
  CHECK(at(128.0).empty());
  const auto found = at(32768.0);
  REQUIRE(found.size() == 1);
  const double fit = number_after(found.front(), "at most ");
  CHECK(fit == std::floor((16e9 - 2e9) / 90e6));
  CHECK(at(fit).empty());
  CHECK(!at(fit + 1.0).empty());
  // Without a word of memory the samples themselves must fit.
  CHECK(has(problems({{"/loader/batch_size", "32768"}, {"/loader/num_workers", "1"}}),
            "for its samples alone"));
}

TEST_CASE("plan: the data of an instance must fit its disk, and the remedies are named") {
  const Settings terabytes = {{"/dataset/samples", "2000000"},
                              {"/dataset/bytes_per_sample", "1 MB"}};
  const Settings staged = with(terabytes, {{"/source/service", "s3"},
                                           {"/source/input_mode", "File"},
                                           {"/cluster/instance", "g4dn.xlarge"}});
  const auto nvme = problems(staged);
  REQUIRE(nvme.size() == 1);
  INFO(nvme.front());
  CHECK(nvme.front().find("/disk/kind: 2 TB does not fit into the 125 GB of g4dn.xlarge's NVMe") ==
        0);
  CHECK(has(nvme, "stream them (/source/input_mode: FastFile)"));
  CHECK(has(nvme, "shard them, 125 GB each (/cluster/instances: 16"));
  CHECK(problems(with(staged,
                      {{"/source/distribution", "ShardedByS3Key"}, {"/cluster/instances", "16"}}))
            .empty());
  CHECK(problems(with(staged, {{"/disk/kind", "ebs"}, {"/disk/size", "2000 GB"}})).empty());
  CHECK(problems(with(staged, {{"/source/input_mode", "FastFile"}})).empty());
  const auto small =
      problems({{"/dataset/samples", "4000000"}, {"/disk/kind", "ebs"}, {"/disk/size", "100 GB"}});
  CHECK(has(small, "/disk/size: 400 GB does not fit into the 100 GB of the disk"));
}

TEST_CASE("plan: sharding is proposed where it helps, and then it does") {
  pipeline::Generator random(6);
  int proposed = 0;
  for (int i = 0; i < 60; ++i) {
    const bool sharded = i % 3 == 0;
    const Settings staged = {
        {"/dataset/samples", "2000000"},
        {"/dataset/bytes_per_sample", fmt::format("{} B", random.log_uniform(1e5, 4e6))},
        {"/source/service", "s3"},
        {"/source/input_mode", "File"},
        {"/cluster/instance", "g4dn.xlarge"},
        {"/cluster/instances", fmt::format("{}", 1 + i % 4)},
        {"/source/distribution", sharded ? "ShardedByS3Key" : "FullyReplicated"}};
    const auto found = problems(staged);
    INFO(all(found));
    if (found.empty()) continue;
    // What is sharded already, or where every instance gets all, has no such way out.
    CHECK(has(found, "or shard them") == !sharded);
    if (sharded) continue;
    ++proposed;
    const double instances = number_after(found.front(), "(/cluster/instances: ");
    CHECK(problems(with(staged, {{"/cluster/instances", fmt::format("{}", instances)},
                                 {"/source/distribution", "ShardedByS3Key"}}))
              .empty());
  }
  CHECK(proposed > 20);
}

TEST_CASE("plan: a volume whose size is not given holds the data, and is what is simulated") {
  const resolve::Resolved plain = resolve::resolve(
      scenario_with({{"/dataset/samples", "4000000"}, {"/disk/kind", "ebs"}}), catalog());
  REQUIRE(plain.disk);
  CHECK(*plain.disk->size == gibibytes(373.0));  // 400 GB
  REQUIRE(plain.terms.storage.size() == 1);
  CHECK(plain.terms.storage.front().use.amount == gibibytes(373.0));
  CHECK(std::any_of(plain.used.begin(), plain.used.end(), [](const InputUsed& one) {
    return one.key == "/disk/size" && one.from.origin == Origin::assumed;
  }));
}

TEST_CASE("plan: file systems, GPUs, shards and caches that are too small are refused") {
  const auto fsx = problems({{"/source/service", "fsx-lustre"},
                             {"/source/capacity", "1.2 TiB"},
                             {"/dataset/samples", "5000000"},
                             {"/dataset/bytes_per_sample", "1 MB"}});
  REQUIRE(fsx.size() == 1);
  CHECK(has(fsx, "/source/capacity: 5 TB does not fit"));
  CHECK(has(problems({{"/cluster/instance", "p4d.24xlarge"}, {"/cluster/gpus_per_instance", "64"}}),
            "p4d.24xlarge has 8, got 64: take 8 of them"));
  CHECK(has(problems({{"/source/service", "s3"},
                      {"/source/distribution", "ShardedByS3Key"},
                      {"/dataset/samples_per_object", "50000"},
                      {"/cluster/instances", "8"}}),
            "4 objects cannot be sharded over 8 instances"));
  const auto cached = problems({{"/loader/in_memory_cache", "true"},
                                {"/dataset/samples", "1281167"},
                                {"/cluster/memory", "32 GiB"}});
  REQUIRE(cached.size() == 1);
  CHECK(has(cached, "/loader/in_memory_cache: 769 GB of decoded samples does not fit"));
  CHECK(has(problems({{"/cluster/shared_memory", "64 MiB"}}), "docker run --shm-size"));
  // What is pickled passes a pipe.
  CHECK(problems({{"/cluster/shared_memory", "64 MiB"}, {"/loader/transport", "pickled"}}).empty());
}

TEST_CASE("plan: no more batches lie in memory than an epoch has, and none larger than the data") {
  // 100 batches of 38.4 MB, which are 3.84 GB, on 61 GiB.
  const Settings small = {{"/dataset/samples", "6400"}};
  CHECK(all(problems(with(small, {{"/loader/prefetch_factor", "10000"}}))) == "");
  CHECK(all(problems(with(small, {{"/loader/batch_size", "20000"}}))) == "");
  // Half of the memory is for what is handed over.
  const Settings shared = with(small, {{"/loader/prefetch_factor", "256"}});
  CHECK(all(problems(with(shared, {{"/cluster/shared_memory", "3840 MB"}}))) == "");
  CHECK(has(problems(with(shared, {{"/cluster/shared_memory", "3839 MB"}})), "--shm-size"));
  // Beside all batches, two pinned ones and a process of 1 GB, each worker takes 0.05 GB at least.
  const Settings full = with(shared, {{"/cluster/memory", "5.4 GB"}, {"/disk/page_cache", "0 B"}});
  CHECK(all(problems(with(full, {{"/loader/num_workers", "9"}}))) == "");
  CHECK(has(problems(with(full, {{"/loader/num_workers", "10"}})), "at most 9 fit"));
}

TEST_CASE("plan: all that is impossible is said at once; what is doubtful stands in the headline") {
  const auto found = problems({{"/dataset/samples", "4000000"},
                               {"/disk/kind", "ebs"},
                               {"/disk/size", "100 GB"},
                               {"/cluster/gpus_per_instance", "2"},
                               {"/loader/num_workers", "4000"}});
  INFO(all(found));
  CHECK(found.size() == 3);
  CHECK(has(caveats({{"/loader/num_workers", "200"}}), "Memory may run out"));
  // Whatever page cache is given.
  CHECK(has(caveats({{"/loader/num_workers", "200"}, {"/disk/page_cache", "0 B"}}),
            "Memory may run out"));
  CHECK(has(caveats({{"/loader/num_workers", "50"}, {"/loader/prefetch_factor", "20"}}),
            "/dev/shm, which has half of"));
  CHECK(has(caveats({{"/disk/page_cache", "100 GB"}, {"/cluster/memory", "32 GiB"}}),
            "is more than all of the memory of p3.2xlarge (34.4 GB)"));
  CHECK(caveats({}).empty());
}

TEST_CASE("plan: weights that a GPU cannot hold are doubted, however they are divided") {
  const auto doubted = [](const char* parallelism, const char* instances, const char* parameters) {
    return has(caveats({{"/cluster/instance", "p4d.24xlarge"},
                        {"/cluster/instances", instances},
                        {"/job/parallelism", parallelism},
                        {"/job/allreduce", fmt::format(R"({{"parameters": {}}})", parameters)}}),
               "The weights alone are");
  };
  // 40 GB: 20e9 parameters of two bytes on each GPU, or among all of them.
  for (const char* const copied : {"ddp", "horovod", "zero1", "zero2"}) {
    INFO(copied);
    CHECK_FALSE(doubted(copied, "2", "19e9"));
    CHECK(doubted(copied, "2", "22e9"));
  }
  for (const char* const sharded : {"fsdp", "zero3"}) {
    INFO(sharded);
    CHECK_FALSE(doubted(sharded, "1", "150e9"));
    CHECK(doubted(sharded, "1", "180e9"));
    CHECK_FALSE(doubted(sharded, "2", "180e9"));
  }
}

TEST_CASE("plan: weights are divided among the GPUs of a replica, and doubted jobs are no choice") {
  struct Said {
    bool doubted = false, unheld = false;
  };
  const auto said = [](double tensor, double pipeline, const std::string& step) {
    const auto resolved = resolve::resolve(
        scenario_with(
            {{"/cluster/instance", "p4d.24xlarge"},
             {"/cluster/instances", "8"},
             {"/job/parallel",
              fmt::format(R"({{"tensor": {}, "pipeline": {}}})", tensor, pipeline)},
             {"/job/step", R"({"model_parameters": 70e9, "tokens_per_sample": 1)" + step + "}"}}),
        catalog());
    return Said{has(resolved.caveats, "weights alone are"), resolved.unheld.has_value()};
  };
  // 140 GB in 16 bits, 280 GB in 32, and GPUs of 40 GB.
  for (const double tensor : {1.0, 2.0, 4.0, 8.0}) {
    for (const double pipeline : {1.0, 2.0, 4.0}) {
      INFO(tensor << " x " << pipeline);
      const Said mixed = said(tensor, pipeline, "");
      CHECK(mixed.doubted == (140.0 / (tensor * pipeline) > 40.0));
      CHECK(mixed.unheld == mixed.doubted);
      const Said single = said(tensor, pipeline, R"(, "precision": "single")");
      CHECK(single.doubted == (280.0 / (tensor * pipeline) > 40.0));
      // Whoever says what a step needs knows better.
      const Said known = said(tensor, pipeline, R"(, "gpu_memory": {"fixed": "30 GB"})");
      CHECK(known.doubted == mixed.doubted);
      CHECK_FALSE(known.unheld);
    }
  }
}
