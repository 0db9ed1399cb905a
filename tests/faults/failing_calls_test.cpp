// Each call that changes files fails once: opening, writing, flushing, naming, renaming, locking.
// The old file stays or the new one is whole, and what went wrong is said.
#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/at_call.hpp"
#include "faults/writers.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";

TEST_CASE("faults: a call that fails leaves the old file or the new one, and the reason is told") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const Folder folder;
  const std::string prepare = files_for_writers(folder.at(""));
  std::size_t told = 0;
  for (const FileWriter& writer : file_writers()) {
    if (writer.source == "src/cli/plot.cpp") continue;  // node has calls of its own
    if (!can_run(writer)) continue;
    const std::string place = folder / "f";
    const std::string file = place + "/file";
    const std::string command = "feedrate " + writer.commands.front() + "'" + file + "'";
    const bool baseline = has(writer.commands.front(), "--update");
    std::filesystem::create_directory(place);
    const Outcome first =
        shell(prepare + "'" FEEDRATE_AT_CALL "' --list '" + (folder / "list") + "' -- " + command +
              " >/dev/null && cp '" + file + "' '" + (folder / "before") + "'");
    INFO(command << '\n' << first.err);
    REQUIRE(first.status == 0);
    const std::string list = slurp(folder / "list");
    const auto calls = static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n'));
    if (!baseline) folder.write("before", "old\n");
    const std::size_t step = std::max<std::size_t>(1, calls / 12);
    std::string script = prepare;
    for (std::size_t n = 1; n <= calls; n += step) {
      const std::string error = n / step % 2 == 0 ? "EIO" : "ENOSPC";
      const std::string err = "'" + (folder / "err") + "'";
      // number, status, files, whether the old one is there, lines on standard error, the reason
      script += "rm -rf '" + place + "'; mkdir '" + place + "'; cp '" + (folder / "before") +
                "' '" + file + "'\n" + failed_at(n, error, command) + " >/dev/null 2>" + err +
                "\necho \"" + std::to_string(n) + " $? $(ls -A '" + place +
                "' | wc -l) $(cmp -s '" + (folder / "before") + "' '" + file +
                "' && echo old || echo new) $(grep -cE " +
                "'Input/output error|No space left on device' " + err + ")\"\n";
    }
    const Outcome outcome = shell(script);
    std::istringstream lines(outcome.out);
    for (std::size_t n = 0, status = 0, files = 0, reasons = 0; lines >> n;) {
      std::string which;
      lines >> status >> files >> which >> reasons;
      INFO("call " << n << " of " << calls << " failed: status " << status << ", " << files
                   << " files, the " << which << " one\n"
                   << list);
      CHECK((status == 0 || status == 3));
      CHECK(files == 1);
      if (status == 3 && !baseline) CHECK(which == "old");
      if (status == 3) CHECK(reasons >= 1);
      told += status == 3 ? 1 : 0;
    }
    std::filesystem::remove_all(place);
  }
  CHECK(told > 2 * file_writers().size());
}

TEST_CASE("faults: a share keeps the points before a call that failed, and goes on behind them") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const std::string sweep = "feedrate sweep " + job + "--vary num_workers=1:24:1 ";
  const std::string whole = shell(sweep + "--format json").out;
  for (std::size_t n = 1; n < 8; ++n) {
    const Folder folder;
    const std::string command =
        sweep + "--shard 1/1 --resume --output '" + (folder / "share") + "'";
    const Outcome failed = shell(failed_at(n, "ENOSPC", command));
    INFO("call " << n << '\n' << failed.err);
    CHECK((failed.status == 3 || failed.status == 0));
    CHECK(shell(command).status == 0);
    const Outcome merged = shell("feedrate merge '" + (folder / "share") + "' --format json");
    CHECK(merged.out == whole);
  }
}

TEST_CASE("faults: prices stay all old or become all new, whichever call fails") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const Folder folder;
  const std::string list =
      folder.write("prices.csv", "InstanceType,Region,Price\np3.2xlarge,us-west-2,77.5\n");
  const std::string import = "feedrate catalog import '" + list + "' --date 2026-11-20";
  const std::string environment =
      "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (folder / "now/pricing") + "'";
  shell("mkdir '" + (folder / "now") + "'; cp -r pricing '" + (folder / "now/pricing") +
        "'; cp -r pricing '" + (folder / "old") + "'");
  const std::size_t calls = calls_of(import, environment).size();
  REQUIRE(calls > 20);
  shell("cp -r '" + (folder / "now/pricing") + "' '" + (folder / "new") + "'");
  const std::size_t step = std::max<std::size_t>(1, calls / 30);
  for (std::size_t n = 1; n <= calls; n += n + 8 > calls ? 1 : step) {
    const Outcome outcome = shell(
        "rm -rf '" + (folder / "now") + "'; mkdir '" + (folder / "now") + "'; cp -r '" +
            (folder / "old") + "' '" + (folder / "now/pricing") + "'; " +
            failed_at(n, "EIO", import) + " >/dev/null; echo $?; diff -rq '" + (folder / "old") +
            "' '" + (folder / "now/pricing") + "' >/dev/null && echo old; diff -rq '" +
            (folder / "new") + "' '" + (folder / "now/pricing") + "' >/dev/null && echo new",
        environment);
    INFO("call " << n << " of " << calls << '\n' << outcome.err);
    // The last of them tells what was imported.
    const bool untold = outcome.out == "3\nnew\n" && has(outcome.err, "to standard output");
    CHECK((outcome.out == "3\nold\n" || outcome.out == "0\nnew\n" || untold));
  }
}

TEST_CASE("faults: a file that may not grow any more is an error, and not a signal's") {
  const Folder folder;
  for (const std::string& writer :
       std::vector<std::string>{"report " + job + "--output ", "run " + job + "--samples ",
                                "sweep " + job + "--vary num_workers=1:40:1 --shard 1/1 --output ",
                                std::string("observe --interval 10ms --output ")}) {
    const Outcome outcome =
        shell("ulimit -f 16; feedrate " + writer + "'" + (folder / "file") + "'");
    INFO(writer << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, "File too large"));
    CHECK(has(outcome.err, folder / "file"));
  }
}

TEST_CASE("faults: a date that is set back again and again changes no answer and no file") {
  const std::string back = "LD_PRELOAD='" FEEDRATE_BACKWARD_CLOCK "' feedrate ";
  for (const std::string& command : std::vector<std::string>{
           "run " + job + "--format json", "check " + job + "--baseline .ci/baseline.json",
           "sweep " + job + "--vary num_workers=1:9:1 --format csv"}) {
    const Outcome outcome = shell(back + command);
    INFO(command << '\n' << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == shell("feedrate " + command).out);
  }
  const Folder folder;
  const Outcome observed =
      shell(back + "observe --for 300ms --interval 20ms --output '" + (folder / "o") +
            "' && feedrate observe show '" + (folder / "o") + "'");
  INFO(observed.err);
  CHECK(observed.status == 0);
}

}  // namespace
