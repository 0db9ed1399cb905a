// Several processes that write one file at the same moment: each file is one of theirs, whole, or
// the others are told to wait; what each puts into a file beside the others' is all there.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/writers.hpp"

using namespace testing_cli;

namespace {

namespace fs = std::filesystem;

const std::string job = "scenarios/caltech256_p3.json ";

/// Without the moment at which it was made, and the file's own name.
std::string without_moment(const std::string& text) {
  const std::regex moments("[0-9]{2}:[0-9]{2}:[0-9]{2}[.0-9]*|\"command_line\":[^\n]*");
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    // Pages have lines that are too long for std::regex.
    out += (line.size() > 10'000 ? line : std::regex_replace(line, moments, "")) + "\n";
  }
  return out;
}

/// All at once; a line "STATUS words" each, the words those of its last line on standard error.
std::string at_once(const std::vector<std::string>& commands) {
  std::string script;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string err = "\"$T\"/" + std::to_string(i);
    script += "(" + commands[i] + " >/dev/null 2>" + err + "; echo \"$? $(tail -1 " + err +
              ")\" >" + err + ".end) &\n";
  }
  return "T=$(mktemp -d)\n" + script + "wait\ncat \"$T\"/*.end\nrm -r \"$T\"\n";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("faults: the list of writing commands is that of the source") {
  std::set<std::string> known;
  for (const FileWriter& writer : file_writers()) known.insert(writer.source);
  // Tried below, by name: an observation as it is made, a share, prices, a new baseline's lock;
  // what is fetched and the folder made of it, by tests/cli/catalog_update_test.py. What validate
  // keeps takes minutes of a real loader: it is written as the others are.
  known.insert({"src/cli/sweep_share.cpp", "src/formats/prices/catalog_import.cpp",
                "src/cli/observe.cpp", "src/cli/validate.cpp", "src/cli/probes/download.cpp",
                "src/cli/catalog_update.cpp"});
  const std::regex writes(
      R"(\b(write_text_file|write_new_text_file|replace_files|copy_with_files)\(|\bSpool \w+\(|\bmake_unique<(LineWriter|schema::ObservationWriter)>)");
  std::set<std::string> found;
  for (const char* const top : {"src", "bench"}) {
    const fs::path root(FEEDRATE_SOURCE_DIR);
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string name = fs::relative(entry.path(), root).string();
      if (entry.path().extension() != ".cpp" || name.starts_with("src/base/")) continue;
      for (const std::string& line : lines_of(slurp(entry.path()))) {
        if (std::regex_search(line, writes)) found.insert(name);
      }
    }
  }
  CHECK(found == known);
}

TEST_CASE("faults: processes that write one file at a time leave the file of one of them") {
  const Folder folder;
  fs::create_directory(folder / "in");
  const std::string prepare = files_for_writers(folder / "in");
  std::size_t number = 0;
  for (const FileWriter& writer : file_writers()) {
    if (!can_run(writer)) continue;
    const std::string place = folder / ("f" + std::to_string(++number));
    fs::create_directory(place);
    std::string script = prepare;
    std::vector<std::string> together;
    for (std::size_t i = 0; i < writer.commands.size(); ++i) {
      const std::string command = "feedrate " + writer.commands[i];
      script += command + "'" + place + "/file' >/dev/null 2>&1 || echo failed\nmv '" + place +
                "/file' '" + folder.at("expected" + std::to_string(i)) + "'\n";
      for (int twice = 0; twice < 2; ++twice) together.push_back(command + "'" + place + "/file'");
    }
    const Outcome alone = shell(script);
    INFO(writer.commands.front() << '\n' << alone.out << alone.err);
    REQUIRE(alone.out.empty());
    std::set<std::string> expected;
    for (std::size_t i = 0; i < writer.commands.size(); ++i) {
      expected.insert(without_moment(slurp(folder.at("expected" + std::to_string(i)))));
    }
    const Outcome outcome = shell(prepare + at_once(together));
    INFO(outcome.out << outcome.err);
    const std::vector<std::string> ends = lines_of(outcome.out);
    CHECK(ends.size() == together.size());
    for (const std::string& end : ends) CHECK(end.starts_with("0"));
    const std::string left = without_moment(slurp(place + "/file"));
    CHECK(std::distance(fs::directory_iterator(place), fs::directory_iterator()) == 1);
    // A baseline that several write has what each of them wrote.
    CHECK(expected.contains(left));
  }
}

TEST_CASE("faults: baselines that are updated at a time keep every entry") {
  const Folder folder;
  std::vector<std::string> commands;
  for (const auto& entry : fs::directory_iterator(fs::path(FEEDRATE_SOURCE_DIR) / "scenarios")) {
    if (entry.path().extension() != ".json" || commands.size() == 6) continue;
    commands.push_back("feedrate check '" + entry.path().string() + "' --update --baseline '" +
                       (folder / "baseline.json") + "'");
  }
  REQUIRE(commands.size() == 6);
  for (int round = 0; round < 4; ++round) {
    // At first it is not there; then each entry takes the place of its own.
    if (round == 2) fs::remove(folder / "baseline.json");
    const Outcome outcome = shell(at_once(commands));
    INFO(outcome.out << outcome.err);
    for (const std::string& end : lines_of(outcome.out)) CHECK(end.starts_with("0"));
    const std::string text = slurp(folder / "baseline.json");
    std::size_t entries = 0;
    for (std::size_t at = 0; (at = text.find("\"figures\"", at)) != std::string::npos; ++at) {
      ++entries;
    }
    CHECK(entries == commands.size());
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("faults: a share of which two processes write is whole, and the second is told to wait") {
  const std::string sweep = "feedrate sweep " + job + "--vary num_workers=1:40:1 ";
  const std::string whole = shell(sweep + "--format json").out;
  int refused = 0;
  for (const std::string how : {"--shard 1/1 ", "--shard 1/1 --resume "}) {
    for (int round = 0; round < 10; ++round) {
      const Folder folder;
      const std::string share = folder / "sh";
      const std::string command = sweep + how + "--output '" + share + "'";
      const Outcome outcome = shell(at_once({command, command}));
      INFO(how << outcome.out << outcome.err);
      bool done = false;
      for (const std::string& end : lines_of(outcome.out)) {
        const bool waits = end.starts_with("3 ") && has(end, "another process is writing it");
        CHECK((waits || end.starts_with("0")));
        done = done || end.starts_with("0");
        refused += waits ? 1 : 0;
      }
      CHECK(done);
      const Outcome merged = shell("feedrate merge '" + share + "' --format json");
      CHECK(merged.status == 0);
      CHECK(merged.out == whole);
    }
  }
  CAPTURE(refused);
}

TEST_CASE("faults: a share that another process writes is left as it is, down to its last byte") {
  const Folder folder;
  const std::string share = folder / "sh";
  const std::string sweep =
      "feedrate sweep " + job + "--vary num_workers=1:9:1 --shard 1/1 --output '" + share + "'";
  REQUIRE(shell(sweep).status == 0);
  const std::string before = slurp(share);
  // flock holds the lock until its command has ended.
  const Outcome held = shell("flock '" + share + "' " + sweep + "; flock '" + share + "' " + sweep +
                             " --resume; flock '" + share +
                             "' feedrate observe --for 20ms "
                             "--interval 10ms --output '" +
                             share + "'");
  CHECK(held.status == 3);
  CHECK(has(held.err, "another process is writing it"));
  CHECK(slurp(share) == before);
  // A share that is finished stays, and is not simulated again.
  const Outcome again = shell(sweep);
  CHECK(again.status == 0);
  CHECK(has(again.err, "9 of 9 points are already in "));
  CHECK(slurp(share) == before);
}

TEST_CASE("faults: a sweep that two processes resume is the sweep, and nothing stays beside it") {
  const std::string sweep = "feedrate sweep " + job + "--vary num_workers=1:40:1 --format csv ";
  const std::string whole = shell(sweep).out;
  for (int round = 0; round < 6; ++round) {
    const Folder folder;
    const std::string command = sweep + "--resume --output '" + (folder / "out") + "'";
    const Outcome outcome = shell(at_once({command, command, command}));
    INFO(outcome.out << outcome.err);
    for (const std::string& end : lines_of(outcome.out)) {
      CHECK((end.starts_with("0") || has(end, "another process is writing it")));
    }
    CHECK(slurp(folder / "out") == whole);
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("faults: an observation of which two processes write is that of one of them") {
  for (int round = 0; round < 4; ++round) {
    const Folder folder;
    const std::string file = folder / "o.jsonl";
    const std::string command =
        "feedrate observe --for 200ms --interval 20ms --output '" + file + "'";
    const Outcome outcome =
        shell(at_once({command, command}) + "feedrate observe show '" + file + "'");
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    const std::vector<std::string> ends = lines_of(outcome.out);
    CHECK((ends[0].starts_with("0") || ends[1].starts_with("0")));
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK((ends[i].starts_with("0") || has(ends[i], "another process is writing it")));
    }
  }
}

TEST_CASE("faults: of processes that make a new file at a time, one does, and the others say so") {
  const Folder folder;
  const std::string made = folder / "job.json";
  const std::string init = "feedrate init tokens --output '" + made + "'";
  const std::string measured = folder / "m.json";
  const std::string calibrate =
      "feedrate calibrate --import tests/formats/imports/nccl.log --output '" +
      (folder / "host.json") + "' --measurements '" + measured + "'";
  for (const auto& [command, words] :
       {std::pair(init, "--force replaces it"), std::pair(calibrate, "which already exists")}) {
    const Outcome outcome = shell(at_once({command, command, command, command}));
    INFO(outcome.out << outcome.err);
    int done = 0;
    for (const std::string& end : lines_of(outcome.out)) {
      done += end.starts_with("0") ? 1 : 0;
      CHECK((end.starts_with("0") || (end.starts_with("2 ") && has(end, words))));
    }
    CHECK(done == 1);
  }
  CHECK(folder.files() == 3);
}

TEST_CASE("faults: calibrations at a time keep their measurements each in a file of its own") {
  const Folder folder;
  const std::string calibrate =
      "feedrate calibrate memcpy --time-limit 1s --output '" + (folder / "host.json") + "'";
  const Outcome outcome = shell(at_once({calibrate, calibrate, calibrate}));
  INFO(outcome.out << outcome.err);
  for (const std::string& end : lines_of(outcome.out)) CHECK(end.starts_with("0"));
  for (const char* const name : {"host.measurements.json", "host.measurements-2.json",
                                 "host.measurements-3.json", "host.json"}) {
    CHECK_FALSE(slurp(folder / name).empty());
  }
  CHECK(folder.files() == 4);
}

TEST_CASE("faults: prices that are imported at a time are all there") {
  const Folder folder;
  shell("cp -r pricing '" + (folder / "pricing") + "'");
  std::vector<std::string> commands;
  const std::vector<std::string> machines = {"p3.2xlarge", "p3.8xlarge", "p3.16xlarge",
                                             "p3dn.24xlarge"};
  for (const std::string& machine : machines) {
    const std::string list = folder.write(
        machine + ".csv", "InstanceType,Region,Price\n" + machine + ",us-west-2,77.5\n");
    commands.push_back("feedrate catalog import '" + list + "' --date 2026-11-20");
  }
  const Outcome outcome =
      shell(at_once(commands), "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (folder / "pricing") + "'");
  INFO(outcome.out << outcome.err);
  for (const std::string& end : lines_of(outcome.out)) CHECK(end.starts_with("0"));
  CHECK(shell("grep -o 77.5 '" + (folder / "pricing") + "'/aws/p3*.json | wc -l").out == "4\n");
  CHECK(folder.files() == 1 + machines.size());
}

}  // namespace
