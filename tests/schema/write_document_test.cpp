// A changed scenario written as a file of its own.
#include <filesystem>

#include "schema/record/codec.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/scenario.hpp"
#include "tests/catch.hpp"
#include "tests/resolve/generated_scenario.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

Scenario read_back(const Document& document) {
  return read_scenario(parse_document(write_document(document), document.file()));
}

JsonValue json_of(const std::string& text) {
  return *parse_json(text, "edits");
}

TEST_CASE("a written document reads back as the same scenario, whatever was set") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    INFO(entry.path());
    Document document = load_document(entry.path().string());
    CHECK(read_back(document) == read_scenario(document));
    document.keep_as_base();
    if (!read_scenario(document).job.duration_on_one_instance) {
      set_value(document, "batch_size", "24");
    }
    set_value(document, "instance", "p4d.24xlarge");
    CHECK(read_back(document) == read_scenario(document));
  }
  CHECK(files > 20);
}

TEST_CASE("numbers that were stated beside another machine are written as that machine's") {
  Document document = testing_resolve::plain_document();
  set_value(document, "instance", "g5.2xlarge");
  const std::string text = write_document(document);
  CHECK(text.find("\"gpu_times\": \"p3.2xlarge\"") != std::string::npos);
  CHECK(read_back(document).measured_on == read_scenario(document).measured_on);
}

std::string edits_of(const Document& before,
                     const std::vector<std::pair<std::string, std::string>>& set) {
  Document after = before;
  for (const auto& [key, value] : set) set_value(after, key, value);
  after.keep_as_base();
  return write_edits(before, after);
}

TEST_CASE("edits are the smallest values that make a file what settings make of it") {
  const Document plain = testing_resolve::plain_document();
  CHECK(json_of(edits_of(plain, {})).members.empty());
  const JsonValue workers = json_of(edits_of(plain, {{"num_workers", "3"}}));
  REQUIRE(workers.members.size() == 1);
  CHECK(workers.members.front().key == "/loader/num_workers");
  CHECK(workers.members.front().value->number == 3.0);
  // Another machine: the times stay those of the one that they were stated for.
  const JsonValue moved = json_of(edits_of(plain, {{"instance", "g5.2xlarge"}}));
  REQUIRE(moved.members.size() == 2);
  CHECK(moved.find("/cluster/instance")->text == "g5.2xlarge");
  const JsonValue* on = moved.find("/measured_on");
  REQUIRE(on != nullptr);
  CHECK(on->find("gpu_times")->text == "p3.2xlarge");
}

TEST_CASE("a scenario with its edits is the scenario with the settings") {
  for (const char* name : {"caltech256_p3", "small_files_s3", "albert_p3dn", "pinned_memory"}) {
    INFO(name);
    const Document before =
        load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + name + ".json");
    Document after = before;
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"instance", "p4d.24xlarge"}, {"region", "us-west-2"}, {"num_workers", "5"}}) {
      set_value(after, key, value);
    }
    after.keep_as_base();
    Document edited = before;
    for (const JsonMember& edit : json_of(write_edits(before, after)).members) {
      set_value(edited, edit.key, setting_text(*edit.value));
    }
    edited = parse_document(write_document(edited), edited.file());
    CHECK(read_scenario(edited) == read_scenario(after));
  }
}

TEST_CASE("other cases take what was expected of the old ones with them") {
  const Document document = load_document(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json");
  REQUIRE_FALSE(read_scenario(document).about.expectation.empty());
  Case promise;
  promise.name = "later";
  promise.metric = "total_s";
  promise.promised = 970.0;
  const Scenario made = read_back(with_cases(document, {&promise, 1}));
  REQUIRE(made.cases.size() == 1);
  CHECK(made.cases.front() == promise);
  CHECK(made.cases.front().awaited());
  CHECK(made.about.expectation.empty());
  CHECK(made.about.fitted.empty());
  CHECK(made.about.source == read_scenario(document).about.source);
}

}  // namespace
