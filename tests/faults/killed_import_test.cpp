// `catalog import` killed at random moments: all prices are old, or all are new.
#include <algorithm>
#include <chrono>
#include <random>

#include "catch.hpp"
#include "cli/process.hpp"

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
  const Folder folder;
  const std::string before = folder / "before";
  const std::string after = folder / "after";
  const std::string pricing = folder / "now/pricing";
  const std::string list = folder.write("prices.csv", price_list());
  const auto import_into = [&](const std::string& where, const std::string& killed = "") {
    return shell(killed + "feedrate catalog import '" + list + "' --date 2026-11-20 >/dev/null",
                 "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + where + "'");
  };
  shell("cp -r pricing '" + before + "'; cp -r pricing '" + after + "'; mkdir '" +
        (folder / "now") + "'");
  const auto started = std::chrono::steady_clock::now();
  REQUIRE(import_into(after).status == 0);
  const double whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const auto same = [&](const std::string& as) {
    return shell("diff -r '" + as + "' '" + pricing + "'").status == 0;
  };
  REQUIRE(shell("diff -r '" + before + "' '" + after + "'").status == 1);

  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> when(0.0, 1.2 * whole);
  int old_ones = 0;
  int new_ones = 0;
  for (int i = 0; i < 30; ++i) {
    shell("rm -rf '" + pricing + "'; cp -r '" + before + "' '" + pricing + "'");
    import_into(pricing, "timeout -s KILL " + std::to_string(std::max(0.001, when(random))) + " ");
    const bool is_old = same(before);
    const bool is_new = same(after);
    INFO("kill " << i);
    CHECK((is_old || is_new));
    (is_new ? new_ones : old_ones) += 1;
  }
  CHECK(old_ones > 0);
  CHECK(new_ones > 0);
  // The next import that is let finish sweeps up after those that were not.
  CHECK(import_into(pricing).status == 0);
  CHECK(same(after));
  CHECK(shell("ls -A '" + (folder / "now") + "'").out == "pricing\n");
}

TEST_CASE("faults: prices are imported where the folder cannot be exchanged, and it is said") {
  if (shell("unshare -m true").status != 0) return;  // mounting is not allowed here
  const Folder folder;
  const std::string list = folder.write("prices.csv", price_list());
  shell("cp -r pricing '" + (folder / "real") + "'; mkdir '" + (folder / "pricing") + "'");
  const Outcome outcome =
      shell("unshare -m sh -c \"mount --bind '" + (folder / "real") + "' '" + (folder / "pricing") +
                "' && feedrate catalog import '" + list + "' --date 2026-11-20\"",
            "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (folder / "pricing") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "one by one"));
  CHECK(shell("grep -q 77.5 '" + (folder / "real") + "/aws/p3.json'").status == 0);
}

}  // namespace
