// Presets: whole scenarios, each guess with its range, its source and its date.
#include "schema/scenario/presets.hpp"

#include "base/unit_text.hpp"
#include "catch.hpp"
#include "model/scenario.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

Scenario with(const schema::Preset& preset, const std::string& key, const std::string& value) {
  schema::Document document = preset.document;
  schema::set_value(document, key, value);
  return schema::read_scenario(document);
}

double seconds(const Scenario& scenario) {
  return study::run(scenario, testing_resolve::catalog(), nullptr).times.total.base();
}

}  // namespace

TEST_CASE("presets: each is a scenario that runs, at both ends of each of its ranges") {
  CHECK(schema::preset_names().size() == 7);
  for (const std::string_view name : schema::preset_names()) {
    const schema::Preset preset = schema::read_preset(name);
    INFO(name);
    CHECK_FALSE(preset.title.empty());
    CHECK(preset.ranges.size() >= 3);
    const double stated = seconds(schema::read_scenario(preset.document));
    CHECK(stated > 0.0);
    for (const schema::PresetRange& range : preset.ranges) {
      INFO(range.key);
      CHECK_FALSE(range.value.empty());
      // A guess at its low end never makes a longer job, at its high end never a shorter one.
      CHECK(seconds(with(preset, range.key, range.low)) <= stated * 1.001);
      CHECK(seconds(with(preset, range.key, range.high)) >= stated * 0.999);
    }
  }
}

TEST_CASE("presets: every CPU cost and every step has a range, a source and a date") {
  for (const std::string_view name : schema::preset_names()) {
    const schema::Preset preset = schema::read_preset(name);
    const Scenario scenario = schema::read_scenario(preset.document);
    INFO(name);
    const auto ranged = [&](const std::string& key) {
      for (const schema::PresetRange& range : preset.ranges) {
        if (range.key == key) return true;
      }
      return false;
    };
    for (const Operation& operation : scenario.preprocess) {
      CHECK(ranged("/preprocess/" + operation.operation + "/cpu"));
    }
    REQUIRE(scenario.job.step);
    if (scenario.job.step->per_sample) CHECK(ranged("/job/step/per_sample"));
    if (scenario.job.step->fixed) CHECK(ranged("/job/step/fixed"));
    for (const schema::PresetRange& range : preset.ranges) {
      INFO(range.key);
      CHECK(range.source.size() > 20);
      CHECK(range.date.substr(0, 2) == "20");
      CHECK(range.low != range.high);
    }
    // Costs of nobody's known machine say so.
    if (!scenario.preprocess.empty()) CHECK(scenario.measured_on.cpu_times == unknown_machine);
  }
}

TEST_CASE("presets: a misspelt name gets a suggestion, a setting is read as it stands") {
  try {
    schema::read_preset("image-jpg");
    FAIL("there is no such preset");
  } catch (const InputError& error) {
    CHECK(error.problems().front().message.find("did you mean \"image-jpeg\"") !=
          std::string::npos);
  }
  const schema::Preset preset = schema::read_preset("tokens");
  CHECK(schema::setting_at(preset.document, "num_workers") == "2");
  CHECK(schema::setting_at(preset.document, "/preprocess/slice_and_pad/cpu") == "30 us");
  CHECK(schema::setting_at(preset.document, "/preprocess/0/cpu") == "30 us");
  CHECK(schema::setting_at(preset.document, "/disk/bandwidth").empty());
  CHECK_THROWS_AS(schema::setting_at(preset.document, "no_such_key"), InputError);
}
