#include "schema/topics.hpp"

#include <algorithm>
#include <array>

#include "schema/advice.hpp"
#include "schema/cases.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/diagnosis.hpp"
#include "schema/exported.hpp"
#include "schema/host.hpp"
#include "schema/measurements.hpp"
#include "schema/observation.hpp"
#include "schema/optimum.hpp"
#include "schema/request.hpp"
#include "schema/result.hpp"
#include "schema/scale.hpp"
#include "schema/scenario.hpp"
#include "schema/showback.hpp"
#include "schema/sweep_share.hpp"
#include "schema/verdict.hpp"

namespace feedrate::schema {
namespace {

constexpr std::array topics = {
    Topic{"scenario", scenario_manual, scenario_json_schema},
    Topic{"host", host_manual, host_json_schema},
    Topic{"measurements", measurements_manual, measurements_json_schema},
    Topic{"pricing", pricing_manual, nullptr},
    Topic{"request", request_manual, request_json_schema},
    Topic{"result", result_manual, result_json_schema},
    Topic{"check", verdict_manual, verdict_json_schema},
    Topic{"advice", advice_manual, advice_json_schema},
    Topic{"diagnosis", diagnosis_manual, diagnosis_json_schema},
    Topic{"observation", observation_manual, observation_json_schema},
    Topic{"optimum", optimum_manual, optimum_json_schema},
    Topic{"cases", cases_manual, cases_json_schema},
    Topic{"scale", scale_manual, scale_json_schema},
    Topic{"showback", showback_manual, showback_json_schema},
    Topic{"figures", figures_manual, figures_json_schema},
    Topic{"share", share_manual, nullptr},
};

}  // namespace

std::span<const Topic> all_topics() {
  return topics;
}

const Topic* find_topic(std::string_view name) {
  const auto* const found = std::find_if(topics.begin(), topics.end(),
                                         [&](const Topic& topic) { return topic.name == name; });
  return found == topics.end() ? nullptr : found;
}

}  // namespace feedrate::schema
