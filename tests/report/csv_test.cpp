#include "report/csv.hpp"

#include <algorithm>
#include <sstream>

#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line + ",");
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string value(const std::string& csv, const std::string& column, std::size_t row = 1) {
  const auto header = split(lines(csv).at(0));
  const auto at = std::find(header.begin(), header.end(), column);
  REQUIRE(at != header.end());
  return split(lines(csv).at(row)).at(static_cast<std::size_t>(at - header.begin()));
}

}  // namespace

TEST_CASE("csv: commas and quotes are quoted, a row is one line") {
  CHECK(to_csv(Rows{{"a", "b,c"}, {"say \"x\"", "two\nlines"}}) ==
        "a,\"b,c\"\n\"say \"\"x\"\"\",two?lines\n");
}

TEST_CASE("csv: a text that a spreadsheet would run is disarmed, a number is not") {
  CHECK(to_csv(Rows{{"=1+2", "@x", "+cmd", "-x", "-1.5", "+3", "-1e-5", "  =x", "＝x", "-inf"}}) ==
        "'=1+2,'@x,'+cmd,'-x,-1.5,+3,-1e-5,'  =x,'＝x,'-inf\n");
  CHECK(to_csv(Rows{{"\t=x", "\r=x"}}) == "?=x,?=x\n");
  CHECK(to_csv(Rows{{"=HYPERLINK(\"a\",\"b\")"}}) == "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"\n");
}

TEST_CASE("csv: a result has every digit, and nothing where nothing applies") {
  NamedResult named{"x", "x.json", {}};
  named.result.times.total = seconds(1.0 / 3.0);
  named.result.stages[Stage::decode].utilization = 0.25;
  named.result.bottleneck.stage = Stage::decode;
  const std::string csv = results_csv({&named, 1});
  CHECK(value(csv, "total_s") == "0.3333333333333333");
  CHECK(value(csv, "efficiency").empty());
  CHECK(value(csv, "bottleneck") == "decode");
  CHECK(value(csv, "decode.utilization") == "0.25");
  CHECK(value(csv, "decode.capacity_samples_per_s").empty());
  CHECK(value(csv, "total_s.p50").empty());
}

TEST_CASE("csv: every row has the header's width and no column comes twice") {
  Sweep sweep;
  for (const char* n : {"1", "2"}) sweep.points.push_back({{{"instances", n}}, {}});
  sweep.pareto = {1};
  sweep.fastest = 1;
  const std::string csv = sweep_csv(sweep);
  const auto rows = lines(csv);
  REQUIRE(rows.size() == 3);
  auto header = split(rows[0]);
  for (const std::string& row : rows) CHECK(split(row).size() == header.size());
  std::sort(header.begin(), header.end());
  CHECK(std::adjacent_find(header.begin(), header.end()) == header.end());
  CHECK(value(csv, "set.instances", 2) == "2");
  CHECK(value(csv, "fastest", 2) == "1");
  CHECK(value(csv, "pareto", 1) == "0");
  CHECK(value(csv, "problem", 1).empty());
}

TEST_CASE("csv: a point without a result has its problem and nothing else") {
  Sweep sweep;
  for (const char* n : {"1", "2"}) sweep.points.push_back({{{"instances", n}}, {}});
  sweep.points[0].problems = {{"", 0, "/a", "no price", "no price"}, {"", 0, "", "too large"}};
  sweep.pareto = {1};
  sweep.fastest = sweep.cheapest = 1;
  const std::string csv = sweep_csv(sweep);
  CHECK(value(csv, "problem", 1) == "/a: no price; too large");
  const auto rows = lines(csv);
  REQUIRE(rows.size() == 3);
  const auto header = split(rows[0]);
  const auto row = split(rows[1]);
  REQUIRE(row.size() == header.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    INFO(header[i]);
    if (header[i] == "set.instances" || header[i] == "problem") continue;
    const bool mark = header[i] == "fastest" || header[i] == "cheapest" || header[i] == "pareto";
    CHECK(row[i] == (mark ? "0" : ""));
  }
}
