// A changed scenario written as a file of its own.
#include <filesystem>

#include "schema/scenario.hpp"
#include "tests/catch.hpp"
#include "tests/resolve/generated_scenario.hpp"

namespace feedrate::schema {
namespace {

Scenario read_back(const Document& document) {
  return read_scenario(parse_document(write_document(document), document.file()));
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
}  // namespace feedrate::schema
