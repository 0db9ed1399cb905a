#include "bench/loader_lines.hpp"

#include <string>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

/// The probe with another script in the place of probe_loader.py, which the shell reads.
MeasurementSet measured_by(const std::string& script, const std::string& loader = "mine:Images",
                           const std::string& data = "") {
  const test::TemporaryFolder folder;
  folder.write("probe_loader.py", script);
  Settings settings;
  settings.loader = loader;
  settings.data = data;
  settings.python = "/bin/sh";
  settings.scripts = folder.at("");
  return test::measured(probe_loader, settings);
}

}  // namespace

TEST_CASE("loader lines: a series has its settings, numbers apart from words") {
  LoaderLines lines;
  lines.read("# PyTorch 1.13");
  lines.read("");
  lines.read("series getitem_in_loader samples 1 users=4;cache=cold 0.01 0.02 3e-2");
  lines.read("series cpu core-seconds 0.5 - 0");
  lines.read("  remark  2 of 9 files: left out  ");
  REQUIRE(lines.measurements().size() == 2);
  const Measurement& first = lines.measurements()[0];
  CHECK(first.probe == "loader");
  CHECK(first.quantity == "getitem_in_loader");
  CHECK(first.unit == "samples");
  CHECK(first.work == 1.0);
  CHECK(first.at == std::map<std::string, double>{{"users", 4.0}});
  CHECK(first.how == std::map<std::string, std::string>{{"cache", "cold"}});
  CHECK(first.times == std::vector<Duration>{seconds(0.01), seconds(0.02), seconds(0.03)});
  CHECK(lines.measurements()[1].at.empty());
  REQUIRE(lines.remarks().size() == 1);
  CHECK(lines.remarks()[0].find("2 of 9 files: left out") == 0);
}

TEST_CASE("loader lines: what is no series is refused with its line") {
  for (const char* line :
       {"hello", "series", "series getitem samples 1 -", "series getitem samples 0 - 1",
        "series getitem samples x - 1", "series getitem samples 1 users 1",
        "series getitem samples 1 =4 1", "series getitem samples 1 users= 1",
        "series getitem samples 1 a=1; 1", "series getitem samples 1 - -1",
        "series getitem samples 1 - nan", "series getitem samples 1 - 1 two", "remark",
        "series Get;item samples 1 - 1", "Traceback (most recent call last):", "\x01\xff"}) {
    INFO(line);
    LoaderLines lines;
    lines.read("# one line before");
    try {
      lines.read(line);
      FAIL_CHECK("accepted");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("line 2: expected series") != std::string::npos);
    }
    CHECK(lines.measurements().empty());
  }
}

TEST_CASE("loader probe: one process measures all rounds; its measurements and remarks are kept") {
  const MeasurementSet set = measured_by(
      "n=0; while read question; do n=$((n+1)); echo series getitem samples 1 - 0.5 0.$n; "
      "echo remark asked for $1 $2: $question; echo round done; done");
  CHECK(set.probes[0].measured);
  CHECK(set.probes[0].reason.empty());
  CHECK(set.probes[0].remarks == std::vector<std::string>{"asked for mine:Images --quick: round"});
  REQUIRE(set.measurements.size() == 1);
  CHECK(set.measurements[0].quantity == "getitem");
  CHECK(set.measurements[0].rounds == std::vector<std::size_t>{2, 2, 2});
  CHECK(set.measurements[0].times.back() == seconds(0.3));
}

TEST_CASE("loader probe: the script hears what to load, for how long and how often") {
  const auto asked = [](const std::string& loader, const std::string& data) {
    const MeasurementSet set = measured_by(
        "read question; echo series getitem samples 1 - 0.5; "
        "echo remark \"$*\"; echo round done",
        loader, data);
    return set.probes.at(0).remarks.at(0);
  };
  CHECK(asked("mine:Images", "/some data") ==
        "mine:Images --quick --device auto --seconds 120 --rounds 3");
  CHECK(asked("images", "/some data") ==
        "--data /some data --quick --device auto --seconds 120 --rounds 3");
  CHECK(asked("images", "") == "--quick --device auto --seconds 120 --rounds 3");  // generated ones
}

TEST_CASE("loader probe: a script that dies in a round leaves what it had measured") {
  const MeasurementSet set = measured_by(
      "read question; echo series getitem samples 1 - 0.5; echo round done\n"
      "read question; echo series getitem samples 1 - 0.7\n"
      "echo 'killed by the weather' >&2; exit 1");
  CHECK(set.probes[0].measured);
  CHECK(set.probes[0].reason.find("exit status 1: killed by the weather in round 2") !=
        std::string::npos);
  REQUIRE(set.measurements.size() == 1);
  CHECK(set.measurements[0].rounds == std::vector<std::size_t>{1, 1});
  const MeasurementSet silent = measured_by("true");
  CHECK_FALSE(silent.probes[0].measured);
  CHECK(silent.probes[0].reason.find("ended with exit status 0 in round 1") != std::string::npos);
}

TEST_CASE("loader probe: a line that is wrong is told by its number over all rounds") {
  const MeasurementSet set = measured_by(
      "read question; echo series getitem samples 1 - 0.5; echo round done; "
      "read question; echo hello; sleep 100");
  CHECK(set.probes[0].reason.find("probe_loader.py, line 2: expected series") == 0);
}

TEST_CASE("loader probe: it says what it needs") {
  Settings settings;
  CHECK(probe_loader.unavailable(settings).find("--loader MODULE:NAME") != std::string::npos);
  settings.loader = "mine:Images";
  settings.scripts = "/no/such/folder";
  CHECK(probe_loader.unavailable(settings) == "/no/such/folder/probe_loader.py is missing");
}
