// Ctrl-C while something is simulated: the answer of what is done, or none, and soon.
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string many = "run scenarios/caltech256_p3.json --replications 100000 ";
/// Of hours: 64 GPUs, 90 epochs, each of minutes.
const std::string endless =
    "run scenarios/mlperf_storage_micron.json --exact --set epochs=60 --set gpus_per_instance=8 ";

bool some_are_done(const std::string& shown) {
  return std::regex_search(shown, std::regex("[1-9][0-9,]* of 100,000"));
}

/// The command, interrupted at a terminal once it tells that some of its replications are done;
/// what it prints in `out`, what it tells in `err`.
Outcome interrupted_when_some_are_done(const std::string& command) {
  const Folder folder;
  const std::string out = folder / "out";
  Outcome outcome = on_terminal("feedrate " + command + " >'" + out + "'", "LC_ALL=C.UTF-8", "\x03",
                                some_are_done);
  outcome.err = std::move(outcome.out);
  outcome.out = slurp(out);
  return outcome;
}

/// The command, interrupted by a signal as soon as it handles that.
Outcome interrupted(const std::string& command) {
  return shell(
      "feedrate " + command +
      " & p=$!\n"
      "until [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$p/status) & 2)) != 0 ]; do "
      "sleep 0.02; done\nkill -INT $p; wait $p");
}

int replications_done(const std::string& err) {
  std::smatch found;
  const std::regex words("interrupted: the answer uses ([0-9,]+) of 100,000 replications");
  if (!std::regex_search(err, found, words)) return 0;
  std::string digits = found[1];
  std::erase(digits, ',');
  return std::stoi(digits);
}

/// Without the sentence that says that it was stopped.
std::string without_remark(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s*\"Stopped after [^\"]*\"\\s*"), "");
}

}  // namespace

TEST_CASE("faults: Ctrl-C ends replications with the answer of those that are done") {
  const Outcome json = interrupted_when_some_are_done(many + "--format json");
  INFO(json.err);
  CHECK(json.status == 3);
  const int done = replications_done(json.err);
  REQUIRE(done > 0);
  REQUIRE(done < 100000);
  CHECK(has(json.out, "\"replications\": " + std::to_string(done)));
  const Outcome asked = shell("feedrate run scenarios/caltech256_p3.json --replications " +
                              std::to_string(done) + " --format json");
  CHECK(asked.status == 0);
  CHECK(without_remark(json.out) == without_remark(asked.out));
  CHECK(json.out != asked.out);

  const Outcome text = interrupted_when_some_are_done(many);
  CHECK(text.status == 3);
  CHECK(has(text.out, "Stopped after "));
  const Folder folder;
  const Outcome file =
      interrupted_when_some_are_done(many + "--format csv --output '" + (folder / "f") + "'");
  CHECK(file.status == 3);
  CHECK(replications_done(file.err) > 0);
  CHECK(folder.files() == 1);
}

TEST_CASE("faults: a second kind of question, stopped: find and feeds") {
  for (const std::string question :
       {"run scenarios/caltech256_p3.json --find 'smallest num_workers in 1..32 with gpu_busy >= "
        "50%' --replications 100000",
        "feeds scenarios/caltech256_p3.json --over gpus_per_instance --replications 100000"}) {
    const Outcome outcome = interrupted_when_some_are_done(question);
    INFO(question << '\n' << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(replications_done(outcome.err) > 0);
    CHECK(has(outcome.out, "topped after"));
  }
}

// That it ends at all is what ctest's patience shows: what is asked would take hours.
TEST_CASE("faults: Ctrl-C in the middle of an epoch of events ends at once, as the signal does") {
  const Outcome outcome = interrupted(endless);
  INFO(outcome.err);
  CHECK(outcome.status == 128 + 2);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "feedrate: interrupted: "));
  CHECK(has(outcome.err, " steps are simulated"));
}

TEST_CASE("faults: a sweep is stopped in the middle of a point that takes long") {
  const Folder folder;
  const std::string points = "sweep scenarios/caltech256_p3.json --vary num_workers=1:4:1 ";
  const Outcome drawn = interrupted(points + "--replications 100000");
  CHECK(drawn.status == 128 + 2);
  CHECK(has(drawn.err, "0 of 4 points are done"));
  const Outcome exact = interrupted(
      "sweep scenarios/mlperf_storage_micron.json --exact --set "
      "epochs=60 --vary gpus_per_instance=8 --format csv");
  CHECK(exact.status == 128 + 2);
  CHECK(exact.out.empty());
  const Outcome share =
      interrupted(points + "--replications 100000 --shard 1/1 --output '" + (folder / "s") + "'");
  INFO(share.err);
  CHECK(share.status == 3);
  CHECK(has(share.err, "0 of 4 points are kept"));
}

TEST_CASE("faults: who waits at a terminal sees how far it is, and Ctrl-C works there") {
  const Outcome drawn = on_terminal("feedrate " + many, "LC_ALL=C.UTF-8", "\x03", some_are_done);
  CHECK(drawn.status == 3);
  CHECK(has(drawn.out, "replications ["));
  CHECK(has(drawn.out, " of 100,000, "));
  CHECK(has(drawn.out, "Stopped after "));
  const Outcome exact = on_terminal("feedrate " + endless, "LC_ALL=C.UTF-8", "\x03");
  CHECK(exact.status == 128 + 2);
  CHECK(has(exact.out, "steps ["));
}

TEST_CASE("faults: more replications than tell anything are refused, with the most and why") {
  for (const char* const command : {"run", "sweep --vary num_workers=1:2:1", "cases", "feeds"}) {
    const Outcome outcome = shell("feedrate " + std::string(command) +
                                  " scenarios/caltech256_p3.json --replications 100001");
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, "from 1 to 100000, got \"100001\": "));
    CHECK(has(outcome.err, "0.07 percentage points"));
  }
}
