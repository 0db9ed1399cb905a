// What is told of inputs that changed.
#include "schema/scenario/input_groups.hpp"

#include <string>

#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

StoredInputs inputs(const std::string& purchase, const std::string& offers) {
  return {parse_json(R"({"cluster": {"purchase": ")" + purchase + "\"}}", "s"),
          parse_json(R"({"p4d.json": {"offers": [)" + offers + "]}}", "c"), nullptr};
}

std::string offer(const std::string& purchase, const std::string& price) {
  return R"({"instance": "p4d.24xlarge", "purchase": ")" + purchase + R"(", "price": ")" + price +
         "\"}";
}

}  // namespace

TEST_CASE("inputs that changed: the price of what is bought, not of offers beside it") {
  const StoredInputs before = inputs("on_demand", offer("on_demand", "21.96 USD/h"));
  const StoredInputs now =
      inputs("spot", offer("spot", "9.9 USD/h") + "," + offer("on_demand", "32.77 USD/h"));
  const auto changed = changes(before, now, now.scenario);
  const KeyChange* price = nullptr;
  for (const KeyChange& one : changed) {
    if (one.key.find("price") == std::string::npos) continue;
    REQUIRE(price == nullptr);
    price = &one;
  }
  REQUIRE(price != nullptr);
  CHECK(price->key == "pricing: offer of p4d.24xlarge price");
  CHECK(price->before == "21.96 USD/h");
  CHECK(price->after == "9.9 USD/h");
}
