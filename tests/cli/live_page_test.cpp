// `feedrate report --live`: what it writes, and what it refuses; tests/web opens the page.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string live = "feedrate report --live scenarios/caltech256_p3.json ";

}  // namespace

TEST_CASE("report --live: one page with the scenarios as they were written, and their answers") {
  const Folder folder;
  const Outcome outcome = shell(live + "scenarios/s3dataset_stream.json -o " + (folder / "a.html"));
  INFO(outcome.err);
  if (outcome.status == 3) {
    CHECK(has(outcome.err, "-DFEEDRATE_WEB=ON"));
    return;
  }
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.empty());
  const std::string page = slurp(folder / "a.html");
  CHECK(has(page, R"("file": "scenarios/caltech256_p3.json")"));
  CHECK(has(page, R"("file": "scenarios/s3dataset_stream.json")"));
  CHECK(has(page, R"(\"num_workers\": 7, \"batch_size\": 64, \"pin_memory\": true)"));
  CHECK(has(page, R"(\"kind\": \"result\")"));
}

TEST_CASE(
    "report --live: a scenario that is wrong, --vary, and the scenario as output are refused") {
  const Folder folder;
  const std::string to = "-o " + (folder / "a.html");
  const Outcome wrong = shell(live + "--set num_workers=-1 " + to);
  if (wrong.status == 3) return;
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "num_workers"));
  const Outcome varied = shell(live + "--vary num_workers=1,2 " + to);
  CHECK(varied.status == 2);
  CHECK(has(varied.err, "--vary and --live exclude each other"));
  const Outcome two =
      shell("feedrate report scenarios/caltech256_p3.json scenarios/iarai_s3.json " + to);
  CHECK(two.status == 2);
  CHECK(has(two.err, "--live accepts several"));
  CHECK(shell("cp scenarios/caltech256_p3.json " + (folder / "s.json") +
              " && feedrate report --live " + (folder / "s.json") + " -o " + (folder / "s.json"))
            .status == 2);
  CHECK(folder.files() == 1);
}

TEST_CASE("report --live: a text that would end the page's script does not") {
  const Folder folder;
  const Outcome outcome =
      shell("sed '2s|\"name\": .*|\"name\": \"</script><b>\",|' scenarios/caltech256_p3.json > " +
            (folder / "s.json") + " && feedrate report --live " + (folder / "s.json") + " -o " +
            (folder / "a.html"));
  if (outcome.status == 3) return;
  REQUIRE(outcome.status == 0);
  CHECK_FALSE(has(slurp(folder / "a.html"), "</script><b>"));
  CHECK(has(slurp(folder / "a.html"), R"(\u003c/script\u003e\u003cb\u003e)"));
}
