// Where results go and what they look like there.
#include <algorithm>
#include <csignal>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/glyphs.hpp"

using namespace testing_cli;

namespace {

const std::string run = "feedrate run scenarios/caltech256_p3.json ";
const std::string sweep = "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:4:1 ";

bool is_ascii(const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("output: a long run --exact shows how far it is on a terminal, and Ctrl-C ends it") {
  const std::string run = "feedrate run scenarios/caltech256_p3.json --exact --set epochs=";
  // Typed as soon as something is shown, which is the bar.
  const Outcome stopped =
      testing_cli::on_terminal(run + "200000 >/dev/null", "LC_ALL=C.UTF-8", "\x03");
  INFO(stopped.out);
  CHECK(stopped.out.find("steps [") != std::string::npos);
  CHECK(stopped.out.find(" of 95,800,000") != std::string::npos);
  CHECK(stopped.status == 128 + SIGINT);
  // Nobody waits for a short one, and no bar goes into a pipe.
  CHECK(testing_cli::on_terminal(run + "3 >/dev/null", "LC_ALL=C.UTF-8").out.empty());
}

TEST_CASE("output: results on standard output, nothing on standard error") {
  for (const std::string format : {"text", "json", "csv", "markdown"}) {
    const Outcome outcome = shell(run + "--format " + format);
    INFO(format << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK_FALSE(outcome.out.empty());
    CHECK(outcome.out.back() == '\n');
    if (format != "csv") CHECK(outcome.err.empty());
  }
}

TEST_CASE("output: the same command gives the same bytes") {
  for (const std::string& line : {run, run + "--format json", sweep + "--format csv",
                                  run + "--replications 5 --seed 3 --format json"}) {
    CHECK(shell(line).out == shell(line).out);
  }
  CHECK(shell(sweep + "--jobs 1 --format json").out == shell(sweep + "--jobs 4 --format json").out);
}

TEST_CASE("output: a file holds what standard output would") {
  const Folder folder;
  for (const std::string format : {"text", "json", "csv", "markdown"}) {
    const Outcome outcome = shell(run + "--format " + format + " --output " + (folder / "out"));
    CHECK(outcome.status == 0);
    CHECK(outcome.out.empty());
    CHECK(slurp(folder / "out") == shell(run + "--format " + format).out);
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("output: only a UTF-8 locale gets more than ASCII") {
  CHECK_FALSE(is_ascii(shell(run, "LC_ALL=C.UTF-8").out));
  CHECK_FALSE(is_ascii(shell(run, "LANG=de_DE.utf8").out));
  CHECK(is_ascii(shell(run, "LC_ALL=C").out));
  CHECK(is_ascii(shell(run, "LANG=C.UTF-8 LC_ALL=POSIX").out));
  CHECK(is_ascii(shell(run, "").out));
}

TEST_CASE("output: colour on a terminal only, and not with NO_COLOR or a dumb one") {
  const std::string escape = "\x1b[";
  CHECK(has(on_terminal(run, "LC_ALL=C.UTF-8").out, escape));
  CHECK_FALSE(has(on_terminal(run, "NO_COLOR=1").out, escape));
  CHECK_FALSE(has(on_terminal(run, "TERM=dumb").out, escape));
  CHECK_FALSE(has(shell(run).out, escape));
  CHECK_FALSE(has(on_terminal(run + "--output /dev/stderr", "LC_ALL=C.UTF-8").out, escape));
}

TEST_CASE("output: a full disk is one line and exit status 3") {
  const Outcome full = shell(run + ">/dev/full");
  CHECK(full.status == 3);
  CHECK(has(full.err, "standard output"));
  CHECK(full.err.find('\n') == full.err.size() - 1);
  const Outcome file = shell(run + "--output /dev/full");
  CHECK(file.status == 3);
  CHECK(file.err.find('\n') == file.err.size() - 1);
}

TEST_CASE("output: a reader that goes away ends it quietly") {
  const Outcome outcome = shell(
      "set -o pipefail; feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:300:1 "
      "--format json | head -c 10");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.size() == 10);
}

TEST_CASE("output: closed standard streams are no crash") {
  CHECK(shell(run + ">&-").status == 3);
  CHECK(shell(run + "2>&-").status == 0);
  CHECK(shell("feedrate rnu 2>&-").status == 2);
  CHECK(shell(run + ">&- 2>&- <&-").status == 3);
}

TEST_CASE("output: an interrupt ends it at once with 130 and leaves no half-written file") {
  const Folder folder;
  const Outcome outcome = shell(
      "set -m; feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:1000:1 "
      "--vary batch_size=1:1000:1 --format csv --output " +
      (folder / "out") + " & sleep 0.3; kill -INT $!; wait $!; echo $?");
  CHECK(has(outcome.out, "130"));
  CHECK(folder.files() == 0);
}

TEST_CASE("output: no table is wider than a terminal of 80 columns, and none changes in a pipe") {
  const std::string job = "scenarios/caltech256_p3.json ";
  for (const std::string& command :
       {sweep + "--vary instances=1,2", "feedrate optimize " + job + "--over num_workers=1:4:1",
        "feedrate showback scenarios/teams/classifier.json " + job, "feedrate cases " + job,
        run + "--full", "feedrate advise " + job + "--full --set num_workers=1",
        "feedrate scale " + job + "--full --to 16",
        std::string("feedrate catalog list 'gpu=a100, cloud=aws'")}) {
    INFO(command);
    // Progress, drawn over with carriage returns, is on the other stream.
    const std::string shown =
        on_terminal(command + " 2>/dev/null", "NO_COLOR=1 LC_ALL=C.UTF-8", "", {}, 80).out;
    std::size_t widest = 0;
    for (std::size_t start = 0; start < shown.size();) {
      const std::size_t end = std::min(shown.find('\n', start), shown.size());
      std::string line = shown.substr(start, end - start);
      while (line.ends_with('\r')) line.pop_back();
      widest = std::max(widest, feedrate::report::display_width(line));
      start = end + 1;
    }
    CHECK(widest > 60);
    CHECK(widest <= 80);
    CHECK_FALSE(has(shell(command).out, "Left out in this window"));
  }
}
