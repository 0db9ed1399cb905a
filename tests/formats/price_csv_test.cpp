// Prices of one's own: what fields hold is what was written, however it had to be quoted.
#include <map>
#include <string>

#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "formats/prices/price_file.hpp"
#include "pipeline/generated.hpp"

using namespace feedrate;

TEST_CASE("price csv: quotes, commas and line ends in fields are what RFC 4180 says") {
  pipeline::Draws draws(671);
  const test::TemporaryFolder folder;
  const auto drawn = [&](double longest) {
    std::string field;
    for (double left = draws.whole(0.0, longest); left > 0.0; left -= 1.0) {
      field += R"(a"", )"
               "\n"[static_cast<std::size_t>(draws.whole(0.0, 5.0))];
    }
    return field;
  };
  const auto written = [&](const std::string& field) {
    if (field.find_first_of("\",\n") == std::string::npos && draws.chance(0.5)) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  };
  for (int i = 0; i < 100; ++i) {
    std::map<std::string, double> expected;
    const std::string line_end = draws.chance(0.5) ? "\r\n" : "\n";
    std::string text = "note,region,instance,price" + line_end;
    for (int row = 0; row < 8; ++row) {
      // Whole and once each, though what is drawn may be empty.
      const std::string region = std::to_string(row) + drawn(6.0);
      const double price = 1.0 + row;
      expected[region] = price;
      text += written(drawn(4.0)) + "," + written(region) + "," + written("x") + "," +
              written(std::to_string(price)) + (row < 7 || draws.chance(0.5) ? line_end : "");
    }
    INFO(text);
    const auto read = formats::read_price_csv(folder.write("prices.csv", text), "2026-11-30",
                                              [](const std::string& name) { return name; });
    std::map<std::string, double> found;
    for (const auto& one : read.prices) found[one.region] = one.price / usd_per_hour(1.0);
    CHECK(found == expected);
  }
}
