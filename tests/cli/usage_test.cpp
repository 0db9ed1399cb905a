// What a user does wrong on the command line is answered with exit status 2 and a hint.
#include <algorithm>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const char* const scenario = "scenarios/caltech256_p3.json";

}  // namespace

TEST_CASE("usage: the version and the help go to standard output") {
  CHECK(shell("feedrate --version").out == "feedrate 0.1.0\n");
  const Outcome help = shell("feedrate --help");
  CHECK(help.status == 0);
  for (const char* command :
       {"run", "sweep", "compare", "cases", "catalog", "schema", "completion"}) {
    INFO(command);
    CHECK(has(help.out, command));
    const Outcome one = shell(std::string("feedrate ") + command + " --help");
    CHECK(one.status == 0);
    CHECK(has(one.out, "Examples:"));
    CHECK(one.err.empty());
  }
}

TEST_CASE("usage: no command at all shows the help on standard error") {
  const Outcome outcome = shell("feedrate");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "sweep"));
}

TEST_CASE("usage: misspelt words get a suggestion") {
  struct Slip {
    const char* line;
    const char* suggestion;
  };
  const Slip slips[] = {{"rnu scenarios/caltech256_p3.json", "did you mean \"run\""},
                        {"seep x.json", "did you mean \"sweep\""},
                        {"run --fromat json scenarios/caltech256_p3.json", "\"--format\""},
                        {"run --hots=x scenarios/caltech256_p3.json", "\"--host\""},
                        {"run scenarios/caltech256_p3.json --format jsn", "\"json\""},
                        {"catalog lst", "\"list\""},
                        {"schema scenaro", "\"scenario\""},
                        {"completion bsh", "\"bash\""},
                        {"run scenarios/caltech256_p3.json --set num_worker=2", "num_workers"}};
  for (const Slip& slip : slips) {
    const Outcome outcome = shell(std::string("feedrate ") + slip.line);
    INFO(slip.line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, slip.suggestion));
  }
}

TEST_CASE("usage: wrong arguments are refused, each with one line") {
  for (const std::string& line :
       {std::string("run"),
        std::string("sweep ") + scenario,
        std::string("compare ") + scenario,
        std::string("run ") + scenario + " extra.json",
        std::string("run ") + scenario + " --set",
        std::string("run ") + scenario + " --set x",
        std::string("run ") + scenario + " --set =3",
        std::string("run ") + scenario + " --replications 0",
        std::string("run ") + scenario + " --replications -3",
        std::string("run ") + scenario + " --replications 2.5",
        std::string("run ") + scenario + " --seed -1",
        std::string("run ") + scenario + " --seed x",
        std::string("sweep ") + scenario + " --vary num_workers=1:8:0",
        std::string("sweep ") + scenario + " --vary num_workers=",
        std::string("sweep ") + scenario + " --vary num_workers=1,2 --jobs 0",
        std::string("sweep ") + scenario + " --vary num_workers=1 --vary num_workers=2",
        std::string("catalog"),
        std::string("catalog show"),
        std::string("catalog show p3.3xlarge"),
        std::string("schema")}) {
    const Outcome outcome = shell("feedrate " + line);
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}

TEST_CASE("usage: a file that cannot be a scenario is named, and gets no number") {
  const Folder folder;
  const std::string broken = folder.write("broken.json", "{\"name\": ");
  for (const std::string& file : {folder / "missing.json", std::string("scenarios"), broken,
                                  folder.write("empty.json", ""), std::string("/dev/null")}) {
    const Outcome outcome = shell("feedrate run '" + file + "'");
    INFO(file << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, file));
  }
}

TEST_CASE("usage: an output file is written whole or not at all") {
  const Folder folder;
  const std::string out = folder.write("out.json", "before");
  const std::string broken = folder.write("broken.json", "{\"name\": ");
  CHECK(shell("feedrate run " + broken + " --output " + out).status == 2);
  CHECK(slurp(out) == "before");
  const std::string copy =
      folder.write("copy.json", slurp(std::string(FEEDRATE_SOURCE_DIR) + "/" + scenario));
  const std::string text = slurp(copy);
  const Outcome same = shell("feedrate run " + copy + " --output " + copy);
  CHECK(same.status == 2);
  CHECK(slurp(copy) == text);
  CHECK(shell("feedrate run " + std::string(scenario) + " --output " + (folder / "no/x")).status >=
        2);
  CHECK(folder.files() == 3);
}

TEST_CASE("usage: what the parser misses is said in our words, and names what it is") {
  struct Wrong {
    const char* typed;
    const char* says;
  };
  for (const Wrong& wrong : {
           Wrong{"scale", "feedrate: scale: expected SCENARIO, got nothing; feedrate scale --help"},
           Wrong{"run x --seed", "feedrate: --seed: expected S after it, got nothing"},
           Wrong{"run x --seed 1 --seed 2", "feedrate: --seed: expected it once, got it 2 times"},
           Wrong{"scale x --strong --weak",
                 "expected one of --per-gpu-batch and --strong, got both"},
           Wrong{"run x --trace-steps 3",
                 "--trace-steps: expected --trace FILE together with it, got none"},
           Wrong{"run x --exact=maybe", "--events: expected no value, got \"maybe\""},
           Wrong{"sweep x --jobs 0", "--jobs: expected a whole number from 1 to 4096, got \"0\""},
           Wrong{"export", "export: expected a command of skypilot, got none"},
           Wrong{"export skypilot", "feedrate: export skypilot: expected FILE, got nothing"},
           Wrong{"export grafana", "feedrate export --help lists them"},
           Wrong{"report x", "report: expected --output FILE, got nothing"},
           Wrong{"compare x.json",
                 "feedrate: compare: expected two scenarios or more, got one: \"x.json\""},
           Wrong{"compare", "feedrate: compare: expected SCENARIO, got nothing"},
           Wrong{"help scal", "feedrate has no command \"scal\" (did you mean \"scale\"?)"},
       }) {
    const Outcome out = shell(std::string("feedrate ") + wrong.typed);
    INFO(wrong.typed << "\n" << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, wrong.says));
    CHECK(std::count(out.err.begin(), out.err.end(), '\n') == 1);
  }
}

TEST_CASE("usage: a key that is near none gets the nearest few, and where all are listed") {
  const std::string file = "scenarios/caltech256_p3.json";
  for (const std::string& line :
       {"run " + file + " --set x=1", "fit " + file + " --free nosuch",
        "fit " + file + " --free name", "sweep " + file + " --vary /nowhere/at/all=1,2"}) {
    const Outcome out = shell("feedrate " + line);
    INFO(line << "\n" << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, "; the nearest are "));
    CHECK(has(out.err, "; `feedrate schema scenario` lists all"));
    CHECK(out.err.size() < 200);
  }
}

TEST_CASE("usage: only a number that is too large is told what would be the use of more") {
  const std::string run = "feedrate run scenarios/caltech256_p3.json --replications ";
  for (const char* given : {"0", "-3", "2.5", "x"}) {
    const Outcome out = shell(run + given);
    INFO(out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err,
              "expected a whole number from 1 to 100000, got \"" + std::string(given) + "\"\n"));
  }
  for (const char* given : {"100001", "99999999999999999999999"}) {
    const Outcome out = shell(run + given);
    INFO(out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, "more replications would not change"));
  }
}

TEST_CASE("usage: help and the version as people type them") {
  CHECK(shell("feedrate help").out == shell("feedrate --help").out);
  CHECK(shell("feedrate help scale").out == shell("feedrate scale --help").out);
  CHECK(shell("feedrate help export skypilot").out == shell("feedrate export skypilot --help").out);
  CHECK(shell("feedrate -V").out == shell("feedrate --version").out);
}

TEST_CASE("usage: a scenario given as a host profile is told apart, in one line") {
  const Outcome out =
      shell("feedrate run scenarios/caltech256_p3.json --host scenarios/caltech256_p3.json");
  CHECK(out.status == 2);
  CHECK(out.err ==
        "scenarios/caltech256_p3.json: expected a host profile, which feedrate calibrate writes, "
        "got a scenario\n");
}

TEST_CASE("usage: a wrong value is told of once, and not as missing too") {
  for (const char* const set :
       {"--set purchase=capacity_block --set booked=soon",
        "--set purchase=spot --set '/cluster/spot={\"fallback\": \"never\"}'"}) {
    const Outcome out = shell(std::string("feedrate run scenarios/caltech256_p3.json ") + set);
    INFO(out.err);
    CHECK(out.status == 2);
    CHECK(std::count(out.err.begin(), out.err.end(), '\n') == 1);
  }
}

TEST_CASE("usage: a suggested key of an operation is one that can be typed") {
  const Outcome out = shell("feedrate run scenarios/caltech256_p3.json --set cpu=3ms");
  INFO(out.err);
  CHECK(has(out.err, "did you mean \"preprocess.resize.cpu\" or \"preprocess.augment.cpu\"?"));
  CHECK(shell("feedrate run scenarios/caltech256_p3.json --set preprocess.resize.cpu=3ms").status ==
        0);
}
