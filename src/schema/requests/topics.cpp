#include "schema/requests/topics.hpp"

#include <algorithm>
#include <array>

#include "schema/catalog/catalog_list.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/baseline.hpp"
#include "schema/documents/documents.hpp"
#include "schema/documents/exported.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/measurements.hpp"
#include "schema/documents/observation.hpp"
#include "schema/documents/result.hpp"
#include "schema/documents/sweep_share.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/requests/request.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {
namespace {

constexpr std::array topics = {
    Topic{
        .name = "scenario", .own_manual = scenario_manual, .own_json_schema = scenario_json_schema},
    Topic{.name = "host", .own_manual = host_manual, .own_json_schema = host_json_schema},
    Topic{.name = "measurements",
          .own_manual = measurements_manual,
          .own_json_schema = measurements_json_schema},
    Topic{.name = "pricing", .own_manual = pricing_manual, .own_json_schema = pricing_json_schema},
    Topic{
        .name = "baseline", .own_manual = baseline_manual, .own_json_schema = baseline_json_schema},
    Topic{.name = "request", .own_manual = request_manual, .own_json_schema = request_json_schema},
    Topic{.name = "result", .document = &result_document, .beside = nameable_figures},
    Topic{.name = "sweep", .document = &sweep_document},
    Topic{.name = "comparison", .document = &comparison_document},
    Topic{.name = "search", .document = &search_document},
    Topic{.name = "error", .document = &error_document},
    Topic{.name = "check", .document = &verdict_document},
    Topic{.name = "advice", .document = &advice_document},
    Topic{.name = "diagnosis", .document = &diagnosis_document},
    Topic{.name = "observation",
          .own_manual = observation_manual,
          .own_json_schema = observation_json_schema},
    Topic{.name = "optimum", .document = &optimum_document},
    Topic{.name = "cases", .document = &cases_document},
    Topic{.name = "validation", .document = &validation_document},
    Topic{.name = "fit", .document = &fit_document},
    Topic{.name = "scale", .document = &scale_document},
    Topic{.name = "catalog", .document = &catalog_list_document},
    Topic{.name = "showback", .document = &showback_document},
    Topic{.name = "share",
          .own_manual = share_manual,
          .no_json_schema = "it is no JSON document, but lines for feedrate merge alone, each "
                            "behind a fingerprint; what programs read is what feedrate merge "
                            "--format json writes, of which feedrate schema sweep --format json "
                            "is the schema"},
};

}  // namespace

std::string Topic::manual() const {
  if (document == nullptr) return own_manual();
  return document_manual(*document) + (beside != nullptr ? beside() : "");
}

std::optional<std::string> Topic::json_schema() const {
  if (document != nullptr) return document_json_schema(*document);
  return own_json_schema != nullptr ? std::optional(own_json_schema()) : std::nullopt;
}

std::span<const Topic> all_topics() {
  return topics;
}

const Topic* find_topic(std::string_view name) {
  const auto* const found = std::find_if(topics.begin(), topics.end(),
                                         [&](const Topic& topic) { return topic.name == name; });
  return found == topics.end() ? nullptr : found;
}

}  // namespace feedrate::schema
