// `feedrate report --live`: what it writes, and what it refuses; tests/web opens the page.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

/// An installed program with a page that has the place for scenarios and no simulator: building
/// that takes Emscripten.
struct Installed {
  Folder folder;

  Installed() {
    const std::string share = folder / "share/feedrate";
    const Outcome made = shell("mkdir -p " + share + "/web " + (folder / "bin") +
                               " && cp \"$(command -v feedrate)\" " + (folder / "bin/feedrate") +
                               " && ln -s \"$PWD/pricing\" " + share + "/pricing && echo '" +
                               R"(<script type="application/json" id="given">[]</script>)" +
                               "' > " + share + "/web/whatif.html");
    INFO(made.err);
    REQUIRE(made.status == 0);
  }
  [[nodiscard]] Outcome report(const std::string& arguments) const {
    return shell((folder / "bin/feedrate") + " report " + arguments);
  }
};

const std::string live = "--live scenarios/caltech256_p3.json ";

}  // namespace

TEST_CASE("report --live: without a page it says how to get one") {
  const Folder folder;
  const Outcome outcome =
      shell("cp \"$(command -v feedrate)\" " + (folder / "feedrate") + " && " +
            (folder / "feedrate") + " report " + live + "-o " + (folder / "a.html"));
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "-DFEEDRATE_WEB=ON"));
  CHECK(folder.files() == 1);
}

TEST_CASE("report --live: one page with the scenarios as they were written, and their answers") {
  const Installed program;
  const Folder folder;
  const Outcome outcome =
      program.report(live + "scenarios/s3dataset_stream.json -o " + (folder / "a.html"));
  INFO(outcome.err);
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
  const Installed program;
  const Folder folder;
  const std::string to = "-o " + (folder / "a.html");
  const Outcome wrong = program.report(live + "--set num_workers=-1 " + to);
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "num_workers"));
  const Outcome varied = program.report(live + "--vary num_workers=1,2 " + to);
  CHECK(varied.status == 2);
  CHECK(has(varied.err, "--vary and --live exclude each other"));
  REQUIRE(shell("cp scenarios/caltech256_p3.json " + (folder / "s.json")).status == 0);
  CHECK(program.report("--live " + (folder / "s.json") + " -o " + (folder / "s.json")).status == 2);
  CHECK(folder.files() == 1);
}

TEST_CASE("report --live: a text that would end the page's script does not") {
  const Installed program;
  const Folder folder;
  REQUIRE(
      shell("sed '2s|\"name\": .*|\"name\": \"</script><b>\",|' scenarios/caltech256_p3.json > " +
            (folder / "s.json"))
          .status == 0);
  const Outcome outcome =
      program.report("--live " + (folder / "s.json") + " -o " + (folder / "a.html"));
  REQUIRE(outcome.status == 0);
  CHECK_FALSE(has(slurp(folder / "a.html"), "</script><b>"));
  CHECK(has(slurp(folder / "a.html"), R"(\u003c/script\u003e\u003cb\u003e)"));
}
