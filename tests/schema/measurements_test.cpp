#include "schema/documents/measurements.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

MeasurementSet example() {
  MeasurementSet set;
  set.date = "2026-05-01T12:00:00Z";
  set.command_line = "feedrate calibrate --data 'my \"images\"'";
  set.version = "0.1.0";
  set.host.hostname = "böx";
  set.host.cpu = "A CPU @ 2.5 GHz";
  set.host.cores = 4;
  set.host.hardware_threads = 8;
  set.host.memory = gibibytes(15.5);
  set.host.gpus = {"Tesla V100", "Tesla V100"};
  set.host.kind = HostClass::shared_virtual_machine;
  GpuFacts facts;
  facts.name = "Tesla V100";
  facts.memory = gibibytes(16);
  facts.mig = false;
  facts.pcie_lanes = 16;
  facts.most_sm_clock = Frequency::of(1.53e9);
  set.host.gpu_details = {facts, {}};
  Round bad{"2026-05-01T12:00:00Z", 1, seconds(7.5), 0.02, 0.4, 0.0, 0.1, {}, "others used 40 %"};
  bad.clock = Frequency::of(2.5e9);
  set.rounds = {bad, {"2026-05-01T12:00:08Z", 2, seconds(8.0), {}, {}, {}, {}, {}, ""}};
  set.probes.push_back({"disk", true, "", {"3 of 200 files are no JPEG"}, seconds(12.25)});
  set.probes.push_back({"gpu", false, "no CUDA driver", {}, {}});
  Measurement m{"disk",
                "random_read",
                "bytes",
                4096,
                {{"bytes", 4096}, {"users", 8}},
                {{"cache", "direct"}},
                {},
                {},
                "a remark"};
  Random random(5, 0);
  for (int i = 0; i < 200; ++i) m.times.push_back(seconds(std::exp(-9.0 + 3.0 * random.normal())));
  m.times.push_back(seconds(0.1));
  m.times.push_back(seconds(0.0));
  m.times.push_back(seconds(1e-9));
  m.rounds = {200, 3};
  m.gpu = {{1, Frequency::of(1.38e9), Frequency::of(8.77e8), 251.5, 61, "power limit"}, {}};
  m.gpu.back().round = 2;
  set.measurements.push_back(m);
  set.measurements.push_back(
      {"x", "y", "z", 0.3333333333333333, {}, {}, {seconds(1.0 / 3.0)}, {}, ""});
  return set;
}

std::string refusal(std::string_view text) {
  try {
    parse_measurements(text, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

TEST_CASE("measurements: rounds of a series hold all of its samples, and are rounds of the file") {
  const auto file = [](const char* rounds, const char* counts) {
    return fmt::format(R"({{"kind": "measurements", "schema": 1, "rounds": {}, "measurements": [
      {{"probe": "a", "quantity": "b", "unit": "c", "work": 1, "times": [1, 2, 3],
       "rounds": {}}}]}})",
                       rounds, counts);
  };
  CHECK(refusal(file("[{}, {}]", "[1, 2]")) == "fine");
  CHECK(refusal(file("[{}, {}, {}]", "[0, 3]")) == "fine");
  CHECK(refusal(file("[{}, {}]", "[1, 1]")) ==
        "m.json:3: /measurements/0/rounds: expected numbers that add up to the 3 times, got 2");
  CHECK(
      refusal(file("[{}]", "[1, 2]")) ==
      "m.json:3: /measurements/0/rounds: expected no more than the rounds of the file (1), got 2");
  CHECK(refusal(file("[{}, {}]", "[1.5, 1.5]")).find("/measurements/0/rounds/0") !=
        std::string::npos);
}

TEST_CASE("measurements: every sample is read back as it was, bit by bit") {
  const MeasurementSet set = example();
  const std::string text = write_measurements(set);
  CHECK(parse_measurements(text, "m.json") == set);
  CHECK(write_measurements(parse_measurements(text, "m.json")) == text);
  const MeasurementSet nothing;
  CHECK(parse_measurements(write_measurements(nothing), "m.json") == nothing);
}

TEST_CASE("measurements: what is wrong is told with its place, all at once") {
  const std::string head = R"({"kind": "measurements", "schema": 1, )";
  CHECK(refusal("{}") ==
        "m.json:1: expected \"kind\": \"measurements\": this is no measurement file of feedrate");
  CHECK(refusal(R"({"kind": "measurements", "schema": 2})") ==
        "m.json:1: /schema: expected \"schema\": 1, got 2: made by another version of feedrate");
  CHECK(refusal("[1]") ==
        "m.json:1: expected an object, got a list: this is no measurement file of feedrate");
  CHECK(refusal(head + "\n\"mesurements\": []}") ==
        "m.json:2: /mesurements: expected a known key, got \"mesurements\" (did you mean "
        "\"measurements\"?)");
  CHECK(refusal(head + R"("measurements": [
{"probe": "disk", "quantity": "read", "unit": "bytes", "work": 0, "times": [1, -2, "3"]},
{"probe": "disk", "quantity": "read", "unit": "bytes", "work": 1, "times": []},
{"probe": "disk", "unit": "bytes", "work": 1, "times": [1], "at": {"bytes": "4 KB"},
 "how": {"cache": 3}}]})") ==
        "m.json:2: /measurements/0/work: expected a number above 0 and at most 1e18, got 0\n"
        "m.json:2: /measurements/0/times/1: expected a number from 0 to 3.6e8, got -2\n"
        "m.json:2: /measurements/0/times/2: expected a number from 0 to 3.6e8, got \"3\" (write it "
        "without quotes)\n"
        "m.json:3: /measurements/1/times: expected a list of numbers, got an empty list (nothing "
        "was timed)\n"
        "m.json:4: /measurements/2/at/bytes: expected a number from -1e18 to 1e18, got \"4 KB\"\n"
        "m.json:4: /measurements/2: expected the key \"quantity\", got an object without it\n"
        "m.json:5: /measurements/2/how/cache: expected a text, got 3");
  CHECK_THROWS_AS(read_measurements("/no/such/file.json"), InputError);
}

TEST_CASE("measurements: a file cut short or with a byte flipped is refused or read, never more") {
  MeasurementSet set = example();
  set.measurements[0].times.resize(5);
  const std::string text = write_measurements(set);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    refused += refusal(text.substr(0, i)) != "fine" ? 1 : 0;
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x15);
    refused += refusal(flipped) != "fine" ? 1 : 0;
  }
  CHECK(refused > text.size() / 3);
}

TEST_CASE("measurements: the manual explains every key") {
  const std::string manual = measurements_manual();
  const auto explained = [&](const auto& self, const Key& key) -> void {
    for (const Key& inner : key.keys) {
      INFO(inner.name);
      CHECK_FALSE(inner.manual.empty());
      CHECK(manual.find(std::string(inner.name) + " ") != std::string::npos);
      self(self, inner);
    }
  };
  explained(explained, measurements_root());
  const JsonPtr described = parse_json(measurements_json_schema(), "schema.json");
  CHECK(described->find("properties")->members.size() == measurements_root().keys.size());
}

}  // namespace
