// The short form of a check: the verdict, time and cost first, twelve lines above the tables at
// most, none wider than 80 columns, and what it leaves out is counted.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "report/brief.hpp"
#include "report/check_report.hpp"
#include "report/check_words.hpp"
#include "report/glyphs.hpp"
#include "report/render.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

constexpr Style narrow{.colour = false, .unicode = true, .width = 80};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// A scenario that fails `limits` limits, has changed in `keys` keys and has so many remarks.
ScenarioVerdict scenario(const std::string& name, std::size_t limits, std::size_t keys,
                         std::size_t remarks) {
  ScenarioVerdict of;
  of.name = of.file = of.key = name;
  of.level = limits > 0 ? Level::fail : Level::pass;
  of.bottleneck_before = Stage::gpu;
  of.bottleneck_now = Stage::decode;
  const double now = 1.0 + 0.1 * static_cast<double>(limits);
  of.figures = {{"money_usd", 123456.0, 123456.0 * now, {}},
                {"total_usd", 234567.0, 234567.0 * now, {}},
                {"total_s", 4000.0, 4000.0 * now, {}},
                {"gpu_busy", 0.9, 0.8, {}}};
  for (std::size_t i = 0; i < limits; ++i) {
    Judgement judged;
    judged.level = Level::fail;
    judged.limit.text = fmt::format("stall_s.decode increase < {} %", i);
    judged.message = "stall_s.decode +4295.6 %: 7.83 s -> 344.2 s";
    of.limits.push_back(judged);
  }
  for (std::size_t i = 0; i < keys; ++i) {
    KeyChange& change = of.keys.emplace_back();
    change.key = fmt::format("/loader/some_key_of_a_name_{}", i);
    change.before = "before";
    change.after = "after";
  }
  for (std::size_t i = 0; i < remarks; ++i) {
    of.remarks.push_back(fmt::format(
        "remark {} is a sentence that does not end before the second line of a terminal begins.",
        i));
  }
  if (limits > 0) {
    for (const Stage stage : all_stages()) of.stages.push_back({stage, seconds(1.0), seconds(2.0)});
  }
  return of;
}

/// The number before `what` in the fact "more", 0 where there is none.
std::size_t counted(const std::string& text, const std::string& what) {
  const std::size_t more = text.find("\n  more ");
  if (more == std::string::npos) return 0;
  const std::string line = text.substr(more + 1, text.find('\n', more + 1) - more - 1);
  const std::size_t at = line.find(" " + what);
  if (at == std::string::npos) return 0;
  return std::stoul(line.substr(line.rfind(' ', at - 1) + 1));
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("check: of the stages, those are shown that changed most, in either direction") {
  Verdict verdict;
  verdict.scenarios.push_back(scenario("faster", 1, 0, 0));
  std::vector<StageChange>& stages = verdict.scenarios.front().stages;
  stages.clear();
  // By their sign, as a verdict has them.
  double saved = 1.0;
  for (const Stage stage : all_stages()) {
    stages.push_back({stage, seconds(1000.0), seconds(1000.0 - saved)});
    saved *= 1.5;
  }
  const std::string text = to_text(check_brief(verdict), narrow);
  INFO(text);
  std::size_t at = text.find("GPU time by stage");
  REQUIRE(at != std::string::npos);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto name = std::string(name_of(stages[stages.size() - 1 - i].stage));
    const std::size_t row = text.find("\n  " + name + " ", at);
    CHECK(row != std::string::npos);
    at = std::min(row, text.size());
  }
  CHECK(text.find("\n  " + std::string(name_of(stages.front().stage)) + " ") == std::string::npos);
}

TEST_CASE("check: the stage that is named has a part in what changed") {
  const auto job = [](double cost, std::vector<StageChange> stages) {
    ScenarioVerdict of;
    double before = 0.0, now = 0.0;
    for (const StageChange& stage : stages) {
      before += stage.before.base();
      now += stage.now.base();
    }
    of.figures = {{"total_usd", 100.0, 100.0 + cost, {}}, {"total_s", before, now, {}}};
    of.stages = std::move(stages);
    return of;
  };
  using enum Stage;
  // A job that is faster, though its start takes longer.
  const ScenarioVerdict faster =
      job(-40.0, {{startup, seconds(10.0), seconds(10.1)}, {download, hours(9.0), hours(4.2)}});
  CHECK(cause_text(faster) == "download shrank by 4.80 h");
  const ScenarioVerdict slower =
      job(40.0, {{decode, hours(4.0), hours(6.5)}, {gpu, hours(5.0), hours(4.0)}});
  CHECK(cause_text(slower) == "decode grew by 2.50 h");
  // Twice the instances for more than half the time.
  ScenarioVerdict wider = job(30.0, {{interruption, seconds(8.0), seconds(10.1)},
                                     {allreduce, hours(0.2), hours(0.1)},
                                     {gpu, hours(3.9), hours(2.5)}});
  wider.instances_before = 8.0;
  wider.instances_now = 16.0;
  CHECK(cause_text(wider) == "gpu grew by 8.80 h over all instances");
  // Dearer hours are no stage's doing.
  const ScenarioVerdict dearer = job(20.0, {{gpu, hours(5.0), hours(5.0) + seconds(4.0)}});
  CHECK(cause_text(dearer).empty());
  CHECK(cause_text(job(55.0, {{decode, hours(5.0), hours(2.5)}})).empty());
  CHECK(cause_text(job(-55.0, {{decode, hours(2.5), hours(5.0)}})).empty());
  CHECK(cause_text(job(0.0, {})).empty());
}

TEST_CASE("check: the inputs that are listed first are those of the group that did most") {
  ScenarioVerdict of = scenario("job", 0, 0, 0);
  of.keys = {{InputGroup::machine, "/cluster/instances", "8", "16", "", 0},
             {InputGroup::loader, "/loader/num_workers", "4", "5", "", 0},
             {InputGroup::model, "/job/step/utilization", "0.45", "0.35", "", 0}};
  const Amounts before{hours(4.0), usd(100.0), usd(100.0), 0.9};
  const Amounts wider{hours(2.2), usd(104.0), usd(104.0), 0.9};
  const Amounts now{hours(2.6), usd(130.0), usd(130.0), 0.9};
  of.parts = {{{InputGroup::machine}, before, wider}, {{InputGroup::model}, wider, now}};
  const std::vector<KeyChange> keys = keys_by_effect(of);
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].key == "/job/step/utilization");
  CHECK(keys[1].key == "/cluster/instances");
  CHECK(keys[2].key == "/loader/num_workers");
  // Three are all named.
  Verdict verdict;
  verdict.scenarios.push_back(of);
  const std::string text = to_text(check_brief(verdict), narrow);
  for (const KeyChange& key : keys) CHECK(text.find(key.key) != std::string::npos);
}

TEST_CASE("check: the short form is short, whatever there is to say") {
  const std::string long_name(120, 'n');
  for (const std::size_t limits : {0u, 1u, 4u}) {
    for (const std::size_t keys : {0u, 1u, 9u}) {
      for (const std::size_t remarks : {0u, 2u, 7u}) {
        for (const std::size_t others : {0u, 3u, 60u}) {
          Verdict verdict;
          verdict.baseline = "/a/very/long/path/" + long_name;
          verdict.level = limits > 0 ? Level::fail : Level::pass;
          for (std::size_t i = 0; i < others; ++i) {
            verdict.scenarios.push_back(scenario(fmt::format("{} {}", long_name, i), 0, 0, 0));
          }
          verdict.scenarios.push_back(scenario("worst " + long_name, limits, keys, remarks));
          if (others > 0) verdict.errors.push_back({"broken.json", "broken.json", {}});
          const std::string text = to_text(check_brief(verdict), narrow);
          INFO(text);
          const auto lines = lines_of(text);
          for (const std::string& line : lines) CHECK(display_width(line) <= 80);
          const auto above = std::find(lines.begin(), lines.end(), "");
          CHECK(above - lines.begin() <= 12);
          const auto line_of = [&](const std::string& label) {
            return std::find_if(lines.begin(), lines.end(),
                                [&](const std::string& line) {
                                  return line.starts_with("  " + label + "  ");
                                }) -
                   lines.begin();
          };
          CHECK(line_of("time") < 5);
          CHECK(line_of("cost") < 5);
          // Nothing is left out without a word.
          CHECK(times(text, "\n  limit ") + counted(text, "limit") == limits);
          if (limits > 0) {
            CHECK(text.find("worst nnn") != std::string::npos);
            CHECK(times(text, "/loader/some_key") + counted(text, "input") == keys);
            const std::size_t notes = remarks + (others > 0 ? 1 : 0);
            CHECK(times(text, "\n  note ") + counted(text, "note") == notes);
          }
          CHECK(text.find("money_usd") == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("check: the short form of lists of any length is found in few tries") {
  // A baseline or a scenario that somebody else wrote may be as long as these: with a try for each
  // part that is left out, this takes longer than anybody waits.
  constexpr std::size_t many = 20'000;
  for (const std::size_t limits : {std::size_t{2}, many}) {
    Verdict verdict;
    verdict.level = Level::fail;
    verdict.scenarios.push_back(scenario("long", limits, many, many));
    const std::string text = to_text(check_brief(verdict), narrow);
    INFO(text);
    const auto lines = lines_of(text);
    CHECK(std::find(lines.begin(), lines.end(), "") - lines.begin() <= 12);
    CHECK(times(text, "\n  limit ") + counted(text, "limit") == limits);
    CHECK(times(text, "/loader/some_key") + counted(text, "input") == many);
    CHECK(times(text, "\n  note ") + counted(text, "note") == many);
  }
}

TEST_CASE("brief: the least that must be left out is the same as with a try for each number") {
  for (std::size_t most = 0; most < 20; ++most) {
    for (std::size_t enough = 0; enough < 22; ++enough) {
      std::size_t tries = 0;
      const std::size_t found = left_out_to_fit(most, [&](std::size_t n) {
        ++tries;
        return n >= enough;
      });
      CHECK(found == std::min(most, enough));
      CHECK(tries <= 6);
    }
  }
  // What counts those left out takes a line too: all may fit where all but one do not.
  CHECK(left_out_to_fit(9, [](std::size_t n) { return n == 0 || n > 3; }) == 0);
}
