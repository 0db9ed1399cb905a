// kill -9 at every call that changes files: under its final name stands a whole file, old or new,
// or none; what is written line by line goes on from its last whole line.
#include <algorithm>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/at_call.hpp"
#include "faults/writers.hpp"
#include "schema/json/json_reader.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";
const std::string sweep = "feedrate sweep " + job + "--vary num_workers=1:60:1 --replications 20 ";

/// Without the moment at which it was made.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9]{2}:[0-9]{2}:[0-9]{2}"), "");
}

/// Numbers of calls from the first to behind the last of `calls`, `step` apart.
std::vector<std::size_t> moments(std::size_t calls, std::size_t step) {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= calls; n += step) all.push_back(n);
  return all;
}

TEST_CASE("faults: a file that is written at once is old or new after kill -9, never a part") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const Folder folder;
  const std::string prepare = files_for_writers(folder.at(""));
  for (const FileWriter& writer : file_writers()) {
    // Node, which draws, changes no file.
    if (writer.source == "src/cli/plot.cpp" || !can_run(writer)) continue;
    const std::string place = folder / "f";
    const std::string file = place + "/file";
    const std::string command = "feedrate " + writer.commands.front() + "'" + file + "'";
    // A baseline of other entries would be updated, and one that is none refused.
    const bool baseline = has(writer.commands.front(), "--update");
    const std::string list = folder / "list";
    const std::string whole = folder / "whole";
    const Outcome first =
        shell(prepare + "mkdir '" + place + "'; '" FEEDRATE_AT_CALL "' --list '" + list + "' -- " +
              command + " >/dev/null && mv '" + file + "' '" + whole + "'");
    INFO(command << '\n' << first.err);
    REQUIRE(first.status == 0);
    std::ifstream in(list);
    const auto calls = static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n'));
    REQUIRE(calls >= 3);  // writing, flushing, renaming
    const std::string before = baseline ? slurp(whole) : "old\n";
    // Large ones are written in many blocks, all alike.
    const std::size_t step = std::max<std::size_t>(1, calls / 12);
    std::string script = prepare;
    for (const std::size_t n : moments(calls, step)) {
      const std::string kept = folder / ("kept" + std::to_string(n));
      const bool there = n / step % 2 == 0;
      script += "rm -rf '" + place + "'; mkdir '" + place + "'\n";
      if (there) script += "cp '" + (folder / "before") + "' '" + file + "'\n";
      script += killed_at(n, command) + " >/dev/null 2>&1\ncp '" + file + "' '" + kept +
                "' 2>/dev/null\n";
    }
    folder.write("before", before);
    shell(script);
    const std::string after = without_times(slurp(whole));
    for (const std::size_t n : moments(calls, step)) {
      const std::string kept = folder / ("kept" + std::to_string(n));
      const bool there = n / step % 2 == 0;
      const std::string now = without_times(slurp(kept));
      INFO("killed at call " << n << " of " << calls << ": " << now.size() << " bytes of "
                             << after.size());
      CHECK((now == after || now == (there ? without_times(before) : "")));
      std::filesystem::remove(kept);
    }
    std::filesystem::remove_all(place);
  }
}

TEST_CASE("faults: a sweep that is killed again and again goes on to what it would have been") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  for (const std::string how : {"--format csv", "--format json"}) {
    const Folder folder;
    const std::string file = folder / "out";
    REQUIRE(shell(sweep + how + " --output '" + (folder / "whole") + "'").status == 0);
    const std::string resumed = sweep + how + " --resume --output '" + file + "'";
    for (const std::size_t n : {1, 2, 3, 7, 12, 5, 20}) {
      const Outcome killed = shell(killed_at(n, resumed) + " 2>/dev/null");
      // Every point is kept as it is done, so that there may be fewer calls left than that.
      CHECK((killed.status == 128 + 9 || killed.status == 0));
    }
    // Killed once its renaming is done, it leaves the part beside it.
    CHECK(shell(killed_at(1, resumed, "unlink") + " 2>/dev/null").status == 128 + 9);
    INFO(how);
    CHECK(slurp(file) == slurp(folder / "whole"));
    CHECK(folder.files() == 3);
    CHECK(shell(resumed).status == 0);
    CHECK(slurp(file) == slurp(folder / "whole"));
    CHECK(folder.files() == 2);
  }
}

TEST_CASE("faults: shares that are killed, resumed and merged are the sweep") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  const Folder folder;
  for (const std::string number : {"1", "2"}) {
    const std::string command =
        sweep + "--shard " + number + "/2 --resume --output '" + (folder / number) + "'";
    for (const std::size_t n : {1, 2, 4, 9}) {
      CHECK(shell(killed_at(n, command) + " 2>/dev/null").status == 128 + 9);
    }
    CHECK(shell(command).status == 0);
  }
  const Outcome merged =
      shell("feedrate merge '" + (folder / "1") + "' '" + (folder / "2") + "' --format json");
  CHECK(merged.status == 0);
  CHECK(merged.out == shell(sweep + "--format json").out);
}

TEST_CASE(
    "faults: an observation of which the observer was killed is whole lines that can be shown") {
  if (!can_trace()) return feedrate::test::skip(no_tracing);
  int shown = 0;
  for (const std::size_t n : {1, 2, 3, 4, 5, 6, 8, 12}) {
    const Folder folder;
    const std::string file = folder / "o.jsonl";
    const std::string observe = "feedrate observe --interval 10ms --output '" + file + "'";
    CHECK(shell(killed_at(n, observe) + " 2>/dev/null").status == 128 + 9);
    const std::string text = slurp(file);
    if (text.empty()) continue;  // not even begun
    CHECK(text.ends_with('\n'));
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      CHECK_NOTHROW(feedrate::schema::parse_json(text.substr(at, end - at), file));
      at = end + 1;
    }
    const Outcome outcome = shell("feedrate observe show '" + file + "'");
    INFO("killed at call " << n << ": " << outcome.out << outcome.err);
    // One that holds nothing yet is refused with words.
    CHECK((outcome.status == 0 || outcome.status == 2));
    shown += outcome.status == 0 ? 1 : 0;
  }
  CHECK(shown > 0);
}

}  // namespace
