// Two programs of one command line: feedrate starts at once, feedrate-probes measures.
#include <filesystem>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

namespace fs = std::filesystem;

const fs::path program = FEEDRATE_BINARY;

}  // namespace

TEST_CASE("with probes: the program that simulates loads none of the probes' libraries") {
  const Outcome libraries = shell("ldd '" + program.string() + "'");
  REQUIRE(libraries.status == 0);
  for (const char* library : {"opencv", "curl", "jpeg", "uring", "cuda"}) {
    INFO(libraries.out);
    CHECK_FALSE(has(libraries.out, library));
  }
}

TEST_CASE("with probes: both programs say the same of what needs no probe") {
  const std::string probes = (program.parent_path() / "feedrate-probes").string();
  for (const std::string arguments :
       {"--help", "--version", "run scenarios/caltech256_p3.json", "run --vary", "rum"}) {
    INFO(arguments);
    const Outcome one = shell("feedrate " + arguments);
    const Outcome other = shell("'" + probes + "' " + arguments);
    CHECK(one.status == other.status);
    CHECK(one.out == other.out);
    CHECK(one.err == other.err);
  }
}

TEST_CASE("with probes: without the program that measures the other one says what is missing") {
  const Folder folder;
  fs::copy_file(program, folder.at("feedrate"));
  const std::string alone = "'" + folder.at("feedrate") + "' ";
  for (const std::string arguments : {"calibrate --list",
                                      "run scenarios/caltech256_p3.json --host scenarios/hosts/"
                                      "epyc_vm_2_cores.json --canary"}) {
    const Outcome outcome = shell(alone + arguments);
    INFO(arguments << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, "feedrate-probes"));
    CHECK(has(outcome.err, "No such file"));
  }
  // Away from its sources it has no prices either.
  CHECK(shell(alone + "run scenarios/caltech256_p3.json",
              "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" FEEDRATE_SOURCE_DIR "/pricing'")
            .status == 0);
}
