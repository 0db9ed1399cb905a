// Communication that a scenario leaves to be computed: who asks for it, and what it answers.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

resolve::Resolved resolved(const Settings& settings) {
  return resolve::resolve(scenario_with(settings), catalog());
}

Settings job(const std::string& allreduce, const std::string& instances = "4",
             const std::string& parallelism = "") {
  Settings settings = {{"/cluster/instance", "p4d.24xlarge"},
                       {"/cluster/instances", instances},
                       {"/job/allreduce", allreduce}};
  if (!parallelism.empty()) settings.emplace_back("/job/parallelism", parallelism);
  return settings;
}

double exposed(const Settings& settings) {
  return resolved(settings).inputs.exposed_allreduce.base();
}

bool says(const std::vector<std::string>& list, const std::string& words) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& text) {
    return text.find(words) != std::string::npos;
  });
}

const char* const sizes[] = {R"("gradient_bytes": "10 MB")", R"("parameters": 25600000)",
                             R"("parameters": 350000000, "gradient_type": "bf16")",
                             R"("parameters": 7000000000)"};

}  // namespace

TEST_CASE("exchange: figures alone leave it computed; the textbook's ring is asked for by name") {
  for (const char* const figure : {"", R"(, "busbw": "10 GB/s")", R"(, "latency": "20 us")",
                                   R"(, "busbw_inside": "50 GB/s", "algorithm": "nccl")"}) {
    INFO(figure);
    const auto computed = resolved(job(fmt::format(R"({{"gradient_bytes": "100 MB"{}}})", figure)));
    REQUIRE(computed.communication);
    CHECK(computed.communication->parallelism == "ddp");
    CHECK_FALSE(computed.communication->protocol.empty());
    CHECK(computed.communication->messages == 5.0);  // 1 MiB, three of 25 MiB, what is left
    CHECK(computed.communication->exposed < computed.communication->total);
  }
  for (const char* const algorithm : {"ring", "hierarchical"}) {
    INFO(algorithm);
    const auto with = [&](const char* overlap) {
      return resolved(job(fmt::format(R"({{"gradient_bytes": "100 MB", "algorithm": "{}"{}}})",
                                      algorithm, overlap)));
    };
    const auto textbook = with("");
    CHECK(textbook.communication->protocol.empty());
    CHECK(textbook.communication->messages == 1.0);
    CHECK(textbook.communication->exposed == textbook.communication->total);
    CHECK(says(textbook.caveats, "without overlap sends all gradients after the backward pass"));
    CHECK_FALSE(says(with(R"(, "overlap": 0)").caveats, "without overlap"));
    CHECK(with(R"(, "overlap": 0)").inputs.exposed_allreduce == textbook.inputs.exposed_allreduce);
  }
}

TEST_CASE("exchange: every parallelism exposes no more than all of it, on any number of hosts") {
  for (const auto how : parallelism_words) {
    for (const char* const size : sizes) {
      double before = 0.0;
      for (const char* const instances : {"1", "2", "8", "32"}) {
        INFO(how << " " << size << " " << instances);
        const auto of = resolved(job(fmt::format("{{{}}}", size), instances, std::string(how)));
        REQUIRE(of.communication);
        const Communication& c = *of.communication;
        CHECK(c.exposed > Duration{});
        CHECK(c.exposed <= c.total + milliseconds(2.0));  // Horovod's cycles
        CHECK(of.inputs.exposed_allreduce == c.exposed);
        CHECK(c.total.base() >= before);
        before = c.total.base();
      }
    }
  }
}

TEST_CASE("exchange: half the bytes cost no more, whether by type or by compression") {
  for (const auto how : parallelism_words) {
    INFO(how);
    const auto with = [&](const std::string& more) {
      return exposed(job("{\"parameters\": 350000000" + more + "}", "4", std::string(how)));
    };
    CHECK(with(R"(, "gradient_type": "bf16")") <= with(""));
    CHECK(with(R"(, "compression": 2)") <= with(""));
    CHECK(with(R"(, "compression": 100)") <= with(R"(, "compression": 2)"));
  }
}

TEST_CASE("exchange: accumulation exchanges gradients once, sharded parameters each time") {
  const auto with = [](const char* how, const char* batches) {
    Settings settings = job(R"({"parameters": 350000000})", "4", how);
    settings.emplace_back("/job/gradient_accumulation", batches);
    settings.emplace_back("/job/step/cv", "0");
    settings.emplace_back("/job/step/gpus", "8");
    return *resolved(settings).communication;
  };
  for (const char* const how : {"ddp", "horovod", "zero1"}) {
    CHECK(with(how, "8").size == with(how, "1").size);
    CHECK(with(how, "8").exposed == with(how, "1").exposed);
  }
  for (const char* const how : {"fsdp", "zero3"}) {
    CHECK(with(how, "8").size.base() == Approx(8.0 * with(how, "1").size.base()));
    CHECK(with(how, "8").exposed.base() == Approx(8.0 * with(how, "1").exposed.base()));
  }
  CHECK(with("zero2", "8").size > with("zero2", "1").size);
}

TEST_CASE("exchange: overlap is an override, and says how much of all of it is hidden") {
  const auto with = [](const std::string& overlap) {
    return *resolved(job(R"({"parameters": 25600000, "algorithm": "nccl")" + overlap + "}"))
                .communication;
  };
  const Communication none = with(R"(, "overlap": 0)");
  CHECK(none.exposed == none.total);
  CHECK(with(R"(, "overlap": 0.4)").exposed.base() == Approx(0.6 * none.total.base()));
  CHECK(with("").total == none.total);
  CHECK(with("").exposed < none.total);
}

TEST_CASE("exchange: measured points come before the model, over as many GPUs alone") {
  const std::string points =
      R"({"gradient_bytes": "1 MB", "points": [[500000, "1 ms"], [1000000, "2 ms"]], )"
      R"("points_gpus": 32})";
  const auto of = resolved(job(points));
  CHECK(of.communication->algorithm == "measured");
  CHECK(of.communication->total.base() == Approx(2e-3));
  CHECK_FALSE(says(of.caveats, "points"));
  const auto other = resolved(job(points, "2"));
  CHECK(other.communication->algorithm != "measured");
  CHECK(says(other.caveats, "hold for 32 GPUs: for 16"));
  const auto beyond = resolved(
      job(R"({"gradient_bytes": "10 MB", "points": [[500000, "1 ms"]], "points_gpus": 32})"));
  CHECK(says(beyond.caveats, "lies outside of /job/allreduce/points"));
  const auto below =
      resolved(job(R"({"gradient_bytes": "10 MB", "points": [[10000000, "1 ms"]], "points_gpus": 32,
              "bucket": "1 MB", "first_bucket": "1 MB"})"));
  CHECK(below.communication->total.base() == Approx(1e-3));
  CHECK(says(below.caveats, "the bandwidth of the only one, without a latency, is used for it"));
}

TEST_CASE("exchange: points that were measured on another machine are taken with a caveat") {
  schema::Document document = schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 200000}, "loader": {"batch_size": 64},
          "cluster": {"instance": "p4d.24xlarge", "instances": 4},
          "job": {"step": "100 ms",
                  "allreduce": {"gradient_bytes": "1 MB", "points": [[1000000, "2 ms"]],
                                "points_gpus": 32}}})",
      "t.json");
  document.keep_as_base();
  schema::set_value(document, "/cluster/instance", "p5.48xlarge");
  const auto of = resolve::resolve(schema::read_scenario(document), catalog());
  CHECK(of.communication->algorithm == "measured");
  CHECK(says(of.caveats, "points was given for p4d.24xlarge"));
}

TEST_CASE("exchange: an NVSwitch sums only where its bus bandwidth was not measured") {
  const auto on = [](const std::string& more) {
    Settings settings = job(R"({"parameters": 350000000)" + more + "}", "1");
    settings.front().second = "p5.48xlarge";
    return resolved(settings).communication->algorithm;
  };
  CHECK(on("") == "nvls");
  CHECK(on(R"(, "algorithm": "nccl", "busbw": "360 GB/s")") == "ring");
}

TEST_CASE("exchange: where nobody says how a machine's GPUs are connected, their own links count") {
  Settings settings = job(R"({"parameters": 350000000})", "1");
  settings.front().second = "a3-highgpu-4g";
  settings.emplace_back("/cluster/region", "us-central1");
  const auto of = resolved(settings);
  REQUIRE_FALSE(of.machine->nvlink);
  settings.pop_back();
  // Of 450 GB/s, as on the same GPUs elsewhere; no word of a switch that would sum.
  settings.front().second = "p5.48xlarge";
  settings.emplace_back("/cluster/gpus_per_instance", "4");
  settings[2].second =
      fmt::format(R"({{"parameters": 350000000, "algorithm": "nccl", "busbw": "{:.17g} GB/s"}})",
                  450.0 * resolve::assumed::nvlink_share.value);
  CHECK(of.inputs.exposed_allreduce.base() ==
        Approx(resolved(settings).inputs.exposed_allreduce.base()));
}

TEST_CASE("exchange: SageMaker's library is computed as DDP, with a word that it is not known") {
  const auto smddp = resolved(job(R"({"parameters": 350000000})", "4", "smddp"));
  CHECK(smddp.inputs.exposed_allreduce.base() ==
        exposed(job(R"({"parameters": 350000000})", "4", "ddp")));
  CHECK(says(smddp.caveats, "only measured points"));
}

TEST_CASE("exchange: keys of another kind of parallelism are told of and stand in nobody's way") {
  const auto told = [](const Settings& settings, std::string_view key) {
    return says(resolved(settings).remarks, fmt::format("/job/allreduce/{} has no effect: ", key));
  };
  const std::string all = R"({"parameters": 1000000, "blocks": 3, "first_bucket": "1 MB",
                              "bucket": "2 MB", "algorithm": "tree"})";
  CHECK(told(job(all, "2", "ddp"), "blocks"));
  CHECK_FALSE(told(job(all, "2", "ddp"), "first_bucket"));
  CHECK_FALSE(told(job(all, "2", "ddp"), "algorithm"));
  CHECK(told(job(all, "2", "horovod"), "first_bucket"));
  CHECK(told(job(all, "2", "fsdp"), "bucket"));
  CHECK(told(job(all, "2", "fsdp"), "algorithm"));
  CHECK_FALSE(told(job(all, "2", "fsdp"), "blocks"));
}

TEST_CASE("exchange: what must be known of the model is asked for by its key") {
  try {
    resolved(job("{}", "2", "fsdp"));
    FAIL_CHECK("resolved without the model");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].pointer == "/job/allreduce/parameters");
    CHECK(error.problems()[0].message.find("expected how many parameters the model has") == 0);
  }
}

TEST_CASE("exchange: a job that is given by its duration exchanges in each of its steps") {
  const auto with = [](double instances, double steps) {
    const schema::Document document = schema::parse_document(
        fmt::format(R"({{"name": "t", "cluster": {{"instance": "p4d.24xlarge",
                         "instances": {}, "network": "1 Gbit/s"}},
                         "job": {{"duration_on_one_instance": "800 h", "steps": {},
                         "allreduce": {{"parameters": 7e9, "overlap": 0}}}}}})",
                    instances, steps),
        "t.json");
    const auto inputs = resolve::resolve(schema::read_scenario(document), catalog()).inputs;
    return std::pair(inputs, pipeline::simulate(inputs).training().base());
  };
  for (const double steps : {1e3, 1e6}) {
    // What its own GPUs exchange is part of the time on one instance.
    const auto [one, whole] = with(1.0, steps);
    CHECK(whole == Approx(800.0 * 3600.0).epsilon(1e-6));
    const double own = steps * one.exposed_allreduce.base();
    CHECK(own > 0.0);
    for (const double instances : {2.0, 8.0}) {
      INFO(instances << " instances, " << steps << " steps");
      const auto [inputs, time] = with(instances, steps);
      const double exchanges = steps * inputs.exposed_allreduce.base();
      CHECK(exchanges > own);
      CHECK(time == Approx((whole - own) / instances + exchanges).epsilon(1e-3));
    }
  }
  CHECK(with(8.0, 1e6).second > 10.0 * 100.0 * 3600.0);
}

TEST_CASE("exchange: what says the same twice is refused by its name") {
  const auto refused = [](const Settings& settings, std::string_view words) {
    try {
      scenario_with(settings);
    } catch (const InputError& error) {
      INFO(error.what());
      CHECK(std::string_view(error.what()).find(words) != std::string_view::npos);
      return;
    }
    FAIL_CHECK("taken, where expected: " << words);
  };
  refused(job(R"({"parameters": 1000, "gradient_bytes": "1 MB"})"),
          "expected nothing beside parameters");
  refused(job(R"({"gradient_bytes": "1 MB", "gradient_type": "bf16"})"),
          "expected parameters beside it");
  refused(job(R"({"gradient_bytes": "1 MB", "points": [[1, "1 ms"]]})"),
          "expected points_gpus beside it");
  refused(job(R"({"gradient_bytes": "1 MB", "points_gpus": 8})"), "expected points beside it");
  refused({{"/job/efficiency", "0.9"}, {"/job/parallelism", "ddp"}},
          "expected nothing beside efficiency");
  refused({{"/job/scaling_batch_sizes", "[[1, 2]]"}}, "expected job.scaling beside it");
  refused(
      {{"/job/scaling", R"([[1, "2 h"], [2, "1 h"]])"}, {"/job/scaling_batch_sizes", "[[1, 32]]"}},
      "got none for 2 instances");
}

TEST_CASE("exchange: a bus bandwidth, given or measured, is reached on any number of instances") {
  HostProfile host;
  host.allreduce_busbw_between = Value<Bandwidth>::given(bytes_per_second(10e9));
  for (const double instances : {2.0, 3.0, 4.0, 8.0, 16.0}) {
    for (const double gpus : {1.0, 4.0, 8.0}) {
      const auto time = [&](const char* busbw, const HostProfile* measured) {
        Settings settings = job(fmt::format(R"({{"gradient_bytes": "4 GB", "bucket": "8 GB", )"
                                            R"("first_bucket": "8 GB"{}}})",
                                            busbw),
                                fmt::format("{:g}", instances));
        settings.emplace_back("/cluster/gpus_per_instance", fmt::format("{:g}", gpus));
        return resolve::resolve(scenario_with(settings), catalog(), measured)
            .communication->total.base();
      };
      INFO(instances << " instances of " << gpus);
      const double n = instances * gpus;
      const double by_definition = 2.0 * (n - 1.0) / n * 4e9 / 10e9;  // nccl-tests' busbw
      for (const double found : {time(R"(, "busbw": "10 GB/s")", nullptr), time("", &host)}) {
        CHECK(found >= by_definition * (1.0 - 1e-9));
        CHECK(found <= 1.15 * by_definition);  // flags beside the data, and latency
      }
    }
  }
}

TEST_CASE("exchange: what all-reduces carry alone is what all of their messages let through") {
  for (const std::string how : {"ddp", "horovod", "zero1", "zero2", "fsdp", "zero3"}) {
    for (const char* const accumulation : {"1", "7"}) {
      for (const char* const instances : {"2", "8"}) {
        INFO(how << ", " << accumulation << " batches, " << instances << " instances");
        Settings settings =
            job(R"({"parameters": 350000000, "gradient_type": "bf16"})", instances, how);
        settings.emplace_back("/job/gradient_accumulation", accumulation);
        settings.emplace_back("/job/step", "\"10 s\"");  // hides all but the last message
        const auto of = resolved(settings);
        REQUIRE(of.communication);
        const pipeline::Inputs& in = of.inputs;
        const double alone =
            pipeline::capacities(in, pipeline::EpochKind::later, 1.0)[Stage::allreduce].base();
        // Sharded parameters are exchanged in every batch, gradients once an optimizer step, and
        // in one that an epoch cuts short, too.
        const double each =
            of.communication->total.base() * in.accumulation / std::stod(accumulation);
        const double times =
            std::ceil(pipeline::epoch_shape(in).steps / in.accumulation) * in.epochs;
        CHECK(alone == Approx(pipeline::trained_samples(in) / (times * each)));
      }
    }
  }
}

TEST_CASE("exchange: of a bus bandwidth inside one instance a tree takes the time that it says") {
  // 1 GB among 8 GPUs at 10 GB/s: 2 · 7/8 · 1 GB / 10 GB/s, and 14 hops of 20 us for each of the
  // messages.
  for (const char* const algorithm : {"nccl", "tree"}) {
    INFO(algorithm);
    const auto one = resolved(job(fmt::format(R"({{"gradient_bytes": "1 GB", "busbw": "10 GB/s",
                                                  "latency": "20 us", "overlap": 0,
                                                  "algorithm": "{}"}})",
                                              algorithm),
                                  "1"));
    REQUIRE(one.communication);
    const double hops = 14.0 * 20e-6 * one.communication->messages;
    CHECK(one.communication->total.base() == Approx(0.175 + hops));
  }
}
