// The GitHub action's script, with a stand-in for GitHub's own program.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string scenario = R"({
  "name": "small",
  "dataset": {"samples": 30000, "bytes_per_sample": "110 KB"},
  "source": {"service": "s3", "input_mode": "FastFile"},
  "loader": {"num_workers": 7, "batch_size": 64},
  "preprocess": [{"operation": "decode", "cpu": "8.5 ms"}],
  "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
  "job": {"epochs": 3, "step": {"per_sample": "3 ms"}}
}
)";

/// A repository with a scenario, its baseline, and a `gh` that writes down how it is called;
/// `comment` is the id of the comment that it finds.
struct Repository {
  Folder folder;

  explicit Repository(const std::string& comment) {
    folder.write("job.json", scenario);
    folder.write("gh", "#!/bin/sh\necho \"$*\" >>'" + (folder / "calls") +
                           "'\ncase \"$*\" in *--paginate*) echo '" + comment + "';; esac\n");
    shell("chmod +x '" + (folder / "gh") + "'");
    shell("cd '" + (folder / "") + "' && feedrate check job.json -b base --update");
  }

  Outcome act(const std::string& variables) const {
    return shell("action=$PWD/.ci/action; cd '" + (folder / "") +
                 "' && PATH=$PWD:$PATH env RUNNER_TEMP=$PWD GITHUB_OUTPUT=outputs "
                 "GITHUB_STEP_SUMMARY=summary GITHUB_REPOSITORY=o/r FEEDRATE_SCENARIOS='*.json' "
                 "FEEDRATE_BASELINE=base FEEDRATE_COMMENT=true FEEDRATE_PULL_REQUEST=7 " +
                 variables + " \"$action\"");
  }
};

}  // namespace

TEST_CASE("action: a check that passes writes summary and outputs and makes a comment") {
  const Repository repository("");
  const Outcome outcome = repository.act("");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const std::string outputs = slurp(repository.folder / "outputs");
  CHECK(has(outputs, "level=pass\n"));
  CHECK(has(outputs, "junit="));
  CHECK(has(slurp(repository.folder / "summary"), "unchanged from the baseline"));
  CHECK(has(slurp(repository.folder / "calls"), "-X POST repos/o/r/issues/7/comments"));
}

TEST_CASE("action: a broken limit fails, annotates, and updates the comment that is there") {
  const Repository repository("42");
  repository.folder.write("job.json", [] {
    std::string text = scenario;
    return text.replace(text.find("\"num_workers\": 7"), 16, "\"num_workers\": 1");
  }());
  const Outcome outcome = repository.act("");
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "::error file=job.json,line=5,"));
  CHECK(has(slurp(repository.folder / "outputs"), "level=fail\n"));
  CHECK(has(slurp(repository.folder / "calls"), "-X PATCH repos/o/r/issues/comments/42"));
  CHECK(repository.act("FEEDRATE_WARN_ONLY=true").status == 0);
  CHECK(repository.act("FEEDRATE_MAX_INCREASE=cost=9000%").status == 0);
  CHECK(repository.act("FEEDRATE_MAX_INCREASE=cost=9000% FEEDRATE_THRESHOLDS='gpu_busy > 90%'")
            .status == 1);
}

TEST_CASE("action: a baseline that is broken is named in the log, the summary and the outputs") {
  const Repository repository("");
  repository.folder.write("base", "<<<<<<< ours\n");
  const Outcome outcome = repository.act("");
  CHECK(outcome.status == 2);
  CHECK(has(outcome.out, "::error title=feedrate check::base:1: "));
  CHECK(has(slurp(repository.folder / "outputs"), "level=error\n"));
  CHECK(has(slurp(repository.folder / "summary"), "merge conflict"));
}
