// "-" for a scenario: standard input, in every command that reads one.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const char* const scenario = "scenarios/caltech256_p3.json";

}  // namespace

TEST_CASE("standard input: - is the same scenario in every command") {
  const Folder folder;
  for (const std::string& command :
       {std::string("run F"), std::string("run F --find 'largest epochs in 1..9 with hours <= 1'"),
        std::string("sweep F --vary num_workers=1:3:1"), std::string("compare F ") + scenario,
        std::string("cases F --format csv"), std::string("feeds F"),
        std::string("scale F --to 4")}) {
    const auto with = [&](const std::string& file) {
      std::string line = "feedrate " + command;
      line.replace(line.find(" F") + 1, 1, file);
      return line;
    };
    const Outcome file = shell(with(scenario));
    const Outcome piped = shell("cat " + std::string(scenario) + " | " + with("-"));
    INFO(command << "\n" << piped.err);
    CHECK(piped.status == file.status);
    CHECK(piped.out == file.out);
    CHECK(shell(with("-") + " < " + scenario).status == file.status);
  }
  const Outcome page = shell("feedrate report - -o " + (folder / "page.html") + " < " + scenario);
  CHECK(page.status == 0);
  const std::string baseline = folder / "baseline.json";
  const std::string check = "feedrate check - --baseline " + baseline;
  CHECK(shell(check + " --update < " + scenario).status == 0);
  CHECK(shell(check + " < " + scenario).status == 0);
  CHECK(shell("sed 's/\"epochs\": 10/\"epochs\": 20/' " + std::string(scenario) + " | " + check)
            .status == 1);
}

TEST_CASE("standard input: a check of pipes that a shell opens") {
  const Folder project;
  project.write("job.json", slurp(std::string(FEEDRATE_SOURCE_DIR "/") + scenario));
  const auto check = [&](const std::string& arguments) {
    return shell("cd '" + (project / "") + "' && " + arguments);
  };
  REQUIRE(check("feedrate check job.json --baseline base.json --update").status == 0);
  for (const char* line : {"feedrate check job.json --baseline <(cat base.json)",
                           "feedrate check job.json --baseline /dev/stdin < base.json",
                           "cat base.json | feedrate check job.json --baseline /dev/stdin"}) {
    const Outcome checked = check(line);
    INFO(line << checked.err << checked.out);
    CHECK(checked.status == 0);
    CHECK(has(checked.out, "unchanged from the baseline"));
  }
  // A pipe's scenario has no entry of its name: it is held against the one that is gone.
  REQUIRE(check("mv job.json moved.json").status == 0);
  const std::string from = "sed 's/\"epochs\": 10/\"epochs\": 20/' moved.json";
  for (const std::string& line : {"feedrate check <(" + from + ") --baseline base.json",
                                  from + " | feedrate check /dev/stdin --baseline base.json"}) {
    const Outcome checked = check(line);
    INFO(line << checked.err << checked.out);
    CHECK(checked.status == 1);
    CHECK(has(checked.out, "/job/epochs 10 → 20"));
  }
  const Outcome into = check("feedrate check moved.json --baseline <(cat base.json) --update");
  CHECK(into.status == 2);
  CHECK(has(into.err, "--baseline: expected a file for --update to write, got a pipe"));
}

TEST_CASE("standard input: settings, includes and problems are told as of a file") {
  const Outcome set = shell("feedrate run - --set num_workers=1 < " + std::string(scenario));
  CHECK(set.out == shell("feedrate run " + std::string(scenario) + " --set num_workers=1").out);
  // Includes lie in the current folder.
  const Outcome included =
      shell(R"(echo '{"include": "scenarios/caltech256_p3.json", "name": "x"}' | feedrate run -)");
  INFO(included.err);
  CHECK(included.status == 0);
  const Outcome missing = shell(R"(echo '{"include": "no_such.json"}' | feedrate run -)");
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "standard input:1: /include"));
  CHECK(has(missing.err, "no_such.json"));
  const Outcome misspelt = shell(R"(printf '{\n  "datset": {}}' | feedrate run -)");
  CHECK(misspelt.status == 2);
  CHECK(has(misspelt.err, "standard input:2: /datset"));
  CHECK(has(misspelt.err, "did you mean \"dataset\""));
}

TEST_CASE("standard input: what is no scenario is refused by that name") {
  for (const char* line :
       {"feedrate run - </dev/null", "feedrate run - <&-", "printf '' | feedrate run -",
        "feedrate run - < scenarios", "echo '{' | feedrate run -", "echo '[1]' | feedrate run -",
        "head -c 17000000 /dev/zero | feedrate run -"}) {
    const Outcome outcome = shell(line);
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, "standard input"));
  }
}

TEST_CASE("standard input: it is read once") {
  for (const char* command :
       {"compare - -", "cases - -", "check - - --baseline /tmp/none --update"}) {
    const Outcome outcome =
        shell("feedrate " + std::string(command) + " < " + std::string(scenario));
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, "standard input can be read only once"));
  }
}

TEST_CASE("standard input: a file called - is another thing") {
  const Folder folder;
  const Outcome written =
      shell("cd " + (folder / ".") + " && feedrate run - -o ./- < " FEEDRATE_SOURCE_DIR "/" +
            std::string(scenario) + " && feedrate run - -o ./- < " FEEDRATE_SOURCE_DIR "/" +
            std::string(scenario) + " && head -c 7 ./-");
  INFO(written.err);
  CHECK(written.status == 0);
  CHECK(written.out == "Caltech");
  CHECK(shell("feedrate run ./-").status == 2);
}

TEST_CASE("standard input: pipes that a shell opens are files, too") {
  const Outcome file = shell("feedrate run " + std::string(scenario));
  const std::string cat = "cat " + std::string(scenario);
  const Outcome substituted = shell("bash -c 'feedrate run <(" + cat + ")'");
  INFO(substituted.err);
  CHECK(substituted.status == 0);
  CHECK(substituted.out == file.out);
  CHECK(shell(cat + " | feedrate run /dev/stdin").out == file.out);
  const Outcome empty = shell("true | feedrate run /dev/stdin");
  CHECK(empty.status == 2);
  CHECK(has(empty.err, "got an empty file"));
  const Outcome imported = shell("feedrate observe --import <(cat tests/formats/imports/mmcv.log)");
  INFO(imported.err);
  CHECK(imported.status == 0);
  CHECK(imported.out == shell("feedrate observe --import tests/formats/imports/mmcv.log").out);
  // A pipe in the file system may have no writer: it is refused, not waited for.
  const Folder folder;
  const Outcome named = shell("mkfifo " + (folder / "p") + " && feedrate run " + (folder / "p"));
  CHECK(named.status == 2);
  CHECK(has(named.err, "got a pipe"));
}
