// `calibrate` as a user meets it, with the probes that every host has.
#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/measurements.hpp"

using namespace testing_cli;

namespace {

const char* const scenario = "scenarios/caltech256_p3.json";

Outcome calibrate(const std::string& flags, const Folder& folder) {
  return shell("feedrate calibrate " + flags + " --output " + (folder / "host.json"));
}

}  // namespace

TEST_CASE("calibrate: --list says what each probe measures and why it cannot run") {
  const Outcome outcome = shell("feedrate calibrate --list");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const char* probe : {"download", "disk", "decode", "memcpy", "h2d", "gpu", "gpu-preprocess",
                            "allreduce", "loader"}) {
    INFO(probe);
    CHECK(has(outcome.out, std::string("\n  ") + probe + " "));
  }
  CHECK(has(outcome.out, "ready"));
  CHECK(has(outcome.out, "--loader MODULE:NAME"));
  CHECK(has(outcome.out, "give --url URL of an object in your store"));
}

TEST_CASE("calibrate: a probe is run, its samples kept, and its profile used") {
  const Folder folder;
  const Outcome outcome = calibrate("memcpy --quick --name here --instance p3.2xlarge", folder);
  INFO(outcome.err << outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(has(outcome.err, "memcpy: measured in "));
  CHECK(has(outcome.out, "1 of 1 probes measured"));
  CHECK(has(outcome.out, "copies in memory, one thread"));
  CHECK(has(outcome.out, "feedrate run SCENARIO --host"));
  CHECK(folder.files() == 2);
  using namespace feedrate;
  const HostProfile profile = schema::read_host_profile(folder / "host.json");
  CHECK(profile.name == "here");
  CHECK(profile.instance == "p3.2xlarge");
  REQUIRE(profile.memcpy_bandwidth);
  CHECK(profile.memcpy_bandwidth->from.origin == Origin::measured);
  CHECK_FALSE(profile.cpu);
  const MeasurementSet set = schema::read_measurements(folder / "host.measurements.json");
  CHECK(set.measurements.size() > 1);
  CHECK(has(set.command_line, "calibrate memcpy --quick"));
  CHECK(set.date.size() == 20);
  CHECK(
      shell(std::string("feedrate run ") + scenario + " --host " + (folder / "host.json")).status ==
      0);

  // Fitted again, it is the same profile; measured again, the first samples stay.
  const Outcome again =
      shell("feedrate calibrate --name here --instance p3.2xlarge --import " +
            (folder / "host.measurements.json") + " --output " + (folder / "again.json"));
  CHECK(again.status == 0);
  CHECK(slurp(folder / "again.json") == slurp(folder / "host.json"));
  CHECK(folder.files() == 3);
  const std::string first = slurp(folder / "host.measurements.json");
  CHECK(calibrate("memcpy --quick", folder).status == 0);
  CHECK(slurp(folder / "host.measurements.json") == first);
  CHECK(slurp(folder / "host.measurements-2.json").size() > 100);
}

TEST_CASE("calibrate: rounds are in the file and in the report") {
  const Folder folder;
  const Outcome outcome = calibrate("memcpy --quick", folder);
  REQUIRE(outcome.status == 0);
  CHECK(has(outcome.out, "3 rounds in "));
  const auto set = feedrate::schema::read_measurements(folder / "host.measurements.json");
  REQUIRE(set.rounds.size() == 3);
  std::set<std::string> canary;
  for (const feedrate::Measurement& what : set.measurements) {
    CHECK(what.rounds.size() == 3);
    if (what.probe == "canary") canary.insert(what.quantity);
  }
  CHECK(canary.count("registers") == 1);
  CHECK(canary.count("copy") == 1);
}

TEST_CASE("calibrate: --add puts a calibration to those before, of this host only") {
  const Folder folder;
  REQUIRE(calibrate("memcpy --quick", folder).status == 0);
  const std::string first = folder / "host.measurements.json";
  const std::string kept = slurp(first);
  const Outcome added = calibrate("memcpy --quick --add " + first, folder);
  INFO(added.err << added.out);
  REQUIRE(added.status == 0);
  CHECK(has(added.out, "6 rounds of 2 calibrations in "));
  CHECK(slurp(first) == kept);
  const std::string second = folder / "host.measurements-2.json";
  using namespace feedrate;
  const MeasurementSet old = schema::read_measurements(first);
  const MeasurementSet set = schema::read_measurements(second);
  REQUIRE(set.rounds.size() == 6);
  CHECK(set.rounds[2].calibration == 1.0);
  CHECK(set.rounds[3].calibration == 2.0);
  CHECK(set.measurements.size() == old.measurements.size());
  for (std::size_t i = 0; i < old.measurements.size(); ++i) {
    const std::vector<Duration>& before = old.measurements[i].times;
    const std::vector<Duration>& now = set.measurements.at(i).times;
    REQUIRE(now.size() > before.size());
    CHECK(std::equal(before.begin(), before.end(), now.begin()));
  }
  CHECK(has(set.command_line, "--add"));

  // Files of one host that are fitted again are merged alike, and what is in both counts once.
  const Outcome again =
      shell("feedrate calibrate --import " + first + " --import " + second + " --measurements " +
            (folder / "all.json") + " --output " + (folder / "again.json"));
  INFO(again.err << again.out);
  REQUIRE(again.status == 0);
  CHECK(schema::read_measurements(folder / "all.json").rounds.size() == 6);
  CHECK(has(again.out, "6 rounds of 2 calibrations in "));

  const auto refused = [&](const std::string& flags, const std::string& words) {
    const Outcome outcome =
        shell("feedrate calibrate memcpy --quick --output " + (folder / "none.json") + " " + flags);
    INFO(flags << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
  };
  refused("--add " + (folder / "host.json"), "host.measurements.json\"");
  refused("--add " + first + " --import " + second, "--add");
  refused("--add " + (folder / "missing.json"), "missing.json");
  MeasurementSet other = old;
  other.host.hostname = "elsewhere";
  folder.write("other.json", schema::write_measurements(other));
  refused("--add " + (folder / "other.json"), "got those of \"elsewhere\"");
  other = old;
  other.host.cpu = "A faster CPU";
  folder.write("other.json", schema::write_measurements(other));
  refused("--add " + (folder / "other.json"), "got those of \"A faster CPU\"");
  CHECK(slurp(folder / "none.json").empty());
}

TEST_CASE("calibrate: --join makes one profile of several hosts, and measures nothing") {
  const Folder folder;
  using namespace feedrate;
  const std::string first = folder / "node01.measurements.json";
  const Outcome one =
      shell("feedrate calibrate memcpy --quick --name node01 --output " + (folder / "node01.json"));
  INFO(one.err);
  REQUIRE(one.status == 0);
  MeasurementSet set = schema::read_measurements(first);
  CHECK(set.host.name == "node01");
  // The others are it, to a few per cent: what a busy machine measures in three goes is no matter
  // of hosts.
  std::string files = " " + first;
  const auto add = [&](const char* name, double times_as_long) {
    MeasurementSet other = set;
    other.host.name = name;
    for (Measurement& what : other.measurements) {
      for (Duration& time : what.times) time *= times_as_long;
    }
    const std::string file = std::string(name) + ".measurements.json";
    folder.write(file, schema::write_measurements(other));
    return " " + (folder / file);
  };
  files += add("node02", 1.02);
  files += add("node03", 0.97);
  const std::string all = files + add("node04", 4.0);
  const Outcome joined = calibrate("--join" + all, folder);
  INFO(joined.err << joined.out);
  REQUIRE(joined.status == 0);
  CHECK(has(joined.out, "4 hosts"));
  CHECK(has(joined.out, "rounds of 4 calibrations"));
  CHECK(has(joined.out, "slow, not in the profile"));
  const HostProfile profile = schema::read_host_profile(folder / "host.json");
  CHECK(profile.name == "4 hosts");
  CHECK(has(profile.remarks.back(), "node04 is slow, and not in these numbers: memcpy takes"));
  CHECK(slurp(folder / "host.measurements.json").empty());
  CHECK(
      shell(std::string("feedrate run ") + scenario + " --host " + (folder / "host.json")).status ==
      0);

  const auto refused = [&](const std::string& flags, const std::string& words) {
    const Outcome outcome =
        shell("feedrate calibrate --output " + (folder / "none.json") + " " + flags);
    INFO(flags << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
  };
  refused("--join " + first, "only those of \"node01\"");
  refused("--join " + (folder / "node01.json"), "node01.measurements.json\"");
  refused("memcpy --join" + files, "--join");
  refused("--join" + files + " --add " + (folder / "node04.measurements.json"), "--join");
  set.host.cpu = "A faster CPU";
  folder.write("other.json", schema::write_measurements(set));
  refused("--join" + files + " " + (folder / "other.json"), "expected hosts of one kind");
  set.host = {};
  folder.write("other.json", schema::write_measurements(set));
  refused("--join" + files + " " + (folder / "other.json"), "expected a host's name");
  CHECK(slurp(folder / "none.json").empty());
}

TEST_CASE("calibrate: commands that cannot work are refused before anything is measured") {
  const Folder folder;
  const auto refused = [&](const std::string& flags, const std::string& words) {
    const Outcome outcome = calibrate(flags, folder);
    INFO(flags << "\n" << outcome.err << outcome.out);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
    CHECK(outcome.out.empty());
  };
  const std::string python =
      folder.write("python", "#!/bin/sh\necho \"no module named $2\" >&2\nexit 1\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  refused("--quick --loader mien:Images --python " + python,
          "--loader mien:Images ended with exit status 1: no module named mien:Images");
  refused("loader --quick --loader mine:Images --python /no/such/python", "/no/such/python");
  refused("gpu --quick --step-command 'no-such-program --model resnet50'",
          "there is no program \"no-such-program\"");
  CHECK(folder.files() == 1);
}

TEST_CASE("calibrate: a probe that was asked for and failed is exit status 3, the rest is kept") {
  const Folder folder;
  const Outcome step = calibrate("memcpy gpu --quick --step-command 'echo 8 0.5; exit 4'", folder);
  INFO(step.err << step.out);
  CHECK(step.status == 3);
  CHECK(has(step.err, "gpu was requested and failed: --step-command ended with exit status 4"));
  const auto set = feedrate::schema::read_measurements(folder / "host.measurements.json");
  CHECK(set.probes.size() == 2);
  CHECK(slurp(folder / "host.json").size() > 10);
  CHECK(calibrate("memcpy download --quick --url http://127.0.0.1:1/x", folder).status == 3);
  const Outcome nothing = calibrate("memcpy download --quick", folder);
  CHECK(nothing.status == 3);
  CHECK(has(nothing.err, "download was requested and failed: give --url URL"));
}

TEST_CASE("calibrate: what other tools measured becomes a profile without measuring") {
  const Folder folder;
  const std::string steps =
      folder.write("steps.csv", "batch,seconds\n16,0.05\n16,0.05\n32,0.09\n64,0.17\n128,0.33\n");
  const Outcome outcome =
      calibrate("--import " + steps + " --measurements " + (folder / "m.json"), folder);
  INFO(outcome.err << outcome.out);
  REQUIRE(outcome.status == 0);
  using namespace feedrate;
  const HostProfile profile = schema::read_host_profile(folder / "host.json");
  REQUIRE(profile.step_fixed);
  CHECK(profile.step_fixed->value.base() == Approx(0.010));
  CHECK(profile.step_per_sample->value.base() == Approx(0.0025));
  CHECK(has(profile.step_fixed->from.source, "imported from " + steps));
  CHECK(schema::read_measurements(folder / "m.json").measurements.size() == 4);
}

TEST_CASE("calibrate: wrong usage is refused before anything is measured") {
  const Folder folder;
  const std::string here = folder.write("here.json", "{}");
  const std::string evidence =
      folder.write("e.json", "{\n  \"kind\": \"measurements\",\n  \"schema\": 1\n}\n");
  const auto refused = [&](const std::string& flags, const std::string& words, int status = 2) {
    const Outcome outcome = shell("feedrate calibrate " + flags);
    INFO(flags << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, words));
  };
  refused("memcopy", "did you mean \"memcpy\"?");
  refused("memcpy --measurements " + here, "expected a new file");
  refused("memcpy --output " + evidence, "which holds measurements");
  refused("memcpy --output /no/such/folder/x.json", "cannot be written", 3);
  refused("memcpy --output " + (folder / ""), "got a directory");
  refused("memcpy --data " + here, "--data: expected a directory");
  for (const char* flag : {"--data", "--url", "--loader", "--step-command", "--scratch", "--python",
                           "--measurements", "--output"}) {
    refused(std::string("memcpy ") + flag + " \"$NEVER_SET\"", "expected a value, got \"\"");
  }
  refused("memcpy --time-limit 5", "--time-limit: expected a duration");
  refused("memcpy --time-limit '0 s'", "expected a time above 0");
  refused("--import " + here + " --output " + (folder / "h.json"), "expected measurements of");
  refused("--import " + evidence + " --output " + evidence, "--output would overwrite the input");
  CHECK(folder.files() == 2);
}

TEST_CASE("calibrate: nothing measured is exit status 3, with the reason and without a profile") {
  const Folder folder;
  const Outcome outcome = calibrate("loader", folder);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "loader: skipped: "));
  CHECK(has(outcome.err, "nothing could be measured"));
  CHECK(has(outcome.out, "Nothing could be measured."));
  CHECK(folder.files() == 0);
}

TEST_CASE("calibrate: Ctrl-C keeps what was measured until then") {
  const Folder folder;
  // The file is there after the first round: then it is in the middle of the next.
  const Outcome outcome =
      shell("feedrate calibrate memcpy --time-limit '16 s' --output " + (folder / "host.json") +
            " & pid=$!\nfor i in $(seq 600); do [ -e " + (folder / "host.measurements.json") +
            " ] && break; sleep 0.1; done\nsleep 0.3\n"
            "kill -INT $pid; kill -INT $pid 2>/dev/null\nwait $pid");
  INFO(outcome.err << outcome.out);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "interrupted"));
  CHECK(has(outcome.out, "Interrupted: 1 of 1 probes measured"));
  CHECK(folder.files() == 2);
  const auto set = feedrate::schema::read_measurements(folder / "host.measurements.json");
  CHECK(set.rounds.size() > 1);
  CHECK(set.rounds.size() < 8);
  CHECK(set.probes.at(0).reason == "interrupted");
}

TEST_CASE("calibrate: what a URL holds in confidence is not kept") {
  const Folder folder;
  const Outcome outcome =
      calibrate("memcpy --quick --url 'https://me:secret@host/key?signature=secret'", folder);
  CHECK(outcome.status == 0);
  const std::string kept = slurp(folder / "host.measurements.json");
  CHECK(has(kept, "--url https://host/key"));
  CHECK_FALSE(has(kept, "secret"));
}

TEST_CASE("schema: measurement files are explained") {
  CHECK(has(shell("feedrate schema measurements").out, "random_read"));
  CHECK(has(shell("feedrate schema measurements --format json").out, "\"$schema\""));
}

TEST_CASE(
    "calibrate: a profile of another machine than the one that is rented is in the headline") {
  const Folder folder;
  const auto run_with = [&](const std::string& host) {
    folder.write("host.json", R"({"name": "lab", )" + host + "}");
    return shell("feedrate run scenarios/caltech256_p3.json --full --host " +
                 (folder / "host.json"));
  };
  const auto headline = [&](const std::string& host) {
    std::string text = run_with(host).out;
    text = text.substr(0, text.find("\nStages"));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  CHECK(has(headline(R"("instance": "g5.xlarge")"),
            "the host profile \"lab\" was measured on g5.xlarge, not on ml.p3.2xlarge."));
  CHECK(has(headline(R"("hardware_threads": 2)"),
            "\"lab\" was measured with 2 hardware threads, and ml.p3.2xlarge has 8."));
  folder.write("host.json", R"({"name": "lab", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]]})");
  const std::string job = folder.write("job.json", R"({"dataset": {"samples": 100},
    "source": {"service": "local"}, "loader": {"kind": "pool", "batch_size": 10},
    "preprocess": [{"operation": "x", "cpu": "1 ms"}], "cluster": {"vcpus": 8, "price": "1 USD/h"},
    "job": {"step": {"fixed": "1 ms"}}})");
  CHECK(has(shell("feedrate run " + job + " --format json --host " + (folder / "host.json")).out,
            "with 2 hardware threads, and the scenario's has 8."));
  // ml.p3.2xlarge is one.
  CHECK_FALSE(
      has(headline(R"("instance": "p3.2xlarge", "hardware_threads": 8)"), "another machine"));
}

TEST_CASE("calibrate: every command that predicts says that a profile is another machine's") {
  const Folder folder;
  const std::string host = folder.write("host.json", R"({"name": "lab", "instance": "g5.xlarge"})");
  const std::string job = " scenarios/caltech256_p3.json ";
  for (const std::string& command :
       {"run" + job, "advise" + job, "feeds" + job + "--over instances --up-to 4",
        "compare" + job + job, "diagnose --gpu 30" + job, "sweep" + job + "--vary num_workers=1,2",
        "scale" + job + "--to 2", "optimize" + job + "--over num_workers=1,2"}) {
    INFO(command);
    const std::string line = "feedrate " + command + " --host '" + host + "'";
    CHECK(has(shell(line + " | tr -s ' \n' ' '").out,
              "another machine's: the host profile \"lab\" was measured on g5.xlarge"));
    if (!command.starts_with("feeds")) {  // whose JSON has no remarks
      CHECK(has(shell(line + " --format json").out, "was measured on g5.xlarge"));
    }
    CHECK_FALSE(has(shell("feedrate " + command).out, "another machine's"));
  }
}

TEST_CASE("calibrate: run says how old a profile is, and refuses an age that is none") {
  const Folder folder;
  const auto run_with = [&](const std::string& host, const std::string& flags) {
    folder.write("host.json", R"({"name": "lab", "instance": "p3.2xlarge", )" + host + "}");
    return shell("feedrate run scenarios/caltech256_p3.json --host " + (folder / "host.json") +
                 flags);
  };
  const std::string old = R"("date": "2020-01-01T00:00:00Z")";
  CHECK(has(run_with(old, "").err, "days old: calibrate again, or set --max-age"));
  CHECK(run_with(old, " --max-age 100000d").err.empty());
  CHECK(run_with(old, "").status == 0);
  const Outcome wrong = run_with(old, " --max-age soon");
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "--max-age"));
  CHECK(has(run_with(old, " --canary").err, "not made on this machine"));
  CHECK(shell("feedrate run scenarios/caltech256_p3.json --canary").status == 2);
}
