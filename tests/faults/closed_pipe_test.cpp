// Whoever reads goes away: that is no failure, and nothing hangs (ctest ends what does).
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";

const std::vector<std::string> printers = {
    "run " + job,
    "run " + job + "--format json",
    "sweep " + job + "--vary num_workers=0:300:1 --format csv",
    "sweep " + job + "--vary num_workers=0:100:1 --format json",
    "sweep " + job + "--vary num_workers=0:4000:1 --shard 1/1 --format csv",
    "cases " + job,
    "schema result",
    "catalog list",
    "init tokens",
    "--help",
    "observe --for 200ms --interval 20ms --output -",
    "observe --import tests/formats/imports/nccl.log",
    R"(serve --mcp <<< '{"jsonrpc": "2.0", "id": 1, "method": "ping"}')",
};

TEST_CASE("faults: a reader that goes away after a line, or before one, is told nothing") {
  for (const std::string& printer : printers) {
    for (const std::string reader : {"head -1 >/dev/null", "true"}) {
      // As started by a shell, and by what ignores SIGPIPE (Python, cron).
      for (const std::string signals : {"", "trap '' PIPE; "}) {
        const Outcome outcome =
            shell(signals + "feedrate " + printer + " | " + reader + "; echo ${PIPESTATUS[0]}");
        INFO(signals << printer << " | " << reader << '\n' << outcome.err);
        CHECK(outcome.out == "0\n");
        CHECK_FALSE(has(outcome.err, "roken pipe"));
        CHECK_FALSE(has(outcome.err, "cannot"));
      }
    }
  }
}

TEST_CASE("faults: standard output that the caller closed is an error, not a silence") {
  for (const std::string& printer : printers) {
    const Outcome outcome = shell("feedrate " + printer + " >&-");
    INFO(printer << '\n' << outcome.err);
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, "standard output: Bad file descriptor"));
  }
}

TEST_CASE("faults: standard error that nobody reads changes no answer") {
  const Outcome plain = shell("feedrate run " + job);
  CHECK(shell("feedrate run " + job + " 2>&-").out == plain.out);
  CHECK(shell("feedrate run " + job + " 2>/dev/full").out == plain.out);
  CHECK(shell("feedrate run nothing.json 2>&-").status == 2);
  CHECK(shell("feedrate run nothing.json 2>/dev/full").status == 2);
}

}  // namespace
