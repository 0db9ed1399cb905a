// A step that nobody measured: of a model whose rates are published, and from a transformer's size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catalog/gpu_speed.hpp"
#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

constexpr std::array published = {&TrainingRates::resnet50,
                                  &TrainingRates::ssd,
                                  &TrainingRates::bert_base,
                                  &TrainingRates::bert_large,
                                  &TrainingRates::transformer_xl_base,
                                  &TrainingRates::transformer_xl_large,
                                  &TrainingRates::gnmt};

double per_sample(const Settings& settings, const resolve::Draw& draw = {}) {
  const auto resolved = resolve::resolve(scenario_with(settings), catalog(), nullptr, draw);
  REQUIRE_FALSE(resolved.inputs.step.fixed.has_value());
  return resolved.inputs.step.per_sample.value().base();
}

Settings with_model(std::string_view model, const std::string& more = "") {
  return {{"/job/step", fmt::format(R"({{"model": "{}"{}}})", model, more)}};
}

std::string refusal(const Settings& settings) {
  try {
    resolve::resolve(scenario_with(settings), catalog(), nullptr);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("step of a model: each rate that is published is that GPU's, and no other's") {
  int rates = 0;
  for (const TrainingRates& row : catalog().training) {
    for (std::size_t i = 0; i < model_rows.size(); ++i) {
      const Known<double>& known = row.*published[i];
      if (!known) continue;
      const auto rate = training_rate(catalog(), row.gpu, ModelName::at(i), row.precision);
      INFO(row.gpu << ", " << model_rows[i].name);
      REQUIRE(rate);
      CHECK(rate->value == known->value);
      CHECK(rate->low == rate->value);
      CHECK(rate->high == rate->value);
      CHECK(rate->why.find(row.gpu) != std::string::npos);
      CHECK(rate->why.find("scaled") == std::string::npos);
      ++rates;
    }
  }
  CHECK(rates > 60);
}

TEST_CASE(
    "step of a model: a GPU without rates has another's times their relative speed, less "
    "surely") {
  int scaled = 0;
  for (const Gpu& gpu : catalog().gpus) {
    const bool own = std::any_of(catalog().training.begin(), catalog().training.end(),
                                 [&](const TrainingRates& row) { return row.gpu == gpu.name; });
    const auto rate = training_rate(catalog(), gpu.name, ModelName::at(0));
    if (own || !rate) continue;
    INFO(gpu.name);
    // Some differ from one with rates in the size of their memory alone.
    const bool alike = std::any_of(
        catalog().training.begin(), catalog().training.end(), [&](const TrainingRates& row) {
          const auto speed = relative_speed(catalog(), row.gpu, gpu.name, {{}, Precision::mixed});
          return speed && speed->value == 1.0;
        });
    CHECK((rate->why.find("scaled to " + gpu.name) == std::string::npos) == alike);
    // It lies between what the GPUs with rates would give it.
    double least = 1e300, most = 0.0;
    for (const TrainingRates& row : catalog().training) {
      if (row.precision != Precision::mixed) continue;
      const auto speed = relative_speed(catalog(), row.gpu, gpu.name, {{}, Precision::mixed});
      if (!speed) continue;
      least = std::min(least, row.resnet50->value * speed->value);
      most = std::max(most, row.resnet50->value * speed->value);
    }
    CHECK(rate->value >= least * (1.0 - 1e-12));
    CHECK(rate->value <= most * (1.0 + 1e-12));
    ++scaled;
  }
  CHECK(scaled >= 4);
}

TEST_CASE("step of a model: a job on the GPU takes the reciprocal of its rate, within its range") {
  // p3.2xlarge has a V100-SXM2-16GB.
  const auto rate = training_rate(catalog(), "V100-SXM2-16GB", ModelName::at(0));
  const Settings resnet = with_model("resnet50");
  const resolve::Assumption& listed = resolve::assumed::published_rate;
  CHECK(per_sample(resnet) == Approx(listed.value / rate->value).epsilon(1e-12));
  CHECK(rate->low == rate->high);
  CHECK(per_sample(resnet, [](std::string_view) { return 0.0; }) ==
        Approx(listed.low / rate->value).epsilon(1e-12));
  CHECK(per_sample(resnet, [](std::string_view) { return 1.0; }) ==
        Approx(listed.high / rate->value).epsilon(1e-12));
  // Of an L4, which has no rates of its own.
  const Settings scaled = {{"/cluster/instance", "g6.2xlarge"},
                           {"/job/step", R"({"model": "resnet50"})"}};
  const auto other = training_rate(catalog(), "L4-24GB", ModelName::at(0));
  CHECK(other->low < other->value);
  CHECK(per_sample(scaled, [](std::string_view) { return 1.0; }) ==
        Approx(listed.high / other->low).epsilon(1e-12));
  // Single precision has rates of its own; what counts tokens needs to know how many.
  CHECK(
      per_sample(with_model("ResNet-50", R"(, "precision": "single")")) ==
      Approx(
          listed.value /
          training_rate(catalog(), "V100-SXM2-16GB", ModelName::at(0), Precision::single)->value));
  CHECK(per_sample(with_model("gnmt", R"(, "tokens_per_sample": 50)")) ==
        Approx(50.0 / training_rate(catalog(), "V100-SXM2-16GB", ModelName::at(6))->value));
  CHECK(per_sample(with_model("bert-base"), [](std::string_view) { return 1.0; }) ==
        Approx(listed.high / listed.value /
               training_rate(catalog(), "V100-SXM2-16GB", ModelName::at(2))->value));
  CHECK(refusal(with_model("gnmt")).find("/job/step/tokens_per_sample: needed here") !=
        std::string::npos);
  CHECK(refusal(with_model("resnet5")).find("did you mean \"resnet50\"?") != std::string::npos);
}

TEST_CASE(
    "step of a transformer: six operations for each parameter and token, at its utilization") {
  const auto step = [](const std::string& more) {
    return Settings{
        {"/cluster/instance", "p5.48xlarge"},
        {"/job/step",
         fmt::format(R"({{"model_parameters": 8e9, "tokens_per_sample": 4096{}}})", more)}};
  };
  constexpr double operations = 6.0 * 8e9 * 4096.0;
  const TensorPeak of_gpu = *tensor_peak(catalog(), "H100-SXM5-80GB", Precision::mixed);
  const double peak = of_gpu.operations;
  CHECK(peak == Approx(989e12));
  CHECK(of_gpu.operations_per_byte == Approx(989e12 / 3350e9));
  const resolve::Assumption& assumed = resolve::assumed::model_utilization;
  // The cube root of eight is two. Of 128 times as wide as deep: attention of a sequence as long
  // as the model is wide is a twelfth as many operations.
  const double products = resolve::learned::transformer_products.value;
  const double moved = resolve::learned::transformer_moved.value;
  const double width = std::cbrt(8e9 / 12.0 * 128.0);
  const double weight = resolve::learned::transformer_attention.value;
  const double attention = weight * 4096.0 / width / 12.0;
  CHECK(attention == Approx(weight / 12.0).epsilon(0.08));
  const double expected =
      1.0 / (products + moved * (989.0 / 3.35 / 295.0) / 2.0) / (1.0 + attention);
  CHECK(per_sample(step("")) ==
        Approx(operations / (peak * assumed.value * expected)).epsilon(1e-12));
  CHECK(per_sample(step(R"(, "utilization": 0.5)")) ==
        Approx(operations / (peak * 0.5)).epsilon(1e-12));
  CHECK(per_sample(step(""), [](std::string_view) { return 0.0; }) ==
        Approx(operations / (peak * assumed.low * expected)).epsilon(1e-12));
  // Of tf32 half as many operations a second on numbers of twice the bytes.
  const double twice =
      1.0 / (products + moved * 2.0 * (494.5 / 3.35 / 295.0) / 2.0) / (1.0 + attention);
  CHECK(per_sample(step(R"(, "precision": "single")")) ==
        Approx(operations / (494.5e12 * assumed.value * twice)).epsilon(1e-12));
  // Layers and widths that are given: 32 of 4,096 add 4096 x 4096 x 32 / 8e9.
  Settings shaped = step("");
  shaped.push_back({"/job/parallel", R"({"layers": 32, "hidden_size": 4096, "tensor": 1})"});
  shaped.push_back({"/job/allreduce", R"({"algorithm": "nccl", "parameters": 8e9})"});
  CHECK(per_sample(shaped) ==
        Approx(operations / (peak * assumed.value * expected) / (1.0 + attention) *
               (1.0 + weight * 4096.0 * 4096.0 * 32.0 / 8e9))
            .epsilon(1e-12));
  // A forward pass is a third of a step; a given utilization holds what is computed again.
  CHECK(per_sample(step(R"(, "recomputed": 1)")) ==
        Approx(4.0 / 3.0 * per_sample(step(""))).epsilon(1e-12));
  CHECK(per_sample(step(R"(, "recomputed": "50%")")) ==
        Approx(7.0 / 6.0 * per_sample(step(""))).epsilon(1e-12));
  CHECK(per_sample(step(R"(, "recomputed": 1, "utilization": 0.5)")) ==
        Approx(operations / (peak * 0.5)).epsilon(1e-12));
  Settings no_tokens = step("");
  no_tokens.back().second = R"({"model_parameters": 8e9})";
  CHECK(refusal(no_tokens).find("/job/step/tokens_per_sample") != std::string::npos);
}

TEST_CASE(
    "step of a transformer: small models and GPUs of little bandwidth reach less of the peak") {
  const auto share = [](const char* instance, double parameters) {
    const std::string step =
        fmt::format(R"({{"model_parameters": {}, "tokens_per_sample": 1000}})", parameters);
    const std::string gpu = gpu_of(catalog(), instance);
    const double peak = tensor_peak(catalog(), gpu, Precision::mixed)->operations;
    return 6.0 * parameters * 1000.0 /
           (peak * per_sample({{"/cluster/instance", instance}, {"/job/step", step}}));
  };
  const resolve::Assumption& assumed = resolve::assumed::model_utilization;
  double last = 0.0;
  for (const double parameters : {1e7, 1e8, 1e9, 1e10, 1e11, 1e12}) {
    INFO(parameters);
    const double h100 = share("p5.48xlarge", parameters);
    CHECK(h100 > last);
    CHECK(h100 < 1.0 / resolve::learned::transformer_products.value * assumed.value);
    CHECK(share("p5en.48xlarge", parameters) > h100);
    CHECK(share("p4de.24xlarge", parameters) > h100);
    CHECK(share("gpu_1x_h100_pcie", parameters) < h100);
    last = h100;
  }
}

TEST_CASE(
    "step of a transformer: its parameters are what its GPUs exchange, unless told otherwise") {
  const auto gradients = [](const std::string& allreduce) {
    const auto resolved = resolve::resolve(
        scenario_with({{"/cluster/instance", "p5.48xlarge"},
                       {"/cluster/instances", "2"},
                       {"/job/step", R"({"model_parameters": 1e9, "tokens_per_sample": 1024})"},
                       {"/job/allreduce", allreduce}}),
        catalog(), nullptr);
    return resolved.inputs.network_allreduce.base();
  };
  CHECK(gradients("{}") == gradients(R"({"parameters": 1e9})"));
  CHECK(gradients(R"({"parameters": 5e8})") == Approx(gradients("{}") / 2.0));
  CHECK(gradients(R"({"gradient_bytes": "2 GB"})") == Approx(gradients("{}") / 2.0));
}

TEST_CASE("step of a model: a time that is given or measured comes first, and it is said") {
  const auto remarks = [](const std::string& step) {
    const auto resolved =
        resolve::resolve(scenario_with({{"/job/step", step}}), catalog(), nullptr);
    return std::count_if(resolved.remarks.begin(), resolved.remarks.end(),
                         [](const std::string& remark) {
                           return remark.find("/job/step/model has no effect") == 0 ||
                                  remark.find("/job/step/model_parameters has no effect") == 0;
                         });
  };
  CHECK(remarks(R"({"per_sample": "1 ms", "model": "resnet50"})") == 1);
  CHECK(remarks(R"({"fixed": "100 ms", "model": "resnet50", "model_parameters": 1e9})") == 2);
  CHECK(remarks(R"({"model": "bert-base", "model_parameters": 1e9})") == 1);
  CHECK(remarks(R"({"model": "bert-base"})") == 0);
  const Settings both = {{"/job/step", R"({"per_sample": "1 ms", "model": "resnet50"})"}};
  CHECK(per_sample(both) == Approx(1e-3));
}

TEST_CASE("step of a model: without an instance there is no GPU to look up") {
  CHECK(refusal({{"/cluster/instance", "null"},
                 {"/cluster/price", "3 USD/h"},
                 {"/job/step", R"({"model": "resnet50"})"}})
            .find("/cluster/instance: needed for /job/step/model") != std::string::npos);
}

TEST_CASE("step of a model: a baseline's own prices answer as the whole catalogue does") {
  const auto document = testing_resolve::document_with(
      {{"/cluster/instance", "g6.2xlarge"}, {"/job/step", R"({"model": "bert-large"})"}});
  const Scenario scenario = schema::read_scenario(document);
  schema::PricingFiles files(FEEDRATE_SOURCE_DIR "/pricing");
  const Catalog parts = schema::read_catalog_parts(files.parts_for(scenario, catalog()), "");
  const auto step = [&](const Catalog& of) {
    return resolve::resolve(scenario, of, nullptr).inputs.step.per_sample->base();
  };
  CHECK(step(parts) == step(catalog()));
}
