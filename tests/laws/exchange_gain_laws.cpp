// What faster GPUs and faster messages gain, over generated jobs of every parallelism: the same as
// resolving the job anew with a step, with links, or with lines that are twice as fast.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include "catch.hpp"
#include "collective/plan.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/bottleneck.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

/// The latency of a hop is given: NCCL's own table of them has no twice as fast one.
struct ExchangingJob {
  std::string parallelism, algorithm;
  double instances = 2.0, gpus = 8.0, accumulation = 1.0;
  double step = 0.1, per_sample = 1e-4;  // s
  double cv = 0.0;
  double parameters = 1e8;
  double busbw = 1e10, inside = 1e11, latency = 1e-5;
  std::optional<double> overlap;
  bool measured = false;

  [[nodiscard]] Settings settings(double gpu = 1.0, double messages = 1.0) const {
    std::string allreduce = fmt::format(R"({{"parameters": {:.0f})", parameters);
    if (measured) {
      // As a line, and beyond it as its ends are.
      const auto at = [&](double size) {
        return fmt::format(R"([{:.0f}, "{:.17g} s"])", size, (latency + size / busbw) / messages);
      };
      allreduce += fmt::format(R"(, "points": [{}, {}, {}], "points_gpus": {:g})", at(1e5), at(1e7),
                               at(1e9), instances * gpus);
    } else {
      allreduce += fmt::format(
          R"(, "busbw": "{:.17g} B/s", "busbw_inside": "{:.17g} B/s", "latency": "{:.17g} s")",
          busbw * messages, inside * messages, latency / messages);
      if (!algorithm.empty()) allreduce += fmt::format(R"(, "algorithm": "{}")", algorithm);
    }
    if (overlap) allreduce += fmt::format(R"(, "overlap": {:.17g})", *overlap);
    Settings list = {
        {"/cluster/instance", "p4d.24xlarge"},
        {"/cluster/network", "10 TB/s"},  // no gradients have a network of their own
        {"/cluster/gpus_per_instance", fmt::format("{:g}", gpus)},
        {"/cluster/instances", fmt::format("{:g}", instances)},
        {"/loader/batch_size", "16"},
        {"/job/epochs", "1"},
        {"/job/gradient_accumulation", fmt::format("{:g}", accumulation)},
        {"/job/step",
         fmt::format(R"({{"fixed": "{:.17g} s", "per_sample": "{:.17g} s", "cv": {:g}}})",
                     step / gpu, per_sample / gpu, cv)},
        {"/job/allreduce", allreduce + "}"}};
    if (!parallelism.empty()) list.emplace_back("/job/parallelism", "\"" + parallelism + "\"");
    return list;
  }
};

ExchangingJob exchanging_job(pipeline::Generator& random, std::string_view parallelism) {
  ExchangingJob job;
  job.parallelism = parallelism;
  job.instances = random.whole(2.0, 16.0);
  job.gpus = random.whole(1.0, 8.0);
  job.accumulation = random.chance(0.3) ? random.whole(2.0, 6.0) : 1.0;
  job.step = random.log_uniform(5e-3, 0.5);
  job.per_sample = random.log_uniform(1e-4, 5e-3);
  job.cv = random.chance(0.3) ? 0.1 : 0.0;
  job.parameters = std::floor(random.log_uniform(1e6, 3e9));
  job.busbw = random.log_uniform(1e9, 1e11);
  job.inside = job.busbw * random.log_uniform(0.5, 10.0);
  job.latency = random.log_uniform(1e-6, 1e-4);
  const double algorithm = random.uniform(0.0, 1.0);
  job.algorithm = algorithm < 0.2 ? "ring" : algorithm < 0.4 ? "tree" : "";
  if (algorithm > 0.8) job.algorithm = "hierarchical";
  if (random.chance(0.2)) job.overlap = random.uniform(0.0, 1.0);
  job.measured = random.chance(0.2);
  return job;
}

constexpr std::string_view plain = "";  // no parallelism: DDP, or the textbook's ring

template <class Law>
void for_exchanging_jobs(int each, unsigned seed, const Law& law) {
  pipeline::Generator random(seed);
  std::vector<std::string_view> ways(parallelism_words.begin(), parallelism_words.end());
  ways.push_back(plain);
  for (const std::string_view how : ways) {
    for (int i = 0; i < each; ++i) {
      const ExchangingJob job = exchanging_job(random, how);
      INFO(how << " " << i << ": " << study::setting_words(job.settings()));
      law(job, random);
    }
  }
}

double gain_of(const Result& result, Stage stage) {
  for (const auto& [of, gain] : result.bottleneck.gains) {
    if (of == stage) return gain;
  }
  return 0.0;
}

pipeline::Inputs inputs_of(const Settings& settings) {
  return resolve::resolve(scenario_with(settings), catalog(), nullptr, {},
                          resolve::Want::inputs_alone)
      .inputs;
}

double wall_of(const pipeline::Inputs& inputs, bool exact = false) {
  pipeline::SimulationOptions options;
  options.exact = exact;
  return pipeline::simulate(inputs, options).total.wall.base();
}

}  // namespace

TEST_CASE("law: a stage gains what resolving the job anew with it twice as fast gains") {
  int otherwise = 0;
  for_exchanging_jobs(40, 1, [&](const ExchangingJob& job, pipeline::Generator&) {
    const Result result = study::run(scenario_with(job.settings()), catalog(), nullptr);
    const double before = result.times.total.base();
    for (const Stage stage : {Stage::gpu, Stage::allreduce}) {
      const double gpu = stage == Stage::gpu ? 2.0 : 1.0;
      const Settings faster = job.settings(gpu, 3.0 - gpu);
      const Result after = study::run(scenario_with(faster), catalog(), nullptr);
      const double gain = 1.0 - after.times.total.base() / before;
      const double said = gain_of(result, stage);
      INFO(name_of(stage));
      if (said > 0.0) {
        CHECK(said == Approx(gain).epsilon(1e-9).margin(1e-12));
      } else {
        CHECK(gain < study::least_gain * (1.0 + 1e-9));
      }
      // What is exposed may not be taken for a constant of the job.
      pipeline::Inputs frozen = inputs_of(job.settings());
      frozen.exchange.reset();
      frozen.speed[stage] = 2.0;
      otherwise += std::abs(1.0 - wall_of(frozen) / before - gain) > 0.01 ? 1 : 0;
    }
  });
  CHECK_DRAWN(otherwise > 100);
}

TEST_CASE("law: a network that gradients share gains what the job with a line twice as fast does") {
  int of_line = 0;
  int of_given = 0;
  for_exchanging_jobs(20, 7, [&](ExchangingJob job, pipeline::Generator& random) {
    job.overlap.reset();
    const double line = random.log_uniform(1e8, 1e10);  // 0.8 to 80 Gbit/s
    const bool given = random.chance(0.4);
    job.busbw = given ? line * random.uniform(0.1, 0.5) : 1.0;
    const std::string allreduce =
        fmt::format(R"({{"parameters": {:.0f}{}{}}})", job.parameters,
                    given ? fmt::format(R"(, "busbw": "{:.17g} B/s")", job.busbw) : std::string(),
                    job.algorithm.empty() || !job.parallelism.empty()
                        ? std::string()
                        : fmt::format(R"(, "algorithm": "{}")", job.algorithm));
    const double sample = random.log_uniform(1e4, 3e6) * (given ? 30.0 : 1.0);
    study::RunOptions by_mean;
    by_mean.events = false;
    const auto run_on = [&](double bandwidth) {
      Settings settings = job.settings();
      settings.emplace_back("/job/allreduce", allreduce);
      settings.emplace_back("/cluster/network", fmt::format("\"{:.17g} B/s\"", bandwidth));
      settings.emplace_back("/dataset/bytes_per_sample", fmt::format("\"{:.0f} B\"", sample));
      settings.emplace_back("/source", R"({"service": "s3", "input_mode": "stream"})");
      return study::run(scenario_with(settings), catalog(), nullptr, by_mean);
    };
    const Result result = run_on(line);
    const double gain = 1.0 - run_on(2.0 * line).times.total / result.times.total;
    const double said = gain_of(result, Stage::network);
    INFO("line " << line << ", a bus bandwidth of " << (given ? "its own" : "the line's"));
    if (said > 0.0) {
      CHECK(said == Approx(gain).epsilon(1e-9).margin(1e-12));
    } else {
      CHECK(gain < study::least_gain * (1.0 + 1e-9));
    }
    (given ? of_given : of_line) += gain > study::least_gain ? 1 : 0;
  });
  CHECK_DRAWN(of_line > 20);
  CHECK_DRAWN(of_given > 5);
}

TEST_CASE("law: a network that a spread model shares gains what a line twice as fast does") {
  int gained = 0;
  for (const char* const how : {"ddp", "zero1", "zero2", "fsdp"}) {
    for (const char* const layout :
         {R"({"tensor": 8, "layers": 32, "hidden_size": 4096})",
          R"({"tensor": 2, "context": 2, "layers": 32, "hidden_size": 4096})",
          R"({"tensor": 4, "pipeline": 2, "layers": 32, "hidden_size": 4096})"}) {
      const auto settings = [&](double line) {
        return Settings{{"/cluster/instance", "p4d.24xlarge"},
                        {"/cluster/instances", "8"},
                        {"/cluster/network", fmt::format("\"{:g} Gbit/s\"", line)},
                        {"/source", R"({"service": "s3", "input_mode": "stream"})"},
                        {"/loader/num_workers", "2"},
                        {"/loader/batch_size", "1"},
                        {"/dataset/samples", "20000"},
                        {"/job/gradient_accumulation", "16"},
                        {"/job/parallelism", how},
                        {"/job/parallel", layout},
                        {"/job/step", R"({"model_parameters": 7e9, "tokens_per_sample": 1024})"},
                        {"/job/allreduce", R"({"parameters": 7e9})"}};
      };
      INFO(how << " " << layout);
      study::RunOptions by_mean;
      by_mean.events = false;
      const auto run_on = [&](double line) {
        return study::run(scenario_with(settings(line)), catalog(), nullptr, by_mean);
      };
      const pipeline::Inputs faster = inputs_of(settings(800.0));
      const pipeline::Inputs inputs = inputs_of(settings(400.0));
      REQUIRE(inputs.exchange->on_twice_the_line);
      CHECK(inputs.exchange->over_nic_of_that.base() ==
            Approx(faster.network_allreduce.base()).epsilon(1e-12));
      const Result result = run_on(400.0);
      const double gain = 1.0 - run_on(800.0).times.total / result.times.total;
      if (const double said = gain_of(result, Stage::network); said > 0.0) {
        CHECK(said == Approx(gain).epsilon(1e-9).margin(1e-12));
        ++gained;
      } else {
        CHECK(gain < study::least_gain * (1.0 + 1e-9));
      }
    }
  }
  CHECK(gained > 6);
}

TEST_CASE("law: any speeds of GPUs and messages together are those of another job, drawn too") {
  for_exchanging_jobs(25, 2, [&](const ExchangingJob& job, pipeline::Generator& random) {
    const double gpu = random.log_uniform(0.2, 5.0);
    const double messages = random.log_uniform(0.2, 5.0);
    pipeline::Inputs inputs = inputs_of(job.settings());
    const pipeline::Inputs other = inputs_of(job.settings(gpu, messages));
    inputs.speed[Stage::gpu] = gpu;
    inputs.speed[Stage::allreduce] = messages;
    CHECK(pipeline::exposed_communication(inputs).base() ==
          Approx(other.exposed_allreduce.base()).epsilon(1e-9).margin(1e-12));
    CHECK(wall_of(inputs) == Approx(wall_of(other)).epsilon(1e-9));
  });
}

TEST_CASE("law: event by event a stage that is twice as fast is another job as well") {
  for_exchanging_jobs(3, 3, [&](ExchangingJob job, pipeline::Generator& random) {
    job.instances = 2.0;
    job.gpus = random.whole(1.0, 2.0);
    const auto small = [&](double gpu, double messages) {
      Settings settings = job.settings(gpu, messages);
      settings.emplace_back("/dataset/samples", fmt::format("{:g}", 16.0 * 10.0 * 2.0 * job.gpus));
      return inputs_of(settings);
    };
    for (const Stage stage : {Stage::gpu, Stage::allreduce}) {
      pipeline::Inputs inputs = small(1.0, 1.0);
      inputs.speed[stage] = 2.0;
      const double gpu = stage == Stage::gpu ? 2.0 : 1.0;
      CHECK(wall_of(inputs, true) == Approx(wall_of(small(gpu, 3.0 - gpu), true)).epsilon(1e-6));
    }
  });
}

TEST_CASE("law: nothing made faster makes the job longer, and no gain is above one half") {
  for_exchanging_jobs(25, 4, [&](const ExchangingJob& job, pipeline::Generator&) {
    const pipeline::Inputs inputs = inputs_of(job.settings());
    const double before = wall_of(inputs);
    // A turn of Horovod's cycle may be missed; sharded parameters that keep the GPUs waiting are
    // booked at the end of an optimiser step, where a loader that is no faster waits with them.
    const double missed = job.parallelism == "horovod" ? 0.05 : 0.005;
    for (const Stage stage : {Stage::gpu, Stage::allreduce}) {
      pipeline::Inputs faster = inputs;
      faster.speed[stage] = 2.0;
      const double gain = 1.0 - wall_of(faster) / before;
      CHECK(gain >= -missed);
      CHECK(gain <= 0.5 + missed);
    }
  });
}

TEST_CASE("law: all of it overlapped exposes no more than is computed, none exposes all") {
  for_exchanging_jobs(50, 5, [&](ExchangingJob job, pipeline::Generator& random) {
    if (job.parallelism.empty()) return;
    const auto exposed = [&](std::optional<double> overlap) {
      job.overlap = overlap;
      return *resolve::resolve(scenario_with(job.settings()), catalog()).communication;
    };
    const Communication computed = exposed({});
    CHECK(exposed(1.0).exposed.base() <= computed.exposed.base() * (1.0 + 1e-9) + 1e-12);
    CHECK(exposed(0.0).exposed == computed.total);
    const double share = random.uniform(0.0, 1.0);
    const Communication part = exposed(share);
    CHECK(part.exposed.base() >= (1.0 - share) * computed.total.base() * (1.0 - 1e-9));
    CHECK(part.exposed >= exposed(1.0).exposed);
    CHECK(part.total == computed.total);
  });
}

TEST_CASE("law: a bus bandwidth that is given as it would be taken anyway changes nothing") {
  // On two and three instances it has in it what trees save there: messages take longer, by their
  // share at most.
  pipeline::Generator random(6);
  int checked = 0;
  int few = 0;
  for (int i = 0; i < 200; ++i) {
    Settings settings = {
        {"/cluster/instance", rented()[static_cast<std::size_t>(
                                  random.whole(0.0, static_cast<double>(rented().size()) - 1.0))]},
        {"/cluster/instances", fmt::format("{:g}", random.whole(2.0, 9.0))},
        {"/job/step", "\"100 ms\""},
        {"/job/allreduce",
         fmt::format(R"({{"parameters": {:.0f}}})", random.log_uniform(1e6, 1e9))}};
    INFO(study::setting_words(settings));
    try {
      const auto assumed = resolve::resolve(scenario_with(settings), catalog());
      const auto taken =
          std::find_if(assumed.used.begin(), assumed.used.end(),
                       [](const InputUsed& one) { return one.key == "/job/allreduce/busbw"; });
      REQUIRE(taken != assumed.used.end());
      settings.emplace_back("/job/allreduce/busbw", taken->text);
      const auto given = resolve::resolve(scenario_with(settings), catalog());
      REQUIRE(given.communication);
      // The slower of both links is that of the ring, and it alone is given.
      if (assumed.communication->total.base() > given.communication->total.base() * (1.0 + 1e-4)) {
        continue;
      }
      const double nodes = assumed.inputs.instances;
      if (nodes < 4.0) {
        CHECK(given.communication->total.base() <=
              4.0 / nodes * assumed.communication->total.base() * (1.0 + 1e-4));
        ++few;
        continue;
      }
      // Six digits of it are typed in.
      CHECK(given.communication->exposed.base() ==
            Approx(assumed.communication->exposed.base())
                .epsilon(1e-4)
                .margin(1e-5 * assumed.communication->total.base()));
      CHECK(given.communication->messages == assumed.communication->messages);
      ++checked;
    } catch (const InputError&) {
      continue;
    }
  }
  CHECK_DRAWN(checked > 50);
  CHECK_DRAWN(few > 10);
}

TEST_CASE("law: sums of instances cross the network, whoever computes them, and no more than all") {
  for_exchanging_jobs(20, 7, [&](ExchangingJob job, pipeline::Generator&) {
    job.measured = false;
    const auto bytes_of = [&](const char* algorithm, const std::string& parallelism) {
      job.algorithm = algorithm;
      job.parallelism = parallelism;
      return inputs_of(job.settings()).network_allreduce.base();
    };
    const double n = job.instances;
    const double textbook = bytes_of("hierarchical", "");
    CHECK(textbook == Approx(2.0 * (n - 1.0) / n * 4.0 * job.parameters));
    CHECK(bytes_of("hierarchical", "ddp") == Approx(textbook).epsilon(1e-12));
    CHECK(bytes_of("hierarchical", "horovod") == Approx(textbook).epsilon(1e-12));
    CHECK(bytes_of("ring", "ddp") == Approx(bytes_of("ring", "")).epsilon(1e-12));
    for (const auto how : parallelism_words) {
      CHECK(bytes_of("hierarchical", std::string(how)) <=
            bytes_of("ring", std::string(how)) * (1.0 + 1e-12));
    }
  });
}

TEST_CASE(
    "law: whoever sends a message outside of the measured points is told so, and no one else") {
  pipeline::Generator random(8);
  int low = 0;
  int high = 0;
  int inside = 0;
  for (int i = 0; i < 300; ++i) {
    const double from = std::floor(random.log_uniform(1e4, 1e8));
    const double to = std::floor(from * random.log_uniform(2.0, 1e4));
    const double gradients = std::floor(random.log_uniform(1e6, 1e10));
    const double first = std::floor(random.log_uniform(1e5, 1e7));
    const double bucket = std::floor(random.log_uniform(1e6, 1e8));
    const Settings settings = {
        {"/cluster/instance", "p4d.24xlarge"},
        {"/job/allreduce",
         fmt::format(R"({{"gradient_bytes": "{:.0f} B", "first_bucket": "{:.0f} B",
                          "bucket": "{:.0f} B", "points_gpus": 8,
                          "points": [[{:.0f}, "1 ms"], [{:.0f}, "2 ms"]]}})",
                     gradients, first, bucket, from, to)}};
    INFO(study::setting_words(settings));
    // PyTorch's buckets, cut one after the other.
    double smallest = std::min(first, gradients);
    double largest = smallest;
    for (double left = gradients - smallest; left > 0.5; left -= std::min(left, bucket)) {
      smallest = std::min({smallest, left, bucket});
      largest = std::max(largest, std::min(left, bucket));
    }
    const auto of = resolve::resolve(scenario_with(settings), catalog());
    const auto said = [&](std::string_view words) {
      return std::any_of(of.caveats.begin(), of.caveats.end(), [&](const std::string& text) {
        return text.find("lies outside of /job/allreduce/points") != std::string::npos &&
               text.find(words) != std::string::npos;
      });
    };
    CHECK(said("of the two smallest") == (smallest < from));
    CHECK(said("the bandwidth of the largest") == (largest > to));
    low += smallest < from ? 1 : 0;
    high += largest > to ? 1 : 0;
    inside += smallest >= from && largest <= to ? 1 : 0;
  }
  CHECK_DRAWN(low > 20);
  CHECK_DRAWN(high > 20);
  CHECK_DRAWN(inside > 20);
}
