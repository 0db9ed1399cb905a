// What a network carries bounds what is said of the messages on it.
#include <algorithm>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

Result answer(const testing_resolve::Settings& settings) {
  return study::run(testing_resolve::scenario_with(settings), testing_resolve::catalog(), nullptr);
}

bool says(const Result& result, std::string_view words) {
  return std::any_of(result.caveats.begin(), result.caveats.end(), [&](const std::string& text) {
    return text.find(words) != std::string::npos;
  });
}

TEST_CASE(
    "network bound: gradients faster than the network have one of their own, and it is said") {
  pipeline::Generator random(71);
  int apart = 0;
  int together = 0;
  for (int i = 0; i < 200; ++i) {
    const double instances = random.whole(2.0, 32.0);
    const double gpus = random.whole(1.0, 8.0);
    const double network = random.log_uniform(1e8, 1e11);
    const double busbw = random.log_uniform(1e8, 1e12);
    const bool ring = random.chance(0.5);
    const auto with_gradients = [&](double gradients) {
      std::string allreduce =
          fmt::format(R"("gradient_bytes": "{:.0f} B", "busbw": "{:.17g} B/s", "latency": "0 s")",
                      gradients, busbw);
      if (ring) allreduce += R"(, "algorithm": "ring", "overlap": 0)";
      return answer({{"/cluster/instance", "p4d.24xlarge"},
                     {"/cluster/instances", fmt::format("{:g}", instances)},
                     {"/cluster/gpus_per_instance", fmt::format("{:g}", gpus)},
                     {"/cluster/network", fmt::format("{:.17g} B/s", network)},
                     {"/loader/batch_size", "4"},
                     {"/dataset/samples", "4000000"},
                     {"/dataset/bytes_per_sample", "1 kB"},
                     {"/job/step", "\"0.3 s\""},
                     {"/job/allreduce", "{" + allreduce + "}"}});
    };
    const double gradients = std::floor(random.log_uniform(1e7, 1e10));
    const Result result = with_gradients(gradients);
    INFO(gradients << " B at " << busbw << " on " << instances << " x " << gpus << ", network "
                   << network << (ring ? ", ring" : ""));
    REQUIRE(result.communication);
    REQUIRE(result.monitors->network);
    // Trees send 2 (n - 1)/n of the bytes over each of n instances; the bus bandwidth counts GPUs.
    const double ranks = instances * gpus;
    const double trees = (instances - 1.0) / instances * ranks / (ranks - 1.0);
    const bool faster = (ring ? 1.0 : trees) * busbw > network;
    CHECK(says(result, "network of their own") == faster);
    if (ring) {
      // What was measured of messages holds for them, whatever else is said of the network.
      CHECK(result.communication->total.base() ==
            Approx(2.0 * (ranks - 1.0) / ranks * gradients / busbw).epsilon(1e-6));
    }
    if (faster) CHECK(*result.monitors->network == 0.0);
    if (!faster) CHECK(*result.monitors->network > 0.0);
    (faster ? apart : together) += 1;
  }
  CHECK_DRAWN(apart > 20);
  CHECK_DRAWN(together > 20);
}

}  // namespace
