// The short forms of advise, scale and diagnose: their figures are those of the JSON, what they
// leave out is counted, and --full prints it. That of run: tests/report/run_brief_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/numbers.hpp"
#include "schema/json/json_reader.hpp"
#include "seed.hpp"

using namespace testing_cli;
using namespace feedrate;
using schema::JsonValue;

namespace {

const std::vector<std::string> jobs = {
    "scenarios/caltech256_p3.json --set num_workers=1", "scenarios/hyundai_p3_16xlarge.json",
    "scenarios/s3dataset_stream.json", "scenarios/dali_threads.json",
    "scenarios/small_files_s3.json"};

std::shared_ptr<const JsonValue> json_of(const std::string& command) {
  const Outcome outcome = shell("feedrate " + command + " --format json");
  INFO(command << outcome.err);
  REQUIRE(outcome.status == 0);
  return schema::parse_json(outcome.out, command);
}

/// In one line: where it is broken does not matter.
std::string flat(const std::string& command) {
  const Outcome outcome = shell("feedrate " + command + " | tr -s ' \n' ' '");
  CHECK(outcome.err.empty());
  return outcome.out;
}

std::size_t lines_of(const std::string& command) {
  const std::string out = shell("feedrate " + command).out;
  return static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
}

double number(const JsonValue& of, const char* key) {
  const JsonValue* const value = of.find(key);
  REQUIRE(value != nullptr);
  return value->number;
}

/// 3 of ", 3 not simulated"; 0 where there is no such part.
std::size_t counted_as(const std::string& text, const std::string& what) {
  std::smatch found;
  const std::regex part(" ([0-9]+) " + what);
  return std::regex_search(text, found, part) ? std::stoul(found[1]) : 0;
}

}  // namespace

TEST_CASE(
    "advise: its short form has the first remedies as the JSON has them, and counts the others") {
  for (const std::string& job : test::some_of(jobs, 0)) {
    const std::string command = "advise " + job;
    INFO(job);
    const std::string text = flat(command);
    INFO(text);
    const auto advice = json_of(command);
    std::map<std::string, std::size_t> standing;
    std::size_t lucky = 0, advised = 0, beyond = 0;
    double most_of_first = 0.0;
    for (const auto& row : advice->find("remedies")->items) {
      const std::string of = row->find("standing")->text;
      const JsonValue* const pays = row->find("pays");
      if (of == "advised" && pays->kind == schema::JsonKind::number && pays->number < 0.5) {
        ++lucky;
        continue;
      }
      const bool first = of == "advised" && ++advised <= 5;
      const std::string says =
          fmt::format(" {:.0f} {} (", number(*row, "number"), row->find("change")->text);
      const bool shown = (of == "advised" || of == "later") && has(text, says);
      if (first) CHECK(shown);
      if (!shown) {
        ++standing[of];
        continue;
      }
      // Beyond the first, what saves most or far more stays in sight.
      const double saved = number(*row, "saved_usd");
      if (first) most_of_first = std::max(most_of_first, saved);
      if (!first) CHECK(saved >= most_of_first);
      beyond += first ? 0 : 1;
      const JsonValue& after = *row->find("after");
      const std::size_t from = text.find(says) + says.size();
      CHECK(has(text.substr(from, 200), report::duration(seconds(number(after, "total_s")))));
    }
    const std::size_t told = text.rfind(" others ", text.find("`--full`"));
    const std::string others = told == std::string::npos ? "" : text.substr(told);
    CHECK(beyond <= 2);
    CHECK(counted_as(others, "more") == standing["advised"]);
    CHECK(counted_as(others, "saving in less than half of the draws") == lucky);
    CHECK(counted_as(others, "for later rungs") == standing["later"]);
    CHECK(counted_as(others, "without effect") == standing["no_help"]);
    CHECK(counted_as(others, "costing more") + counted_as(others, "taking longer") ==
          standing["costs_more"]);
    CHECK(counted_as(others, "cheaper but slower") == standing["takes_longer"]);
    CHECK(counted_as(others, "not possible") == standing["impossible"]);
    CHECK(counted_as(others, "not simulated") == standing["not_simulated"]);
    CHECK(lines_of(command) <= 26);
    const std::string full = shell("feedrate " + command + " --full").out;
    CHECK(has(full, "\nLadder\n"));
    CHECK(has(full, "\nRemedies\n") == (advised > 0));
    CHECK(has(full, "\nFor and against\n") == (advised + lucky > 0));
    CHECK(has(full, "\nNot simulated\n") == (standing["not_simulated"] > 0));
  }
}

TEST_CASE("scale: its short form has time and cost of what is recommended, and rows of the JSON") {
  for (const std::string& job : test::some_of(jobs, 1)) {
    const std::string command = "scale " + job + " --to 64";
    INFO(job);
    const std::string text = shell("feedrate " + command).out;
    INFO(text);
    const auto scaling = json_of(command);
    const JsonValue& recommended = *scaling->find("recommended");
    const auto beside = [&](const std::string& label, const std::string& value) {
      return has(text, "\n  " + label + "     " + value + " (") ||
             has(text, "\n  " + label + "     " + value + "\n") ||
             has(text, "\n  " + label + "   " + value);
    };
    CHECK(beside("time", report::duration(seconds(number(recommended, "total_s")))));
    CHECK(beside("cost", report::money(usd(number(recommended, "money_usd")))));
    std::size_t shown = 0;
    for (const auto& row : scaling->find("curves")->items.front()->find("rows")->items) {
      const double n = number(*row, "instances");
      for (const char* const mark : {"  ", "▶ "}) {
        const std::size_t at = text.find(fmt::format("\n{}{:>9}  ", mark, report::count(n)));
        if (at == std::string::npos) continue;
        ++shown;
        const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        CHECK(has(line, report::duration(seconds(number(*row, "total_s")))));
        CHECK(has(line, report::money(usd(number(*row, "money_usd")))));
      }
    }
    CHECK(shown >= 5);
    CHECK(shown <= 12);
    const std::string full = shell("feedrate " + command + " --full").out;
    CHECK(has(full, "lost to"));
    CHECK(has(full, "\nEfficiency: T(1)/(N·T(N))"));
    CHECK(has(full, "\nRemarks\n") == has(text, "`--full` lists"));
  }
}

TEST_CASE("diagnose: its short form counts the rules that it does not print") {
  for (const std::string& monitors :
       {std::string("--gpu 35 --cpu 13"), std::string("--gpu 35 --cpu 90 --disk 20"),
        std::string("--gpu 80 --cpu 50 --disk 50 --network 50"),
        std::string("--gpu 35 scenarios/caltech256_p3.json")}) {
    const std::string command = "diagnose " + monitors;
    const std::string text = flat(command);
    INFO(text);
    std::map<std::string, std::size_t> verdicts;
    std::size_t all = 0;
    const auto diagnosis = json_of(command);
    for (const auto& rule : diagnosis->find("rules")->items) {
      ++verdicts[rule->find("verdict")->text];
      ++all;
    }
    CHECK(has(text, fmt::format("Of {} rules, {} do not fit", all, verdicts["does not fit"])));
    CHECK(has(text, fmt::format("and {} could not be judged", verdicts["not known"])));
    if (const auto so_far = verdicts["fits so far"]; so_far > 0) {
      CHECK(has(text, fmt::format("{} as far as seen",
                                  so_far == 1 ? "1 fits" : fmt::format("{} fit", so_far))));
    }
    const std::string full = shell("feedrate " + command + " --full").out;
    CHECK(has(full, "\nRules\n"));
    CHECK(has(full, "\nThresholds\n"));
    CHECK_FALSE(has(text, "Thresholds"));
  }
}
