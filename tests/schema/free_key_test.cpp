// `--free`: which keys may be unknown, where they are looked for, and how they are written.
#include "schema/scenario/free_key.hpp"

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"

using namespace feedrate;
using schema::FreeKey;

namespace {

FreeKey key(const std::string& text, const testing_resolve::Settings& settings = {}) {
  return schema::free_keys(testing_resolve::document_with(settings), text).at(0);
}

}  // namespace

TEST_CASE("free keys: known by their places, called by the names of operations") {
  CHECK(key("/preprocess/0/cpu").name == "/preprocess/decode/cpu");
  CHECK(key("/preprocess/decode/cpu").pointer == "/preprocess/0/cpu");
  CHECK(key("collate").pointer == "/loader/collate");
  // Two of one name are told by their places.
  const testing_resolve::Settings twins = {
      {"/preprocess", R"([{"operation": "a", "cpu": "1 ms"}, {"operation": "a", "cpu": "2 ms"}])"}};
  CHECK(key("/preprocess/1/cpu", twins).name == "/preprocess/1/cpu");
  CHECK(*key("/preprocess/1/cpu", twins).value == Approx(2e-3));
}

TEST_CASE("free keys: the value of the document, also where it stands for an object") {
  CHECK(*key("/preprocess/0/cpu").value == Approx(3e-3));
  CHECK(*key("/job/step/fixed", {{"/job/step", "300 ms"}}).value == Approx(0.3));
  CHECK(key("step", {{"/job/step", "300 ms"}}).pointer == "/job/step/fixed");
  CHECK_FALSE(key("/job/step/per_sample", {{"/job/step", "300 ms"}}).value);
  // A rate of samples is a time of each.
  CHECK(key("step", {{"/job/step", "250 images/s"}}).pointer == "/job/step/per_sample");
  CHECK(*key("/job/step/per_sample", {{"/job/step", "250 images/s"}}).value == Approx(4e-3));
  CHECK_FALSE(key("/job/step/fixed", {{"/job/step", "250 images/s"}}).value);
  const auto step = [](const std::string& object) {
    return key("step", {{"/job/step", object}}).pointer;
  };
  CHECK(step(R"({"per_sample": "3 ms"})") == "/job/step/per_sample");
  CHECK(step(R"({"per_sample": "3 ms", "gpu_memory": {"fixed": "2 GB"}})") ==
        "/job/step/per_sample");
  CHECK(step(R"({"fixed": "9 ms", "per_sample": "3 ms"})") == "/job/step/fixed");
  CHECK(step(R"({"cv": 0.1, "fixed": "9 ms"})") == "/job/step/fixed");
  CHECK_FALSE(key("collate").value);
  CHECK(*key("efficiency", {{"/job/efficiency", "0.8"}}).value == Approx(0.8));
}

TEST_CASE("free keys: shares from 0 to 1, quantities by factors around what the document says") {
  const FreeKey overlap = key("overlap");
  CHECK_FALSE(overlap.by_factors);
  CHECK(overlap.low == 0.0);
  CHECK(overlap.high == 1.0);
  const FreeKey cpu = key("/preprocess/0/cpu");
  CHECK(cpu.by_factors);
  CHECK(cpu.low == Approx(3e-6));
  CHECK(cpu.high == Approx(3.0));
  const FreeKey bandwidth = key("/disk/bandwidth");
  CHECK(bandwidth.low == Approx(1e6));
  CHECK(bandwidth.high == Approx(1e12));
  const FreeKey time = key("/loader/worker_startup");
  REQUIRE_FALSE(time.value);
  CHECK(time.low == Approx(1e-6));
  CHECK(time.high == Approx(24.0 * 60.0 * 60.0));
  const FreeKey stated = key("/disk/bandwidth=10 MB/s..2 GB/s");
  CHECK(stated.low == Approx(1e7));
  CHECK(stated.high == Approx(2e9));
}

TEST_CASE("free keys: all that a scenario may hold as a quantity or a share can be written") {
  int taken = 0;
  for (const std::string& name : schema::scenario_short_keys()) {
    FreeKey free;
    try {
      free = key(name);
    } catch (const InputError&) {
      continue;
    }
    ++taken;
    INFO(name);
    CHECK(free.low < free.high);
    CHECK((free.by_factors ? free.low > 0.0 : free.low >= 0.0));
    for (const double share : {0.1, 0.37, 0.9}) {
      const double value = free.by_factors ? free.low * std::pow(free.high / free.low, share)
                                           : free.low + share * (free.high - free.low);
      FreeKey reader = free;
      CHECK(*reader.read(free.text_of(value)) == Approx(value).epsilon(1e-12));
      CHECK(free.rounded(value, 5) == Approx(value).epsilon(1e-4));
    }
  }
  CHECK(taken > 25);
}

TEST_CASE(
    "free keys: without a unit of the document's, all ends of an interval are in a decimal one") {
  const FreeKey network = key("/cluster/network");
  REQUIRE(network.unit.empty());
  for (double value = 1.1e8; value < 0.9e9; value *= 1.0371) {
    const std::string text = network.text_of(network.rounded(value, 5));
    INFO(value << ": " << text);
    CHECK(text.ends_with(" MB/s"));
    CHECK(text.size() <= std::string("123.45 MB/s").size());
  }
}

TEST_CASE("free keys: numbers are written in the document's unit, with few digits") {
  const FreeKey cpu = key("/preprocess/0/cpu");
  CHECK(cpu.text_of(cpu.rounded(1.23456789e-4, 5)) == "0.12346 ms");
  CHECK(cpu.text_of(cpu.rounded(2.0, 3)) == "2000 ms");
}
