// What a run says beside its numbers: where they are guesses, and what no bill holds.
#include <algorithm>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/context.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

resolve::Resolved resolved(const Settings& settings, const resolve::Draw& draw = {}) {
  return resolve::resolve(scenario_with(settings), catalog(), nullptr, draw);
}

Duration epoch(const Settings& settings) {
  return pipeline::simulate(resolved(settings).inputs).later.wall;
}

}  // namespace

TEST_CASE("said: gradients of several instances are never free without a word") {
  for (const std::string instances : {"2", "8"}) {
    const auto several = resolved({{"/cluster/instances", instances}});
    CHECK(several.inputs.exposed_allreduce > Duration{});
    CHECK(says(several.caveats, "What gradients cost is not known"));
    CHECK(!says(resolved({{"/cluster/instances", instances},
                          {"/job/allreduce", R"({"gradient_bytes": "100 MB"})"}})
                    .caveats,
                "gradients"));
    CHECK(!says(resolved({{"/cluster/instances", instances}, {"/job/efficiency", "0.9"}}).caveats,
                "gradients"));
    // GPUs that are emulated exchange none; those of a step that was measured on several did.
    const Settings none = {{"/cluster/instances", instances},
                           {"/job/allreduce", R"({"gradient_bytes": 0})"}};
    Settings observed = none;
    observed.emplace_back("/job/step/gpus", "8");
    CHECK(!says(resolved(none).caveats, "gradients"));
    CHECK(says(resolved(observed).caveats, "What gradients cost is not known"));
  }
  CHECK(resolved({}).inputs.exposed_allreduce == Duration{});
  CHECK(!says(resolved({}).caveats, "gradients"));
}

TEST_CASE("said: a step of one form is a guess at another batch, within what it can be") {
  const Settings by_sample = {{"/job/step", R"({"per_sample": "1 ms"})"}};
  const Settings fixed = {{"/job/step", "64 ms"}};
  for (const Settings& step : {by_sample, fixed}) {
    for (const std::string batch : {"1", "16", "256"}) {
      schema::Document document = schema::parse_document(
          R"({"name": "t", "dataset": {"samples": 200000}, "loader": {"batch_size": 64},
              "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
              "job": {"step": )" +
              std::string(step == fixed ? "\"64 ms\"" : R"({"per_sample": "1 ms"})") + "}}",
          "t.json");
      document.keep_as_base();
      const Scenario as_written = schema::read_scenario(document);
      CHECK(resolve::resolve(as_written, catalog()).caveats.empty());
      schema::set_value(document, "batch_size", batch);
      const Scenario other = schema::read_scenario(document);
      CHECK(other.measured_on.batch_size == 64.0);
      const auto at = [&](double share) {
        const auto drawn = resolve::resolve(other, catalog(), nullptr,
                                            [share](std::string_view) { return share; });
        return pipeline::step_time(drawn.inputs, drawn.inputs.batch);
      };
      // Drawn at the ends of its range, the guess is what the sentence names.
      const Duration one_end = at(0.0);
      const Duration other_end = at(1.0);
      const auto& [least, most] = std::minmax(one_end, other_end);
      CHECK(says(resolve::resolve(other, catalog()).caveats,
                 "it is a guess (" + resolve::short_text_of(least) + " to " +
                     resolve::short_text_of(most) + ")"));
      // Between one that grows with the batch and one that does not.
      const Duration proportional = milliseconds(std::stod(batch));
      const Duration constant = milliseconds(64.0);
      for (const double share : {0.01, 0.5, 0.99}) {
        CHECK(at(share) >= std::min(proportional, constant) * (1.0 - 1e-12));
        CHECK(at(share) <= std::max(proportional, constant) * (1.0 + 1e-12));
      }
    }
  }
}

TEST_CASE("said: a table is not extrapolated without a word") {
  const Settings table = {{"/job/step", R"({"table": [[16, "20 ms"], [64, "70 ms"]]})"}};
  const auto at = [&](const std::string& batch) {
    Settings settings = table;
    settings.emplace_back("batch_size", batch);
    return resolved(settings).caveats;
  };
  CHECK(!says(at("16"), "extrapolated"));
  CHECK(!says(at("40"), "extrapolated"));
  CHECK(says(at("128"), "The step of a batch of 128 lies outside its table (16 to 64)"));
  CHECK(says(at("8"), "extrapolated"));
}

TEST_CASE(
    "said: times on numbers of instances that were not measured are fitted, with their error") {
  const Settings scaling = {{"/cluster/instances", "4"},
                            {"/job/scaling", R"([[1, "8 h"], [2, "4.2 h"], [8, "1.4 h"]])"}};
  Scenario scenario = scenario_with(scaling);
  scenario.job.scaling_fit = ScalingFit{0.02, 0.001, 0.02};
  const auto well = resolve::resolve(scenario, catalog());
  CHECK(says(well.remarks, "misses by 2 % at most"));
  scenario.job.scaling_fit->worst_error = 0.2;
  CHECK(says(resolve::resolve(scenario, catalog()).caveats, "misses by 20 % at most"));
  scenario.cluster.instances = 8.0;
  CHECK(!says(resolve::resolve(scenario, catalog()).caveats, "misses by"));
}

TEST_CASE("said: more workers than objects to stream stand in the headline") {
  const Scenario scenario = scenario_with({{"/source/service", "s3"},
                                           {"/source/input_mode", "FastFile"},
                                           {"/dataset/samples_per_object", "50000"},
                                           {"/loader/num_workers", "24"}});
  const Result result = study::run(scenario, catalog(), nullptr);
  CHECK(says(result.caveats, "20 of 24 workers have nothing to do"));
}

TEST_CASE("said: samples that are kept are taken to be kept for all workers") {
  const auto remarks = [](const char* workers, const char* persistent) {
    return resolved({{"/loader/in_memory_cache", "true"},
                     {"/dataset/samples", "20000"},
                     {"/loader/num_workers", workers},
                     {"/loader/persistent_workers", persistent}})
        .remarks;
  };
  CHECK(says(remarks("6", "true"),
             "of what each of 6 keeps for itself, the second epoch finds one "
             "sample in 6, and it takes up to 6 times the memory"));
  CHECK(says(remarks("6", "false"), "a worker keeps for itself ends with it"));
  CHECK(says(remarks("1", "false"), "a worker keeps for itself ends with it"));
  CHECK(!says(remarks("1", "true"), "keeps for itself"));
}

TEST_CASE("said: what PyTorch refuses where there are no workers") {
  const auto remarks = [](const char* workers) {
    return resolved({{"/loader/num_workers", workers},
                     {"/loader/persistent_workers", "true"},
                     {"/loader/prefetch_factor", "4"}})
        .remarks;
  };
  for (const char* key : {"/loader/persistent_workers", "/loader/prefetch_factor"}) {
    const std::string refused =
        std::string(key) + " has no effect: PyTorch refuses it with num_workers = 0";
    CHECK(says(remarks("0"), refused.c_str()));
    CHECK(!says(remarks("1"), refused.c_str()));
  }
}

TEST_CASE("said: what workers drop of last batches of their own, they have read") {
  // 8 workers of one object each.
  const auto caveats = [](const char* samples, const char* drop_last, const char* objects = "8") {
    const double all = std::stod(samples) * std::stod(objects);
    return resolved({{"/loader/kind", "webdataset"},
                     {"/source/service", "s3"},
                     {"/loader/num_workers", "8"},
                     {"/loader/batch_size", "256"},
                     {"/loader/drop_last", drop_last},
                     {"/dataset/samples_per_object", samples},
                     {"/dataset/samples", std::to_string(static_cast<int>(all))}})
        .caveats;
  };
  CHECK(says(caveats("300", "true"),
             "drops an incomplete batch of its own: 15 % of the samples are read and preprocessed, "
             "and not trained on"));
  CHECK(!says(caveats("781", "true"), "of its own"));  // 13 samples of each
  CHECK(!says(caveats("781", "false"), "of its own"));
  CHECK_THROWS_WITH(caveats("100", "true", "16"),
                    Catch::Contains("/loader/drop_last: each worker drops an incomplete batch"));
}

TEST_CASE("said: a lock that holds all threads stands in the headline, one that hardly does not") {
  const auto caveats = [](const char* lock) {
    const Scenario scenario = scenario_with({{"/loader/kind", "pool"},
                                             {"/loader/num_workers", "8"},
                                             {"/loader/lock", lock},
                                             {"/source", R"({"service": "local"})"},
                                             {"/preprocess/0/cpu", "4 ms"},
                                             {"/job/step", R"({"per_sample": "0.1 ms"})"}});
    return study::run(scenario, catalog(), nullptr).caveats;
  };
  CHECK(says(caveats("2 ms"), "of the time one of a GPU's loading threads holds the lock"));
  CHECK(!says(caveats("0.1 ms"), "holds the lock"));
}

TEST_CASE("said: jobs that share a file system pay for it alike") {
  const Settings fsx = {{"/source/service", "fsx-lustre"}, {"/source/storage_held", "24 h"}};
  const auto storage = [&](const std::string& jobs) {
    Settings settings = fsx;
    settings.emplace_back("/job/jobs", jobs);
    return study::run(scenario_with(settings), catalog(), nullptr).bill.storage;
  };
  CHECK(storage("4") / storage("1") == Approx(0.25).epsilon(1e-9));
  CHECK(epoch(fsx) > Duration{});
  // One after the other, they hold it for as long as all of them take.
  const auto for_as_long = [&](const std::string& jobs, const std::string& held) {
    Settings settings = {{"/source/service", "fsx-lustre"}, {"/job/jobs", jobs}};
    if (!held.empty()) settings.emplace_back("/source/storage_held", held);
    return study::run(scenario_with(settings), catalog(), nullptr);
  };
  CHECK(for_as_long("4", "").bill.storage / for_as_long("1", "").bill.storage ==
        Approx(1.0).epsilon(1e-9));
  CHECK(says(for_as_long("1", "1 s").remarks, "the bill lacks the rest"));
  CHECK(!says(for_as_long("1", "100 h").remarks, "the bill lacks the rest"));
  // Enough for one job, and not for four.
  const double one = for_as_long("1", "").times.total / seconds(1.0);
  const std::string twice = fmt::format("{} s", 2.0 * one);
  CHECK(!says(for_as_long("1", twice).remarks, "the bill lacks the rest"));
  CHECK(says(for_as_long("4", twice).remarks, "the 4 jobs, one after the other, read the data"));
}

TEST_CASE("said: runs in all have no effect where neither preparation nor advice counts them") {
  constexpr const char* words = "/accounting/runs has no effect";
  const Settings runs = {{"/accounting/runs", "30"}};
  CHECK(!says(resolved(runs).remarks, words));
  Settings beside = runs;
  beside.emplace_back("/job/jobs", "3");
  CHECK(says(resolved(beside).remarks, words));
}

TEST_CASE("said: what SageMaker and offline preprocessing take is not on the bill, and said") {
  const auto job = resolved({{"/cluster/instance", "ml.p3.2xlarge"},
                             {"/cluster/price", "3.825 USD/h"},
                             {"/preprocess/0/where", "offline"}});
  CHECK(says(job.remarks, "SageMaker takes 2 min to 8 min more"));
  CHECK(says(job.remarks, "preprocessing offline takes 0.167 CPU hours once"));
  CHECK(!says(resolved({}).remarks, "SageMaker"));
}

TEST_CASE("said: nothing beside a job's whole duration is ignored") {
  for (const auto& [key, value] :
       Settings{{"/loader/num_workers", "4"},
                {"/source/service", "s3"},
                {"/disk/kind", "ebs"},
                {"/job/epochs", "3"},
                {"/preprocess", R"([{"operation": "a", "cpu": "1 ms"}])"}}) {
    schema::Document document = schema::parse_document(
        R"({"name": "t", "cluster": {"instance": "p3.2xlarge"},
            "job": {"duration_on_one_instance": "24 h"}})",
        "t.json");
    CHECK(schema::read_scenario(document).job.duration_on_one_instance == hours(24.0));
    schema::set_value(document, key, value);
    INFO(key);
    CHECK_THROWS_AS(schema::read_scenario(document), InputError);
  }
}

TEST_CASE("said: a job without a dataset has no samples per second") {
  schema::Document document = schema::parse_document(
      R"({"name": "t", "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
          "job": {"duration_on_one_instance": "24 h"}})",
      "t.json");
  CHECK_FALSE(study::run(schema::read_scenario(document), catalog(), nullptr).throughput);
  CHECK(study::run(scenario_with({}), catalog(), nullptr).throughput);
}

TEST_CASE("said: what the CPU is to do after the GPU is done before the copy, and said") {
  const auto listed = [](const char* first, const char* second) {
    return resolved(
        {{"/preprocess", fmt::format(R"([{{"operation": "resize", "cpu": "1 ms", "gpu": "0.1 ms",)"
                                     R"("where": "{}"}}, {{"operation": "flip", "cpu": "1 ms",)"
                                     R"("gpu": "0.1 ms", "where": "{}"}}])",
                                     first, second)}});
  };
  const char* const words = "\"flip\" is listed after \"resize\", which runs on the GPU";
  CHECK(says(listed("gpu", "cpu").caveats, words));
  CHECK(!says(listed("cpu", "gpu").caveats, words));
  CHECK(!says(listed("gpu", "gpu").caveats, words));
  CHECK(!says(listed("cpu", "cpu").caveats, words));
}

TEST_CASE("said: disks of FSx for Lustre that burst for longer than is published") {
  const auto burst = [](const Settings& more) {
    Settings settings = {{"/source/service", "fsx-lustre"}, {"/source/capacity", "1.2 TiB"}};
    settings.insert(settings.end(), more.begin(), more.end());
    std::vector<std::string> texts;
    for (const auto& remark : resolved(settings).remarks) texts.push_back(remark);
    return says(texts, "give up to 288 MB/s while burst credits last") &&
           says(texts, "60 MB/s are taken");
  };
  const Settings of_50 = {{"/source/deployment_type", "PERSISTENT_1"},
                          {"/source/throughput_per_capacity", "50 MB/s/TiB"}};
  Settings given = of_50;
  given.emplace_back("/source/bandwidth", "200 MB/s");
  CHECK(burst(of_50));
  CHECK_FALSE(burst(given));
  CHECK_FALSE(burst({{"/source/deployment_type", "SCRATCH_2"}}));
}
