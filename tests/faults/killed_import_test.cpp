// `catalog import` killed at any of its calls: all prices are old, or all are new.
#include <algorithm>

#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/at_call.hpp"
#include "faults/places.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

/// New prices for machines in several files of the catalogue.
std::string price_list() {
  std::string rows = "InstanceType,Region,Price\n";
  for (const char* name : {"p3.2xlarge", "p3.8xlarge", "p3dn.24xlarge", "p4d.24xlarge", "g5.xlarge",
                           "g4dn.xlarge", "g6.xlarge", "c5.xlarge", "m5.xlarge", "r5.xlarge"}) {
    rows += std::string(name) + ",us-west-2,77.5\n";
  }
  return rows;
}

TEST_CASE("faults: an import that is killed leaves all prices old or all new, and nothing behind") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const Folder folder;
  const std::string before = folder / "before";
  const std::string after = folder / "after";
  const std::string pricing = folder / "now/pricing";
  const std::string list = folder.write("prices.csv", price_list());
  const std::string import = "feedrate catalog import '" + list + "' --date 2026-11-20";
  const auto prices = [](const std::string& where) {
    return "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + where + "'";
  };
  shell("cp -r pricing '" + before + "'; cp -r pricing '" + after + "'; mkdir '" +
        (folder / "now") + "'");
  const std::size_t calls = calls_of(import, prices(after)).size();
  REQUIRE(calls > 20);
  REQUIRE(shell("diff -r '" + before + "' '" + after + "'").status == 1);

  int old_ones = 0;
  int new_ones = 0;
  // Files are copied one like the other; the new ones are written, exchanged and swept up at the
  // end.
  const std::size_t step = std::max<std::size_t>(1, calls / 30);
  for (std::size_t n = 1; n <= calls; n += n + 8 > calls ? 1 : step) {
    const Outcome outcome =
        shell("rm -rf '" + pricing + "'; cp -r '" + before + "' '" + pricing + "'; " +
                  killed_at(n, import) + " >/dev/null 2>&1; diff -rq '" + before + "' '" + pricing +
                  "' >/dev/null && echo old; diff -rq '" + after + "' '" + pricing +
                  "' >/dev/null && echo new",
              prices(pricing));
    INFO("killed at call " << n << " of " << calls);
    CHECK((outcome.out == "old\n" || outcome.out == "new\n"));
    (outcome.out == "new\n" ? new_ones : old_ones) += 1;
  }
  CHECK(old_ones > 0);
  CHECK(new_ones > 0);
  // The next import that is let finish sweeps up after those that were not.
  CHECK(shell(import, prices(pricing)).status == 0);
  CHECK(shell("diff -r '" + after + "' '" + pricing + "'").status == 0);
  CHECK(shell("ls -A '" + (folder / "now") + "'").out == "pricing\n");
}

TEST_CASE("faults: prices are imported where the folder cannot be exchanged, and it is said") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) return feedrate::test::skip("mounting is not permitted here");
  const Folder folder;
  const std::string list = folder.write("prices.csv", price_list());
  shell("cp -r pricing '" + (folder / "real") + "'; mkdir '" + (folder / "pricing") + "'");
  const Outcome outcome =
      shell(mounts + " sh -c \"mount --bind '" + (folder / "real") + "' '" + (folder / "pricing") +
                "' && feedrate catalog import '" + list + "' --date 2026-11-20\"",
            "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (folder / "pricing") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "one by one"));
  CHECK(shell("grep -q 77.5 '" + (folder / "real") + "/aws/p3.json'").status == 0);
}

}  // namespace
