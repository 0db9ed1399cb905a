// kill -9 at random moments: under its final name stands a whole file, old or new, or none; what is
// written line by line goes on from its last whole line.
#include <algorithm>
#include <chrono>
#include <random>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/json_reader.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";

/// Without the moment at which it was made.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9]{2}:[0-9]{2}:[0-9]{2}"), "");
}

class Killer {
 public:
  explicit Killer(std::uint64_t seed) : random_(seed) {}

  /// How long the command takes, which is run once to its end.
  static double time_of(const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome whole = shell(command);
    INFO(command << '\n' << whole.err);
    REQUIRE(whole.status == 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Starts it and kills it at a random moment of `whole` seconds, or a little later.
  Outcome kill(const std::string& command, double whole) {
    std::uniform_real_distribution<double> when(0.0, 1.1 * whole);
    return shell("timeout -s KILL " + std::to_string(std::max(0.001, when(random_))) + " " +
                 command);
  }

 private:
  std::mt19937_64 random_;
};

TEST_CASE("faults: a file that is written at once is old or new after kill -9, never a part") {
  struct Writer {
    std::string command;
    int kills;
  };
  const std::vector<Writer> writers = {
      {"feedrate run " + job + "--format json --output ", 8},
      {"feedrate report " + job + "--output ", 6},
      {"feedrate run " + job + "--samples ", 6},
      {"feedrate sweep " + job + "--vary num_workers=1:40:1 --format csv --output ", 6},
      {"feedrate calibrate --import tests/schema/imports/nccl.log --output ", 6},
      {"feedrate observe --import tests/schema/imports/nccl.log --output ", 6},
      {"feedrate check " + job + "--update --baseline ", 6},
  };
  Killer killer(23);
  for (const Writer& writer : writers) {
    const Folder folder;
    // A baseline names its scenarios as they are reached from where it stands.
    const std::string expected = folder.write("f/file", "");
    std::filesystem::remove(expected);
    const double whole = Killer::time_of(writer.command + "'" + expected + "'");
    const std::string after = without_times(slurp(expected));
    REQUIRE_FALSE(after.empty());
    const bool baseline = has(writer.command, "baseline");
    const std::string before = baseline ? after : "old\n";
    for (int i = 0; i < writer.kills; ++i) {
      const bool there = i % 2 == 0;
      const std::string file = folder.write("f/file", before);
      if (!there) std::filesystem::remove(file);
      killer.kill(writer.command + "'" + file + "' >/dev/null 2>&1", whole);
      const std::string now = without_times(slurp(file));
      INFO(writer.command << ": " << now.size() << " of " << after.size() << " bytes");
      CHECK((now == after || now == (there ? before : "")));
      // What was in the making is told from it by its name, and is no hindrance.
      std::filesystem::remove_all(folder / "f");
    }
  }
}

TEST_CASE("faults: a sweep that is killed again and again goes on to what it would have been") {
  const std::string sweep =
      "feedrate sweep " + job + "--vary num_workers=1:60:1 --replications 60 ";
  for (const std::string how : {"--format csv", "--format json"}) {
    const Folder folder;
    const std::string file = folder / "out";
    const double whole = Killer::time_of(sweep + how + " --output '" + (folder / "whole") + "'");
    const std::string resumed = sweep + how + " --resume --output '" + file + "'";
    Killer killer(29);
    int kills = 0;
    while (kills < 6 && !std::filesystem::exists(file)) {
      killer.kill(resumed + " 2>/dev/null", 0.5 * whole);
      ++kills;
    }
    INFO(how << " after " << kills << " kills");
    // Also where the file is there: a kill after its renaming leaves the part beside it.
    CHECK(shell(resumed).status == 0);
    CHECK(slurp(file) == slurp(folder / "whole"));
    CHECK(folder.files() == 2);
  }
}

TEST_CASE("faults: shares that are killed, resumed and merged are the sweep") {
  const std::string sweep =
      "feedrate sweep " + job + "--vary num_workers=1:60:1 --replications 60 ";
  const Folder folder;
  Killer killer(31);
  for (const std::string share : {"1", "2"}) {
    const std::string command =
        sweep + "--shard " + share + "/2 --resume --output '" + (folder / share) + "'";
    for (int i = 0; i < 4; ++i) killer.kill(command + " 2>/dev/null", 0.3);
    CHECK(shell(command).status == 0);
  }
  const Outcome merged =
      shell("feedrate merge '" + (folder / "1") + "' '" + (folder / "2") + "' --format json");
  CHECK(merged.status == 0);
  CHECK(merged.out == shell(sweep + "--format json").out);
}

TEST_CASE(
    "faults: an observation of which the observer was killed is whole lines that can be shown") {
  Killer killer(37);
  int shown = 0;
  for (int i = 0; i < 5; ++i) {
    const Folder folder;
    const std::string file = folder / "o.jsonl";
    killer.kill("feedrate observe --interval 10ms --output '" + file + "' 2>/dev/null", 0.6);
    const std::string text = slurp(file);
    if (text.empty()) continue;  // not even begun
    CHECK(text.ends_with('\n'));
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      CHECK_NOTHROW(feedrate::schema::parse_json(text.substr(at, end - at), file));
      at = end + 1;
    }
    const Outcome outcome = shell("feedrate observe show '" + file + "'");
    INFO(lines << " lines: " << outcome.out << outcome.err);
    // One that holds nothing yet is refused with words.
    CHECK((outcome.status == 0 || outcome.status == 2));
    shown += outcome.status == 0 ? 1 : 0;
  }
  CHECK(shown > 0);
}

}  // namespace
