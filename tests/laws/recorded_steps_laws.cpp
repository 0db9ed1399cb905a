// Steps that were recorded one by one: in a list, in a file beside the scenario, in a host profile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "fit/profile.hpp"
#include "formats/measurements/import_measurements.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/documents/host.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using pipeline::Generator;
using test::TemporaryFolder;
using testing_resolve::Settings;

namespace {

/// Of a GPU that some other work disturbs now and then.
std::vector<double> recorded(Generator& random, std::size_t count) {
  std::vector<double> times;
  const double usual = random.log_uniform(0.01, 1.0);
  const double disturbed = random.uniform(0.0, 0.2);
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = random.chance(disturbed) ? random.uniform(1.2, 3.0) : 1.0;
    times.push_back(std::round(1e5 * usual * factor * random.uniform(0.95, 1.05)) / 1e5);
  }
  return times;
}

std::string list_of_times(const std::vector<double>& times) {
  std::string list;
  for (const double time : times) {
    list += fmt::format("{}[1, \"{} s\"]", list.empty() ? "" : ", ", time);
  }
  return "[" + list + "]";
}

std::string scenario_text(const std::string& step, double instances) {
  return fmt::format(
      R"({{"name": "t",
          "dataset": {{"samples": 200000, "bytes_per_sample": "100 kB"}},
          "source": {{"service": "local"}},
          "loader": {{"num_workers": 6, "batch_size": 64}},
          "cluster": {{"instance": "p3.16xlarge", "region": "us-east-1", "instances": {:g}}},
          "job": {{"epochs": 2, "allreduce": {{"gradient_bytes": "10 MB"}}{}{}}}}})",
      instances, step.empty() ? "" : R"(, "step": )", step);
}

Result result_of(const schema::Document& document, const HostProfile* host = nullptr) {
  return study::run(schema::read_scenario(document), testing_resolve::catalog(), host);
}

Result result_of(const std::string& step, double instances, const HostProfile* host = nullptr) {
  return result_of(schema::parse_document(scenario_text(step, instances), "t.json"), host);
}

const InputUsed* used_times(const Result& result) {
  for (const InputUsed& input : result.inputs) {
    if (input.key == "/job/step/times") return &input;
  }
  return nullptr;
}

std::string refused_times(const std::string& file) {
  const TemporaryFolder folder;
  folder.write("steps.csv", file);
  const std::string path = folder.write("t.json", scenario_text(R"({"times": "steps.csv"})", 1.0));
  try {
    static_cast<void>(schema::load_document(path));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("recorded steps: a file beside the scenario is the list that it holds, in every form") {
  Generator random(91);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> times = recorded(random, 60);
    std::vector<std::string> files(5);
    files[1] = "batch,seconds\n";
    files[2] = "# eight GPUs\n\nseconds\n";
    for (const double time : times) {
      files[0] += fmt::format("{}\n", time);
      files[1] += fmt::format("64,{}\r\n", time);
      files[2] += fmt::format("  {}\n\n", time);
      files[3] += fmt::format("{} ms\n", 1e3 * time);
      files[4] += fmt::format("{{\"step\": 7, \"seconds\": {}}}\n", time);
    }
    const Result by_list = result_of(fmt::format(R"({{"times": {}}})", list_of_times(times)), 2.0);
    for (const std::string& file : files) {
      const TemporaryFolder folder;
      folder.write("recorded/steps.csv", file);
      const std::string path =
          folder.write("t.json", scenario_text(R"({"times": "recorded/steps.csv"})", 2.0));
      const Result by_file = result_of(schema::load_document(path));
      INFO(file);
      CHECK(by_file.times.total.base() == Approx(by_list.times.total.base()).epsilon(1e-9));
      REQUIRE(used_times(by_file));
      CHECK(used_times(by_file)->from.relative_error ==
            Approx(used_times(by_list)->from.relative_error).epsilon(1e-9));
    }
  }
}

TEST_CASE(
    "recorded steps: every line of a file that is no time is named, and so is a missing one") {
  const std::string several = refused_times("0.1\nslow\n-0.2\n64,0.1\n32,0.1\n1e9\n");
  INFO(several);
  for (const char* part : {"steps.csv:2:", "got another line", "steps.csv:3:", "steps.csv:5:",
                           "64 as above, got one of 32", "steps.csv:6:"}) {
    CHECK(several.find(part) != std::string::npos);
  }
  CHECK(refused_times("seconds\n").find("got none") != std::string::npos);
  CHECK(refused_times("{\"seconds\": \n").find("steps.csv:1:") != std::string::npos);
  const TemporaryFolder folder;
  const std::string path = folder.write("t.json", scenario_text(R"({"times": "gone.csv"})", 1.0));
  try {
    static_cast<void>(schema::load_document(path));
    FAIL("a missing file is no file");
  } catch (const InputError& error) {
    const std::string why = error.what();
    INFO(why);
    CHECK(why.find("/job/step/times") != std::string::npos);
    CHECK(why.find("gone.csv") != std::string::npos);
  }
}

TEST_CASE("recorded steps: their standard error is what is drawn, and falls with their number") {
  Generator random(92);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> times = recorded(random, 40);
    double mean = 0.0;
    for (const double time : times) mean += time / 40.0;
    double variance = 0.0;
    for (const double time : times) variance += std::pow(time - mean, 2.0) / 39.0;
    const auto used = [&](double copies) {
      std::string list;
      for (const double time : times) {
        list += fmt::format("{}[{:g}, \"{} s\"]", list.empty() ? "" : ", ", copies, time);
      }
      const Result result = result_of(fmt::format(R"({{"times": [{}]}})", list), 1.0);
      REQUIRE(used_times(result));
      return *used_times(result);
    };
    const InputUsed once = used(1.0);
    const double error = std::sqrt(variance / 40.0) / mean;
    INFO(i << " " << error);
    CHECK(once.from.relative_error == Approx(error).epsilon(1e-6));
    CHECK_FALSE(once.low.empty());
    const double rarer = used(25.0).from.relative_error;
    CHECK(rarer == Approx(error * std::sqrt(39.0 / 999.0)).epsilon(1e-6));
  }
  // One that never varied is known.
  const Result even = result_of(R"({"times": [[50, "0.1 s"]]})", 1.0);
  REQUIRE(used_times(even));
  CHECK(used_times(even)->from.relative_error == 0.0);
}

TEST_CASE("recorded steps: those of a host profile vary as the same list in the scenario") {
  Generator random(93);
  int slower = 0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> times = recorded(random, 200);
    std::string csv = "batch,seconds\n";
    for (const double time : times) csv += fmt::format("64,{}\n", time);
    const HostProfile made = fit::fit_profile(formats::parse_import(csv, "steps.csv")).profile;
    REQUIRE(made.step_times);
    CHECK(made.step_times->batch == 64.0);
    const HostProfile host = schema::parse_host_profile(schema::write_host_profile(made), "h.json");
    CHECK(host.step_times == made.step_times);
    const Result by_host = result_of("", 2.0, &host);
    const std::string same =
        fmt::format("\"per_sample\": \"{} s\"", host.step_per_sample->value.base());
    const Result listed =
        result_of(fmt::format(R"({{{}, "times": {}}})", same, list_of_times(times)), 2.0);
    INFO(i);
    CHECK(by_host.times.total.base() == Approx(listed.times.total.base()).epsilon(1e-3));
    const std::string no_variation = fmt::format(R"({{{}, "cv": 0}})", same);
    const Result steady = result_of(no_variation, 2.0);
    slower += by_host.times.total > 1.01 * steady.times.total ? 1 : 0;
    // What the scenario says of its steps comes first.
    const Result given = result_of(no_variation, 2.0, &host);
    CHECK(given.times.total == steady.times.total);
    REQUIRE(used_times(by_host));
    CHECK(used_times(by_host)->from.origin == Origin::measured);
    // Alone they are the step of that batch.
    HostProfile alone;
    alone.name = "h";
    alone.step_times = host.step_times;
    const Result by_times = result_of("", 2.0, &alone);
    const Result only = result_of(fmt::format(R"({{"times": {}}})", list_of_times(times)), 2.0);
    CHECK(by_times.times.total.base() == Approx(only.times.total.base()).epsilon(1e-3));
  }
  CHECK_DRAWN(slower > 5);
}

TEST_CASE("recorded steps: too few of one batch tell nothing of the slowest of many") {
  Generator random(94);
  std::string csv = "batch,seconds\n";
  for (const double time : recorded(random, 29)) csv += fmt::format("64,{}\n", time);
  CHECK_FALSE(fit::fit_profile(formats::parse_import(csv, "steps.csv")).profile.step_times);
}

TEST_CASE("NCCL's own table: of as many GPUs it is taken, else computed with a word on it") {
  HostProfile host;
  host.name = "eight";
  host.nccl_tuning = TuningTable{
      16.0,
      2.0,
      {{"all_reduce", "ring", "Simple", microseconds(100.0), bytes_per_second(5e9)},
       {"all_reduce", "nvls_tree", "Simple", microseconds(50.0), bytes_per_second(1e9)}}};
  CHECK(schema::parse_host_profile(schema::write_host_profile(host), "h.json") == host);
  const std::string step = R"({"fixed": "100 ms"})";
  const auto with_gradients = [&](double instances, const HostProfile* with,
                                  const std::string& more = "") {
    schema::Document document = schema::parse_document(scenario_text(step, instances), "t.json");
    schema::set_value(
        document, "/job/allreduce",
        R"({"gradient_bytes": "100 MB", "bucket": "100 MB", "first_bucket": "100 MB")" + more +
            "}");
    return result_of(document, with);
  };
  const Result tuned = with_gradients(2.0, &host);
  REQUIRE(tuned.communication);
  CHECK(tuned.communication->algorithm == "ring");
  // 1.9: before the A100 a ring between nodes reaches its plateau late.
  CHECK(tuned.communication->total.base() == Approx(1.9e-4 + 0.02).epsilon(1e-6));
  const auto says = [](const Result& result) {
    return std::any_of(result.caveats.begin(), result.caveats.end(), [](const std::string& text) {
      return text.find("NCCL's own table in eight is of 16 GPUs on 2 hosts") != std::string::npos;
    });
  };
  CHECK_FALSE(says(tuned));
  const Result three = with_gradients(3.0, &host);
  CHECK(says(three));
  CHECK(three.communication->total == with_gradients(3.0, nullptr).communication->total);
  // What was measured comes first.
  const Result given = with_gradients(2.0, &host, R"(, "busbw": "3 GB/s")");
  const Result bare = with_gradients(2.0, nullptr, R"(, "busbw": "3 GB/s")");
  CHECK(given.communication->total == bare.communication->total);
  host.allreduce_busbw_between = Value<Bandwidth>::given(bytes_per_second(4e9));
  HostProfile without = host;
  without.nccl_tuning.reset();
  const Result measured = with_gradients(2.0, &host);
  CHECK(measured.communication->total == with_gradients(2.0, &without).communication->total);
}
