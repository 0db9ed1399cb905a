#pragma once
// Generated jobs of every kind with all that a remedy may look at: operations, communication,
// checkpoints and prices, run and resolved.
#include <fmt/format.h>
#include <memory>

#include <string>

#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "schema/documents/host.hpp"
#include "study/drawn_jobs.hpp"
#include "study/remedy.hpp"
#include "study/run.hpp"

namespace testing_laws {

using feedrate::HostProfile;
using feedrate::InputError;
using feedrate::Result;
using feedrate::Scenario;
using feedrate::pipeline::Generator;
using testing_resolve::catalog;

inline const HostProfile& profile() {
  static const HostProfile known = feedrate::schema::read_host_profile(
      FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json");
  return known;
}

/// One of the generated jobs, with operations, communication, checkpoints and prices besides.
inline Scenario generated(Generator& random) {
  testing_resolve::Settings settings = testing_resolve::generated_settings(random);
  const auto set = [&](const std::string& key, const std::string& value) {
    settings.emplace_back(key, value);
  };
  if (random.chance(0.3)) set("/cluster/instance", "ml.p3.2xlarge");
  if (random.chance(0.3)) set("/cluster/instance", "ml.p3.16xlarge");
  std::string operations;
  const double count = random.whole(1.0, 4.0);
  for (double k = 0.0; k < count; k += 1.0) {
    static const char* const names[] = {"decode", "random_crop", "normalize", "resize", "getitem"};
    operations += fmt::format(R"({}{{"operation": "{}")", operations.empty() ? "" : ", ",
                              names[static_cast<std::size_t>(random.whole(0.0, 4.0))]);
    operations += fmt::format(R"(, "cpu": "{:.0f} us")", random.log_uniform(50.0, 2e4));
    if (random.chance(0.5)) operations += R"(, "gpu": "20 us")";
    if (random.chance(0.5)) operations += R"(, "output_bytes": "80 kB")";
    if (k == 0.0 && random.chance(0.3)) operations += R"(, "where": "offline")";
    if (k == count - 1.0 && k > 0.0 && random.chance(0.2)) operations += R"(, "where": "gpu")";
    operations += "}";
  }
  set("/preprocess", "[" + operations + "]");
  if (random.chance(0.3)) set("/dataset/bytes_on_gpu_per_sample", "null");
  if (random.chance(0.2)) set("/dataset/samples", "40");
  if (random.chance(0.3)) set("/loader/prefetch_factor", fmt::format("{:g}", random.whole(1, 16)));
  if (random.chance(0.3)) set("/loader/fetch_threads", fmt::format("{:g}", random.whole(1, 16)));
  if (random.chance(0.2)) set("/loader/in_memory_cache", "true");
  if (random.chance(0.3)) set("/job/asynchronous_step", random.chance(0.5) ? "true" : "false");
  if (random.chance(0.3)) set("/job/non_blocking", "true");
  if (random.chance(0.3)) set("/job/copy_stream", random.chance(0.5) ? "side" : "step");
  if (random.chance(0.3)) {
    set("/job/epochs", "null");
    set("/job/steps", fmt::format("{:g}", random.whole(3.0, 9e3)));
  } else if (random.chance(0.5)) {
    set("/job/epochs", "1");
  }
  if (random.chance(0.3)) set("/job/step/precision", random.chance(0.5) ? "mixed" : "single");
  if (random.chance(0.2)) set("/job/step", R"({"table": [[16, "20 ms"], [256, "90 ms"]]})");
  if (random.chance(0.1)) set("/job/step", R"({"fixed": "70 ms"})");
  Generator later = testing_resolve::draws_of(settings);
  if (later.chance(0.1)) {
    set("/job/step", R"({"fixed": "70 ms", "tokens_per_sample": 2048})");
    set("/dataset/tokens_per_document", fmt::format("{:.0f}", later.log_uniform(100.0, 4000.0)));
    if (later.chance(0.3)) set("/loader/packing", "true");
  }
  if (random.chance(0.1)) {
    set("/source", R"({"service": "fsx-lustre", "input_mode": "mount", "capacity": "4.8 TiB",
                       "deployment_type": "PERSISTENT_2",
                       "throughput_per_capacity": "250 MB/s/TiB"})");
  }
  if (random.chance(0.4)) {
    set("/job/allreduce",
        random.chance(0.5)
            ? R"({"gradient_bytes": "500 MB", "busbw": "5 GB/s", "algorithm": "ring"})"
            : R"({"parameters": 25000000, "algorithm": "nccl"})");
  } else if (random.chance(0.2)) {
    set("/job/efficiency", "0.9");
  }
  if (random.chance(0.4)) {
    set("/job/checkpoint", fmt::format(R"({{"interval": "{:g} min", "size": "40 GB",
                                           "bandwidth": "1 GB/s"}})",
                                       random.whole(5.0, 900.0)));
    if (random.chance(0.3)) set("/cluster/failures", "{}");
  }
  if (random.chance(0.2)) set("/cluster/savings", "0.3");
  if (random.chance(0.2)) set("/cluster/price", "5 USD/h");
  if (random.chance(0.3)) set("/disk/reads_per_sample", random.chance(0.5) ? "1" : "2.5");
  if (random.chance(0.1)) {
    set("/loader/remote", random.chance(0.5) ? R"({"instance": "c5.4xlarge"})"
                                             : R"({"instance": "c5.4xlarge", "instances": 6})");
  }
  if (random.chance(0.2)) set("/source/connections", "64");
  if (random.chance(0.2)) set("/source/distribution", "ShardedByS3Key");
  Generator more = testing_resolve::draws_of(settings);
  Generator sharded = testing_resolve::draws_of(settings);
  if (sharded.chance(0.15)) {
    set("/job/parallelism", "fsdp");
    set("/job/allreduce", R"({"parameters": 25000000, "algorithm": "nccl"})");
    set("/job/efficiency", "null");
    set("/job/gradient_accumulation", fmt::format("{:g}", sharded.whole(1.0, 4.0)));
  }
  if (more.chance(0.2)) set("/source/region", sharded.chance(0.7) ? "eu-west-1" : "us-east-1");
  if (more.chance(0.2)) set("/source/nat_gateway", "true");
  if (more.chance(0.1)) set("/source/other_zone", "true");
  if (more.chance(0.2)) set("/loader/transport", "pickled");
  if (more.chance(0.2)) set("/loader/lock", "1 ms");
  if (more.chance(0.1)) set("/cluster/cpu_quota", "2");
  if (more.chance(0.1)) set("/cluster/zones", "2");
  if (more.chance(0.15)) {
    set("/cluster/purchase", "spot");
    set("/cluster/spot", "{}");
    if (more.chance(0.7)) set("/cluster/instances", fmt::format("{:g}", more.whole(2.0, 9.0)));
  }
  Generator clouds = testing_resolve::draws_of(settings);
  if (clouds.chance(0.1)) {
    set("/source", fmt::format(R"({{"service": "gcs", "input_mode": "{}",
                                    "first_byte_latency": "60 ms"}})",
                               clouds.chance(0.5) ? "File" : "FastFile"));
    if (clouds.chance(0.5)) set("/source/bill_storage", "true");
    if (clouds.chance(0.5)) set("/source/region", "us-east4");
    if (clouds.chance(0.5)) set("/cluster/instance", "g6.xlarge");
  }
  Generator spread = testing_resolve::draws_of(settings);
  if (spread.chance(0.2)) {
    const auto one_of = [&](const char* first, const char* second) {
      return spread.chance(0.5) ? first : second;
    };
    set("/cluster/instance", "ml.p3.16xlarge");
    set("/cluster/instances", one_of("1", "2"));
    set("/loader/batch_size", one_of("8", "6"));
    set("/job/gradient_accumulation", one_of("1", "4"));
    set("/job/efficiency", "null");
    set("/job/parallelism", one_of("zero1", "ddp"));
    set("/job/allreduce", R"({"parameters": 25000000, "algorithm": "nccl"})");
    set("/job/step", R"({"fixed": "70 ms", "tokens_per_sample": 512})");
    std::string layout = R"({"tensor": 2, "pipeline": 4, "hidden_size": 1024)";
    layout += one_of(R"(, "layers": 24)", R"(, "layers": 14)");
    layout += one_of("", R"(, "schedule": "interleaved")");
    layout += one_of("", R"(, "overlapped": 0.5)");
    layout += one_of("", R"(, "micro_batches": 8)");
    set("/job/parallel", layout + "}");
  }
  if (spread.chance(0.1)) set("/cluster/gpus_per_instance", spread.chance(0.5) ? "1" : "3");
  if (spread.chance(0.1)) set("/loader/tensors_per_sample", "3");
  if (spread.chance(0.1)) set("/cluster/kept_warm", spread.chance(0.7) ? "1000 h" : "1 min");
  if (spread.chance(0.05)) {
    set("/loader/remote",
        R"({"instance": "c5.4xlarge", "instances": 6, "workers_per_instance": 4})");
  }
  if (spread.chance(0.1)) {
    set("/cluster/instance", "p4d.24xlarge");
    set("/cluster/instances", "2");
    set("/job/efficiency", "null");
    set("/job/allreduce", R"({"parameters": 25000000, "algorithm": "nccl", "fabric": "tcp"})");
  }
  return testing_resolve::scenario_with(settings);
}

/// A job with all that a remedy may look at.
struct Remediable {
  Scenario scenario;
  const HostProfile* host;
  Result result;
  feedrate::resolve::Resolved resolved;
  feedrate::study::Situation situation;

  Remediable(Scenario of, const HostProfile* on, bool priced, bool missed)
      : scenario(std::move(of)),
        host(on),
        result(feedrate::study::run(scenario, catalog(), host)),
        resolved(feedrate::resolve::resolve(scenario, catalog(), host)),
        situation{
            scenario, catalog(), host,
            result,   resolved,  service_of(catalog(), scenario.cluster.instance.value_or("")),
            {},       priced,    missed} {}
  Remediable(const Remediable&) = delete;
  Remediable& operator=(const Remediable&) = delete;
};

/// What a remedy tries of the plain job with these settings.
inline std::vector<feedrate::study::Change> tried(const testing_resolve::Settings& settings,
                                                  std::string_view name) {
  const Remediable looked(testing_resolve::scenario_with(settings), nullptr, true, false);
  for (const feedrate::study::Remedy* remedy : feedrate::study::all_remedies()) {
    if (remedy->words.name != name) continue;
    return remedy->applies(looked.situation) ? remedy->changes(looked.situation)
                                             : std::vector<feedrate::study::Change>{};
  }
  FAIL("no remedy " << name);
  return {};
}

inline Result run_with(testing_resolve::Settings settings, const feedrate::study::Setting& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return feedrate::study::run(testing_resolve::scenario_with(settings), catalog(), nullptr);
}

/// What the bill has of lines that begin so.
inline double line_of(const Result& result, std::string_view what) {
  double amount = 0.0;
  for (const feedrate::BillLine& line : result.bill.lines) {
    if (line.of.starts_with(what)) amount += line.amount.base();
  }
  return amount;
}

/// Calls `check` with so many generated jobs that can run.
template <class Check>
void for_remediable(unsigned seed, int count, Check check) {
  const auto draw = [](Generator& random) {
    const HostProfile* const host = random.chance(0.3) ? &profile() : nullptr;
    const bool priced = random.chance(0.7), missed = random.chance(0.5);
    return std::make_unique<const Remediable>(generated(random), host, priced, missed);
  };
  testing_study::for_possible(
      seed, count, 20, draw,
      [&](const std::unique_ptr<const Remediable>& looked, Generator&) { check(*looked); });
}

}  // namespace testing_laws
