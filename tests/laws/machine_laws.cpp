// What must hold when numbers that were measured on one machine are asked for on another: over the
// catalogue's machines and over generated GPUs, for every shipped scenario.
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catalog/gpu_speed.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "resolve/speed.hpp"
#include "scenarios/shipped.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

const Catalog& catalog() {
  static const Catalog all = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return all;
}

std::vector<Training> trainings() {
  std::vector<Training> all;
  const std::optional<ModelFamily> families[] = {std::nullopt, ModelFamily::convolutional,
                                                 ModelFamily::transformer, ModelFamily::recurrent};
  const std::optional<Precision> precisions[] = {std::nullopt, Precision::mixed, Precision::single};
  for (const auto& family : families) {
    for (const auto& precision : precisions) all.push_back({family, precision});
  }
  return all;
}

schema::Document shipped(const std::string& file) {
  return schema::load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + file);
}

Scenario with(schema::Document document, std::string_view key, std::string_view value) {
  schema::set_value(document, key, value);
  return schema::read_scenario(document);
}

/// A job whose step decides, on `instance`.
schema::Document job(const std::string& instance, const std::string& step,
                     const std::string& more = "") {
  return schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 100000, "bytes_per_sample": "1 KB"},
          "loader": {"num_workers": 2, "batch_size": 100},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "cluster": {"instance": ")" +
          instance + R"(", "gpus_per_instance": 1, "price": "1 USD/h"})" + more +
          R"(, "job": {"step": )" + step + "}}",
      "t.json");
}

const InputUsed* assumption_about(const resolve::Resolved& resolved, std::string_view words) {
  for (const InputUsed& input : resolved.used) {
    if (input.key.find(words) != std::string::npos && input.from.origin == Origin::assumed)
      return &input;
  }
  return nullptr;
}

Result run_of(const Scenario& scenario) {
  return study::run(scenario, catalog(), nullptr, {});
}

Duration step_of(const Scenario& scenario, const resolve::Draw& draw = {}) {
  return *resolve::resolve(scenario, catalog(), nullptr, draw).inputs.step.fixed;
}

}  // namespace

TEST_CASE("machines: a GPU's speed there and back is 1, ranges included") {
  for (const Training& training : trainings()) {
    for (const Gpu& a : catalog().gpus) {
      for (const Gpu& b : catalog().gpus) {
        const auto there = relative_speed(catalog(), a.name, b.name, training);
        const auto back = relative_speed(catalog(), b.name, a.name, training);
        INFO(a.name << " and " << b.name);
        REQUIRE(there);
        REQUIRE(back);
        CHECK(there->value * back->value == Approx(1.0).epsilon(1e-12));
        CHECK(there->low * back->high == Approx(1.0).epsilon(1e-12));
        CHECK(there->low <= there->value);
        CHECK(there->value <= there->high);
        CHECK((a.name != b.name || there->value == 1.0));
      }
    }
  }
}

TEST_CASE("machines: a GPU with the higher peak and memory bandwidth is never the slower one") {
  const auto at_least = [](const Known<double>& a, const Known<double>& b) {
    return (a ? a->value : 0.0) >= (b ? b->value : 0.0);
  };
  const auto dominates = [&](const Gpu& a, const Gpu& b) {
    return a.memory_bandwidth->value >= b.memory_bandwidth->value && at_least(a.fp16, b.fp16) &&
           at_least(a.fp32, b.fp32) && at_least(a.tf32, b.tf32) && at_least(a.bf16, b.bf16);
  };
  int pairs = 0;
  for (const Training& training : trainings()) {
    for (const Gpu& a : catalog().gpus) {
      for (const Gpu& b : catalog().gpus) {
        if (!dominates(a, b)) continue;
        INFO(a.name << " against " << b.name);
        CHECK(relative_speed(catalog(), b.name, a.name, training)->value >= 1.0 - 1e-12);
        ++pairs;
      }
    }
  }
  CHECK_DRAWN(pairs > 500);
  std::mt19937 random(feedrate::test::seeded(5));
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random));
  };
  for (int i = 0; i < 1000; ++i) {
    Catalog two;
    for (const char* name : {"small", "large"}) {
      Gpu gpu;
      gpu.name = name;
      const bool large = !two.gpus.empty();
      const Gpu base = large ? two.gpus.front() : Gpu{};
      const auto up = [&](double from) { return large ? from * between(1.0, 4.0) : from; };
      gpu.memory_bandwidth = Value<Bandwidth>::published(
          bytes_per_second(up(large ? base.memory_bandwidth->value.base() : between(1e11, 1e13))),
          "");
      gpu.fp16 = Value<double>::published(up(large ? base.fp16->value : between(10, 3000)), "");
      gpu.fp32 = Value<double>::published(up(large ? base.fp32->value : between(5, 200)), "");
      two.gpus.push_back(gpu);
    }
    REQUIRE(relative_speed(two, "small", "large")->value >= 1.0);
  }
}

TEST_CASE("machines: what rates compare is what was published, within the stated range") {
  const auto speed = [](const char* from, const char* to, Training training) {
    return *relative_speed(catalog(), from, to, training);
  };
  // lambdal/deeplearning-benchmark: ResNet-50 and SSD in mixed precision, V100 833 and 229
  // samples/s, A10 638 and 174.
  const Training vision{ModelFamily::convolutional, Precision::mixed};
  CHECK(speed("V100-SXM2-16GB", "A10-24GB", vision).value ==
        Approx(std::sqrt(638.0 / 833.0 * 174.0 / 229.0)).epsilon(1e-9));
  // NVIDIA's ResNet-50 (scenarios/nvidia_resnet50.json): one V100 1376 or 1492, one A100 3411.
  const RelativeSpeed a100 = speed("V100-SXM2-16GB", "A100-SXM4-40GB", vision);
  CHECK(a100.low < 3410.52 / 1492.0);
  CHECK(3410.52 / 1492.0 < a100.high);
  // MLPerf Storage's emulated accelerators: U-Net3D 0.636 s on an A100, 0.323 s on an H100.
  const RelativeSpeed h100 = speed("A100-SXM4-80GB", "H100-SXM5-80GB", vision);
  CHECK(h100.low < 0.636 / 0.323);
  CHECK(0.636 / 0.323 < h100.high);
  // The Hivemind paper's ConvNext: 80 samples/s on a T4, 185 on an A10.
  const RelativeSpeed t4 = speed("T4-16GB", "A10-24GB", vision);
  CHECK(t4.low < 185.0 / 80.0);
  CHECK(185.0 / 80.0 < t4.high);
  for (const Training& training : trainings()) {
    CHECK(speed("V100-SXM2-16GB", "V100-SXM2-32GB", training).value == 1.0);
    CHECK(speed("V100-SXM2-16GB", "V100-SXM2-32GB", training).why.empty());
  }
}

TEST_CASE("machines: a narrower question has a range that the wider one holds") {
  for (const Gpu& a : catalog().gpus) {
    for (const Gpu& b : catalog().gpus) {
      const auto wide = relative_speed(catalog(), a.name, b.name);
      for (const Training& training : trainings()) {
        const auto narrow = relative_speed(catalog(), a.name, b.name, training);
        INFO(a.name << " to " << b.name);
        CHECK(wide->low <= narrow->low * (1.0 + 1e-12));
        CHECK(narrow->high <= wide->high * (1.0 + 1e-12));
      }
    }
  }
}

TEST_CASE("machines: the instance as written, set again, changes nothing") {
  for (const std::string& file : testing_scenarios::shipped()) {
    INFO(file);
    const schema::Document document = shipped(file);
    const Scenario written = schema::read_scenario(document);
    CHECK(written.measured_on == MeasuredOn{});
    if (!written.cluster.instance) continue;
    CHECK(with(document, "instance", *written.cluster.instance) == written);
  }
}

TEST_CASE("machines: a price is of the way of buying that it was written with") {
  const schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const auto price_of = [](const Scenario& scenario) {
    return resolve::resolve(scenario, catalog()).terms.compute.price.value.base() * 3600.0;
  };
  CHECK(price_of(schema::read_scenario(document)) == Approx(1.0));
  const Scenario spot = with(document, "purchase", "spot");
  CHECK(spot.measured_on.price_purchase == Purchase::on_demand);
  Scenario none = spot;
  none.cluster.price.reset();
  CHECK(price_of(spot) == price_of(none));
  CHECK(schema::read_scenario(schema::parse_document(schema::write_scenario(spot), "w")) == spot);
  // The same again, or with a price beside it, is the price of it.
  CHECK(with(document, "purchase", "on_demand") == schema::read_scenario(document));
  schema::Document both = document;
  schema::set_value(both, "purchase", "spot");
  schema::set_value(both, "/cluster/price", "0.3 USD/h");
  both.keep_as_base();
  CHECK(price_of(schema::read_scenario(both)) == Approx(0.3));
  // And of that one when a sweep buys it otherwise: on demand has a key beside spot.
  CHECK(price_of(with(both, "purchase", "on_demand")) > 1.0);
  // Spot instances fall back to instances of the price that was stated for these.
  schema::Document falls = document;
  schema::set_value(falls, "/cluster/spot",
                    R"({"rate": "0.1 /h", "fallback": {"after_wait": "1 h"}})");
  schema::set_value(falls, "/job/checkpoint", R"({"size": "1 GB", "bandwidth": "1 GB/s"})");
  falls.keep_as_base();
  const auto back = resolve::resolve(with(falls, "purchase", "spot"), catalog()).terms.on_demand;
  REQUIRE(back.has_value());
  CHECK(back->price.value.base() * 3600.0 == Approx(1.0));
  // What nobody bills is not billed otherwise.
  schema::Document own = document;
  schema::set_value(own, "/cluster/price", "0 USD/h");
  own.keep_as_base();
  CHECK(price_of(with(own, "purchase", "spot")) == 0.0);
  // Where no other price is known it is taken all the same.
  schema::Document block = document;
  schema::set_value(block, "/cluster/booked", "24 h");
  CHECK(price_of(with(block, "purchase", "capacity_block")) == Approx(1.0));
  schema::set_value(both, "/cluster/spot", R"({"on_demand_price": "2 USD/h"})");
  both.keep_as_base();
  CHECK(price_of(with(both, "purchase", "on_demand")) == Approx(2.0));
}

TEST_CASE("machines: numbers belong to the instance that stood beside them when they were stated") {
  schema::Document document = job("ml.p3.2xlarge", R"("100 ms")");
  const Scenario other = with(document, "instance", "ml.g5.2xlarge");
  CHECK(other.measured_on.gpu_times == "ml.p3.2xlarge");
  CHECK(other.measured_on.cpu_times == "ml.p3.2xlarge");
  CHECK(other.measured_on.price == "ml.p3.2xlarge");
  CHECK_FALSE(other.measured_on.machine_figures);
  schema::Document threads = document;
  schema::set_value(threads, "vcpus", "8");
  threads.keep_as_base();
  CHECK(with(threads, "instance", "ml.g5.2xlarge").measured_on.machine_figures == "ml.p3.2xlarge");
  // Written and read again it says the same.
  CHECK(schema::read_scenario(schema::parse_document(schema::write_scenario(other), "w")) == other);
  // A step that is typed in beside the instance is that instance's; the CPU times stay the file's.
  schema::Document both = document;
  schema::set_value(both, "instance", "ml.g5.2xlarge");
  schema::set_value(both, "step", "80 ms");
  both.keep_as_base();
  CHECK_FALSE(schema::read_scenario(both).measured_on.gpu_times);
  CHECK(schema::read_scenario(both).measured_on.cpu_times == "ml.p3.2xlarge");
  // What --set says is the base of a sweep: its step belongs to the instance before the sweep's.
  schema::set_value(both, "instance", "ml.p4d.24xlarge", "--vary");
  CHECK(schema::read_scenario(both).measured_on.gpu_times == "ml.g5.2xlarge");
  // What does not say how long anything takes moves nothing.
  schema::Document placed = document;
  schema::set_value(placed, "step.cv", "0.1");
  schema::set_value(placed, "/preprocess/decode/cached", "true");
  schema::set_value(placed, "instance", "ml.g5.2xlarge");
  placed.keep_as_base();
  CHECK(schema::read_scenario(placed).measured_on == other.measured_on);
  CHECK(schema::read_scenario(placed).job.step->fixed == milliseconds(100.0));
}

TEST_CASE("machines: a step on another GPU is the stated one over the ratio, drawn in its range") {
  const schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const Scenario there = with(document, "instance", "g4dn.xlarge");
  const auto ratio = relative_speed(catalog(), "V100-SXM2-16GB", "T4-16GB");
  CHECK(step_of(there).base() == Approx(0.1 / ratio->value).epsilon(1e-12));
  const resolve::Resolved resolved = resolve::resolve(there, catalog());
  REQUIRE(assumption_about(resolved, "speed of T4-16GB relative to V100-SXM2-16GB") != nullptr);
  REQUIRE(resolved.caveats.size() >= 1);
  const auto at = [](double u) { return [u](std::string_view) { return u; }; };
  CHECK(step_of(there, at(0.0)).base() == Approx(0.1 / ratio->low).epsilon(1e-12));
  CHECK(step_of(there, at(1.0)).base() == Approx(0.1 / ratio->high).epsilon(1e-12));
  // Another size of the same machine has the same GPU.
  const resolve::Resolved same =
      resolve::resolve(with(document, "instance", "p3.8xlarge"), catalog());
  CHECK(same.inputs.step.fixed == milliseconds(100.0));
  CHECK(assumption_about(same, "relative to") == nullptr);
}

TEST_CASE("machines: a step that is given for the GPU is used as it is, whatever else is said") {
  for (const Machine& machine : catalog().machines) {
    if (!machine.gpus || machine.gpus->value < 1.0 || machine.gpu_model.empty()) continue;
    INFO(machine.name << ": " << machine.gpu_model);
    const std::string instance = machine.name;
    schema::Document document =
        job("p3.2xlarge", R"({"fixed": "100 ms", "by_gpu": {")" + machine.gpu_model +
                              R"(": {"fixed": "70 ms"}, "made-up": "1 s"}})");
    schema::set_value(document, "vcpus", "8");
    schema::set_value(document, "instance", instance);
    schema::set_value(document, "/cluster/price", "2 USD/h");
    schema::set_value(document, "gpu_times", "\"K80\"");
    const resolve::Resolved resolved = resolve::resolve(schema::read_scenario(document), catalog());
    CHECK(resolved.inputs.step.fixed == milliseconds(70.0));
    for (const InputUsed& input : resolved.used) {
      CHECK_FALSE(input.key.starts_with("speed of"));
    }
  }
}

TEST_CASE("machines: of a table by GPU the one that compares most narrowly is scaled") {
  const schema::Document document =
      job("g5.xlarge", R"({"by_gpu": {"V100": "100 ms", "A10-24GB": {"fixed": "120 ms"}}})");
  const auto near = relative_speed(catalog(), "A10-24GB", "A10G-24GB");
  CHECK(step_of(schema::read_scenario(document)).base() ==
        Approx(0.12 / near->value).epsilon(1e-12));
  CHECK(step_of(with(document, "instance", "p3.2xlarge")) == milliseconds(100.0));
}

TEST_CASE("machines: accelerators that nothing compares are refused with what to give") {
  const schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const auto refused = [&](std::string_view instance) {
    try {
      resolve::resolve(with(document, "instance", instance), catalog());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("fine");
  };
  const std::string trainium = refused("trn1.2xlarge");
  CHECK(trainium.find("AWS Trainium cannot run CUDA programs") != std::string::npos);
  CHECK(trainium.find("/job/step/by_gpu {\"AWS Trainium\"") != std::string::npos);
  // Said once, whatever parts the step has.
  const schema::Document both = job("p3.2xlarge", R"({"fixed": "10 ms", "per_sample": "1 ms"})");
  try {
    resolve::resolve(with(both, "instance", "trn1.2xlarge"), catalog());
    FAIL("not refused");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 1);
  }
  // Every other GPU of the catalogue compares.
  for (const Machine& machine : catalog().machines) {
    if (machine.gpu_model.empty() || machine.gpu_model == "AWS Trainium") continue;
    if (machine.gpu_model.starts_with("TPU")) {
      // Of several chips, what they exchange over is asked for first.
      if (machine.gpus->value > 1.0) continue;
      const std::string tpu = refused(machine.name);
      INFO(tpu);
      CHECK(tpu.find(machine.gpu_model + " cannot run CUDA programs") != std::string::npos);
      continue;
    }
    INFO(machine.gpu_model);
    CHECK(find_gpu(catalog(), machine.gpu_model) != nullptr);
    CHECK(relative_speed(catalog(), "V100-SXM2-16GB", machine.gpu_model));
  }
}

TEST_CASE(
    "machines: a whole job's duration follows GPUs and their number, and is its own as written") {
  const schema::Document document = schema::parse_document(
      R"({"name": "t", "cluster": {"instance": "p3.2xlarge"},
          "job": {"duration_on_one_instance": "24 h"}})",
      "t.json");
  const auto time = [&](const Scenario& scenario) {
    return run_of(scenario).times.total.base() / 3600.0;
  };
  CHECK(time(schema::read_scenario(document)) == Approx(24.0).epsilon(1e-9));
  const double together = resolve::assumed::gpus_together.value;
  CHECK(time(with(document, "instance", "p3.8xlarge")) ==
        Approx(24.0 / std::pow(4.0, together)).epsilon(1e-6));
  const double a100 = relative_speed(catalog(), "V100-SXM2-16GB", "A100-SXM4-40GB")->value;
  CHECK(time(with(document, "instance", "p4d.24xlarge")) ==
        Approx(24.0 / a100 / std::pow(8.0, together)).epsilon(1e-6));
  // There and back.
  schema::Document back = schema::parse_document(
      schema::write_scenario(with(document, "instance", "p4d.24xlarge")), "b");
  CHECK(time(with(back, "instance", "p3.2xlarge")) == Approx(24.0).epsilon(1e-9));
}

TEST_CASE("machines: CPU times follow the threads' speed, there and back") {
  const schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const auto cpu = [&](std::string_view instance) {
    return resolve::resolve(with(document, "instance", instance), catalog()).inputs.cpu.base();
  };
  const auto core = [&](std::string_view instance) {
    return *resolve::processor_of(catalog(), instance)->thread;
  };
  for (const char* instance : {"g4dn.2xlarge", "g5.2xlarge", "g6.2xlarge", "p4d.24xlarge"}) {
    INFO(instance);
    CHECK(cpu(instance) == Approx(1e-3 * core("p3.2xlarge") / core(instance)).epsilon(1e-12));
  }
  CHECK(cpu("p3.2xlarge") == 1e-3);
  CHECK(cpu("p3.16xlarge") == 1e-3);  // the same processor
  CHECK(cpu("a2-highgpu-1g") == 1e-3);
  const resolve::Resolved unknown =
      resolve::resolve(with(document, "instance", "a2-highgpu-1g"), catalog());
  const InputUsed* said = assumption_about(unknown, "thread speed of a2-highgpu-1g");
  REQUIRE(said != nullptr);
  CHECK(said->low == "0.6");
}

TEST_CASE("machines: the loader's own times follow the threads of the machine that has them") {
  schema::Document assuming = job("p3.2xlarge", R"("100 ms")");
  schema::set_value(assuming, "/dataset/bytes_on_gpu_per_sample", "10 kB");
  schema::Document given = assuming;
  schema::set_value(given, "/loader/handover", "2 ms");
  schema::set_value(given, "/loader/collate", "3 s/GB");
  schema::set_value(given, "/loader/worker_startup", "40 ms");
  schema::set_value(given, "/measured_on/loader_times", "p3.2xlarge");
  HostProfile host;
  host.name = "h";
  host.instance = "p3.2xlarge";
  const Provenance measured{Origin::measured, "h", 0.0};
  host.handover = Value<Duration>{milliseconds(5.0), measured};
  host.collate = Value<DurationPerByte>{seconds(7.0) / bytes(1e9), measured};
  host.worker_startup = Value<Duration>{milliseconds(11.0), measured};
  host.worker_warmup = Value<Duration>{milliseconds(13.0), measured};
  host.worker_shutdown = Value<Duration>{milliseconds(17.0), measured};
  const auto core = [&](std::string_view instance) {
    return *resolve::processor_of(catalog(), instance)->thread;
  };
  const auto inputs = [&](const schema::Document& document, std::string_view instance,
                          const HostProfile* profile) {
    return resolve::resolve(with(document, "instance", instance), catalog(), profile).inputs;
  };
  const auto assumed_at_home = inputs(assuming, "p3.2xlarge", nullptr);
  for (const char* instance : {"p3.2xlarge", "g4dn.2xlarge", "g5.2xlarge", "p4d.24xlarge"}) {
    INFO(instance);
    const double longer = core("p3.2xlarge") / core(instance);
    const auto of_scenario = inputs(given, instance, nullptr);
    CHECK(of_scenario.handover.base() == Approx(2e-3 * longer).epsilon(1e-12));
    CHECK(of_scenario.collate.base() == Approx(3e-9 * 10e3 * longer).epsilon(1e-12));
    CHECK(of_scenario.worker_startup.base() == Approx(40e-3 * longer).epsilon(1e-12));
    const auto of_host = inputs(assuming, instance, &host);
    CHECK(of_host.handover.base() == Approx(5e-3 * longer).epsilon(1e-12));
    CHECK(of_host.collate.base() == Approx(7e-9 * 10e3 * longer).epsilon(1e-12));
    CHECK(of_host.worker_startup.base() == Approx(11e-3 * longer).epsilon(1e-12));
    CHECK(of_host.worker_warmup.base() == Approx(13e-3 * longer).epsilon(1e-12));
    CHECK(of_host.worker_shutdown.base() == Approx(2.0 * 17e-3 * longer).epsilon(1e-12));
    // What is given counts before what was measured, and has no machine but its own.
    HostProfile here = host;
    here.instance = instance;
    const auto of_both = inputs(given, instance, &here);
    CHECK(of_both.handover == of_scenario.handover);
    CHECK(of_both.collate == of_scenario.collate);
    CHECK(of_both.worker_startup == of_scenario.worker_startup);
    // What is assumed is of any machine, whatever else a profile measured on its own.
    HostProfile of_nothing;
    of_nothing.instance = host.instance;
    const auto assumed = inputs(assuming, instance, &of_nothing);
    CHECK(assumed.handover == assumed_at_home.handover);
    CHECK(assumed.collate == assumed_at_home.collate);
    CHECK(assumed.worker_startup == assumed_at_home.worker_startup);
    CHECK(assumed.worker_warmup == assumed_at_home.worker_warmup);
    CHECK(assumed.worker_shutdown == assumed_at_home.worker_shutdown);
  }
}

TEST_CASE("machines: remote workers' CPU times follow their own instances, and no others") {
  schema::Document document = job("p3.2xlarge", R"("100 ms")");
  schema::set_value(document, "loader.remote", R"({"instance": "c5.4xlarge"})");
  schema::set_value(document, "/dataset/bytes_on_gpu_per_sample", "10 KB");
  // Workers that a setting adds have the times of the instance that stood beside them.
  CHECK(schema::read_scenario(document).measured_on.remote_times == "p3.2xlarge");
  Scenario beside = schema::read_scenario(document);
  beside.measured_on = {};
  document = schema::parse_document(schema::write_scenario(beside), "t");
  const auto cpu = [&](std::string_view key, std::string_view value) {
    const pipeline::Inputs inputs = resolve::resolve(with(document, key, value), catalog()).inputs;
    return std::pair(inputs.cpu.base(), inputs.remote->cpu.base());
  };
  const auto core = [&](std::string_view instance) {
    return *resolve::processor_of(catalog(), instance)->thread;
  };
  CHECK(cpu("epochs", "2") == std::pair(1e-3, 1e-3));
  CHECK(cpu("loader.remote.instance", "c5.2xlarge") == std::pair(1e-3, 1e-3));
  const auto [own, remote] = cpu("loader.remote.instance", "c7i.4xlarge");
  CHECK(own == 1e-3);
  CHECK(remote == Approx(1e-3 * core("c5.4xlarge") / core("c7i.4xlarge")).epsilon(1e-12));
  CHECK(cpu("instance", "g5.2xlarge").second == 1e-3);
}

TEST_CASE("machines: a scenario's name and its operations' names change no comparison") {
  schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const Scenario before = with(document, "instance", "g5.2xlarge");
  Scenario after = before;
  after.name = "another";
  after.preprocess.front().operation = "another";
  CHECK(run_of(before).times.total == run_of(after).times.total);
}

TEST_CASE("machines: a file without an instance owns its numbers nowhere, and says so") {
  schema::Document document = job("p3.2xlarge", R"("100 ms")");
  schema::set_value(document, "instance", "null");
  schema::set_value(document, "vcpus", "8");
  const schema::Document bare =
      schema::parse_document(schema::write_scenario(schema::read_scenario(document)), "bare");
  CHECK(schema::read_scenario(bare).measured_on == MeasuredOn{});
  const Scenario named = with(bare, "instance", "g4dn.xlarge");
  CHECK(named.measured_on.gpu_times == "unknown");
  const resolve::Resolved resolved = resolve::resolve(named, catalog());
  CHECK(resolved.inputs.step.fixed == milliseconds(100.0));
  CHECK(resolved.inputs.cpu == seconds_per_sample(1e-3));
  bool said = false;
  for (const std::string& caveat : resolved.caveats) {
    said = said || caveat.find("names no machine that they were measured on") != std::string::npos;
  }
  CHECK(said);
  Scenario anywhere = named;
  anywhere.measured_on = {any_machine, any_machine, any_machine, any_machine};
  CHECK(resolve::resolve(anywhere, catalog()).caveats.empty());
}

TEST_CASE("machines: names of GPUs that do not exist are told, with what was meant") {
  Scenario typo = schema::read_scenario(job("p3.2xlarge", R"("100 ms")"));
  typo.measured_on.gpu_times = "A100-SXM4-40G";
  std::string refused;
  try {
    resolve::resolve(typo, catalog());
  } catch (const InputError& error) {
    refused = error.what();
  }
  CHECK(refused.find("/measured_on/gpu_times: the GPU times are of \"A100-SXM4-40G\", which is "
                     "neither an instance with a GPU nor a GPU of the catalogue (did you mean "
                     "\"A100-SXM4-40GB\"?); name where they were measured") != std::string::npos);
  const resolve::Resolved table =
      resolve::resolve(schema::read_scenario(job(
                           "p3.2xlarge", R"({"fixed": "1 s", "by_gpu": {"L40X-48GB": "1 s"}})")),
                       catalog());
  bool said = false;
  for (const std::string& remark : table.remarks) {
    said = said || remark.find(
                       "names \"L40X-48GB\", which is no GPU of the catalogue (did you "
                       "mean \"L40S-48GB\"?)") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("machines: what was given for the instance as written is said to hold for another") {
  const auto caveats = [](const Scenario& scenario) {
    std::string all;
    for (const std::string& one : resolve::resolve(scenario, catalog()).caveats) all += one + "\n";
    return all;
  };
  schema::Document document = job("p3.2xlarge", R"("100 ms")");
  schema::set_value(document, "/cluster/network", "5 Gbit/s");
  document.keep_as_base();
  CHECK(caveats(schema::read_scenario(document)).empty());
  CHECK(caveats(with(document, "instance", "g5.xlarge"))
            .find("network was given for p3.2xlarge and is taken for g5.xlarge too: --set "
                  "network=null takes the catalogue's.") != std::string::npos);
  schema::Document without = document;
  schema::set_value(without, "network", "null");
  CHECK(caveats(with(without, "instance", "g5.xlarge")).find("network") == std::string::npos);
}

TEST_CASE("machines: a price is that of the instance beside which it was stated, and of no other") {
  const schema::Document document = job("p3.2xlarge", R"("100 ms")");
  const auto price = [](const Scenario& scenario) {
    return resolve::resolve(scenario, catalog()).terms.compute.price;
  };
  CHECK(price(schema::read_scenario(document)).value == usd_per_hour(1.0));
  const auto other = price(with(document, "instance", "g5.xlarge"));
  CHECK(other.from.origin != Origin::given);
  CHECK(other.value == usd_per_hour(1.006));
  schema::Document both = document;
  schema::set_value(both, "instance", "g5.xlarge");
  schema::set_value(both, "/cluster/price", "2 USD/h");
  CHECK(price(schema::read_scenario(both)).value == usd_per_hour(2.0));
}

TEST_CASE("machines: GPUs that share ports of InfiniBand get less of a line than with one each") {
  for (const double gpus : {1.0, 2.0, 4.0, 8.0}) {
    for (const double each : {12.5, 50.0, 99.0, 100.0, 400.0}) {  // Gbit/s
      schema::Document document = job("p4d.24xlarge", R"("100 ms", "allreduce":
          {"algorithm": "ring", "gradient_bytes": "1 GB", "latency": "0 s", "overlap": 0,
           "fabric": "infiniband"})");
      schema::set_value(document, "gpus_per_instance", fmt::format("{:g}", gpus));
      schema::set_value(document, "instances", "2");
      schema::set_value(document, "/cluster/network", fmt::format("{:g} Gbit/s", gpus * each));
      const pipeline::Inputs inputs =
          resolve::resolve(schema::read_scenario(document), catalog()).inputs;
      const double ranks = 2.0 * gpus;
      const auto& share = each < 100.0 ? resolve::assumed::infiniband_share_of_few_ports
                                       : resolve::assumed::infiniband_share;
      INFO(gpus << " GPUs of " << each << " Gbit/s each");
      CHECK(2.0 * (ranks - 1.0) / ranks * 1e9 / inputs.exposed_allreduce.base() ==
            Approx(share.value * gpus * each * 1e9 / 8.0).epsilon(1e-9));
    }
  }
}

TEST_CASE("machines: a line rate is no bus bandwidth") {
  // 8 A100 on NVSwitch: 232.54 of 300 GB/s (NVIDIA/nccl-tests, issue 175).
  schema::Document document = job("p4d.24xlarge", R"("100 ms", "allreduce":
      {"algorithm": "ring", "gradient_bytes": "1 GB", "latency": "0 s"})");
  schema::set_value(document, "gpus_per_instance", "8");
  const auto busbw = [&](const std::string& more = "", const std::string& value = "") {
    schema::Document asked = document;
    if (!more.empty()) schema::set_value(asked, more, value);
    const pipeline::Inputs inputs =
        resolve::resolve(schema::read_scenario(asked), catalog()).inputs;
    const double ranks = inputs.instances * inputs.ranks;
    return 2.0 * (ranks - 1.0) / ranks * 1e9 / inputs.exposed_allreduce.base();
  };
  CHECK(busbw() == Approx(resolve::assumed::nvlink_share.value * 300e9).epsilon(1e-9));
  CHECK(busbw() > 230e9);
  CHECK(busbw() < 240e9);
  CHECK(busbw("busbw", "300 GB/s") == Approx(300e9).epsilon(1e-9));
  // EFA, 400 Gbit/s.
  CHECK(busbw("instances", "4") ==
        Approx(resolve::assumed::efa_share.value * 400e9 / 8.0).epsilon(1e-9));
  CHECK(busbw("instance", "g5.48xlarge") < 0.85 * 16e9);  // PCIe 4, 8 lanes
}

TEST_CASE("machines: workers by a rule follow the instance, and are recorded with their number") {
  const auto workers = [](const schema::Document& document) {
    return resolve::resolve(schema::read_scenario(document), catalog()).inputs.workers;
  };
  for (const Machine& machine : catalog().machines) {
    if (!machine.gpus || machine.gpus->value < 1.0 || !machine.vcpus) continue;
    INFO(machine.name);
    schema::Document document = job(machine.name, R"("100 ms")");
    schema::set_value(document, "gpus_per_instance", "null");
    schema::set_value(document, "num_workers", "cpus-1");
    const double share = std::floor(machine.vcpus->value / machine.gpus->value);
    CHECK(workers(document) == std::max(1.0, share - 1.0));
    schema::set_value(document, "num_workers", "auto");
    CHECK(workers(document) == std::max(1.0, share - 1.0));
    schema::set_value(document, "loader.kind", "pool");
    CHECK(workers(document) == std::max(1.0, share));
    // The number itself gives the same job.
    const Scenario by_rule = schema::read_scenario(document);
    Scenario by_number = by_rule;
    by_number.loader.num_workers = std::max(1.0, share);
    CHECK(run_of(by_rule).times.total == run_of(by_number).times.total);
  }
  schema::Document quota = job("p3.2xlarge", R"("100 ms")");
  schema::set_value(quota, "cpu_quota", "3.5");
  schema::set_value(quota, "num_workers", "auto");
  CHECK(workers(quota) == 2.0);
  schema::set_value(quota, "num_workers", "cpus-1");
  CHECK(workers(quota) == 7.0);
}
