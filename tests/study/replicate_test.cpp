// Uncertainty flows on: what a profile says of its errors comes out as bands.
#include "study/replicate.hpp"

#include "catch.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;

namespace {

Scenario scenario(const std::string& decode,
                  const std::string& source = R"({"service": "local"})") {
  return schema::read_scenario(schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 4000, "bytes_per_sample": "100 KB"},
          "source": )" +
          source + R"(, "loader": {"kind": "pool", "num_workers": 4,
          "batch_size": 10}, "cluster": {"gpus_per_instance": 1, "network": "10 Gbit/s", "price": "1 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": ")" +
          decode + R"("}],
          "job": {"epochs": 1, "step": {"fixed": "1 ms"}}})",
      "t.json"));
}

/// Half the width of the 5-95 % band of the job's time, in standard deviations' units of its
/// median: 1.645 times the relative error for whatever alone sets the time.
double width(const Bands& bands) {
  const Band& total = bands.total_s;
  return (total[2] - total[0]) / (2.0 * 1.645 * total[1]);
}

/// A model without an error of its own, so that what inputs do is seen alone.
const ClassErrors& no_errors() {
  static const ClassErrors none({});
  return none;
}

Result replicated(const Scenario& asked, const std::string& profile, int replications = 400) {
  const HostProfile host = schema::parse_host_profile(profile, "h.json");
  study::RunOptions options;
  options.replications = replications;
  options.class_errors = &no_errors();
  return study::run(asked, Catalog{}, &host, options);
}

}  // namespace

TEST_CASE("replications: the error of the measured cores is that of a job that they set") {
  const Result result = replicated(
      scenario("40 ms"),
      R"({"cpu": {"points": [[1, 1], [4, 3.5]], "relative_error": 0.1}, "disk": [[1, "9 GB/s"]]})");
  REQUIRE(result.bands);
  CHECK(width(*result.bands) == Approx(0.1).epsilon(0.15));
  CHECK(result.bands->bottleneck_probability[Stage::decode] == 1.0);
}

TEST_CASE("replications: each stage is the bottleneck in its share, whatever the mean says") {
  // Four cores with 0.3 ms a sample, which is a little less than the GPU's 1 ms for ten.
  const Result result =
      replicated(scenario("0.3 ms"), R"({"disk": [[1, "9 GB/s"]], "disk_latency": "0 s",
      "cpu": {"points": [[1, 1], [4, 4]], "relative_error": 0.4}})",
                 200);
  REQUIRE(result.bands);
  double sum = 0.0;
  for (const Stage stage : all_stages()) sum += result.bands->bottleneck_probability[stage];
  CHECK(result.bands->bottleneck_probability[Stage::decode] > 0.1);
  CHECK(result.bands->bottleneck_probability[Stage::gpu] > 0.3);
  CHECK(sum <= 1.0);
  const std::string text =
      report::to_text(report::run_report({"t", "t.json", result}), report::Style{});
  CHECK(text.find("Bottleneck in the replications: ") != std::string::npos);
}

TEST_CASE("replications: the error of the measured disk is that of a job that it sets") {
  const Result result =
      replicated(scenario("1 us"),
                 R"({"cpu": [[1, 1], [4, 4]], "disk_latency": "0 s", "disk_drift": 0,
      "disk": {"points": [[1, "20 MB/s"], [4, "60 MB/s"]], "relative_error": 0.05}})");
  REQUIRE(result.bands);
  CHECK(width(*result.bands) == Approx(0.05).epsilon(0.15));
}

TEST_CASE("replications: the drift of the machine comes on top of its errors") {
  const std::string disk = R"({"cpu": [[1, 1], [4, 4]], "disk_latency": "0 s",
      "disk": {"points": [[1, "20 MB/s"], [4, "60 MB/s"]], "relative_error": 0.05})";
  const Result drifting = replicated(scenario("1 us"), disk + R"(, "disk_drift": 0.12})", 1000);
  REQUIRE(drifting.bands);
  CHECK(width(*drifting.bands) == Approx(0.13).epsilon(0.1));
  // A profile that says nothing of it is no steady machine.
  const Result unsaid = replicated(scenario("1 us"), disk + "}", 1000);
  REQUIRE(unsaid.bands);
  CHECK(width(*unsaid.bands) == Approx(0.158).epsilon(0.1));
}

TEST_CASE("replications: the error of the measured store is that of a job that it sets") {
  const Result result =
      replicated(scenario("1 us", R"({"service": "http", "input_mode": "FastFile"})"),
                 R"({"cpu": [[1, 1], [4, 4]], "first_byte_latency": "1 us", "network_drift": 0,
          "download": {"points": [[1, "20 MB/s"], [4, "60 MB/s"]], "relative_error": 0.08}})");
  REQUIRE(result.bands);
  CHECK(width(*result.bands) == Approx(0.08).epsilon(0.15));
}

TEST_CASE("replications: two stages that are nearly as slow share the probability") {
  const Result result = replicated(
      scenario("20 ms"),
      R"({"cpu": {"points": [[1, 1], [4, 4]], "relative_error": 0.2}, "disk_latency": "0 s",
          "disk": {"points": [[1, "20 MB/s"]], "relative_error": 0.2}})",
      200);
  REQUIRE(result.bands);
  const auto& probability = result.bands->bottleneck_probability;
  CHECK(probability[Stage::decode] > 0.1);
  CHECK(probability[Stage::disk] > 0.1);
  const std::string text =
      report::to_text(report::run_report({"t", "t.json", result}), report::Style{});
  CHECK(text.find("in 90 % of 200 draws") != std::string::npos);
  INFO(text);
  CHECK(text.find("Bottleneck in the replications") != std::string::npos);
}

TEST_CASE("replications: without errors, guesses and variability bands have no width") {
  const char* profile = R"({"cpu": [[1, 1], [4, 3.5]], "disk": [[1, "9 GB/s"]], "disk_drift": 0,
                            "disk_latency": "0 s"})";
  Scenario job = scenario("40 ms");
  job.loader.oversubscription = 0.0;
  job.disk.discipline = Discipline::shared;
  const Result varied = replicated(job, profile, 20);
  REQUIRE(varied.bands);
  CHECK(width(*varied.bands) > 0.0);
  job.dataset.size_cv = job.loader.read_cv = job.loader.make_cv = 0.0;
  const Result punctual = replicated(job, profile, 20);
  REQUIRE(punctual.bands);
  CHECK(width(*punctual.bands) == 0.0);
}

TEST_CASE("replications: what too many threads cost is measured apart from the cores' curve") {
  const auto time = [](const std::string& more) {
    const HostProfile host = schema::parse_host_profile(
        R"({"cpu": [[1, 1], [2, 2]], "hardware_threads": 2, "disk": [[1, "9 GB/s"]])" + more + "}",
        "h.json");
    return study::run(scenario("40 ms"), Catalog{}, &host).times.total.base();
  };
  // Four threads on two: the same work for 10 % more.
  CHECK(time(R"(, "oversubscription": 0.1)") / time("") == Approx(1.1).epsilon(0.02));
}

TEST_CASE("replications: without guesses a band is of measured errors and of the job's own alone") {
  const HostProfile host = schema::parse_host_profile(
      R"({"cpu": {"points": [[1, 1], [4, 3.5]], "relative_error": 0.02}})", "h.json");
  study::RunOptions options;
  options.replications = 400;
  options.class_errors = &no_errors();
  const auto width_of = [&](const HostProfile* profile, const Scenario& job, bool guesses) {
    options.guesses = guesses;
    return width(*study::run(job, Catalog{}, profile, options).bands);
  };
  Scenario job = scenario("40 ms");
  job.disk.bandwidth = gigabytes(9.0) / seconds(1.0);
  job.dataset.size_cv = job.loader.read_cv = job.loader.make_cv = 0.0;
  CHECK(width_of(&host, job, false) == Approx(0.02).epsilon(0.15));
  job.cluster.vcpus = 4.0;
  CHECK(width_of(nullptr, job, true) > 2.0 * width_of(nullptr, job, false));
}

TEST_CASE("replications: how many threads share cores does not matter to one thread") {
  Scenario job = scenario("40 ms");
  job.dataset.size_cv = job.loader.read_cv = job.loader.make_cv = 0.0;
  job.loader.oversubscription = 0.0;
  job.disk.discipline = Discipline::shared;
  const char* profile = R"({"cpu": {"points": [[1, 1], [4, 3.5]], "relative_error": 0.1},
      "disk": [[1, "9 GB/s"]], "disk_drift": 0, "disk_latency": "0 s"})";
  const double four = width(*replicated(job, profile).bands);
  job.loader.num_workers = 1.0;
  CHECK(width(*replicated(job, profile).bands) < 0.02 * four);
}
