// The manuals and JSON Schemas: complete, aligned, and true.
#include "schema/record/manual.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/unit_text.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/host_keys.hpp"
#include "schema/documents/result.hpp"
#include "schema/documents/result_record.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/requests/request.hpp"
#include "schema/requests/topics.hpp"
#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_keys.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void every_key_is_explained(const Key& key, const std::string& manual) {
  for (const Key& inner : key.keys) {
    INFO(inner.name);
    CHECK_FALSE(inner.manual.empty());
    CHECK(manual.find(std::string(inner.name) + " ") != std::string::npos);
    every_key_is_explained(inner, manual);
  }
}

void examples_are_quantities(const Key& key) {
  for (const Key& inner : key.keys) {
    if (inner.kind == KeyKind::quantity) {
      INFO(inner.name << " " << inner.hint.example);
      const ParsedQuantity parsed = parse_quantity(inner.hint.example, inner.dimension);
      CHECK(parsed.ok());
      CHECK(inner.limits.given());
      CHECK(parsed.base >= inner.limits.low);
      CHECK(parsed.base <= inner.limits.high);
    }
    examples_are_quantities(inner);
  }
}

void fits_the_page(const std::string& manual) {
  std::istringstream lines(manual);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(columns(line) <= 100);
    CHECK((line.empty() || line.back() != ' '));
  }
}

TEST_CASE("manual: every key is explained within 100 columns, every example is accepted") {
  every_key_is_explained(scenario_root(), scenario_manual());
  every_key_is_explained(host_root(), host_manual());
  examples_are_quantities(scenario_root());
  examples_are_quantities(host_root());
  for (const Topic& topic : all_topics()) {
    INFO(topic.name);
    fits_the_page(topic.manual());
  }
}

TEST_CASE("manual: the scenario of ten lines that it shows can be read") {
  const std::string manual = scenario_manual();
  const std::size_t start = manual.find("  {\n");
  const std::size_t end = manual.find("\n  }\n", start);
  REQUIRE(end != std::string::npos);
  const std::string example = manual.substr(start, end + 4 - start);
  const Scenario scenario = read_scenario(parse_document(example, "example.json"));
  CHECK(scenario.cluster.instances == 8.0);
}

/// Every "properties" of a JSON Schema against the keys.
void same_properties(const JsonValue& schema, const Key& key) {
  const JsonValue* properties = schema.find("properties");
  REQUIRE(properties != nullptr);
  REQUIRE(properties->members.size() == key.keys.size());
  for (std::size_t i = 0; i < key.keys.size(); ++i) {
    const Key& inner = key.keys[i];
    INFO(inner.name);
    CHECK(properties->members[i].key == inner.name);
    const JsonValue& described = *properties->members[i].value;
    CHECK(described.find("description") != nullptr);
    if (inner.kind == KeyKind::object) same_properties(described, inner);
    if (inner.kind == KeyKind::objects) same_properties(*described.find("items"), inner);
  }
}

TEST_CASE("JSON Schema: well formed, with exactly the keys of the reader") {
  const JsonPtr scenario = parse_json(scenario_json_schema(), "scenario.schema.json");
  CHECK(scenario->find("$schema")->text == "https://json-schema.org/draft/2020-12/schema");
  same_properties(*scenario, scenario_root());
  const JsonPtr host = parse_json(host_json_schema(), "host.schema.json");
  CHECK(host->find("properties")->members.size() == host_root().keys.size());
}

TEST_CASE("keys: no object has a name twice, every word list is non-empty") {
  const auto check = [](const auto& self, const Key& key) -> void {
    std::set<std::string_view> names;
    for (const Key& inner : key.keys) {
      INFO(inner.name);
      CHECK(names.insert(inner.name).second);
      CHECK((inner.kind != KeyKind::word || !inner.words.empty()));
      CHECK(key.keys.size() <= 64);  // the reader marks the keys it has seen in 64 bits
      self(self, inner);
    }
  };
  check(check, scenario_root());
  check(check, host_root());
}

}  // namespace
