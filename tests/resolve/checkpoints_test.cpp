// What a scenario has to say of checkpoints, and what follows where it does not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/interruptions.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Resolved with_checkpoint(const char* checkpoint, const Settings& more) {
  Settings settings = {{"job.checkpoint", checkpoint}};
  settings.insert(settings.end(), more.begin(), more.end());
  return resolve::resolve(test::job(settings), test::catalog());
}

const Settings fails = {{"cluster.failures", R"({"mttf": "100 h"})"}};
const Settings of_a_model = {{"cluster.failures", R"({"mttf": "100 h"})"},
                             {"job.allreduce.parameters", "1e9"}};

}  // namespace

TEST_CASE("checkpoints: an empty object asks for every default") {
  const Resolved all = with_checkpoint("{}", of_a_model);
  CHECK(all.inputs.best_interval);
  // 12 bytes of each of a billion parameters.
  CHECK(all.terms.checkpoint.base() == Approx(12e9));
  CHECK(all.inputs.checkpoint_time > Duration{});
  CHECK(with_checkpoint(R"({"size": "12 GB"})", of_a_model).inputs.checkpoint_time ==
        all.inputs.checkpoint_time);
}

TEST_CASE("checkpoints: a size that does not follow from the model is asked for") {
  for (const char* checkpoint : {"{}", R"({"kept": 3})"}) {
    try {
      with_checkpoint(checkpoint, fails);
      FAIL("a checkpoint without a size");
    } catch (const InputError& error) {
      const std::string said = error.what();
      CHECK(said.find("/job/checkpoint/size") != std::string::npos);
      CHECK(said.find("/job/step/model_parameters") != std::string::npos);
    }
  }
}

TEST_CASE("checkpoints: the rate that is assumed is that of all who write, as a given one is") {
  const Settings sharded = {{"cluster.instances", "8"},
                            {"source.service", "s3"},
                            {"source.input_mode", "File"},
                            {"job.allreduce.parameters", "1e9"},
                            {"job.parallelism", "fsdp"}};
  const Resolved assumed = with_checkpoint(R"({"size": "12 GB", "interval": "10 min"})", sharded);
  std::string rate;
  for (const auto& input : assumed.used) {
    if (input.key == "/job/checkpoint/bandwidth") rate = input.text;
  }
  REQUIRE_FALSE(rate.empty());
  const std::string stated =
      fmt::format(R"({{"size": "12 GB", "interval": "10 min", "bandwidth": "{}"}})", rate);
  CHECK(with_checkpoint(stated.c_str(), sharded).inputs.checkpoint_time.base() ==
        Approx(assumed.inputs.checkpoint_time.base()).epsilon(1e-4));
}

TEST_CASE("checkpoints: a restart alone is how a job without any begins again") {
  const Resolved none = with_checkpoint(R"({"restart": "10 min"})", of_a_model);
  CHECK_FALSE(none.inputs.best_interval);
  CHECK(none.inputs.checkpoint_time == Duration{});
  CHECK(none.inputs.interruptions->restart == minutes(10.0));
}

TEST_CASE("checkpoints: what is written has room where it is written, or is refused or doubted") {
  const auto said = [](const char* checkpoint, const Settings& more = {}) -> std::string {
    Settings settings = {{"source", R"({"service": "fsx-lustre", "capacity": "2400 GB",
                       "throughput_per_capacity": "200 MB/s/TiB"})"},
                         {"dataset", R"({"samples": 1000000, "bytes_per_sample": "1 MB"})"}};
    settings.insert(settings.end(), more.begin(), more.end());
    try {
      for (const std::string& caveat : with_checkpoint(checkpoint, settings).caveats) {
        if (caveat.find("There is no room for") != std::string::npos) return caveat;
      }
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(said(R"({"size": "1 TB", "interval": "1 min"})").empty());
  CHECK(said(R"({"size": "500 GB", "interval": "1 min", "kept": 2})").empty());
  CHECK(said(R"({"size": "2 TB", "interval": "1 min"})").starts_with("There is no room for"));
  CHECK(
      said(R"({"size": "5 TB", "interval": "1 min"})").starts_with("/job/checkpoint/size: a chec"));
  CHECK(said(R"({"size": "1 TB", "interval": "1 min", "kept": 10})")
            .starts_with("/job/checkpoint/kept: 10 checkpoints of 1 TB do not fit"));
  // Elsewhere there is room, and where it is but guessed nothing is refused.
  CHECK(
      said(R"({"size": "5 TB", "interval": "1 min", "to": "s3", "bandwidth": "1 GB/s"})").empty());
  CHECK(said(R"({"size": "5 TB", "interval": "1 min", "bandwidth": "1 GB/s"})")
            .starts_with("There is no room for a checkpoint of 5 TB beside 1 TB of data"));
  CHECK(said(R"({"interval": "1 min"})", {{"job.allreduce.parameters", "300e9"}})
            .starts_with("There is no room for a checkpoint of 3.6 TB"));
  // A volume of one's own, too: how fast it is written is said.
  const Settings disk = {{"source", R"({"service": "local"})"},
                         {"disk", R"({"kind": "ebs", "size": "1500 GB"})"}};
  const auto on_volume = [&](const char* size) {
    return said(fmt::format(R"({{"size": "{}", "interval": "1 min", "bandwidth": "1 GB/s"}})", size)
                    .c_str(),
                disk);
  };
  CHECK(on_volume("400 GB").empty());
  CHECK(on_volume("600 GB").starts_with("There is no room for a checkpoint of 600 GB beside 1 TB"));
}

TEST_CASE("checkpoints: without an interval they are written where something ends the job early") {
  CHECK_FALSE(with_checkpoint("{}", {}).inputs.best_interval);
  const Settings block = {{"cluster.purchase", "capacity_block"},
                          {"cluster.booked", "24 h"},
                          {"cluster.price", "3 USD/h"}};
  CHECK(with_checkpoint(R"({"size": "1 GB"})", block).inputs.best_interval);
}

TEST_CASE("checkpoints: the store of the data by its name is that store") {
  const char* const unnamed = R"({"size": "12 GB", "interval": "10 min"})";
  const char* const named = R"({"size": "12 GB", "interval": "10 min", "to": "s3"})";
  CHECK(with_checkpoint(named, fails).inputs.checkpoint_time ==
        with_checkpoint(unnamed, fails).inputs.checkpoint_time);
  const char* const to_lustre = R"({"size": "12 GB", "interval": "10 min", "to": "fsx-lustre"})";
  const Settings lustre = {{"source.service", "fsx-lustre"}};
  CHECK(with_checkpoint(to_lustre, lustre).inputs.checkpoint_time ==
        with_checkpoint(unnamed, lustre).inputs.checkpoint_time);
  // S3 in the job's region is none in the data's.
  const auto asks = [](const char* checkpoint, const Settings& more) {
    try {
      with_checkpoint(checkpoint, more);
    } catch (const InputError& error) {
      return std::string(error.what()).find("/job/checkpoint/bandwidth") != std::string::npos;
    }
    return false;
  };
  CHECK(asks(named, {{"source.region", "us-west-2"}}));
  CHECK(asks(named, lustre));
  CHECK(asks(R"({"size": "12 GB", "interval": "10 min", "region": "us-west-2"})", {}));
  CHECK_FALSE(asks(R"({"size": "12 GB", "interval": "10 min", "region": "us-east-1"})", {}));
  // Of machines without a name, S3 is the one that the bill has: us-east-1 where theirs is unknown.
  const char* const in_the_east =
      R"({"size": "12 GB", "interval": "10 min", "region": "us-east-1"})";
  for (const char* region : {"", R"(, "region": "on-premises")"}) {
    INFO(region);
    const auto nameless = [&](Settings more) {
      more.insert(more.begin(),
                  {"/cluster", std::string(R"({"vcpus": 8, "cores": 4, "memory": "61 GB",
                                              "gpus_per_instance": 1, "network": "10 Gbit/s",
                                              "price": "3 USD/h")") +
                                   region + "}"});
      return more;
    };
    CHECK_FALSE(asks(named, nameless({})));
    CHECK_FALSE(asks(named, nameless({{"source.region", "us-east-1"}})));
    CHECK(asks(named, nameless({{"source.region", "us-west-2"}})));
    CHECK_FALSE(asks(in_the_east, nameless({})));
    CHECK(asks(in_the_east, nameless({{"source.region", "us-west-2"}})));
  }
  // Their place is not known: GCS beside them is that of the data.
  const Settings gcs = {{"/cluster", R"({"vcpus": 8, "cores": 4, "memory": "61 GB",
                                         "gpus_per_instance": 1, "network": "10 Gbit/s",
                                         "price": "3 USD/h"})"},
                        {"source.service", "gcs"},
                        {"source.first_byte_latency", "50 ms"},
                        {"source.bandwidth", "1 GB/s"},
                        {"source.region", "europe-west1"}};
  CHECK_FALSE(asks(R"({"size": "12 GB", "interval": "10 min", "to": "gcs"})", gcs));
}

TEST_CASE("checkpoints: S3 takes 3,500 writes a second under a prefix") {
  const Settings many = {{"cluster.instance", "p5.48xlarge"},
                         {"cluster.instances", "64"},
                         {"gpu_times", "any"},
                         {"job.allreduce.parameters", "1e9"},
                         {"job.parallelism", "fsdp"}};
  // 64 objects of 1.5 GB have 179 parts of 8 MiB each, and a request before and after.
  const Resolved held = with_checkpoint(R"({"size": "96 GB", "interval": "10 min"})", many);
  CHECK(held.inputs.checkpoint_time.base() == Approx(64.0 * 181.0 / 3500.0));
  CHECK(std::any_of(held.remarks.begin(), held.remarks.end(), [](const std::string& text) {
    return text.find("S3 takes 3500 of them a second under a prefix") != std::string::npos;
  }));
  // What is said of one's own bucket holds.
  const Resolved said =
      with_checkpoint(R"({"size": "96 GB", "interval": "10 min", "bandwidth": "480 GB/s"})", many);
  CHECK(said.inputs.checkpoint_time.base() == Approx(0.2));
}

TEST_CASE("checkpoints: EFS takes a third of what it lets read, where reads are metered so") {
  const auto rate_of = [](const char* more) {
    Settings settings = {
        {"/source", std::string(R"({"service": "efs", "capacity": "1 TB")") + more + "}"}};
    settings.insert(settings.end(), of_a_model.begin(), of_a_model.end());
    const Resolved found = with_checkpoint(R"({"size": "12 GB", "interval": "1 h"})", settings);
    return 12e9 / found.inputs.checkpoint_time.base();
  };
  const double paid =
      rate_of(R"(, "throughput_mode": "provisioned", "provisioned_throughput": "100 MB/s")");
  CHECK(paid == Approx(100e6 * assumed::checkpoint_share.value).epsilon(1e-3));
}

TEST_CASE("checkpoints: every so many steps or epochs they are as many, however fast the job is") {
  // 1,000,000 samples in batches of 64 are 15,625 steps an epoch.
  const auto of = [](const char* when, const Settings& more = {}) {
    Settings settings = {{"job.checkpoint", fmt::format(R"({{"size": "10 GB", {},
                                                        "bandwidth": "1 GB/s"}})",
                                                        when)},
                         {"job.epochs", "4"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return test::Billed(test::job(settings)).outcome;
  };
  const pipeline::Outcome none = of(R"("interval": "100 d")");
  CHECK(none.checkpoints == Duration{});
  for (const auto& [when, written] : {std::pair(R"("every_steps": 500)", 125.0),
                                      {R"("every_steps": 600)", 104.0},
                                      {R"("every_steps": 62500)", 1.0},
                                      {R"("every_steps": 62501)", 0.0},
                                      {R"("every_epochs": 1)", 4.0},
                                      {R"("every_epochs": 3)", 1.0},
                                      {R"("every_epochs": 4)", 1.0},
                                      {R"("every_epochs": 5)", 0.0}}) {
    INFO(when);
    const pipeline::Outcome as_it_is = of(when);
    CHECK(as_it_is.interrupted.checkpoints == written);
    CHECK(as_it_is.total.wall.base() == Approx((none.total.wall + written * seconds(10)).base()));
    const Settings faster = {{"job.step.per_sample", "0.5 ms"}, {"loader.num_workers", "3"}};
    CHECK(of(when, faster).interrupted.checkpoints == written);
  }
  // Steps of the optimizer are those of four batches; a group that an epoch's end cuts short is
  // one.
  CHECK(of(R"("every_steps": 500)", {{"job.gradient_accumulation", "4"}}).interrupted.checkpoints ==
        std::floor(4.0 * 3907.0 / 500.0));
  CHECK(of(R"("every_steps": 500)", {{"job.epochs", "null"}, {"job.steps", "5000"}})
            .interrupted.checkpoints == 10.0);
}

TEST_CASE("checkpoints: one key says when they are written, and steps need a job that has any") {
  const auto refusal = [](const Settings& settings) {
    try {
      test::job(settings);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({{"job.checkpoint", R"({"interval": "5 min", "every_steps": 500})"}})
            .find("expected nothing beside interval") != std::string::npos);
  CHECK(refusal({{"job.checkpoint", R"({"every_steps": 500, "every_epochs": 1})"}})
            .find("expected nothing beside every_steps") != std::string::npos);
  for (const char* when : {R"({"every_epochs": 1})", R"({"every_steps": 500})"}) {
    CHECK(refusal({{"job.checkpoint", when}, {"job.duration_on_one_instance", "10 h"}})
              .find("expected an interval") != std::string::npos);
  }
  CHECK(refusal({{"job.checkpoint", R"({"interval": null, "every_steps": 500})"}}).empty());
  CHECK(refusal({{"job.checkpoint", R"({"every_steps": 0.5})"}}).find("expected a whole number") !=
        std::string::npos);
}

TEST_CASE("checkpoints: EFS that bursts takes as many quickly as its credit lasts for, by hand") {
  // 1 TB is stored, earns 50 MB/s and bursts at 100, of which checkpoints reach 0.6. Credit counts
  // bytes that are read, three for one that is written.
  const Settings efs = {{"source.service", "efs"},
                        {"source.input_mode", "mount"},
                        {"source.throughput_mode", "bursting"},
                        {"disk.page_cache", "1 B"}};
  const auto inputs = with_checkpoint(R"({"size": "60 GB", "every_epochs": 1})", efs).inputs;
  const double share = assumed::checkpoint_share.value;
  REQUIRE(inputs.checkpoint_burst);
  const pipeline::CheckpointBurst& burst = *inputs.checkpoint_burst;
  CHECK(inputs.checkpoint_time.base() == Approx(60e9 / (share * 50e6)));
  CHECK(burst.time.base() == Approx(60e9 / (share * 100e6)));
  CHECK(burst.each == Approx(180e9));
  CHECK(burst.earned == Approx(150e6));
  pipeline::Inputs in = inputs;
  in.epochs = 5.0;
  const pipeline::Outcome outcome = pipeline::simulate(in);
  const auto each = [&](double credit) {
    in.checkpoint_burst->credit = credit;
    return pipeline::interrupted_job(outcome, in, {}).writing.time.base();
  };
  // Each uses what it counts less what is earned meanwhile; training reads the data five times.
  const double spent = 5.0 * (180e9 - 150e6 * burst.time.base());
  const double used = 5.0 * 1e12 - 150e6 * outcome.trained.wall.base();
  CHECK(each(used) == Approx(inputs.checkpoint_time.base()));
  CHECK(each(used + spent) == Approx(burst.time.base()));
  CHECK(each(used + spent / 4.0) ==
        Approx(0.25 * burst.time.base() + 0.75 * inputs.checkpoint_time.base()));
  double before = inputs.checkpoint_time.base();
  for (const double credit : {0.0, 1e11, 1e12, 2e12, 4e12, 8e12, 1e14}) {
    CHECK(each(credit) <= before);
    before = each(credit);
  }
  CHECK(before == burst.time.base());
  // What provisions or measures its own has none.
  CHECK_FALSE(with_checkpoint(R"({"size": "60 GB", "every_epochs": 1, "bandwidth": "1 GB/s"})", efs)
                  .inputs.checkpoint_burst);
}
