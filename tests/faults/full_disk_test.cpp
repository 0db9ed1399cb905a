// No room left: nothing half written stands under its final name, and the file is named with the
// reason.
#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/places.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

constexpr const char* scenario = "scenarios/caltech256_p3.json";

/// Every command that writes a file that is finished at once, and what it calls it.
const std::vector<std::string> writers = {
    std::string("run ") + scenario + " --format json --output ",
    std::string("run ") + scenario + " --format csv --output /dev/null --trace ",
    std::string("run ") + scenario + " --samples ",
    std::string("report ") + scenario + " --output ",
    std::string("sweep ") + scenario + " --vary num_workers=1:40:1 --format csv --output ",
    std::string("check ") + scenario + " --update --baseline ",
    "schema result --format json --output ",
    "init image-jpeg --force --output ",
    "calibrate --import tests/formats/imports/nccl.log --output ",
    "observe --import tests/formats/imports/sadf.json --output ",
};

TEST_CASE("faults: on a full disk a file is whole or not there, and old ones stay") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) {
    return feedrate::test::skip("mounting is not permitted here: no disk can be filled");
  }
  const Folder folder;
  const std::string disk = folder / "disk";
  std::string script = "mkdir '" + disk + "'; mount -t tmpfs -o size=64k none '" + disk +
                       "'; cd '" + FEEDRATE_SOURCE_DIR + "'\n";
  // All but a page is taken; where there is a file already, it has that.
  script += "head -c 57344 /dev/zero > '" + disk + "/taken'\n";
  for (std::size_t i = 0; i < writers.size(); ++i) {
    for (const bool old : {false, true}) {
      const std::string name = disk + "/f";
      script += (old ? "echo old > '" + name + "'\n" : "rm -f '" + name + "'\n");
      script += "feedrate " + writers[i] + "'" + name + "' >/dev/null 2>'" + (folder / "err") +
                "'; echo \"" + std::to_string(i) + " $? $(ls -A '" + disk + "' | tr '\\n' ' ')/" +
                "$(head -c 3 '" + name + "' 2>/dev/null | tr -d '\\0\\n')/$(wc -c < '" + name +
                "' 2>/dev/null)/$(grep -c 'cannot' '" + (folder / "err") +
                "')$(grep -c 'No space left' '" + (folder / "err") + "')$(wc -l < '" +
                (folder / "err") + "')\"\n";
    }
  }
  const std::string file = folder.write("filled.sh", script);
  const Outcome outcome = shell(mounts + " bash '" + file + "'");
  INFO(outcome.out << outcome.err);
  std::istringstream lines(outcome.out);
  std::set<std::string> failed;
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    ++seen;
    std::istringstream words(line);
    std::string writer, status, rest;
    words >> writer >> status;
    std::getline(words, rest);
    INFO(writers[std::stoul(writer)] << ": " << rest);
    const bool had_old = seen % 2 == 0;
    if (status == "0") continue;  // small enough for the page that is left
    // An old file that is no baseline is refused before anything is written.
    if (had_old && has(writers[std::stoul(writer)], "check")) continue;
    failed.insert(writer);
    CHECK(status == "3");
    // No other file stays, and the old one is as it was.
    CHECK(has(rest, had_old ? " f taken /old/4/" : " taken ///"));
    CHECK(has(rest, "/111"));
  }
  CHECK(seen == 2 * writers.size());
  // The disk was too full for most of them.
  CHECK(failed.size() >= 5);
}

TEST_CASE("faults: a sweep that found no room keeps whole points, and goes on when there is some") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) {
    return feedrate::test::skip("mounting is not permitted here: no disk can be filled");
  }
  const Folder folder;
  const std::string disk = folder / "disk";
  const std::string share = "feedrate sweep " + std::string(scenario) +
                            " --vary num_workers=1:24:1 --shard 1/1 --resume --output '" + disk +
                            "/share'";
  const std::string file = folder.write(
      "filled.sh", "mkdir '" + disk + "'; mount -t tmpfs -o size=96k none '" + disk + "'; cd '" +
                       FEEDRATE_SOURCE_DIR + "'\n" + share + "; echo first $?\nmount -o " +
                       "remount,size=16m none '" + disk + "'\n" + share +
                       "; echo second $?\nfeedrate merge '" + disk + "/share' --format json > '" +
                       (folder / "merged") + "'; echo merged $?\n");
  const Outcome outcome = shell(mounts + " bash '" + file + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.out == "first 3\nsecond 0\nmerged 0\n");
  CHECK(has(outcome.err, "No space left on device"));
  CHECK(has(outcome.err, "points are kept in "));
  const Outcome whole =
      shell("feedrate sweep " + std::string(scenario) + " --vary num_workers=1:24:1 --format json");
  CHECK(slurp(folder / "merged") == whole.out);
}

TEST_CASE("faults: standard output that takes no more is an error, whatever is printed") {
  for (const std::string& command : std::vector<std::string>{
           std::string("run ") + scenario, std::string("run ") + scenario + " --format json",
           std::string("run ") + scenario + " --format csv",
           std::string("sweep ") + scenario + " --vary num_workers=1:9:1 --format csv",
           std::string("sweep ") + scenario + " --vary num_workers=1:9:1 --shard 1/1",
           std::string("cases ") + scenario, std::string("catalog list"), std::string("--help"),
           std::string("--version"), std::string("schema scenario"), std::string("init tokens"),
           std::string("observe --import tests/formats/imports/nccl.log")}) {
    const Outcome outcome = shell("feedrate " + command + " >/dev/full");
    INFO(command << '\n' << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, "cannot write"));
    CHECK(has(outcome.err, "standard output: No space left on device"));
  }
}

}  // namespace
