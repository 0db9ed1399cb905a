// What a key of the exchange is by default it is when it is written, too.
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::Settings;

namespace {

/// What the job and its exchange come to.
struct Answer {
  Duration time;
  Money money;
  std::optional<Communication> exchange;
};

Answer answer(const Settings& settings) {
  study::RunOptions options;
  options.gains = study::Gains::none;
  const Result result =
      study::run(testing_resolve::scenario_with(settings), catalog(), nullptr, options);
  return {result.times.total, result.bill.money, result.communication};
}

void same(const Answer& written, const Answer& left_out) {
  CHECK(written.time == left_out.time);
  CHECK(written.money == left_out.money);
  REQUIRE(written.exchange.has_value() == left_out.exchange.has_value());
  if (!written.exchange) return;
  CHECK(written.exchange->messages == left_out.exchange->messages);
  CHECK(written.exchange->total == left_out.exchange->total);
  CHECK(written.exchange->exposed == left_out.exchange->exposed);
  CHECK(written.exchange->algorithm == left_out.exchange->algorithm);
}

/// DeepSpeed's 500 M numbers of 4 bytes; "" where what is sent has no bucket.
std::string bucket_of(const std::string& parallelism) {
  if (parallelism == "horovod") return "128 MiB";
  if (parallelism == "zero1" || parallelism == "zero2") return "2 GB";
  return "25 MiB";
}

}  // namespace

TEST_CASE("typed defaults: no key of the exchange changes the answer by its own default") {
  for (const std::string layout : {"", R"({"tensor": 8, "pipeline": 2, "layers": 24,
                                           "hidden_size": 2048})"}) {
    for (const std::string parallelism :
         {"", "ddp", "horovod", "smddp", "fsdp", "zero1", "zero2", "zero3"}) {
      for (const std::string algorithm : {"", "ring", "hierarchical", "tree", "nccl"}) {
        Settings job = {{"/cluster/instance", "p4d.24xlarge"},
                        {"/cluster/instances", "4"},
                        {"/job/step", R"({"fixed": "400 ms", "tokens_per_sample": 2000})"},
                        {"/job/allreduce/parameters", "1e9"}};
        if (!algorithm.empty()) job.emplace_back("/job/allreduce/algorithm", algorithm);
        if (!parallelism.empty()) job.emplace_back("/job/parallelism", parallelism);
        if (!layout.empty()) job.emplace_back("/job/parallel", layout);
        const bool textbook = (algorithm == "ring" || algorithm == "hierarchical") &&
                              (parallelism.empty() || parallelism == "ddp") && layout.empty();
        Settings defaults = {{"/job/allreduce/gradient_type", "fp32"},
                             {"/job/allreduce/parameter_type", "fp32"},
                             {"/job/allreduce/compression", "1"},
                             {"/job/allreduce/bucket", bucket_of(parallelism)},
                             {"/job/allreduce/first_bucket", "1 MiB"},
                             {"/job/allreduce/blocks", "32"},
                             {"/job/allreduce/fabric", "efa"},
                             {"/job/allreduce/transport_inside", "p2p"},
                             {"/job/gradient_accumulation", "1"}};
        if (parallelism.empty()) defaults.emplace_back("/job/parallelism", "ddp");
        if (algorithm.empty()) defaults.emplace_back("/job/allreduce/algorithm", "nccl");
        if (textbook) defaults.emplace_back("/job/allreduce/overlap", "0");
        if (!layout.empty()) {
          for (const auto& [key, value] : {std::pair("context", "1"),
                                           {"expert", "1"},
                                           {"data", "2"},
                                           {"outermost", "data"},
                                           {"schedule", "1f1b"},
                                           {"loaded_by", "one"},
                                           {"overlapped", "0"}}) {
            defaults.emplace_back(std::string("/job/parallel/") + key, value);
          }
        }
        const Answer left_out = answer(job);
        if (textbook) CHECK(left_out.exchange->messages == 1.0);
        for (const auto& one : defaults) {
          Settings written = job;
          written.push_back(one);
          INFO(parallelism << ", " << algorithm << (layout.empty() ? "" : ", a layout") << ": "
                           << one.first << " = " << one.second);
          same(answer(written), left_out);
        }
      }
    }
  }
}

TEST_CASE("typed defaults: a ring under ddp is the textbook's") {
  const Answer ring = answer({{"/cluster/instance", "p5.48xlarge"},
                              {"/cluster/instances", "16"},
                              {"/job/step", "2838.3 ms"},
                              {"/job/parallelism", "ddp"},
                              {"/job/allreduce", R"({"algorithm": "ring", "gradient_bytes": "16 GB",
                                                     "busbw": "100 GB/s", "latency": "20 us"})"}});
  // 2 · 127/128 · 16 GB / 100 GB/s + 254 hops of 20 us.
  REQUIRE(ring.exchange);
  CHECK(ring.exchange->messages == 1.0);
  CHECK(ring.exchange->total.base() == Approx(0.3175 + 0.00508));
  CHECK(ring.exchange->exposed == ring.exchange->total);
}
