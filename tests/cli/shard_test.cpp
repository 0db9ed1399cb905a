// `sweep --shard`, `--resume` and `merge` as people and array jobs use them.
#include "cli/shard.hpp"

#include <chrono>
#include <map>
#include <thread>

#include "base/errors.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/documents/sweep_share.hpp"

using namespace feedrate;
using testing_cli::Folder;
using testing_cli::has;
using testing_cli::shell;
using testing_cli::slurp;

namespace {

using Variables = std::map<std::string, std::string>;

cli::Environment environment_of(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string shard(const std::string& text, const Variables& variables = {}) {
  try {
    return cli::shard_text(cli::parse_shard(text, environment_of(variables)));
  } catch (const InputError& error) {
    return error.what();
  }
}

Variables slurm(int id, int first, int last, int count, int step) {
  return {{"SLURM_ARRAY_TASK_ID", std::to_string(id)},
          {"SLURM_ARRAY_TASK_MIN", std::to_string(first)},
          {"SLURM_ARRAY_TASK_MAX", std::to_string(last)},
          {"SLURM_ARRAY_TASK_COUNT", std::to_string(count)},
          {"SLURM_ARRAY_TASK_STEP", std::to_string(step)}};
}

const std::string sweep =
    "feedrate sweep scenarios/caltech256_p3.json --vary instances=1:4:1 --vary num_workers=1:3:1 ";
/// Seconds of work in one process.
const std::string long_sweep =
    "feedrate sweep scenarios/caltech256_p3.json --exact --replications 1200 --vary "
    "instances=1:4:1 "
    "--vary num_workers=1:8:1 ";

std::size_t lines_of(const std::string& file) {
  const std::string text = slurp(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("shard: K of N, and nothing else") {
  CHECK(shard("1/1") == "1/1");
  CHECK(shard("3/8") == "3/8");
  CHECK(has(shard("9/8"), "--shard: expected K/N with K from 1 to N, got \"9/8\""));
  CHECK(has(shard("0/8"), "expected K/N with K from 1 to N"));
  for (const std::string text : {"", "3", "/", "3/", "/8", "3/0", "-1/8", "1.5/8", "1/8/2", "auto/",
                                 "auto/0", "automatic", "1 / 8", "1/99999999999999999999"}) {
    INFO(text);
    CHECK(has(shard(text), "--shard: expected K/N, auto or auto/N, such as 3/8, got"));
  }
}

TEST_CASE("shard: auto is the task's place in an array job of Slurm, AWS Batch or Kubernetes") {
  CHECK(shard("auto", slurm(0, 0, 7, 8, 1)) == "1/8");
  CHECK(shard("auto", slurm(8, 1, 8, 8, 1)) == "8/8");
  CHECK(shard("auto", slurm(21, 1, 31, 4, 10)) == "3/4");
  CHECK(shard("auto", {{"AWS_BATCH_JOB_ARRAY_INDEX", "2"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "5"}}) ==
        "3/5");
  CHECK(shard("auto", {{"JOB_COMPLETION_INDEX", "4"}, {"JOB_COMPLETIONS", "5"}}) == "5/5");
  CHECK(shard("auto/8", {{"JOB_COMPLETION_INDEX", "7"}}) == "8/8");
  // One task run again knows of no other.
  CHECK(shard("auto/8", slurm(3, 3, 3, 1, 1)) == "4/8");

  CHECK(has(shard("auto"), "expected to be a task of an array job"));
  CHECK(has(shard("auto", slurm(3, 3, 3, 1, 1)), "write --shard auto/N"));
  CHECK(has(shard("auto", slurm(3, 1, 7, 3, 1)), "expected an array of equally spaced tasks"));
  CHECK(has(shard("auto", {{"JOB_COMPLETION_INDEX", "4"}}), "expected JOB_COMPLETIONS"));
  CHECK(has(shard("auto", {{"AWS_BATCH_JOB_ARRAY_INDEX", "5"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "5"}}),
            "expected AWS_BATCH_JOB_ARRAY_INDEX to be a task from 0 to 4, got 5"));
  CHECK(has(shard("auto/8", {{"JOB_COMPLETION_INDEX", "8"}}), "expected an index below 8"));
  CHECK(has(shard("auto/8", {{"JOB_COMPLETION_INDEX", "two"}}), "expected a whole number in"));
  CHECK(has(shard("auto/8", {{"JOB_COMPLETION_INDEX", "1"}, {"SLURM_ARRAY_TASK_ID", "1"}}),
            "expected one array job"));
}

TEST_CASE("merge: what is joined is what one process writes, remarks included") {
  const Folder folder;
  const std::string flags =
      "--vary 'instance=ml.p3.2xlarge,ml.none' --deadline '5 h' --budget '30 USD' "
      "--host scenarios/hosts/epyc_vm_2_cores.json --set epochs=3 ";
  for (const std::string number : {"1", "2", "3"}) {
    for (const std::string kind : {"text", "csv"}) {
      const auto made = shell(sweep + flags + "--shard " + number + "/3 --format " + kind +
                              " --output '" + (folder / (number + "." + kind)) + "'");
      CHECK(made.status == 0);
      CHECK(made.err.empty());
    }
  }
  const std::string parts =
      "'" + (folder / "2.text") + "' '" + (folder / "3.text") + "' '" + (folder / "1.text") + "'";
  for (const std::string format : {"text", "json", "csv", "markdown"}) {
    const auto one = shell(sweep + flags + "--format " + format);
    const auto joined = shell("feedrate merge " + parts + " --format " + format);
    CHECK(joined.status == 0);
    CHECK((joined.out == one.out));
    CHECK(joined.err == one.err);
  }
  const auto rows = shell("feedrate merge '" + (folder / "2.csv") + "' '" + (folder / "3.csv") +
                          "' '" + (folder / "1.csv") + "'");
  const auto one = shell(sweep + flags + "--format csv");
  CHECK((rows.out == one.out));
  CHECK(rows.err == one.err);
  // A catalogue elsewhere is the same one; another one is told of.
  const auto moved = shell("cp -r pricing '" + (folder / "p") + "' && FEEDRATE_PRICING='" +
                           (folder / "p") + "' feedrate merge " + parts + " --format csv");
  CHECK((moved.out == one.out));
  const auto other =
      shell("sed -i 's/3.825/3.925/' '" + (folder / "p") + "/aws/p3.json' && FEEDRATE_PRICING='" +
            (folder / "p") + "' feedrate merge " + parts);
  CHECK(other.status == 2);
  CHECK(has(other.err, "got another catalogue of machines and prices"));
  // Rows come to CSV only, and no input is overwritten.
  CHECK(has(shell("feedrate merge '" + (folder / "1.csv") + "' '" + (folder / "2.csv") + "' '" +
                  (folder / "3.csv") + "' --format json")
                .err,
            "--format: expected csv"));
  CHECK(shell("feedrate merge " + parts + " --output '" + (folder / "1.text") + "'").status == 2);
}

TEST_CASE("merge: shares that are missing, doubled, unfinished or of other sweeps are told of") {
  const Folder folder;
  const auto make = [&](const std::string& name, const std::string& flags) {
    std::filesystem::remove(folder / name);
    REQUIRE(shell(sweep + flags + " --output '" + (folder / name) + "'").status == 0);
    return "'" + (folder / name) + "' ";
  };
  const std::string first = make("1", "--shard 1/3");
  const std::string second = make("2", "--shard 2/3");
  const std::string third = make("3", "--shard 3/3");
  const auto merge = [](const std::string& files) { return shell("feedrate merge " + files); };
  CHECK(has(merge(first).err,
            "feedrate: merge: expected all 3 shares of the sweep, got no file of shares 2/3, 3/3: "
            "name them, or run the sweep with --shard 2/3 and --output FILE"));
  CHECK(has(merge(first + second + third + second).err,
            "2:1: expected each file once, got it twice"));
  shell("cp " + second + "'" + (folder / "copy") + "'");
  CHECK(has(merge(first + second + third + "'" + (folder / "copy") + "'").err,
            "copy:1: expected each share once, got share 2/3 here and in " + (folder / "2") +
                ": leave one of the two files out"));
  CHECK(has(merge(first + second + make("4", "--shard 3/4")).err,
            "got share 3/4, of 4 shares instead of 3; leave this file out"));
  struct Foreign {
    const char* flags;
    const char* words;
  };
  for (const Foreign& foreign : {
           Foreign{"--set epochs=2", "other values of --set"},
           Foreign{"--vary batch_size=16,32", "other values of --vary"},
           Foreign{"--seed 2", "another --seed"},
           Foreign{"--exact", "--exact for only one of them"},
           Foreign{"--replications 3", "another number of --replications"},
           Foreign{"--deadline 3h", "another --deadline"},
           Foreign{"--budget 3USD", "another --budget"},
           Foreign{"--format csv", "--format csv for only one of them"},
           Foreign{"--host scenarios/hosts/epyc_vm_2_cores.json", "another host profile"},
       }) {
    const auto refused =
        merge(first + second + make("other", std::string("--shard 3/3 ") + foreign.flags));
    INFO(refused.err);
    CHECK(refused.status == 2);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, std::string("got share 3/3 of one with ") + foreign.words));
    // Wherever it stands, it is the odd one that is named.
    CHECK(merge("'" + (folder / "other") + "' " + first + second).err == refused.err);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
  CHECK(has(merge(first + second + make("other", "--shard 3/3 --set epochs=2")).err,
            "other:1: expected a share of the same sweep as share 1/3 in " + (folder / "1") +
                ", got share 3/3 of one with other values of --set (epochs=2, not none); leave "
                "this file out, or write the share again with the flags of the others"));
  const auto scenario = shell(
      "sed 's/Caltech-256 with/Caltech with/' scenarios/caltech256_p3.json > '" + (folder / "s") +
      "' && rm -f '" + (folder / "other") + "' && feedrate sweep '" + (folder / "s") +
      "' --vary instances=1:4:1 --vary num_workers=1:3:1 --shard 3/3 --output '" +
      (folder / "other") + "' && feedrate merge " + first + second + "'" + (folder / "other") +
      "'");
  CHECK(has(scenario.err, "of one with another scenario"));
  // What another version wrote.
  schema::ShareHeader header = schema::read_share_header(
      slurp(folder / "other").substr(0, slurp(folder / "other").find('\n')), "");
  header.version = "9.9.9";
  folder.write("other", schema::write_share_header(header));
  CHECK(has(merge(first + second + "'" + (folder / "other") + "'").err, "got one of 9.9.9"));
  // All problems at once.
  const auto several = merge("scenarios/caltech256_p3.json README.md " + first);
  CHECK(several.status == 2);
  CHECK(has(several.err, "scenarios/caltech256_p3.json:1: expected a share that sweep --shard"));
  CHECK(has(several.err, "README.md:1: expected a share that sweep --shard wrote"));
  shell("head -n 3 '" + (folder / "2") + "' > '" + (folder / "cut") + "'");
  CHECK(has(merge(first + third + "'" + (folder / "cut") + "'").err,
            "cut: expected the 4 points of share 2/3, got 2: run the command that wrote it again "
            "with --resume to complete them"));
  // What is missing, doubled and unfinished is told together.
  const auto all = merge(first + first + "'" + (folder / "cut") + "'");
  CHECK(has(all.err, "got no file of share 3/3"));
  CHECK(has(all.err, "got it twice"));
  CHECK(has(all.err, "expected the 4 points of share 2/3, got 2"));
  // Stopped before its first point, and a line that was damaged.
  shell("head -c 100 " + second + " > '" + (folder / "part") + "'; : > '" + (folder / "empty") +
        "'");
  const auto begun = merge(first + "'" + (folder / "part") + "' '" + (folder / "empty") + "'");
  CHECK(has(begun.err,
            "part:1: expected a complete share, got only part of its first line: the sweep"));
  CHECK(has(begun.err, "empty: expected a share that sweep --shard wrote, got an empty file: the"));
  shell("sed '3s/1/7/' " + second + " > '" + (folder / "hurt") + "'");
  CHECK(has(merge(first + third + "'" + (folder / "hurt") + "'").err,
            "hurt:3: expected point 2 of 4 of share 2/3, got a line that is damaged"));
}

TEST_CASE("merge: a share of a million is told of what is missing, and one of more is refused") {
  const Folder folder;
  const std::string file = folder / "s";
  REQUIRE(shell(sweep + "--shard 1/3 --output '" + file + "'").status == 0);
  schema::ShareHeader header =
      schema::read_share_header(slurp(file).substr(0, slurp(file).find('\n')), "");
  const auto merged_as = [&](const SweepShare& share) {
    header.share = share;
    folder.write("s", schema::write_share_header(header));
    return shell("feedrate merge '" + file + "'");
  };
  const auto last = merged_as({3, 1'000'000});
  CHECK(last.status == 2);
  CHECK(has(last.err,
            "merge: expected all 1000000 shares of the sweep, got no file of shares 1/1000000, "
            "2/1000000, 4/1000000, 5/1000000, 6/1000000, 7/1000000, 8/1000000, 9/1000000 and "
            "999991 more: name them, or run the sweep with --shard 1/1000000 and --output FILE"));
  // A place for each of these would take all memory.
  for (const std::size_t of : {std::size_t{1'000'001}, std::size_t{1} << 50U}) {
    const auto refused = merged_as({1, of});
    CHECK(refused.status == 2);
    CHECK(has(refused.err,
              "s:1: expected a share of a sweep in at most 1000000 shares, got one "
              "of " +
                  std::to_string(of)));
  }
}

TEST_CASE("sweep: a share goes on after Ctrl-C and kill -9") {
  const Folder folder;
  const auto whole = shell(long_sweep + "--shard 2/2 --output '" + (folder / "whole") + "'");
  REQUIRE(whole.status == 0);
  for (const std::string signal : {"INT", "TERM", "KILL"}) {
    const std::string file = folder / signal;
    const std::string command =
        long_sweep + "--jobs 1 --shard 2/2 --resume --output '" + file + "'";
    // Until a point or two are done.
    const auto stopped =
        shell(command + " & for i in {1..300}; do [ \"$(cat '" + file +
              "' 2>/dev/null | wc -l)\" -ge 3 ] && break; sleep 0.02; done; kill -" + signal +
              " $!; wait $!");
    INFO(signal << ": " << stopped.err);
    CHECK(stopped.status == (signal == "KILL" ? 137 : 3));
    if (signal != "KILL") CHECK(has(stopped.err, "feedrate: interrupted"));
    CHECK(lines_of(file) >= 3);
    CHECK(lines_of(file) < 17);
    const auto resumed = shell(command);
    CHECK(resumed.status == 0);
    CHECK(has(resumed.err, "of 16 points are already in "));
    CHECK((slurp(file) == slurp(folder / "whole")));
  }
}

TEST_CASE("sweep: with --resume a whole sweep keeps its points too, beside its output") {
  const Folder folder;
  for (const std::string format : {"json", "csv"}) {
    const std::string file = folder / ("out." + format);
    const std::string command =
        long_sweep + "--format " + format + " --resume --output '" + file + "'";
    const auto stopped = shell(
        command + " & for i in {1..300}; do [ \"$(cat '" + file +
        ".part' 2>/dev/null | wc -l)\" -ge 3 ] && break; sleep 0.02; done; kill -INT $!; wait $!");
    INFO(stopped.err);
    CHECK(stopped.status == 3);
    CHECK(has(stopped.err, "points are kept in " + file + ".part; the same command with --resume"));
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(shell(command).status == 0);
    CHECK_FALSE(std::filesystem::exists(file + ".part"));
    CHECK((slurp(file) == shell(long_sweep + "--format " + format).out));
  }
  CHECK(has(shell(sweep + "--resume").err, "--resume: expected --output FILE"));
  CHECK(has(shell(sweep + "--shard 1/2 --resume").err, "--resume: expected --output FILE"));
}

TEST_CASE("sweep: points of a share are not lost to a forgotten flag or another share's name") {
  const Folder folder;
  const std::string file = folder / "s";
  const std::string to = " --output '" + file + "'";
  REQUIRE(shell(sweep + "--shard 1/3" + to).status == 0);
  const std::string whole = slurp(file);
  // The same again is the same; another share, or another sweep, would be a loss.
  CHECK(shell(sweep + "--shard 1/3" + to).status == 0);
  const auto other = shell(sweep + "--shard 2/3" + to);
  CHECK(other.status == 2);
  CHECK(has(other.err,
            "s: expected a different file for share 2/3, got one with 4 of 4 points of share 1/3; "
            "delete it if they are not needed"));
  CHECK(has(shell(sweep + "--shard 1/3 --set epochs=2" + to).err, "share 1/3 of another sweep"));
  CHECK((slurp(file) == whole));
  shell("head -n 3 '" + file + "' > '" + (folder / "t") + "' && mv '" + (folder / "t") + "' '" +
        file + "'");
  const auto unfinished = shell(sweep + "--shard 1/3" + to);
  CHECK(unfinished.status == 2);
  CHECK(has(unfinished.err,
            "s: expected --resume, to continue from the 2 of 4 points of share "
            "1/3 in this file; delete it to start over"));
  CHECK(lines_of(file) == 3);
  const auto foreign = shell(sweep + "--set epochs=2 --shard 1/3 --resume" + to);
  CHECK(foreign.status == 2);
  CHECK(has(foreign.err,
            "s:1: expected the beginning of share 1/3 to continue from, got share 1/3 of "
            "one with other values of --set (none, not epochs=2); name another file, "
            "or delete this one to start over"));
  CHECK(lines_of(file) == 3);
  CHECK(shell(sweep + "--shard 1/3 --resume" + to).status == 0);
  CHECK((slurp(file) == whole));
  // Any other file is written over, as by every other command.
  folder.write("s", "something else\n");
  CHECK(shell(sweep + "--shard 1/3" + to).status == 0);
  CHECK((slurp(file) == whole));
}

TEST_CASE("sweep: on a full disk a share says how many points are kept, and goes on with them") {
  const Folder folder;
  const std::string file = folder / "s";
  const std::string command = sweep + "--jobs 1 --shard 1/2 --resume --output '" + file + "'";
  // A limit on the size of files stands for a full disk: some points fit.
  const auto full = shell("trap '' XFSZ; ulimit -f 20; " + command);
  INFO(full.err);
  CHECK(full.status == 3);
  const std::size_t kept = lines_of(file) - 1;
  CHECK(kept > 0);
  CHECK(kept < 6);
  CHECK(has(full.err,
            "cannot write " + file + ": File too large; " + std::to_string(kept) +
                " of 6 points are kept in " + file +
                ": once it can be written again, the same command with --resume continues"));
  CHECK(shell(command).status == 0);
  CHECK((slurp(file) == shell(sweep + "--shard 1/2").out));
}

TEST_CASE("sweep: in one piece, Ctrl-C says what would have kept the points") {
  for (const std::string format : {"text", "csv"}) {
    const auto stopped =
        shell(long_sweep + "--jobs 1 --format " + format + " & sleep 0.7; kill -INT $!; wait $!");
    INFO(stopped.err);
    CHECK(stopped.status == 130);
    CHECK(stopped.out.empty());
    CHECK(has(stopped.err, "feedrate: interrupted"));
    CHECK(has(stopped.err,
              " of 32 points are done, and none is kept; with --resume and --output "
              "FILE a sweep keeps its points"));
  }
}

TEST_CASE("sweep: a share on a full disk, a closed pipe, and of two processes at once") {
  const Folder folder;
  const auto full = shell(sweep + "--shard 1/2 --output /dev/full");
  CHECK(full.status == 3);
  CHECK(has(full.err, "cannot write /dev/full: No space left on device"));
  CHECK(shell(sweep + "--shard 1/2 | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}").status == 0);
  const auto both =
      shell(long_sweep + "--shard 1/2 --output '" + (folder / "s") + "' & sleep 0.3; " + sweep +
            "--shard 2/2 --output '" + (folder / "s") + "'; echo $?; kill $!; wait $!");
  CHECK(has(both.err, "another process is writing it"));
  CHECK(has(both.out, "3\n"));
  CHECK(has(shell(sweep + "--shard 1/2 --output scenarios").err,
            "expected a file name, got a directory"));
  CHECK(has(shell(sweep + "--shard 1/2 --format json").err,
            "--format: expected csv, or no --format"));
  CHECK(has(shell(sweep + "--shard 1/2 --output scenarios/caltech256_p3.json").err,
            "--output would overwrite the input"));
  // To standard output, a share is the same.
  const auto out = shell(sweep + "--shard 1/2");
  shell(sweep + "--shard 1/2 --output '" + (folder / "file") + "'");
  CHECK((out.out == slurp(folder / "file")));
  // The same point wrong in every way: no share of it has a result, which is no error of a share.
  const auto none =
      "feedrate sweep scenarios/caltech256_p3.json --vary instance=ml.none,ml.nought ";
  CHECK(shell(none + std::string("--shard 1/2 --output '") + (folder / "n1") + "'").status == 0);
  CHECK(shell(none + std::string("--shard 2/2 --output '") + (folder / "n2") + "'").status == 0);
  const auto joined = shell("feedrate merge '" + (folder / "n1") + "' '" + (folder / "n2") + "'");
  const auto one = shell(none);
  CHECK(joined.status == 2);
  CHECK(joined.err == one.err);
}
