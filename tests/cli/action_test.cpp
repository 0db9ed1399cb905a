// The GitHub action's script, with a stand-in for GitHub's own program.
#include "catch.hpp"
#include "cli/process.hpp"
#include "cli/small_job.hpp"

using namespace testing_cli;

namespace {

const std::string scenario = small_job("small");

/// A comment as GitHub lists it.
std::string comment_of(const std::string& login, int id, const std::string& body) {
  return R"({"id": )" + std::to_string(id) + R"(, "user": {"login": ")" + login +
         R"("}, "body": ")" + body + "\"}";
}

const std::string marked = "<!-- feedrate check: base -->\\nas it was";

/// A repository with a scenario, its baseline, and a `gh` that writes down how it is called, knows
/// whose token it has, and asks `comments`, a JSON list, what the caller asks of GitHub's.
struct Repository {
  Folder folder;

  explicit Repository(const std::string& comments = "[]") {
    folder.write("job.json", scenario);
    folder.write("comments", comments);
    folder.write("gh", "#!/bin/bash\necho \"$* token=${GH_TOKEN:-none}\" >>'" + (folder / "calls") +
                           "'\ncase \"$*\" in\n"
                           "  *graphql*) echo 'the-bot' ;;\n"
                           "  *--paginate*) jq -r \"${@: -1}\" '" +
                           (folder / "comments") + "' ;;\nesac\n");
    shell("chmod +x '" + (folder / "gh") + "'");
    shell("cd '" + (folder / "") + "' && feedrate check job.json -b base --update");
  }

  /// Both steps of action.yml: the second where the first made a comment, whatever its status.
  Outcome act(const std::string& variables, const std::string& scenarios = "*.json") const {
    const std::string common = "action=$PWD/.ci/action; cd '" + (folder / "") +
                               "' && export PATH=$PWD:$PATH RUNNER_TEMP=$PWD GITHUB_OUTPUT=outputs "
                               "GITHUB_STEP_SUMMARY=summary GITHUB_REPOSITORY=o/r; ";
    Outcome outcome = shell(common + "env FEEDRATE_SCENARIOS='" + scenarios +
                            "' FEEDRATE_BASELINE=base " + variables + " \"$action\" check");
    const Outcome commented =
        shell(common +
              "made=$(sed -n 's/^markdown=//p' outputs | tail -n 1); [ -z \"$made\" ] || "
              "env GH_TOKEN=secret FEEDRATE_PULL_REQUEST=7 FEEDRATE_MARKDOWN=\"$made\" \"$action\" "
              "comment");
    CHECK(commented.status == 0);
    return outcome;
  }
  [[nodiscard]] std::string calls() const { return slurp(folder / "calls"); }
};

bool can_ask() {
  return shell("command -v jq").status == 0;
}

}  // namespace

TEST_CASE("action: a check that passes writes summary and outputs and makes a comment") {
  const Repository repository;
  const Outcome outcome = repository.act("");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const std::string outputs = slurp(repository.folder / "outputs");
  CHECK(has(outputs, "level=pass\n"));
  CHECK(has(outputs, "junit="));
  CHECK(has(slurp(repository.folder / "summary"), "unchanged from the baseline"));
  CHECK(has(repository.calls(), "-X POST repos/o/r/issues/7/comments"));
}

TEST_CASE("action: a broken limit fails, annotates, and updates its own comment") {
  if (!can_ask()) {
    WARN("skipped: jq is not installed");
    return;
  }
  const Repository repository("[" + comment_of("somebody", 41, marked) + "," +
                              comment_of("the-bot", 42, marked) + "," +
                              comment_of("the-bot", 43, "another") + "]");
  repository.folder.write("job.json", [] {
    std::string text = scenario;
    return text.replace(text.find("\"num_workers\": 7"), 16, "\"num_workers\": 1");
  }());
  const Outcome outcome = repository.act("");
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "::error file=job.json,line=5,"));
  CHECK(has(slurp(repository.folder / "outputs"), "level=fail\n"));
  CHECK(has(repository.calls(), "-X PATCH repos/o/r/issues/comments/42"));
  CHECK(repository.act("FEEDRATE_WARN_ONLY=true").status == 0);
  CHECK(repository.act("FEEDRATE_MAX_INCREASE=cost=9000%").status == 0);
  CHECK(repository.act("FEEDRATE_MAX_INCREASE=cost=9000% FEEDRATE_THRESHOLDS='gpu_busy > 90%'")
            .status == 1);
}

TEST_CASE("action: a baseline that is broken is named in the log, the summary and the outputs") {
  const Repository repository;
  repository.folder.write("base", "<<<<<<< ours\n");
  const Outcome outcome = repository.act("");
  CHECK(outcome.status == 2);
  CHECK(has(outcome.out, "::error title=feedrate check::base:1: "));
  CHECK(has(slurp(repository.folder / "outputs"), "level=error\n"));
  CHECK(has(slurp(repository.folder / "summary"), "merge conflict"));
}

TEST_CASE("action: a comment that somebody else began with the marker is left alone") {
  if (!can_ask()) {
    WARN("skipped: jq is not installed");
    return;
  }
  const Repository repository("[" + comment_of("somebody", 41, marked) + "]");
  CHECK(repository.act("").status == 0);
  CHECK(has(repository.calls(), "-X POST repos/o/r/issues/7/comments"));
  CHECK_FALSE(has(repository.calls(), "PATCH"));
}

TEST_CASE("action: a file named like a flag is a scenario, and writes nothing") {
  const Repository repository;
  repository.folder.write("--output=x.json", scenario);
  const Outcome outcome = repository.act("");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_FALSE(std::filesystem::exists(repository.folder / "x.json"));
  CHECK(has(slurp(repository.folder / "summary"), "not in the baseline"));
}

TEST_CASE("action: beside a scenario that cannot be read, the verdicts of the others are shown") {
  const Repository repository;
  repository.folder.write("other.json", "{\"name\": \"</pre><h1>fine\", ");
  const Outcome outcome = repository.act("");
  CHECK(outcome.status == 2);
  // One annotation an error, that with file and line.
  const std::size_t first = outcome.out.find("::error ");
  REQUIRE(first != std::string::npos);
  CHECK(outcome.out.compare(first, 26, "::error file=other.json,li") == 0);
  CHECK(outcome.out.find("::error ", first + 1) == std::string::npos);
  CHECK(has(slurp(repository.folder / "outputs"), "level=error\n"));
  const std::string summary = slurp(repository.folder / "summary");
  CHECK(has(summary, "could not check everything"));
  CHECK(has(summary, "other.json"));
  CHECK(has(summary, "unchanged from the baseline"));
  CHECK(has(repository.calls(), "-X POST repos/o/r/issues/7/comments"));
}

TEST_CASE("action: the token is in no process that reads a stranger's file") {
  const std::string action = slurp(FEEDRATE_SOURCE_DIR "/action.yml");
  const auto check = action.find("    - name: Check\n");
  const auto comment = action.find("    - name: Comment\n");
  REQUIRE(check != std::string::npos);
  REQUIRE(comment > check);
  CHECK_FALSE(has(action.substr(check, comment - check), "inputs.token"));
  // GitHub puts what stands in ${{ }} into the script before it runs: inputs come by environment.
  for (auto run = action.find("run: "); run != std::string::npos;
       run = action.find("run: ", run + 1)) {
    CHECK_FALSE(has(action.substr(run, action.find('\n', run) - run), "${{"));
  }
}
