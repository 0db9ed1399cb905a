// One shape: what run prints of a scenario is what sweep and compare print of it, to the byte.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"
#include "scenarios/shipped.hpp"
#include "schema/json/json_reader.hpp"
#include "seed.hpp"

using namespace testing_cli;
using feedrate::schema::JsonValue;

namespace {

/// The value of a key as it is printed, wherever it stands: without the indent of its line.
std::string printed(const std::string& json, const std::string& key, std::size_t from) {
  const std::size_t begin = json.find("\"" + key + "\": ", from);
  REQUIRE(begin != std::string::npos);
  const std::size_t line = json.rfind('\n', begin) + 1;
  const std::size_t indent = json.find_first_not_of(' ', line) - line;
  std::string flat;
  for (std::size_t at = begin; at < json.size();) {
    const std::size_t end = std::min(json.find('\n', at), json.size());
    flat += json.substr(at, end - at) + "\n";
    if (end + 1 >= json.size()) break;
    const std::size_t next = json.find_first_not_of(' ', end + 1);
    // Deeper lines and the closing bracket belong to it.
    if (next - end - 1 < indent || (next - end - 1 == indent && json[next] == '"')) break;
    at = end + 1 + indent;
  }
  while (!flat.empty() && (flat.back() == '\n' || flat.back() == ',')) flat.pop_back();
  return flat;
}

std::string json_of(const std::string& command) {
  const Outcome outcome = shell(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

std::vector<std::string> shipped(std::size_t first) {
  std::vector<std::string> files;
  for (const std::string& name : feedrate::test::some_of(testing_scenarios::shipped(), first)) {
    files.push_back(FEEDRATE_SOURCE_DIR "/scenarios/" + name);
  }
  return files;
}

}  // namespace

TEST_CASE("law: a sweep of one point is a run of its setting, to the byte") {
  for (const std::string& file : shipped(0)) {
    INFO(file);
    for (const std::string value : {"1", "2"}) {
      // Sweeps draw nothing unless told to.
      const std::string draws = " --replications 5 --seed 3";
      const Outcome asked =
          shell("feedrate run '" + file + "' --set epochs=" + value + draws + " --format json");
      if (asked.status != 0) continue;  // of a scenario whose job is counted in steps
      const std::string sweep =
          json_of("feedrate sweep '" + file + "' --vary epochs=" + value + draws);
      const std::string run = asked.out;
      CHECK(printed(sweep, "scenario", sweep.find("\"points\"")) == printed(run, "scenario", 0));
      CHECK(printed(sweep, "set", 0) == printed(run, "set", 0));
      // A run also weighs its inputs and tries other workers, which a sweep does not.
      const auto figures = [](const std::string& json) {
        const auto root = feedrate::schema::parse_json(json, "x");
        const JsonValue* const points = root->find("points");
        const JsonValue& of = points != nullptr ? *points->items.front() : *root;
        std::string text;
        for (const auto& member : of.find("result")->members) {
          text += member.key + "\n";
          for (const char* same : {"time", "cost", "stages", "bands", "interruptions", "monitors",
                                   "efficiency_losses", "communication", "shared_limit"}) {
            if (member.key == same) text += printed(json, same, json.find("\"result\"")) + "\n";
          }
          text += member.value->text + "\n";
        }
        return text;
      };
      CHECK(figures(sweep) == figures(run));
    }
  }
}

TEST_CASE("law: what compare prints of each scenario is what run prints of it, to the byte") {
  const std::vector<std::string> files = shipped(1);
  for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
    INFO(files[i] << " " << files[i + 1]);
    const std::string both = json_of("feedrate compare '" + files[i] + "' '" + files[i + 1] + "'");
    std::size_t at = both.find("\"points\"");
    REQUIRE(at != std::string::npos);
    for (const std::string& file : {files[i], files[i + 1]}) {
      const std::string run = json_of("feedrate run '" + file + "'");
      for (const char* key : {"scenario", "set", "result"}) {
        CHECK(printed(both, key, at) == printed(run, key, 0));
      }
      at = both.find("\"relative\"", at);
    }
  }
}

TEST_CASE("result: a key that is set twice stands there once, with the value that counts") {
  const std::string json = json_of(
      "feedrate run scenarios/caltech256_p3.json --set epochs=2 --set num_workers=3 --set "
      "epochs=4");
  CHECK(has(json, R"("set": {"num_workers": "3", "epochs": "4"})"));
  static_cast<void>(feedrate::schema::parse_json(json, "x"));  // refuses keys that come twice
}

TEST_CASE("result: one line of jq lists the answers of run, sweep and compare alike") {
  const std::string a = "scenarios/caltech256_p3.json", b = "scenarios/dali_threads.json";
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"result", "feedrate run " + a + " --set num_workers=2"},
      {"sweep", "feedrate sweep " + a + " --vary num_workers=2,4"},
      {"comparison", "feedrate compare " + a + " " + b}};
  for (const auto& [topic, command] : commands) {
    const std::string own = folder / (topic + ".schema.json");
    REQUIRE(shell("feedrate schema " + topic + " --format json --output '" + own + "'").status ==
            0);
    const std::string json = json_of(command);
    const std::string file = folder.write("answer.json", json);
    const Outcome held =
        shell("python3 tests/schema/published/validate.py '" + own + "' '" + file + "'");
    INFO(command << "\n" << held.err);
    CHECK(held.status == 0);
    const auto root = feedrate::schema::parse_json(json, "x");
    std::vector<const JsonValue*> answers;
    if (const JsonValue* const points = root->find("points")) {
      for (const auto& point : points->items) answers.push_back(point.get());
    } else {
      answers.push_back(root.get());
    }
    for (const JsonValue* const one : answers) {
      for (const char* key : {"scenario", "set", "result", "problems"}) {
        CHECK(one->find(key) != nullptr);
      }
      CHECK(one->find("scenario")->find("name") != nullptr);
      CHECK(one->find("result")->find("time")->find("total_s")->number > 0.0);
      CHECK(one->find("problems")->items.empty());
    }
  }
}

TEST_CASE("result: the headline, the tile and the JSON have the GPUs busy for the same share") {
  for (const std::string& file : shipped(2)) {
    INFO(file);
    const auto root = feedrate::schema::parse_json(json_of("feedrate run '" + file + "'"), "x");
    const JsonValue& result = *root->find("result");
    const double busy = result.find("gpu_busy_s")->number;
    const double total = result.find("time")->find("total_s")->number;
    const double share = result.find("gpu_busy_of_total")->number;
    CHECK(share == Approx(busy / total).epsilon(1e-12));
    const Folder folder;
    const std::string page = folder / "page.html";
    const Outcome made = shell("feedrate report '" + file + "' --output '" + page + "'");
    const Outcome text = shell("feedrate run --full '" + file + "'");
    // The row of the table, the short form's and the tile say one thing.
    const std::size_t row = text.out.find("\n  GPUs busy");
    REQUIRE(row != std::string::npos);
    std::string value = text.out.substr(text.out.find_first_not_of(' ', row + 12));
    value = value.substr(0, value.find(" %") + 2);
    INFO(value);
    CHECK(has(text.out, value + "  of the job's time"));
    CHECK(has(shell("feedrate run '" + file + "'").out, value + " of the job's time"));
    const bool bound = value.starts_with('<') || value.starts_with('>');
    CHECK(std::stod(value.substr(bound ? 1 : 0)) == Approx(100.0 * share).margin(0.51));
    // A headline that says it, or its complement, says the same.
    const std::size_t said = text.out.find("busy only ");
    if (said != std::string::npos) CHECK(text.out.compare(said + 10, value.size(), value) == 0);
    if (made.status != 0) continue;
    const std::string html = slurp(page);
    const std::size_t tile = html.find("<dt>GPUs busy</dt>");
    REQUIRE(tile != std::string::npos);
    CHECK(has(html.substr(tile, 120), bound ? value.substr(1) : value));
  }
}

TEST_CASE("result: remarks are read as three lists, and JSON says of each which it is in") {
  for (const std::string& file : shipped(3)) {
    INFO(file);
    const auto root = feedrate::schema::parse_json(json_of("feedrate run '" + file + "'"), "x");
    const JsonValue& result = *root->find("result");
    const auto& remarks = result.find("remarks")->items;
    const auto& kinds = result.find("remark_kinds")->items;
    REQUIRE(kinds.size() == remarks.size());
    const std::string text = shell("feedrate run --full '" + file + "' | tr -s ' \\n' ' '").out;
    const std::vector<std::pair<std::string, std::string>> titles = {
        {"measure", "Remarks: to measure or provide"},
        {"check", "Remarks: to check"},
        {"know", "Remarks: worth knowing"}};
    std::size_t before = 0;
    for (const auto& [kind, title] : titles) {
      bool any = false;
      for (const auto& one : kinds) any = any || one->text == kind;
      const std::size_t at = text.find(title);
      CHECK((at != std::string::npos) == any);
      if (!any) continue;
      CHECK(at > before);
      before = at;
      std::size_t last = at;
      for (std::size_t i = 0; i < remarks.size(); ++i) {
        if (kinds[i]->text != kind) continue;
        const std::size_t here = text.find(remarks[i]->text.substr(0, 40));
        CHECK(here != std::string::npos);
        CHECK(here > last);
        last = here;
      }
    }
  }
}
