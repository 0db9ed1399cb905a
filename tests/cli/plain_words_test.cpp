// Laws of what people read: the help of every command, and the texts of every shipped scenario.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/help_pages.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

/// What no text may say, each with what it should say instead.
struct Banned {
  const char* what;
  std::regex found;
};

const std::vector<Banned>& banned() {
  const auto words = [](const char* pattern) {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  };
  static const std::vector<Banned> all = {
      {"cost instead of money", words(R"(\bmoney\b)")},
      {"more expensive instead of dearer", words(R"(\bdearer\b|\bdearest\b)")},
      {"forever", words(R"(\bfor ever\b)")},
      // Below 1e-4, where nobody counts zeros, an input may have one.
      {"digits instead of an exponent", words(R"(\d[eE](\+\d|-0?[1-4]\b))")},
      // "1 of 1 points" and "1 to 1 GPUs" count as well; "1.01 epochs", "x1 GPUs" and "= 1, points"
      // do not.
      {"one thing in the singular",
       words(R"((^|[\s(,])1 (batches|cases|cores|days|draws|epochs|events|files|GPUs|hours|images)"
             R"(|instances|jobs|limits|machines|measurements|messages|points|predictions|prices)"
             R"(|probes|requests|rounds|samples|scenarios|series|settings|steps|threads|values)"
             R"(|workers)\b)")},
  };
  return all;
}

/// The lines of `text` that say what is banned.
std::vector<std::string> slips(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const Banned& rule : banned()) {
      if (std::regex_search(line, rule.found)) list.push_back(std::string(rule.what) + ": " + line);
    }
  }
  return list;
}

}  // namespace

TEST_CASE("plain words: the rule itself finds what it bans, and nothing else") {
  for (const char* said : {"  1   $2   money", "it is dearer", "for ever and a day",
                           "late by 1.182e+04 s", "sweep of 1 points", "(1 GPUs)"}) {
    INFO(said);
    CHECK(slips(said).size() == 1);
  }
  for (const char* said : {"--fill money_usd", "11 points", "0.1 points", "1 point", "1 GPU",
                           "1,001 samples", "e-mail", "scenario-1e"}) {
    INFO(said);
    CHECK(slips(said).empty());
  }
}

TEST_CASE("plain words: the help of every command") {
  const auto pages = help_pages();
  CHECK(pages.size() > 25);
  for (const auto& [command, page] : pages) {
    INFO(command);
    CHECK(slips(page) == std::vector<std::string>());
  }
}

TEST_CASE("plain words: every shipped scenario, whatever there is one of") {
  std::size_t scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    ++scenarios;
    const std::string file = " 'scenarios/" + entry.path().filename().string() + "'";
    // A setting that a scenario has no room for is refused, which is a text as well.
    const Outcome outcome = shell(
        "feedrate run" + file + "; feedrate cases" + file + "; feedrate run" + file +
        " --set instances=1 --set num_workers=1; feedrate run" + file +
        " --set epochs=1 --set gpus_per_instance=1 --set batch_size=1; feedrate sweep" + file +
        " --vary instances=1,2 --set 'value_of_hour=3 USD/h'; feedrate sweep" + file +
        " --vary instances=1; feedrate scale" + file + " --to 2; feedrate optimize" + file +
        " --over instances=1,2 --minimize cost --replications 2; feedrate advise" + file + " 2>&1");
    INFO(file);
    CHECK(outcome.status <= 2);
    CHECK(outcome.out.size() > 1000);
    CHECK(slips(outcome.out) == std::vector<std::string>());
    CHECK(slips(outcome.err) == std::vector<std::string>());
  }
  CHECK(scenarios > 30);
}
