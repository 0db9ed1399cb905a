// feedrate observe --import: what is printed where, and what is left alone when something is wrong.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string recordings = "tests/formats/imports/";

TEST_CASE("observe --import: lines to standard output, what was recognized to standard error") {
  const Outcome got = shell("feedrate observe --import " + recordings + "mmcv.log");
  CHECK(got.status == 0);
  CHECK(got.out.find("{\"Type\": \"feedrate\", \"Name\": \"observation\"") == 0);
  // The header, two values of two lines, and how many steps an epoch has.
  CHECK(std::count(got.out.begin(), got.out.end(), '\n') == 6);
  CHECK(has(got.out, "\"Dimension\": \"EpochSteps\", \"Value\": 29317"));
  CHECK(has(got.err, "mmcv.log: 2 records of mmcv\n  not used: lines of no known form (1)\n"));
  CHECK(has(got.err, "--time-zone"));
}

TEST_CASE("observe --import: the same from standard input, and to a file") {
  const Folder folder;
  const std::string out = folder / "out.jsonl";
  const Outcome piped =
      shell("cat " + recordings + "kineto.pt.trace.json | feedrate observe --import -");
  const Outcome filed = shell("feedrate observe --import " + recordings +
                              "kineto.pt.trace.json --output '" + out + "'");
  CHECK(piped.status == 0);
  CHECK(has(piped.err, "standard input: 22 records of PyTorch profiler trace"));
  CHECK(filed.status == 0);
  CHECK(filed.out.empty());
  CHECK(slurp(out) == piped.out);
  const Outcome again = shell("feedrate observe --import '" + out + "'");
  CHECK(again.out == piped.out);
}

#ifndef FEEDRATE_SANITIZED  // the sanitizer reserves terabytes of address space
TEST_CASE("observe --import: a step that is told a million times takes the memory of one") {
  const Folder folder;
  const std::string log = folder / "bar.log";
  const std::string bar = " 45%|####5     | 450/1000 [01:30<01:50,  5.00it/s]";
  // 100 MB of address space hold the program, and not as many records.
  const Outcome got = shell("yes '" + bar + "' | head -n 1000000 >'" + log +
                            "'; ulimit -v 150000; feedrate observe --import '" + log + "'");
  INFO(got.err);
  CHECK(got.status == 0);
  CHECK(has(got.err, "1 record of progress bar"));
  CHECK(has(got.err, "repeats of a step that was seen before (999999)"));
}
#endif

TEST_CASE("observe --import: a mistake is told with exit status 2, and nothing is written") {
  const Folder folder;
  const std::string out = folder.write("out.jsonl", "as it was");
  const std::string log = recordings + "timm.log";
  const std::string unknown = folder.write("unknown", "what is this?\n");
  const std::string slips[][2] = {
      {"--import " + log + " --live", "expected --import or something to observe"},
      {"--import /nowhere", "no such file"},
      {"--import " + log + " " + unknown, "lines of no known form (1)"},
      {"--import " + log + " --start noon", "--start: expected a time such as"},
      {"--import " + log + " --time-zone CET", "--time-zone: expected an offset"},
      {"--import " + log + " --interval 0s", "--interval: expected a time above 0"},
      {"--import " + log + " --step-regex '('", "--step-regex: expected"},
      {"--import " + log + " " + log, "got it twice"},
  };
  for (const auto& [arguments, says] : slips) {
    const Outcome got = shell("feedrate observe " + arguments + " --output '" + out + "'");
    INFO(arguments << "\n" << got.err);
    CHECK(got.status == 2);
    CHECK(got.out.empty());
    CHECK(has(got.err, says));
    CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
    CHECK(slurp(out) == "as it was");
  }
  CHECK(folder.files() == 2);
  const std::string own = folder.write("own.log", slurp(FEEDRATE_SOURCE_DIR "/" + log));
  const Outcome over = shell("feedrate observe --import '" + own + "' -o '" + own + "'");
  CHECK(over.status == 2);
  CHECK(slurp(own) == slurp(FEEDRATE_SOURCE_DIR "/" + log));
}

TEST_CASE(
    "observe --import: what holds steps alone is nothing to diagnose, and what it is for is said") {
  const Folder folder;
  const std::string log =
      folder.write("train.log", "Epoch: [0][0/9]\tTime 0.1 (0.1)\tData 0.0 (0.0)\n");
  const std::string steps = folder / "steps.jsonl";
  REQUIRE(shell("feedrate observe --import '" + log + "' -o '" + steps + "'").status == 0);
  const Outcome diagnosed = shell("feedrate diagnose '" + steps + "'");
  INFO(diagnosed.err);
  CHECK(diagnosed.status == 2);
  CHECK(has(diagnosed.err, "an observation of something else, such as steps"));
  CHECK(has(diagnosed.err, "feedrate observe show"));
}

TEST_CASE("observe --import: --help lists the formats") {
  const Outcome got = shell("feedrate observe --help");
  CHECK(got.status == 0);
  for (const char* format :
       {"timm", "PyTorch profiler trace", "nvidia-smi dmon", "sar (sadf -j)"}) {
    CHECK(has(got.out, format));
  }
}

}  // namespace
