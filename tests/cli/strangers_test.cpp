// Documents of strangers, as the program meets them: what a scenario, a result, a baseline and a
// host profile may make it read, print and believe.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "cli/process.hpp"
#include "cli/small_job.hpp"

using namespace testing_cli;

namespace {

const std::string strange_job = small_job("job");

std::string with_key(const std::string& key) {
  return "{\n" + key + "," + strange_job.substr(1);
}

/// `folder`/outside holds a secret, `folder`/in a scenario.
struct Strangers {
  Folder folder;
  std::string secret = folder.write("outside/secret", "root:x:0:0:hunter2\n");
  std::string file = folder.write("in/job.json", strange_job);
  std::string baseline = folder.at("in/baseline.json");
  std::string check = "feedrate check '" + file + "' -b '" + baseline + "' ";

  [[nodiscard]] Outcome run(const std::string& text, const std::string& arguments = "") const {
    folder.write("in/job.json", text);
    return shell("feedrate run '" + file + "' " + arguments);
  }
};

}  // namespace

TEST_CASE("strangers: no command prints a file that a scenario names outside of its folder") {
  const Strangers strangers;
  for (const std::string& name : {strangers.secret, std::string("../outside/secret"),
                                  std::string("/proc/self/environ"), std::string("/etc/passwd")}) {
    for (const std::string& text :
         {with_key("\"include\": \"" + name + "\""),
          with_key("\"job\": {\"step\": {\"times\": \"" + name + "\"}}")}) {
      strangers.folder.write("in/job.json", text);
      for (const std::string& command :
           {"run '" + strangers.file + "'", "advise '" + strangers.file + "'",
            "sweep '" + strangers.file + "' --vary num_workers=1,2",
            "check '" + strangers.file + "' --baseline '" + strangers.folder.at("b.json") +
                "' --update --format markdown",
            "report '" + strangers.file + "' -o '" + strangers.folder.at("r.html") + "'",
            "export skypilot '" + strangers.file + "'", "run - < '" + strangers.file + "'"}) {
        const Outcome outcome =
            shell("export HUNTER=hunter2\nfeedrate " + command, "LC_ALL=C.UTF-8");
        INFO(command << ": " << text << outcome.err);
        CHECK(outcome.status == 2);
        CHECK_FALSE(has(outcome.out + outcome.err, "hunter2"));
        CHECK_FALSE(has(outcome.out + outcome.err, "root:"));
      }
    }
  }
}

TEST_CASE("strangers: --allow-files names another folder, in every command that reads scenarios") {
  const Strangers strangers;
  strangers.folder.write("outside/base.json", strange_job);
  strangers.folder.write("in/job.json", R"({"include": "../outside/base.json"})");
  const std::string allowed = " --allow-files '" + strangers.folder.at("outside") + "' ";
  for (const std::string command :
       {"run", "advise", "cases", "compare", "scale", "export skypilot"}) {
    INFO(command);
    const std::string line = "feedrate " + command + " '" + strangers.file + "'";
    const std::string twice = command == "compare" ? " scenarios/caltech256_p3.json" : "";
    const Outcome refused = shell(line + twice);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "/include: expected a file below the document's folder"));
    CHECK_FALSE(has(shell(line + twice + allowed).err, "expected a file"));
  }
  const Outcome wrong = shell("feedrate run '" + strangers.file + "' --allow-files /nowhere");
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "expected a folder, got \"/nowhere\""));
}

TEST_CASE("strangers: no output takes the place of a file that a scenario names") {
  const Folder folder;
  std::string base = strange_job;
  base.insert(base.rfind('}'),
              R"(,"cases": [{"name": "a", "metric": "epoch_s", "measured": 100}])");
  base.replace(base.find(R"("per_sample": "3 ms")"), 20, R"("times": "t.txt")");
  const std::string included = folder.write("base.json", base);
  const std::string times = folder.write("t.txt", "0.19\n0.2\n");
  const std::string file = folder.write("job.json", R"({"include": "base.json"})");
  std::filesystem::create_symlink(included, folder.at("link.json"));
  const std::string other = folder.write("other.json", strange_job);
  const std::string b = folder.at("b.json");
  REQUIRE(shell("feedrate check '" + file + "' -b '" + b + "' --update").status == 0);
  const std::string result = folder.at("result.json");
  REQUIRE(shell("feedrate run '" + file + "' -f json -o '" + result + "'").status == 0);
  const std::string baseline = slurp(b);
  const std::vector<std::string> commands = {
      "run FILE -o ",
      "run FILE --samples ",
      "run FILE --trace ",
      "run - <FILE -o ",
      "run FILE --find 'largest num_workers in 1..2 with gpu_busy >= 1%' -o ",
      "sweep FILE --vary num_workers=1,2 -o ",
      "sweep FILE --vary num_workers=1,2 -f csv -o ",
      "sweep FILE --vary num_workers=1,2 --shard 1/2 -o ",
      "sweep FILE --vary num_workers=1,2 --resume -o ",
      "report FILE -o ",
      "report FILE OTHER -o ",
      "check FILE -b BASE -o ",
      "check FILE -b BASE --update -f json -o ",
      "check FILE -b BASE --report json=",
      "fit FILE --free handover -o ",
      "advise FILE -o ",
      "advise FILE --apply 1 -o ",
      "compare FILE OTHER -o ",
      "cases FILE -o ",
      "scale FILE -o ",
      "optimize FILE --over num_workers=1,2 -o ",
      "feeds FILE -o ",
      "showback FILE -o ",
      "export skypilot FILE -o ",
      "export skypilot RESULT -o ",
      "diagnose --gpu 30 FILE -o "};
  for (const std::string& command : commands) {
    std::string line = "cd '" + folder.at("") + "' && feedrate " + command;
    for (const auto& [word, path] : std::vector<std::pair<std::string, std::string>>{
             {"FILE", file}, {"OTHER", other}, {"BASE", b}, {"RESULT", result}}) {
      if (const auto at = line.find(word); at != std::string::npos) {
        line.replace(at, word.size(), "'" + path + "'");
      }
    }
    for (const std::string& output : {included, times, folder.at("link.json")}) {
      const Outcome outcome = shell(line + "'" + output + "'");
      INFO(line << output << outcome.out << outcome.err);
      CHECK(outcome.status == 2);
      CHECK((has(outcome.err, " would overwrite the input ") ||
             has(outcome.err, "expected another file than")));
    }
  }
  CHECK(slurp(included) == base);
  CHECK(slurp(times) == "0.19\n0.2\n");
  CHECK(slurp(b) == baseline);
}

TEST_CASE("strangers: of a file that diagnose does not know nothing is quoted") {
  const Strangers strangers;
  std::filesystem::create_symlink(strangers.secret, strangers.folder.at("in/link.json"));
  const Outcome outcome = shell("feedrate diagnose '" + strangers.folder.at("in/link.json") + "'");
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "link.json:1: expected what nvidia-smi, top, iostat -x or sar -n DEV"));
  CHECK_FALSE(has(outcome.err, "hunter2"));
  CHECK_FALSE(has(outcome.err, "root"));
}

TEST_CASE("strangers: UTF-16, as PowerShell writes it, is told in every text") {
  const Folder folder;
  std::string text;
  for (const char c : std::string("top - 10:00:00 up 1 day\n%Cpu(s): 13.1 us, 86.3 id\n")) {
    text += {c, '\0'};
  }
  const std::string file = folder.write("screen.txt", "\xFF\xFE" + text);
  for (const std::string& command :
       {"diagnose '" + file + "'", "observe --import '" + file + "'", "observe show '" + file + "'",
        "observe fit '" + file + "'", "run '" + file + "'",
        "calibrate --import '" + file + "' -o '" + folder.at("h.json") + "'",
        "catalog import --dry-run --date 2026-11-01 '" + file + "'"}) {
    const Outcome outcome = shell("feedrate " + command);
    INFO(command << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, "screen.txt:1: expected UTF-8, got UTF-16: save the file as UTF-8"));
  }
  const Outcome typed = shell("feedrate diagnose - <'" + file + "'");
  CHECK(has(typed.err, "standard input:1: expected UTF-8, got UTF-16"));
}

TEST_CASE("strangers: a result names no scenario but one beside it or in the current folder") {
  const Strangers strangers;
  const Outcome made = shell("feedrate run scenarios/caltech256_p3.json --format json");
  REQUIRE(made.status == 0);
  const std::string name = "scenarios/caltech256_p3.json";
  const auto exported = [&](const std::string& file) {
    std::string text = made.out;
    text.replace(text.find(name), name.size(), file);
    const std::string result = strangers.folder.write("in/result.json", text);
    return shell("feedrate export skypilot '" + result + "'");
  };
  CHECK(exported(name).status == 0);
  const Outcome outside = exported(strangers.secret);
  CHECK(outside.status == 2);
  CHECK(has(outside.err, "--allow-files DIR allows another folder"));
  CHECK_FALSE(has(outside.err, "hunter2"));
}

TEST_CASE("strangers: a baseline learns of no file outside of its folder whether it is there") {
  const Strangers strangers;
  REQUIRE(shell(strangers.check + "--update").status == 0);
  std::string text = slurp(strangers.baseline);
  text.replace(text.find("\"job.json\""), 10, "\"../outside/none.json\"");
  strangers.folder.write("in/baseline.json", text);
  const Outcome gone = shell(strangers.check + "--strict");
  CHECK_FALSE(has(gone.out, "no longer exists"));
  CHECK(has(gone.out, "1 of the baseline's scenarios was not checked"));
}

TEST_CASE("strangers: NCCL's table needs a sum over all GPUs, and words that NCCL knows") {
  const Strangers strangers;
  const auto with_ways = [&](const std::string& ways) {
    const std::string host = strangers.folder.write(
        "host.json",
        R"({"name": "h", "nccl_tuning": {"gpus": 0, "nodes": 0, "ways": [)" + ways + "]}}");
    return shell(
        "feedrate run scenarios/caltech256_p3.json --set efficiency=null --set "
        "parallelism=fsdp --set 'allreduce={\"gradient_bytes\": \"100 MB\"}' --set "
        "instances=2 --host '" +
        host + "'");
  };
  const auto way = [](const std::string& operation, const std::string& protocol = "LL") {
    return R"({"operation": ")" + operation + R"(", "algorithm": "ring", "protocol": ")" +
           protocol + R"(", "latency": "25 us", "bandwidth": "20 GB/s"})";
  };
  for (const std::string& ways : {std::string(), way("all_gather"), way("reduce_scatter")}) {
    const Outcome outcome = with_ways(ways);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err,
              "/nccl_tuning/ways: expected at least one way of the operation \"all_reduce\""));
  }
  const Outcome word = with_ways(way("all_redcue"));
  CHECK(word.status == 2);
  CHECK(has(word.err, "/nccl_tuning/ways/0/operation: expected"));
  CHECK(has(word.err, "(did you mean \"all_reduce\"?)"));
  CHECK(with_ways(way("all_reduce", "LL64")).status == 2);
  CHECK(with_ways(way("all_reduce")).status == 0);
}

TEST_CASE("strangers: a word that only the catalogue knows is one of its list") {
  const Strangers strangers;
  const auto refused = [&](const std::string& settings) {
    return shell("feedrate run '" + strangers.file + "' " + settings);
  };
  struct Word {
    const char *settings, *key, *meant;
  };
  for (const Word& word : {
           Word{"--set storage_class=STANDRAD", "storage_class", "STANDARD"},
           Word{"--set service=gcs --set storage_class=STANDRD", "storage_class", "STANDARD"},
           Word{"--set service=azure-blob --set storage_class='Hot LRS StorageV2'", "storage_class",
                "Hot, LRS, StorageV2"},
           Word{"--set service=fsx-lustre --set input_mode=null --set deployment_type=SCRATCH2 "
                "--set source.bandwidth='1 GB/s'",
                "deployment_type", "SCRATCH_2"},
           Word{"--set service=efs --set input_mode=null --set throughput_mode=elastik",
                "throughput_mode", "elastic"},
           Word{"--set disk.kind=ebs --set volume_type=gp33", "volume_type", "gp3"},
       }) {
    const Outcome outcome = refused(word.settings);
    INFO(word.settings << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, std::string(word.key) + "="));
    CHECK(has(outcome.err, std::string("did you mean \"") + word.meant));
  }
  CHECK(refused("--set storage_class=STANDARD_IA").status == 0);
  const Outcome check =
      shell("feedrate check '" + strangers.file + "' -b '" + strangers.folder.at("b.json") +
            "' --update --set storage_class=STANDRAD");
  CHECK(check.status == 2);
}

TEST_CASE("strangers: a line that falls off the bill fails the check, in every form, named") {
  const Strangers strangers;
  strangers.folder.write("in/job.json", strange_job);
  REQUIRE(shell(strangers.check + "--update").status == 0);
  CHECK(has(slurp(strangers.baseline), "\"requests: S3 GET\": "));
  // The line goes as it would with a price that is not found: everything else stays.
  std::string cheaper = strange_job;
  const std::string s3 = R"("service": "s3", "input_mode": "FastFile")";
  cheaper.replace(cheaper.find(s3), s3.size(),
                  R"("service": "http", "first_byte_latency": "15 ms", "input_mode": "FastFile",
                     "bandwidth_per_connection": "90 MB/s", "bandwidth": "2 GB/s",
                     "requests_per_second": "5500 /s")");
  strangers.folder.write("in/job.json", cheaper);
  const Outcome text = shell(strangers.check);
  INFO(text.out << text.err);
  CHECK(text.status == 1);
  CHECK(has(text.out, "FAIL: a line is no longer on the bill, where it was $"));
  CHECK(has(text.out, "the line \"requests: S3 GET\""));
  CHECK_FALSE(has(text.out, "better"));
  for (const std::string form : {"markdown", "json", "junit", "github"}) {
    const Outcome outcome = shell(strangers.check + "--format " + form);
    INFO(form << outcome.out);
    CHECK(outcome.status == 1);
    CHECK(has(outcome.out, "requests: S3 GET"));
    CHECK(has(outcome.out, "no longer on the bill"));
  }
  CHECK(has(shell(strangers.check + "--format junit").out, "failures=\"1\""));
  CHECK(has(shell(strangers.check + "--format github").out, "::error file="));
  // No limit of one's own makes it pass; --update does, and says what it stores.
  CHECK(shell(strangers.check + "--max-increase cost=500%").status == 1);
  CHECK(shell(strangers.check + "--update").status == 0);
  CHECK(shell(strangers.check).status == 0);
}

TEST_CASE("strangers: a line that another of its part stands for is no line that was lost") {
  const Strangers strangers;
  strangers.folder.write("in/job.json", strange_job);
  REQUIRE(shell(strangers.check + "--update").status == 0);
  const Outcome other =
      shell(strangers.check + "--set instance=p3.8xlarge --max-increase cost=500%");
  CHECK_FALSE(has(other.out, "no longer on the bill"));
}

TEST_CASE("strangers: a baseline without lines is compared as before, and --update writes them") {
  const Strangers strangers;
  REQUIRE(shell(strangers.check + "--update").status == 0);
  const std::string whole = slurp(strangers.baseline);
  const std::size_t start = whole.find("\"lines\"");
  REQUIRE(start != std::string::npos);
  const std::size_t end = whole.find('}', start);
  std::string older = whole;
  older.erase(start, whole.find('"', end) - start);
  strangers.folder.write("in/baseline.json", older);
  const Outcome outcome = shell(strangers.check);
  INFO(outcome.out << outcome.err << older);
  CHECK(outcome.status == 0);
  REQUIRE(shell(strangers.check + "--update").status == 0);
  CHECK(slurp(strangers.baseline) == whole);
}

TEST_CASE("strangers: --max-change fails in both directions until the baseline is committed") {
  const Strangers strangers;
  REQUIRE(shell(strangers.check + "--update").status == 0);
  const std::string all = "--max-change all=0.0001% ";
  const Outcome same = shell(strangers.check + all);
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  CHECK(shell(strangers.check + "--set epochs=1").status == 0);
  for (const std::string setting : {"epochs=1", "epochs=4", "step.per_sample='3.00001 ms'"}) {
    INFO(setting);
    const Outcome moved = shell(strangers.check + all + "--set " + setting);
    CHECK(moved.status == 1);
    CHECK(has(moved.out, "FAIL: "));
    CHECK(has(moved.out, "(limit: all=0.0001%)"));
    CHECK(shell(strangers.check + all + "--update --set " + setting).status == 0);
    CHECK(shell(strangers.check + all + "--set " + setting).status == 0);
    REQUIRE(shell(strangers.check + "--update").status == 0);
  }
  CHECK(shell(strangers.check + "--max-change time=10% --set epochs=1").status == 1);
  CHECK(shell(strangers.check + "--threshold 'total_s change < 10%' --set epochs=1").status == 1);
  CHECK(shell(strangers.check + "--max-change time=90% --set epochs=1").status == 0);
  for (const std::string wrong : {"all=3", "all=5s", "tim=5%", "gpu_busy", "time=5"}) {
    INFO(wrong);
    CHECK(shell(strangers.check + "--max-change " + wrong).status == 2);
  }
  CHECK(shell(strangers.check + "--max-change gpu_busy=5%").status == 0);
}

TEST_CASE("strangers: a price file that cannot be seen is an error, and not absent") {
  const Strangers strangers;
  const std::string pricing = strangers.folder.at("pricing");
  std::filesystem::copy(FEEDRATE_SOURCE_DIR "/pricing", pricing,
                        std::filesystem::copy_options::recursive);
  const std::string check =
      "feedrate check '" + strangers.file + "' -b '" + strangers.folder.at("b.json") + "' --update";
  const std::string environment = "FEEDRATE_PRICING='" + pricing + "'";
  REQUIRE(shell(check, environment).status == 0);
  const std::string kept = slurp(strangers.folder.at("b.json"));
  // A link to itself: stat fails, and not because there is nothing (ENOENT).
  for (const std::string name : {"s3.json", "aws/p3.json", "ebs.json"}) {
    INFO(name);
    const std::string path = pricing + "/" + name;
    std::filesystem::rename(path, path + ".kept");
    REQUIRE(::symlink(path.c_str(), path.c_str()) == 0);
    const Outcome outcome = shell(check, environment);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, name));
    CHECK(has(outcome.err, "expected a readable file, got: "));
    CHECK(slurp(strangers.folder.at("b.json")) == kept);
    std::filesystem::remove(path);
    std::filesystem::rename(path + ".kept", path);
  }
  std::filesystem::remove(strangers.folder.at("b.json"));
  REQUIRE(::symlink("b.json", strangers.folder.at("b.json").c_str()) == 0);
  CHECK(shell(check, environment).status == 2);
}
