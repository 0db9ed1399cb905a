#pragma once
// The shipped scenarios, run by the program as a reader runs them.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/json/json_reader.hpp"

namespace testing_scenarios {

/// Names of the scenario files, sorted.
inline std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// What a command prints with `--format json`.
inline feedrate::schema::JsonPtr json_of(const std::string& command) {
  const testing_cli::Outcome outcome = testing_cli::shell("feedrate " + command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return feedrate::schema::parse_json(outcome.out, command);
}

/// The figure at "cost.money_usd"; a word when `word` is given.
inline const feedrate::schema::JsonValue& at(const feedrate::schema::JsonValue& from,
                                             const std::string& path) {
  const feedrate::schema::JsonValue* value = &from;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    value = value->find(path.substr(begin, end - begin));
    INFO(path);
    REQUIRE(value != nullptr);
    begin = end + 1;
  }
  return *value;
}

/// One run and what it answers.
class Run {
 public:
  explicit Run(const std::string& arguments) : json_(json_of("run scenarios/" + arguments)) {}

  [[nodiscard]] double operator()(const std::string& path) const {
    return at(*json_, "result." + path).number;
  }
  [[nodiscard]] double seconds() const { return (*this)("time.total_s"); }
  [[nodiscard]] double epoch() const { return (*this)("time.epoch_s"); }
  [[nodiscard]] double money() const { return (*this)("cost.money_usd"); }
  [[nodiscard]] double busy() const { return (*this)("gpu_busy"); }
  [[nodiscard]] std::string bottleneck() const {
    return at(*json_, "result.bottleneck.stage").text;
  }

 private:
  feedrate::schema::JsonPtr json_;
};

}  // namespace testing_scenarios
