// `cases` as a user meets it.
#include <cmath>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"
#include "scenarios/shipped.hpp"
#include "schema/json/json_reader.hpp"
#include "seed.hpp"

using feedrate::schema::JsonKind;
using feedrate::schema::JsonPtr;
using feedrate::schema::JsonValue;
using testing_cli::Folder;
using testing_cli::has;
using testing_cli::Outcome;
using testing_cli::shell;

namespace {

double number_at(const JsonValue* object, const char* key) {
  return object->find(key)->number;
}

}  // namespace

TEST_CASE("cases: the JSON of every shipped scenario keeps its own schema, and CSV says the same") {
  const Folder folder;
  const std::string json = folder / "cases.json", own = folder / "own.json";
  REQUIRE(shell("feedrate schema cases --format json --output '" + own + "'").status == 0);
  std::string files;
  for (const std::string& name : feedrate::test::some_of(testing_scenarios::shipped(), 0)) {
    files += " scenarios/" + name;
  }
  const Outcome made = shell("feedrate cases" + files + " --format json --output '" + json +
                             "'; feedrate cases" + files + " --format csv");
  const Outcome held =
      shell("python3 tests/schema/published/validate.py '" + own + "' '" + json + "'");
  INFO(held.err);
  CHECK(held.status == 0);
  const JsonPtr root = feedrate::schema::parse_json(testing_cli::slurp(json), json);
  CHECK(root->find("kind")->text == "cases");
  std::size_t cases = 0, predictions = 0, right = 0;
  for (const JsonPtr& scenario : root->find("scenarios")->items) {
    for (const JsonPtr& one : scenario->find("cases")->items) {
      ++cases;
      INFO(one->find("name")->text);
      const std::string kind = one->find("error_is")->text;
      const JsonValue* const error = one->find("error");
      if (kind == "relative" && error->kind == JsonKind::number) {
        const double measured = number_at(one.get(), "measured");
        CHECK(std::abs(number_at(one.get(), "error") -
                       (number_at(one.get(), "predicted") / measured - 1.0)) <=
              1e-12 * (1.0 + std::abs(number_at(one.get(), "error"))));
      }
    }
    predictions += static_cast<std::size_t>(number_at(scenario->find("summary"), "predictions"));
    right += static_cast<std::size_t>(number_at(scenario->find("summary"), "bottlenecks_right"));
  }
  CHECK(cases > 0);
  // The whole is its parts.
  CHECK(number_at(root->find("summary"), "predictions") == static_cast<double>(predictions));
  CHECK(number_at(root->find("summary"), "bottlenecks_right") == static_cast<double>(right));
  std::size_t rows = 0;
  std::istringstream lines(made.out);
  for (std::string line; std::getline(lines, line);) ++rows;
  CHECK(rows == cases + 1);
}

TEST_CASE("cases: one that cannot be simulated is told by its name, and the others are judged") {
  const Folder folder;
  const auto scenario = [](const std::string& cases, const std::string& instance) {
    return R"({"schema": 1, "name": "a", "dataset": {"samples": 100000, "bytes_per_sample": "100 kB"},
    "source": {"service": "local"}, "cluster": {"instance": ")" +
           instance + R"("},
    "loader": {"batch_size": 100}, "job": {"epochs": 2, "step": "100 ms"},
    "cases": [)" +
           cases + "]}";
  };
  const std::string c5 = R"(
    {"name": "on c5", "set": {"instance": "c5.xlarge"}, "metric": "epoch_s", "measured": 100})";
  const std::string fine = R"({"name": "fine", "metric": "epoch_s", "measured": 100})";
  const std::string a = folder.write("a.json", scenario(c5 + ",\n" + fine, "g5.2xlarge"));
  const std::string b = folder.write("b.json", scenario(fine, "g5.2xlarge"));
  const std::string none = folder.write("none.json", scenario(fine, "c5.xlarge"));
  const std::string told =
      "a.json:5: /cases/0/set: the case \"on c5\" cannot be simulated: /cluster/gpus_per_instance: "
      "c5.xlarge has no GPU in the catalogue";
  const auto names = [](const Outcome& outcome) {
    std::string all;
    const JsonPtr root = feedrate::schema::parse_json(outcome.out, "");
    for (const JsonPtr& of : root->find("scenarios")->items) {
      for (const JsonPtr& one : of->find("cases")->items) all += one->find("name")->text + ";";
    }
    return all;
  };
  const Outcome some = shell("feedrate cases '" + a + "' '" + b + "' '" + none + "' -f json");
  INFO(some.out << some.err);
  CHECK(some.status == 2);
  CHECK(has(some.err, told));
  CHECK(has(some.err, "none.json:2: /cluster/gpus_per_instance: c5.xlarge has no GPU"));
  CHECK(names(some) == "fine;fine;");
  const JsonPtr root = feedrate::schema::parse_json(some.out, "");
  const auto& scenarios = root->find("scenarios")->items;
  REQUIRE(scenarios.size() == 3);
  const auto refused = [&](std::size_t i) { return scenarios.at(i)->find("refused"); };
  REQUIRE(refused(0)->items.size() == 1);
  CHECK(refused(0)->items[0]->find("name")->text == "on c5");
  const JsonValue& problem = *refused(0)->items[0]->find("problems")->items.at(0);
  CHECK(problem.find("key")->text == "/cases/0/set");
  CHECK(number_at(&problem, "line") == 5.0);
  CHECK(has(problem.find("message")->text, "c5.xlarge has no GPU in the catalogue"));
  CHECK(refused(1)->items.empty());
  REQUIRE(refused(2)->items.size() == 1);
  CHECK(scenarios[2]->find("cases")->items.empty());
  const Outcome text = shell("feedrate cases '" + a + "'");
  CHECK(text.status == 2);
  CHECK(has(text.out, "fine"));
  CHECK(has(text.out, "1 case cannot be simulated and is not counted: \"on c5\"."));
  CHECK(has(text.err, told));
  const Outcome alone =
      shell("feedrate cases '" + folder.write("a.json", scenario(c5, "g5.2xlarge")) + "'");
  CHECK(alone.status == 2);
  CHECK(alone.out.empty());
  CHECK(has(alone.err, told));
}

TEST_CASE(
    "cases: a case that waits for its measurement is null in JSON, and the status is as ever") {
  const Folder folder;
  const std::string file = folder.write("a.json", R"({
    "schema": 1, "name": "a", "dataset": {"samples": 100000, "bytes_per_sample": "100 kB"},
    "source": {"service": "local"},
    "cluster": {"instance": "g5.2xlarge"},
    "loader": {"batch_size": 100}, "job": {"epochs": 2, "step": "100 ms"},
    "cases": [{"name": "promise", "metric": "epoch_s", "promised": 100},
              {"name": "off", "metric": "epoch_s", "measured": 1, "tolerance": "10%"}]})");
  const Outcome text = shell("feedrate cases '" + file + "'");
  const Outcome json = shell("feedrate cases '" + file + "' --format json");
  INFO(json.out << json.err << text.err);
  CHECK(text.status == 1);
  CHECK(json.status == 1);
  const JsonPtr root = feedrate::schema::parse_json(json.out, "cases");
  const JsonValue* const cases = root->find("scenarios")->items.at(0)->find("cases");
  CHECK(cases->items.at(0)->find("measured")->kind == JsonKind::null);
  CHECK(cases->items.at(0)->find("error")->kind == JsonKind::null);
  CHECK(number_at(cases->items.at(0).get(), "promised") == 100.0);
  CHECK_FALSE(cases->items.at(1)->find("within")->boolean);
  CHECK(number_at(root->find("summary"), "awaited") == 1.0);
}
