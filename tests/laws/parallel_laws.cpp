// Models that are spread over GPUs, over generated layouts: which GPUs load and exchange something,
// counted one by one; what they send and how long the pipeline idles, in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "collective/layout.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "schema/documents/result.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

struct Drawn {
  double tensor = 1.0, context = 1.0, expert = 1.0, pipeline = 1.0, data = 1.0;
  double gpus = 8.0;  ///< of an instance
  bool pipeline_outermost = false;
  std::string loaded_by = "one";
  double batch = 4.0, accumulation = 1.0, micro_batches = 4.0, chunks = 1.0;
  double tokens = 4096.0, layers = 48.0, hidden = 6144.0, kv = 1024.0, per_token = 2.0;
  double inside = 3e11, between = 5e10;
  double overlapped = 0.0;
  std::string parallelism = "ddp";

  [[nodiscard]] double all() const { return tensor * context * pipeline * data; }
  [[nodiscard]] double instances() const { return all() / gpus; }

  [[nodiscard]] std::string parallel() const {
    return fmt::format(
        R"({{"tensor": {:g}, "context": {:g}, "expert": {:g}, "pipeline": {:g}, "data": {:g},
             "outermost": "{}", "loaded_by": "{}", "schedule": "{}", "micro_batches": {:g},
             "layers": {:g}, "hidden_size": {:g}, "kv_size": {:g}, "experts_per_token": {:g},
             "overlapped": {:g}{}}})",
        tensor, context, expert, pipeline, data, pipeline_outermost ? "pipeline" : "data",
        loaded_by, chunks > 1.0 ? "interleaved" : "1f1b", micro_batches, layers, hidden, kv,
        per_token, overlapped,
        chunks > 1.0 ? fmt::format(R"(, "virtual_stages": {:g})", chunks) : "");
  }

  [[nodiscard]] Settings settings() const {
    return {{"/cluster/instance", "p5.48xlarge"},
            {"/cluster/gpus_per_instance", fmt::format("{:g}", gpus)},
            {"/cluster/instances", fmt::format("{:g}", instances())},
            {"/cluster/network", "10 TB/s"},  // no gradients have a network of their own
            {"/loader/batch_size", fmt::format("{:g}", batch)},
            {"/job/gradient_accumulation", fmt::format("{:g}", accumulation)},
            {"/job/step",
             fmt::format(R"({{"fixed": "2 s", "cv": 0, "tokens_per_sample": {:g}}})", tokens)},
            {"/job/parallelism", "\"" + parallelism + "\""},
            {"/job/allreduce", fmt::format(R"({{"parameters": 7000000000, "busbw": "{:g} B/s",
                              "busbw_inside": "{:g} B/s", "latency": "10 us"}})",
                                           between, inside)},
            {"/job/parallel", parallel()}};
  }
};

Drawn drawn(pipeline::Generator& random) {
  const auto one_of = [&](std::vector<double> list) {
    return list[static_cast<std::size_t>(
        random.whole(0.0, static_cast<double>(list.size()) - 1.0))];
  };
  Drawn d;
  do {
    d.gpus = one_of({1.0, 2.0, 4.0, 6.0, 8.0});
    d.tensor = one_of({1.0, 2.0, 3.0, 4.0, 8.0, 16.0});
    d.context = one_of({1.0, 1.0, 2.0, 3.0, 4.0});
    d.pipeline = one_of({1.0, 2.0, 3.0, 4.0, 8.0});
    d.data = one_of({1.0, 2.0, 3.0, 4.0, 6.0});
    d.expert = random.chance(0.4) ? one_of({2.0, 3.0, 4.0, 8.0}) : 1.0;
  } while (std::fmod(d.all(), d.gpus) != 0.0 ||
           d.tensor * d.context * d.pipeline * d.expert == 1.0);
  d.pipeline_outermost = random.chance(0.5);
  d.loaded_by = random.chance(0.3) ? "one" : random.chance(0.5) ? "megatron" : "torchtitan";
  d.batch = one_of({1.0, 4.0, 12.0});
  d.accumulation = one_of({1.0, 2.0, 8.0});
  d.micro_batches = d.accumulation * (random.chance(0.5) ? d.batch : 1.0);
  d.chunks = d.pipeline > 1.0 && random.chance(0.4) ? 2.0 : 1.0;
  d.hidden = 48.0 * random.whole(10.0, 200.0);
  d.overlapped = random.chance(0.3) ? 0.75 : 0.0;
  d.inside = random.log_uniform(1e10, 5e11);
  d.between = random.log_uniform(1e9, 1e11);
  if (random.chance(0.3)) d.parallelism = random.chance(0.5) ? "fsdp" : "zero1";
  return d;
}

/// What comes of the layout; nothing where a group begins in the middle of an instance, or experts
/// do not fit the GPUs.
std::optional<resolve::Resolved> resolved(const Drawn& d) {
  try {
    return resolve::resolve(scenario_with(d.settings()), catalog());
  } catch (const InputError& error) {
    const std::string why = error.what();
    INFO(why);
    CHECK((why.find("begins in the middle") != std::string::npos ||
           why.find("experts are divided") != std::string::npos));
    return std::nullopt;
  }
}

/// The coordinates of a rank: tensor innermost, then context, the inner part of data, then the
/// rest.
struct Coordinates {
  double tensor, context, data, pipeline;
};

std::vector<Coordinates> places(const Drawn& d) {
  const double inner = std::max(1.0, d.expert / d.context);
  std::vector<Coordinates> list;
  for (double rank = 0.0; rank < d.all(); rank += 1.0) {
    double rest = rank;
    const auto digit = [&](double base) {
      const double found = std::fmod(rest, base);
      rest = std::floor(rest / base);
      return found;
    };
    Coordinates p{};
    p.tensor = digit(d.tensor);
    p.context = digit(d.context);
    p.data = digit(inner);
    if (d.pipeline_outermost) {
      p.data += inner * digit(d.data / inner);
      p.pipeline = digit(d.pipeline);
    } else {
      p.pipeline = digit(d.pipeline);
      p.data += inner * digit(d.data / inner);
    }
    list.push_back(p);
  }
  return list;
}

bool loads(const Drawn& d, const Coordinates& p) {
  if (d.loaded_by == "torchtitan") return true;
  if (d.loaded_by == "one") return p.tensor + p.context + p.pipeline == 0.0;
  return p.tensor == 0.0 && (p.pipeline == 0.0 || p.pipeline == d.pipeline - 1.0);
}

/// Instances over which each group of ranks with the same key reaches: the same number for all.
template <class KeyOf>
double instances_of(const Drawn& d, const std::vector<Coordinates>& all, KeyOf key_of) {
  std::map<std::vector<double>, std::map<double, double>> groups;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    groups[key_of(all[rank])][std::floor(static_cast<double>(rank) / d.gpus)] += 1.0;
  }
  const auto reached = static_cast<double>(groups.begin()->second.size());
  for (const auto& [key, instances] : groups) {
    CHECK(static_cast<double>(instances.size()) == reached);
    for (const auto& [instance, members] : instances) {
      CHECK(members == instances.begin()->second);
    }
  }
  return reached;
}

const GroupExchange* group(const ModelLayout& layout, const std::string& name) {
  const auto found = std::find_if(layout.groups.begin(), layout.groups.end(),
                                  [&](const GroupExchange& g) { return g.group == name; });
  return found == layout.groups.end() ? nullptr : &*found;
}

Drawn dense() {
  Drawn d;
  d.tensor = 8.0;
  d.pipeline = 4.0;
  d.data = 4.0;
  d.batch = 16.0;
  d.micro_batches = 16.0;
  return d;
}

/// The refusal, without what leads to it.
std::string refusal(const Settings& settings) {
  try {
    resolve::resolve(scenario_with(settings), catalog());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string refused_with(const std::string& parallel, Settings more = {}) {
  Settings settings = dense().settings();
  settings.back().second = parallel;
  settings.insert(settings.end(), more.begin(), more.end());
  return refusal(settings);
}

}  // namespace

TEST_CASE("layouts: GPUs that load, and those of each group, are those that counting finds") {
  pipeline::Generator random(2025);
  int several = 0;
  for (int round = 0; round < 400; ++round) {
    const Drawn d = drawn(random);
    INFO(d.parallel() << " on instances with " << d.gpus);
    const auto found = resolved(d);
    if (!found) continue;
    ++several;
    REQUIRE(found->layout);
    const ModelLayout& layout = *found->layout;
    CHECK(layout.tensor * layout.context * layout.pipeline * layout.data == d.all());
    CHECK(found->inputs.cluster_gpus() == d.all());
    CHECK(found->inputs.cluster_instances() == d.instances());
    const std::vector<Coordinates> all = places(d);
    std::map<double, double> loading;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (loads(d, all[rank])) loading[std::floor(static_cast<double>(rank) / d.gpus)] += 1.0;
    }
    CHECK(layout.loading == static_cast<double>(loading.size()));
    for (const auto& [instance, gpus] : loading) CHECK(layout.loaders == gpus);
    CHECK(layout.loaders * layout.loading == d.data * layout.copies);

    const double inner = std::max(1.0, d.expert / d.context);
    const auto reaches = [&](const char* name, double size, auto key_of) {
      const GroupExchange* const one = group(layout, name);
      REQUIRE((one != nullptr) == (size > 1.0));
      if (one == nullptr) return;
      CHECK(one->gpus == size);
      CHECK(one->instances == instances_of(d, all, key_of));
      CHECK((one->over_network > Bytes{}) == (one->instances > 1.0));
    };
    using Key = std::vector<double>;
    reaches("tensor", d.tensor, [](const Coordinates& p) {
      return Key{p.context, p.data, p.pipeline};
    });
    reaches("context", d.context, [](const Coordinates& p) {
      return Key{p.tensor, p.data, p.pipeline};
    });
    reaches("pipeline", d.pipeline, [](const Coordinates& p) {
      return Key{p.tensor, p.context, p.data};
    });
    reaches("data", d.data * d.context, [](const Coordinates& p) {
      return Key{p.tensor, p.pipeline};
    });
    reaches("expert", d.expert, [&](const Coordinates& p) {
      const double among = p.context + d.context * std::fmod(p.data, inner);
      return Key{p.tensor, p.pipeline, std::floor(p.data / inner), std::floor(among / d.expert)};
    });
    const double copies = d.expert > 1.0 ? d.data * d.context / d.expert : 1.0;
    reaches("expert data", copies, [&](const Coordinates& p) {
      const double among = p.context + d.context * std::fmod(p.data, inner);
      return Key{p.tensor, p.pipeline, std::fmod(among, d.expert)};
    });
  }
  CHECK(several > 100);
}

TEST_CASE("layouts: an epoch trains on each sample once, however often it is loaded") {
  pipeline::Generator random(2026);
  for (int round = 0; round < 200; ++round) {
    const Drawn d = drawn(random);
    INFO(d.parallel() << " on instances with " << d.gpus);
    const auto found = resolved(d);
    if (!found) continue;
    const pipeline::Inputs& inputs = found->inputs;
    CHECK(inputs.replicas() == d.data);
    const double each = std::ceil(inputs.samples / d.data);
    CHECK(pipeline::epoch_shape(inputs).steps == std::ceil(each / d.batch));
    CHECK(pipeline::trained_samples(inputs) == Approx(3.0 * inputs.samples));
    if (round >= 40) continue;
    const pipeline::Outcome outcome = pipeline::simulate(inputs, {});
    CHECK(outcome.trained_samples == Approx(3.0 * inputs.samples));
    const double steps = pipeline::epoch_shape(inputs).steps;
    CHECK(outcome.trained.busy.base() == Approx(3.0 * steps * 2.0).epsilon(1e-6));
  }
}

TEST_CASE("layouts: what each group sends, and how long the pipeline idles, in closed form") {
  pipeline::Generator random(2027);
  for (int round = 0; round < 300; ++round) {
    const Drawn d = drawn(random);
    INFO(d.parallel() << " on instances with " << d.gpus);
    const auto found = resolved(d);
    if (!found) continue;
    const ModelLayout& layout = *found->layout;
    const double m = d.micro_batches;
    const double tokens = d.batch * d.accumulation / m * d.tokens / d.context;
    const double hidden = 2.0 * tokens * d.hidden;
    const double stages = d.pipeline * d.chunks;
    const double layers = std::ceil(d.layers / stages) * d.chunks;  // of the fullest GPU
    const auto sends = [&](const char* name, double bytes) {
      const GroupExchange* const one = group(layout, name);
      if (one != nullptr) CHECK(one->sent.base() == Approx(bytes).epsilon(1e-9));
    };
    const auto others = [](double n) { return (n - 1.0) / n; };
    sends("tensor", 4.0 * layers * m * 2.0 * others(d.tensor) * hidden);
    sends("context", 3.0 * layers * m * (d.context - 1.0) * 2.0 * 2.0 * tokens * d.kv / d.tensor);
    sends("expert", 4.0 * layers * m * others(d.expert) * d.per_token * hidden / d.tensor);
    sends("pipeline", 2.0 * d.chunks * m * hidden / d.tensor);
    const double gradients = 4.0 * 7e9 / d.tensor / d.pipeline;
    if (d.parallelism == "ddp") {
      const double of_others = d.expert > 1.0 ? 0.05 : 1.0;
      sends("data", 2.0 * others(d.data * d.context) * of_others * gradients);
      // Those of an expert are summed by its copies alone.
      const double copies = d.context * d.data / d.expert;
      sends("expert data", 2.0 * others(copies) * 0.95 / d.expert * gradients);
    }
    // With fewer micro-batches than stages, chunks wait for each other too.
    const double gaps = m < d.pipeline ? (d.pipeline - m) * (d.chunks - 1.0) : 0.0;
    CHECK(layout.bubble == Approx((d.pipeline - 1.0 + gaps) / (m * d.chunks)));
    const double computing = 2.0 * d.accumulation;
    CHECK(layout.idle.base() == Approx(layout.bubble * (computing + layout.exposed.base())));
    Duration messages, of_gradients;
    for (const GroupExchange& one : layout.groups) {
      const bool gradient = one.group == "data" || one.group == "expert data";
      (gradient ? of_gradients : messages) += one.time;
    }
    if (found->communication) {
      CHECK(of_gradients.base() == Approx(found->communication->total.base()));
    }
    CHECK(layout.exposed.base() == Approx((1.0 - d.overlapped) * messages.base()));
    const double waited = found->communication ? found->communication->exposed.base() : 0.0;
    CHECK(found->inputs.exposed_allreduce.base() ==
          Approx(layout.exposed.base() + layout.idle.base() + waited).margin(1e-12));
  }
}

TEST_CASE(
    "layouts: experts are summed over the same lines as parts of the layers on the same GPUs") {
  // 8 instances of 8 GPUs: either way a GPU sums an eighth of the model with its fellows on the
  // other instances.
  const auto gradients = [](const char* parallel, const char* group_name) {
    Drawn d;
    d.data = 64.0;
    d.parallelism = "zero1";
    Settings settings = d.settings();
    settings.back().second = parallel;
    settings.emplace_back("/job/allreduce", R"({"parameters": 47e9, "gradient_type": "bf16"})");
    const auto found = resolve::resolve(scenario_with(settings), catalog());
    const GroupExchange* const one = group(*found.layout, group_name);
    REQUIRE(one != nullptr);
    CHECK(one->gpus == 8.0);
    CHECK(one->instances == 8.0);
    CHECK(group(*found.layout, std::string_view(group_name) == "data" ? "expert data" : "data") ==
          nullptr);
    return std::pair(*one, found.communication->exposed);
  };
  const auto [layers, of_layers] =
      gradients(R"({"tensor": 8, "layers": 32, "hidden_size": 4096})", "data");
  const auto [experts, of_experts] = gradients(
      R"({"expert": 8, "expert_share": 1, "layers": 32, "hidden_size": 4096})", "expert data");
  CHECK(experts.sent.base() == Approx(layers.sent.base()));
  CHECK(experts.over_network.base() == Approx(layers.over_network.base()));
  CHECK(experts.time.base() == Approx(layers.time.base()).epsilon(1e-9));
  CHECK(of_experts.base() == Approx(of_layers.base()).epsilon(1e-9));
  // A ring sends 2 · 7/8 of 47e9 / 8 numbers of 2 bytes.
  CHECK(experts.sent.base() == Approx(1.75 * 47e9 / 8.0 * 2.0));
}

TEST_CASE(
    "layouts: more micro-batches, faster links and more that is hidden never make it slower") {
  pipeline::Generator random(2028);
  for (int round = 0; round < 200; ++round) {
    Drawn d = drawn(random);
    INFO(d.parallel() << " on instances with " << d.gpus);
    const auto before = resolved(d);
    if (!before) continue;
    const Duration exposed = before->inputs.exposed_allreduce;
    Drawn faster = d;
    faster.inside *= 2.0;
    CHECK(resolved(faster)->inputs.exposed_allreduce <= exposed * (1.0 + 1e-12));
    faster = d;
    faster.between *= 2.0;
    CHECK(resolved(faster)->inputs.exposed_allreduce <= exposed * (1.0 + 1e-12));
    faster = d;
    faster.overlapped = 0.9;
    CHECK(resolved(faster)->inputs.exposed_allreduce <= exposed);
    d.accumulation *= 2.0;
    d.micro_batches *= 2.0;
    CHECK(resolved(d)->layout->bubble <= before->layout->bubble);
    if (d.pipeline > 1.0) CHECK(resolved(d)->layout->bubble < before->layout->bubble);
  }
}

TEST_CASE("layouts: of GPUs that load the same samples none waits for another's larger ones") {
  // Two replicas of two GPUs: with a worker each, a rank waits for one of other samples (H(1) = 1)
  // where it would for three (H(3) = 11/6), with two workers for H(3) where it would for H(7).
  const auto size_cv = [](const char* by, const char* workers, const char* data) {
    return resolve::resolve(
               scenario_with({{"/cluster/instance", "p5.48xlarge"},
                              {"/cluster/gpus_per_instance", data},
                              {"/cluster/instances", "2"},
                              {"/loader/num_workers", workers},
                              {"/loader/batch_size", "4"},
                              {"/dataset/size_cv", "0.3"},
                              {"/job/step", R"({"fixed": "2 s", "tokens_per_sample": 64})"},
                              {"/job/allreduce", R"({"parameters": 1e9})"},
                              {"/job/parallel", fmt::format(
                                                    R"({{"tensor": 2, "layers": 24,
                                                        "hidden_size": 2048, "loaded_by": "{}"}})",
                                                    by)}}),
               catalog())
        .inputs.size_cv;
  };
  CHECK(size_cv("torchtitan", "1", "2") == Approx(0.3 * std::sqrt(6.0 / 11.0)));
  const double seven = 1.0 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6 + 1.0 / 7;
  CHECK(size_cv("torchtitan", "2", "2") == Approx(0.3 * std::sqrt(11.0 / 6.0 / seven)));
  CHECK(size_cv("torchtitan", "1", "1") == 0.0);  // one replica
  CHECK(size_cv("one", "1", "2") == 0.3);
}

TEST_CASE("layouts: of ones, the job is to the byte the one that speaks of none") {
  for (const char* const instances : {"1", "2"}) {
    const auto answer = [&](const std::string& parallel) {
      Settings settings = {{"/cluster/instance", "p5.48xlarge"},
                           {"/cluster/instances", instances},
                           {"/job/allreduce", R"({"parameters": 25600000})"}};
      if (!parallel.empty()) settings.emplace_back("/job/parallel", parallel);
      return schema::write_result(
          {"t", "", study::run(scenario_with(settings), catalog(), nullptr, {})});
    };
    const std::string without = answer("");
    CHECK(answer("{}") == without);
    CHECK(answer(fmt::format(
              R"({{"tensor": 1, "context": 1, "expert": 1, "pipeline": 1, "data": {}}})",
              instances[0] == '1' ? 8 : 16)) == without);
  }
}

TEST_CASE(
    "layouts: a step that is computed from parameters is divided among the GPUs of a replica") {
  const auto step = [](const Drawn& d) {
    Settings settings = d.settings();
    settings.emplace_back(
        "/job/step",
        R"({"model_parameters": 7e9, "tokens_per_sample": 4096, "utilization": 0.4, "cv": 0})");
    return resolve::resolve(scenario_with(settings), catalog()).inputs.step.per_sample.value();
  };
  Drawn whole;
  whole.context = 2.0;
  whole.data = 4.0;
  Drawn d = dense();
  CHECK(step(whole) / step(d) == Approx(32.0 / 2.0));
  // 50 layers in 4 stages: the fullest have 13.
  Drawn uneven = d;
  uneven.layers = 50.0;
  CHECK(step(uneven) / step(d) == Approx(13.0 * 4.0 / 50.0));
}

TEST_CASE("layouts: a step of all experts' parameters is doubted, one of the active ones is not") {
  const auto doubted = [](const char* of_step, const char* all) {
    Drawn d;
    d.data = 8.0;
    d.expert = 8.0;
    Settings settings = d.settings();
    settings.emplace_back(
        "/job/step",
        fmt::format(
            R"({{"model_parameters": {}, "tokens_per_sample": 4096, "utilization": 0.4, "cv": 0}})",
            of_step));
    settings.emplace_back("/job/allreduce/parameters", all);
    const auto found = resolve::resolve(scenario_with(settings), catalog());
    return std::any_of(found.caveats.begin(), found.caveats.end(), [](const std::string& text) {
      return text.find("/job/step/model_parameters: each token is taken to pass all experts") == 0;
    });
  };
  CHECK(doubted("47e9", "47e9"));
  CHECK(doubted("47e9", "null"));
  CHECK_FALSE(doubted("13e9", "47e9"));
}

TEST_CASE("layouts: a model's width follows from its parameters where it is not given") {
  Drawn d = dense();
  Settings settings = d.settings();
  settings.back().second = R"({"tensor": 8, "pipeline": 4, "micro_batches": 16})";
  const auto sent = [&] {
    const auto found = resolve::resolve(scenario_with(settings), catalog());
    return group(*found.layout, "tensor")->sent.base();
  };
  // 12 layers hidden² parameters, hidden 128 layers.
  const double hidden = std::cbrt(7e9 / 12.0 * 128.0);
  const double each = 2.0 * d.tokens * hidden;
  CHECK(sent() == Approx(4.0 * hidden / 128.0 / 4.0 * 16.0 * 2.0 * 7.0 / 8.0 * each));
  settings.back().second = R"({"tensor": 8, "pipeline": 4, "micro_batches": 16, "layers": 32})";
  CHECK(sent() == Approx(4.0 * 32.0 / 4.0 * 16.0 * 2.0 * 7.0 / 8.0 * 2.0 * d.tokens *
                         std::sqrt(7e9 / 12.0 / 32.0)));
}

TEST_CASE(
    "layouts: a checkpoint has 14 bytes a parameter, written by all instances that hold a part") {
  const auto written = [](const std::string& how, const std::string& source,
                          const std::string& checkpoint = R"({"interval": "1 h"})") {
    Settings settings = dense().settings();
    settings.emplace_back("/job/parallelism", "\"" + how + "\"");
    settings.emplace_back("/source", source);
    settings.emplace_back("/job/checkpoint", checkpoint);
    return resolve::resolve(scenario_with(settings), catalog());
  };
  const std::string disk = R"({"service": "local"})";
  const auto sharded = written("fsdp", disk);
  CHECK(sharded.terms.checkpoint.base() == Approx(14.0 * 7e9));
  // Of 16 instances, 4 hold one replica.
  CHECK(written("ddp", disk).inputs.checkpoint_time / sharded.inputs.checkpoint_time ==
        Approx(4.0));
  const auto given = written("fsdp", disk, R"({"interval": "1 h", "size": "49 GB"})");
  CHECK(sharded.inputs.checkpoint_time / given.inputs.checkpoint_time == Approx(2.0));
  CHECK(written("fsdp", disk, R"({"interval": "1 h", "bandwidth": "98 GB/s"})")
            .inputs.checkpoint_time.base() == Approx(1.0));
  // A file system that all share is no faster for more writers.
  const std::string shared =
      R"({"service": "nfs", "bandwidth": "4 GB/s", "first_byte_latency": "1 ms"})";
  CHECK(written("fsdp", shared).inputs.checkpoint_time.base() == Approx(98e9 / (0.6 * 4e9)));
}

TEST_CASE("layouts: what does not fit together is refused with the numbers that do not") {
  const auto says = [](const std::string& refused, const std::string& words) {
    INFO(refused);
    CHECK(refused.find(words) != std::string::npos);
  };
  says(refused_with(R"({"tensor": 8, "pipeline": 5})"),
       "expected replicas of the model that divide the 128 GPUs of 16 instances with 8 GPUs each, "
       "got tensor 8 · pipeline 5 = 40 a replica");
  says(refused_with(R"({"tensor": 8, "pipeline": 32})"),
       "one replica of the model takes tensor 8 · pipeline 32 = 256 GPUs, and 16 instances with 8 "
       "GPUs each have 128");
  says(refused_with(R"({"tensor": 8, "pipeline": 4, "data": 5})"),
       "expected 4, or nothing: 16 instances with 8 GPUs each have 128 GPUs, and a replica takes "
       "tensor 8 · pipeline 4 = 32; got 5");
  says(refused_with(R"({"data": 5})"), "expected 128, or nothing");
  says(refused_with(R"({"tensor": 4, "pipeline": 4, "expert": 3})"), "got 3");
  says(refused_with(R"({"tensor": 8, "hidden_size": 4097, "layers": 4})"),
       "/job/parallel/hidden_size");
  says(refused_with(R"({"tensor": 8, "pipeline": 4, "layers": 1})"), "/job/parallel/layers");
  says(refused_with(R"({"tensor": 8, "pipeline": 4, "micro_batches": 3})"),
       "expected a divisor of the 16 samples of a replica in an optimizer step");
  says(refused_with(R"({"tensor": 8, "pipeline": 4})", {{"/job/step", R"({"fixed": "2 s"})"}}),
       "/job/step/tokens_per_sample");
  says(refused_with(R"({"tensor": 2, "context": 2, "expert": 2})"), "/job/parallel/layers");
  says(refused_with(
           R"({"tensor": 2})",
           {{"/job/allreduce", "null"}, {"/job/parallelism", "null"}, {"/job/efficiency", "0.9"}}),
       "expected no /job/efficiency");
  Drawn middle;
  middle.gpus = 8.0;
  middle.tensor = 3.0;
  middle.data = 8.0;
  says(refusal(middle.settings()), "begins in the middle of one; got one of 3 GPUs");
}

TEST_CASE(
    "layouts: keys that have no effect are said, and a tensor group over instances is doubted") {
  Drawn d = dense();
  d.tensor = 16.0;
  const auto wide = resolved(d);
  REQUIRE(wide);
  CHECK(std::any_of(wide->caveats.begin(), wide->caveats.end(), [](const std::string& text) {
    return text.find("A tensor group of 16 GPUs reaches over 2 instances") != std::string::npos;
  }));
  Settings settings = d.settings();
  settings.back().second = R"({"micro_batches": 4, "loaded_by": "megatron"})";
  const auto whole = resolve::resolve(scenario_with(settings), catalog());
  CHECK_FALSE(whole.layout);
  for (const char* const key : {"micro_batches", "loaded_by"}) {
    CHECK(std::any_of(whole.remarks.begin(), whole.remarks.end(), [&](const std::string& text) {
      return text.find(fmt::format("/job/parallel/{} has no effect", key)) != std::string::npos;
    }));
  }
}
