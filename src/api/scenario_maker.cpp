#include "api/scenario_maker.hpp"

#include <algorithm>
#include <utility>

#include "api/inputs.hpp"
#include "base/errors.hpp"
#include "schema/scenario/prepared_setting.hpp"

namespace feedrate::api {

schema::Document without_cases(const schema::Document& document) {
  auto root = std::make_shared<schema::JsonValue>(*document.root());
  std::erase_if(root->members,
                [](const schema::JsonMember& member) { return member.key == "cases"; });
  schema::Document lean = document;
  lean.replace_root(std::move(root));
  return lean;
}

Scenario without_prose(Scenario scenario) {
  // What was fitted decides which error of the model is drawn.
  About kept;
  kept.fitted = std::move(scenario.about.fitted);
  if (scenario.about.study) kept.study.emplace().known = scenario.about.study->known;
  scenario.description.clear();
  scenario.about = std::move(kept);
  scenario.cases.clear();
  scenario.thresholds.clear();
  return scenario;
}

ScenarioMaker::ScenarioMaker(schema::Document document, std::string flag)
    : document_(std::move(document)),
      flag_(std::move(flag)),
      scenario_(scenario_of(document_)),
      lean_(without_cases(document_)) {
  variants_.emplace(lean_, without_prose(scenario_));
}

schema::Document ScenarioMaker::document_with(const study::Setting& set) const {
  schema::Document changed = document_;
  for (const auto& [key, value] : set) schema::set_value(changed, key, value, flag_);
  return changed;
}

Scenario ScenarioMaker::operator()(const study::Setting& set) const {
  try {
    schema::Document changed = lean_;
    for (const auto& [key, value] : set) schema::set_value(changed, key, value, flag_);
    std::optional<Scenario> quick = variants_->read(changed);
    // What has to be fitted again takes the long way.
    if (quick && (!quick->job.scaling || quick->job.scaling_fit)) return *std::move(quick);
  } catch (const InputError&) {
    // Told below, with all that is wrong.
  }
  return scenario_of(document_with(set));
}

}  // namespace feedrate::api
