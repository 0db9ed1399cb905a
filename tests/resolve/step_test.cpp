// A measured step: what of a host profile becomes the time of a GPU.
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;

namespace {

const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

Scenario job(double batch, const std::string& more = "{}") {
  schema::Document document = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 1000000, "bytes_per_sample": "100 kB",
                      "bytes_on_gpu_per_sample": "600 KB"},
          "source": {"service": "local"}, "disk": {"kind": "ebs", "size": "200 GB"},
          "loader": {"num_workers": 8, "handover": "1 ms"},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "cluster": {"price": "1 USD/h", "instance": "p4d.24xlarge"}, "job": )" +
          more + "}",
      "t.json");
  schema::set_value(document, "/loader/batch_size", std::to_string(static_cast<int>(batch)));
  return schema::read_scenario(document);
}

HostProfile profile(std::vector<std::pair<double, Duration>> points) {
  HostProfile host;
  host.name = "h";
  host.instance = "p4d.24xlarge";
  host.step_table = StepTable{std::move(points), 0.02};
  return host;
}

Duration step(const Scenario& scenario, const HostProfile& host) {
  const resolve::Resolved resolved = resolve::resolve(scenario, catalog(), &host);
  return pipeline::step_time(resolved.inputs, resolved.inputs.batch);
}

std::vector<std::pair<double, Duration>> generated(std::uint64_t seed) {
  Random random(seed, 0);
  const double host = 0.02 * std::exp(random.normal());
  const double each = 1e-3 * std::exp(random.normal());
  std::vector<std::pair<double, Duration>> points;
  for (const double batch : {8.0, 16.0, 32.0, 64.0, 128.0, 256.0}) {
    points.emplace_back(batch, seconds(std::max(host, 0.003 + each * batch)));
  }
  return points;
}

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("measured step: a table is exact at its batches, and rises in between as they do") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO(seed);
    const HostProfile host = profile(generated(seed));
    for (const auto& [batch, time] : host.step_table->points) {
      CHECK(step(job(batch), host).base() == Approx(time.base()).epsilon(1e-12));
    }
    Duration before;
    for (double batch = 8.0; batch <= 300.0; batch += 7.0) {
      const Duration now = step(job(batch), host);
      CHECK(now.base() >= before.base() * (1.0 - 1e-12));
      before = now;
    }
  }
}

TEST_CASE("measured step: a batch beyond the table is said, one within is not") {
  const HostProfile host = profile(generated(1));
  const auto caveats = [&](double batch) {
    return resolve::resolve(job(batch), catalog(), &host).caveats;
  };
  CHECK(says(caveats(512), "The step of a batch of 512 lies outside its table (8 to 256)"));
  CHECK_FALSE(says(caveats(100), "outside its table"));
}

TEST_CASE("measured step: what the scenario gives comes first") {
  const HostProfile host = profile(generated(2));
  CHECK(step(job(64, R"({"step": {"fixed": "1 s"}})"), host) == seconds(1.0));
  CHECK(step(job(64, R"({"step": {"per_sample": "10 ms"}})"), host) == seconds(0.64));
  CHECK(step(job(64, R"({"step": {"by_gpu": {"A100": "2 s"}}})"), host) == seconds(2.0));
  HostProfile line = host;
  line.step_table.reset();
  line.step_fixed = Value<Duration>{seconds(5.0), {Origin::measured, "h", 0.0}};
  line.step_per_sample =
      Value<DurationPerSample>{seconds(1.0) / samples(1.0), {Origin::measured, "h", 0.0}};
  CHECK(step(job(64, R"({"step": {"fixed": "1 s"}})"), line) == seconds(1.0));
  CHECK(step(job(64, R"({"step": {"per_sample": "10 ms"}})"), line) == seconds(0.64));
  CHECK(step(job(64), line) == seconds(69.0));
}

TEST_CASE("measured step: its error moves the whole table, and its GPU is the profile's") {
  HostProfile host = profile(generated(3));
  const resolve::Draw late = [](std::string_view key) {
    return key == "/job/step/table" ? 0.95 : 0.5;
  };
  const Scenario scenario = job(64);
  const auto drawn = resolve::resolve(scenario, catalog(), &host, late).inputs;
  const auto plain = resolve::resolve(scenario, catalog(), &host).inputs;
  const double factor = pipeline::step_time(drawn, 64.0) / pipeline::step_time(plain, 64.0);
  CHECK(factor == Approx(std::exp(0.02 * 1.645)).epsilon(1e-3));
  CHECK(pipeline::step_time(drawn, 8.0) / pipeline::step_time(plain, 8.0) == Approx(factor));
  host.instance = "p3.16xlarge";  // a V100: its step takes longer than an A100's
  CHECK(step(scenario, host) < pipeline::step_time(plain, 64.0));
}

TEST_CASE("measured step: starting it is the main process's where the loop does not wait for it") {
  HostProfile host = profile(generated(4));
  host.step_launch = Value<Duration>{milliseconds(9.0), {Origin::measured, "h", 0.0}};
  const auto handover = [&](const std::string& more) {
    return pipeline::handover_time(resolve::resolve(job(64, more), catalog(), &host).inputs);
  };
  CHECK(handover("{}").base() == Approx(0.010));
  CHECK(handover(R"({"asynchronous_step": false})").base() == Approx(0.001));
  // A step that is given says nothing of the profile's.
  CHECK(handover(R"({"step": {"fixed": "50 ms"}})").base() == Approx(0.001));
  CHECK(handover(R"({"step": {"fixed": "50 ms", "launch": "4 ms"}})").base() == Approx(0.005));
  // A GPU that is done before all of its step is started: waiting for it makes no job faster.
  CHECK(handover(R"({"step": {"fixed": "50 ms", "launch": "70 ms"}, "asynchronous_step": false})")
            .base() == Approx(0.021));
}
