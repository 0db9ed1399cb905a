// The published measurements that the model's error is learned from: each file can be judged.
#include <filesystem>
#include <set>

#include "scenarios/shipped.hpp"
#include "schema/scenario/scenario.hpp"

using namespace testing_scenarios;
using feedrate::Case;
using feedrate::Scenario;
using feedrate::StudyKnown;

namespace {

struct PublishedFile {
  std::string path;
  Scenario scenario;
};

/// Scenarios that name a study: all below published/, and those that ship as examples as well.
std::vector<PublishedFile> studies() {
  std::vector<PublishedFile> files;
  for (const char* folder : {"/scenarios", "/scenarios/published"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(FEEDRATE_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".json") continue;
      Scenario made =
          feedrate::schema::read_scenario(feedrate::schema::load_document(entry.path().string()));
      if ((made.about.study && !made.cases.empty()) || std::string(folder) != "/scenarios") {
        files.push_back({entry.path().string(), std::move(made)});
      }
    }
  }
  return files;
}

}  // namespace

TEST_CASE("published: each file names its study, its source, and what was known") {
  std::set<std::string> seen;
  const std::vector<PublishedFile> files = studies();
  CHECK(files.size() >= 40);
  for (const PublishedFile& file : files) {
    INFO(file.path);
    REQUIRE(file.scenario.about.study);
    const feedrate::Study& study = *file.scenario.about.study;
    CHECK(seen.insert(study.id + "/" + study.part).second);
    CHECK_FALSE(study.title.empty());
    CHECK_FALSE(study.locator.empty());
    CHECK_FALSE(study.date.empty());
    CHECK(std::set<std::string>{"A", "B", "C"}.count(study.grade) == 1);
    CHECK_FALSE(file.scenario.cases.empty());
  }
}

TEST_CASE("published: a point that helped to choose a number says so, and by which rule") {
  for (const PublishedFile& file : studies()) {
    INFO(file.path);
    const feedrate::Study& study = *file.scenario.about.study;
    std::set<std::string> names;
    bool fitted = false;
    for (const Case& one : file.scenario.cases) {
      INFO(one.name);
      CHECK(names.insert(one.name + ": " + one.metric).second);
      CHECK_FALSE(one.awaited());
      CHECK_FALSE((one.fitted && one.identity));
      fitted = fitted || one.fitted;
    }
    // What was fitted on may be no case: a rate of a stage alone.
    if (fitted) CHECK_FALSE(file.scenario.about.fitted.empty());
    CHECK(study.fit_rule.empty() == file.scenario.about.fitted.empty());
    if (!study.fit_rule.empty()) CHECK(study.known == StudyKnown::fitted);
  }
}

TEST_CASE("published: every point has a prediction") {
  for (const PublishedFile& file : studies()) {
    INFO(file.path);
    // bench/evidence/judge knows which profile is meant.
    if (file.scenario.about.study->known == StudyKnown::profile) continue;
    const testing_cli::Outcome outcome =
        testing_cli::shell("feedrate cases " + file.path + " --format json");
    INFO(outcome.err);
    CHECK(outcome.status <= 1);  // a promise that misses is no failure here
    const auto document = feedrate::schema::parse_json(outcome.out, file.path);
    for (const auto& scenario : document->find("scenarios")->items) {
      CHECK(at(*scenario, "study").text == file.scenario.about.study->id);
      for (const auto& one : scenario->find("cases")->items) {
        INFO(at(*one, "name").text);
        CHECK(at(*one, "predicted").kind == feedrate::schema::JsonKind::number);
        CHECK_FALSE(at(*one, "bound_by").text.empty());
        CHECK_FALSE(at(*one, "known").text.empty());
      }
    }
  }
}
