// What commands may take of time and of the disk, whatever others do to them: servers, programs,
// scenarios. Clocks decide nothing here: what holds no limit goes on for minutes, and is ended.
#include <filesystem>

#include "bench/support/http_server.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

namespace fs = std::filesystem;

const std::string within_minutes = "timeout -s KILL 120 feedrate ";

std::uintmax_t bytes_of(const std::string& file) {
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(file, ignored);
  return ignored ? 0 : size;
}

}  // namespace

TEST_CASE("limits: a slow server is left once the probe's time is over, and that is told") {
  feedrate::bench::Served slow;
  slow.latency = feedrate::milliseconds(200.0);
  slow.per_connection = feedrate::bytes(50e3) / feedrate::seconds(1.0);
  const feedrate::bench::HttpServer server(slow);
  const Folder folder;
  const Outcome outcome = shell(within_minutes + "calibrate download --url " + server.url() +
                                " --time-limit 1s --output '" + (folder / "host.json") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "the server was too slow: the probe was ended after 5 s"));
}

// It ends once that is gone; ctest loses its patience where it is not.
TEST_CASE("limits: a loader that hangs is ended with all that it started") {
  const Folder folder;
  const std::string python =
      folder.write("python", "#!/bin/sh\ntrap '' TERM\nsleep 1000 &\necho $! >'" +
                                 (folder / "pid") + "'\necho starting >&2\nwait\nsleep 1000\n");
  shell("chmod 755 '" + python + "'");
  const Outcome outcome = shell(
      within_minutes + "calibrate loader --loader mine:Images --time-limit 1s --python '" + python +
      "' --output '" + (folder / "host.json") + "'; s=$?; p=$(cat '" + (folder / "pid") +
      "')\nwhile grep -q '^State:[[:space:]]*[^Z]' /proc/$p/status 2>/dev/null; do sleep 0.05; "
      "done; exit $s");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "--loader mine:Images did not end within 30 s, its time limit: starting"));
}

TEST_CASE("limits: a loader that dies says how, and its last words") {
  const Folder folder;
  const std::string python =
      folder.write("python", "#!/bin/sh\necho 'no memory' >&2\nkill -9 $$\n");
  shell("chmod 755 '" + python + "'");
  const Outcome outcome =
      shell(within_minutes + "calibrate loader --loader mine:Images --python '" + python +
            "' --output '" + (folder / "host.json") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "was terminated by signal 9"));
  CHECK(has(outcome.err, "no memory"));
}

TEST_CASE("limits: steps without end are enough at some point, and fill no disk") {
  const Folder folder;
  const Outcome outcome = shell(within_minutes +
                                "calibrate gpu --step-command 'yes \"64 0.001\"' --time-limit 2s "
                                "--output '" +
                                (folder / "host.json") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(bytes_of(folder / "host.measurements.json") > 0);
  CHECK(bytes_of(folder / "host.measurements.json") < 10'000'000);
}

TEST_CASE("limits: samples of a job that stands still for centuries are refused") {
  const Folder folder;
  const Outcome outcome =
      shell(within_minutes +
            "run scenarios/caltech256_p3.json --set /loader/worker_startup='5e10 ms' "
            "--samples '" +
            (folder / "samples") + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "--interval: expected a longer interval"));
  CHECK_FALSE(fs::exists(folder / "samples"));
}

TEST_CASE("limits: a date that is none is refused") {
  const std::string check =
      "feedrate check scenarios/caltech256_p3.json --baseline .ci/baseline.json --max-price-age ";
  for (const std::string date : {"abc", "-1", "1e9", "12:00", "99999999999999999999", " 1"}) {
    const Outcome outcome =
        shell(check + "9999d", "LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH='" + date + "'");
    INFO(date << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, "SOURCE_DATE_EPOCH: expected seconds since 1970-01-01"));
  }
  CHECK(shell(check + "9999d", "LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=1800000000").status == 0);
}

TEST_CASE("limits: an observation is its owner's alone, and tells no secret of the command") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const std::string command =
      " -- sh -c 'sleep 0.3' --token s3cr3t --api-key=s3cr3t "
      "https://me:s3cr3t@host/a PASSWORD=s3cr3t --epochs 3";
  const std::string observe =
      "umask 022; feedrate observe --interval 50ms --output '" + file + "' ";
  const Outcome outcome = shell(observe + command);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  const std::string text = slurp(file);
  CHECK_FALSE(has(text, "s3cr3t"));
  CHECK(has(text, "--token *** --api-key=*** https://host/a PASSWORD=*** --epochs 3"));
  CHECK_FALSE(has(outcome.err, "s3cr3t"));
  // Of a process that was there before: the shell's child is one once it runs what it was told.
  const Outcome pid = shell("rm '" + file +
                            "'; sh -c 'sleep 5; :' --token s3cr3t & p=$!; until [ \"$(head -c 2 "
                            "/proc/$p/cmdline)\" = sh ]; do :; done; " +
                            observe + "--for 200ms --pid $p; kill $p");
  INFO(pid.err);
  CHECK(has(slurp(file), "--token ***"));
  CHECK_FALSE(has(slurp(file), "s3cr3t"));
  CHECK(shell("rm '" + file + "'; " + observe + "--keep-secrets" + command).status == 0);
  CHECK(has(slurp(file), "--token s3cr3t"));
  // Whoever made the file before decided who may read it.
  shell("chmod 644 '" + file + "'; " + observe + command);
  CHECK((fs::status(file).permissions() & fs::perms::others_read) != fs::perms::none);
  // What is imported may hold as much.
  const Outcome imported = shell(
      "umask 022; feedrate observe --import tests/formats/imports/nccl.log "
      "--output '" +
      (folder / "i.jsonl") + "'");
  CHECK(imported.status == 0);
  CHECK(fs::status(folder / "i.jsonl").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
}
