// Where nothing may be written: one sentence names the file and the reason, and what was there
// stays.
#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/places.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";

const std::vector<std::string> writers = {
    "run " + job + "--output ",
    "run " + job + "--trace ",
    "run " + job + "--samples ",
    "report " + job + "--output ",
    "sweep " + job + "--vary num_workers=1:9:1 --format csv --output ",
    "sweep " + job + "--vary num_workers=1:9:1 --resume --output ",
    "sweep " + job + "--vary num_workers=1:9:1 --shard 1/2 --output ",
    "check " + job + "--update --baseline ",
    "scale " + job + "--to 2 --html ",
    "schema scenario --output ",
    "init tokens --force --output ",
    "calibrate --import tests/formats/imports/nccl.log --output ",
    "observe --import tests/formats/imports/nccl.log --output ",
    "observe --for 100ms --interval 20ms --output ",
};

/// An old file that is no baseline is refused before anything is written.
bool takes(const std::string& writer, bool old) {
  return !old || !has(writer, "check");
}

/// Each writer on `file` by a shell in which `prepare` came first; the mounts are gone with it.
void check_each(const std::string& around, const std::string& prepare, const std::string& file,
                const std::string& reason, bool old = false) {
  const Folder folder;
  std::string script = prepare + "\ncd '" FEEDRATE_SOURCE_DIR "'\n";
  for (const std::string& writer : writers) {
    if (!takes(writer, old)) continue;
    script += "feedrate " + writer + "'" + file +
              "' </dev/null 2>&1 >/dev/null | grep -v '^remark' " +
              "| tail -1; echo \"${PIPESTATUS[0]} " + writer + "\"\n";
  }
  const std::string file_of_script = folder.write("script.sh", script);
  shell("chmod 755 '" + (folder / "") + "' '" + file_of_script + "'");
  const Outcome outcome = shell(around + " bash '" + file_of_script + "'");
  INFO(reason << '\n' << outcome.out << outcome.err);
  std::size_t at = 0;
  for (const std::string& writer : writers) {
    if (!takes(writer, old)) continue;
    const std::size_t end = outcome.out.find("\n3 " + writer, at);
    INFO(writer);
    REQUIRE(end != std::string::npos);
    const std::string said = outcome.out.substr(at, end - at);
    CHECK(has(said, "feedrate: "));
    CHECK(has(said, file));
    CHECK(has(said, reason));
    at = outcome.out.find('\n', end + 1) + 1;
  }
}

TEST_CASE("faults: a file system that is read only") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) return feedrate::test::skip("mounting is not permitted here");
  const Folder folder;
  folder.write("disk/kept", "old");
  const std::string disk = folder / "disk";
  check_each(mounts,
             "mount --bind '" + disk + "' '" + disk + "'; mount -o remount,ro,bind '" + disk + "'",
             disk + "/kept", "Read-only file system", true);
  check_each(mounts,
             "mount --bind '" + disk + "' '" + disk + "'; mount -o remount,ro,bind '" + disk + "'",
             disk + "/new", "Read-only file system");
  CHECK(slurp(disk + "/kept") == "old");
}

TEST_CASE("faults: a folder that is not there, or none of the user's") {
  check_each("", "", "/nonexistent/folder/file", "No such file or directory");
  // Root may write anywhere, so another user is asked for.
  const std::string user = as_another_user();
  if (user == "none") {
    return feedrate::test::skip("there is no other user here who could start the program");
  }
  const Folder folder;
  folder.write("mine/kept", "old");
  shell("chmod 755 '" + (folder / "") + "'; chmod 555 '" + (folder / "mine") + "'");
  check_each(user, "", folder / "mine/new", "Permission denied");
  CHECK(slurp(folder / "mine/kept") == "old");
}

TEST_CASE("faults: prices that may not be written are named, and are as before") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) return feedrate::test::skip("mounting is not permitted here");
  const Folder folder;
  const std::string list =
      folder.write("prices.csv", "InstanceType,Region,Price\np3.2xlarge,us-west-2,77.5\n");
  shell("cp -r pricing '" + (folder / "pricing") + "'");
  const std::string pricing = folder / "pricing";
  const Outcome outcome =
      shell(mounts + " bash -c \"mount --bind '" + pricing + "' '" + pricing +
                "' && mount -o remount,ro,bind '" + pricing + "' && feedrate catalog import '" +
                list + "' --date 2026-11-20\"",
            "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + pricing + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "Read-only file system"));
  CHECK(has(outcome.err, pricing));
  CHECK(shell("diff -r pricing '" + pricing + "'").status == 0);
  CHECK(folder.files() == 2);
}

}  // namespace
