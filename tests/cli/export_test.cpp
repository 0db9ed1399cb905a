// `export`: what other tools read of a prediction is what was predicted.
#include <fmt/format.h>

#include <regex>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "model/figures.hpp"
#include "model/stage.hpp"
#include "report/skypilot.hpp"
#include "scenarios/shipped.hpp"
#include "schema/json/json_reader.hpp"
#include "seed.hpp"

using namespace feedrate;
using testing_cli::Folder;
using testing_cli::has;
using testing_cli::shell;

namespace {

const std::string sweep =
    "scenarios/caltech256_p3.json --vary instance=ml.p3.2xlarge,ml.g5.2xlarge,ml.none --vary "
    "num_workers=1,4 --set region=us-east-1 ";

/// Debian's, which its packages of modules are for, before one of the user's.
std::string python() {
  return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

std::string export_of(const std::string& kind, const std::string& input) {
  const auto made = shell("feedrate export " + kind + " " + input);
  INFO(made.err);
  REQUIRE(made.status == 0);
  return made.out;
}

}  // namespace

TEST_CASE("law: what is exported of a scenario is what is exported of its result's JSON") {
  const Folder folder;
  int exported = 0;
  const auto check = [&](const std::string& command, const std::string& input) {
    const std::string file = "'" + (folder / "result.json") + "'";
    REQUIRE(shell("feedrate " + command + " " + input + " --format json --output " + file).status ==
            0);
    for (const std::string form : {"yaml", "python"}) {
      INFO(form << " of " << input);
      const auto direct = shell("feedrate export skypilot " + input + " --format " + form);
      const auto read = shell("feedrate export skypilot " + file + " --format " + form +
                              (command == "sweep" ? " --set region=us-east-1" : ""));
      CHECK(direct.status == read.status);
      CHECK((direct.out == read.out));
      CHECK(direct.err == read.err);
      exported += direct.status == 0 ? 1 : 0;
    }
  };
  for (const std::string& name : test::some_of(testing_scenarios::shipped(), 2)) {
    check("run", "scenarios/" + name);
  }
  check("sweep", sweep);
  CHECK(exported >= 4);
}

TEST_CASE("law: the times that are exported are those of the result") {
  const schema::JsonPtr result = testing_scenarios::json_of("sweep " + sweep);
  const auto made = shell("feedrate export skypilot " + sweep + "--format python");
  REQUIRE(made.status == 0);
  // Of each machine the cheapest point.
  std::map<std::string, std::pair<double, double>> best;
  std::size_t without = 0;
  for (const schema::JsonPtr& point : result->find("points")->items) {
    const schema::JsonValue& of = *point->find("result");
    if (of.kind == schema::JsonKind::null) {
      ++without;
      continue;
    }
    const std::pair found(of.find("cost")->find("total_usd")->number,
                          of.find("time")->find("total_s")->number);
    const auto [place, is_new] = best.emplace(of.find("instance")->text.substr(3), found);
    if (!is_new) place->second = std::min(place->second, found);
  }
  REQUIRE(best.size() == 2);
  CHECK(has(made.err, "remark: " + std::to_string(without) + " of 6 points have no result"));
  const std::regex row(R"row(    \("aws/us-east-1", "([^"]+)", None, False\): ([-+.e0-9]+),.*)row");
  std::map<std::string, double> times;
  std::istringstream lines(made.out);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) times.emplace(match[1], std::stod(match[2]));
  }
  REQUIRE(times.size() == best.size());
  for (const auto& [machine, cost_and_time] : best) {
    INFO(machine);
    CHECK(times.at(machine) == cost_and_time.second);
  }
  // What must be known of a prediction stands beside it.
  for (const schema::JsonPtr& point : result->find("points")->items) {
    const schema::JsonValue& of = *point->find("result");
    if (of.kind == schema::JsonKind::null ||
        of.find("time")->find("total_s")->number !=
            best.at(of.find("instance")->text.substr(3)).second) {
      continue;
    }
    for (const char* const list : {"caveats", "remarks"}) {
      for (const schema::JsonPtr& text : of.find(list)->items) CHECK(has(made.out, text->text));
    }
  }
}

TEST_CASE("skypilot: the candidates of a sweep, best first, with their times") {
  CHECK(report::skypilot_name("Caltech-256 with ResNet-50, on one V100!") ==
        "Caltech-256-with-ResNet-50-on-one-V100");
  CHECK(report::skypilot_name("…") == "feedrate");
  const std::string candidates =
      "scenarios/caltech256_p3.json --instances 'gpu>=T4, gpus=1, region=us-east-1, price<3' "
      "--vary "
      "num_workers=2,4 ";
  const auto task = shell("feedrate export skypilot " + candidates);
  INFO(task.err);
  REQUIRE(task.status == 0);
  const Folder folder;
  const std::string yaml = folder.write("task.yaml", task.out);
  const std::string program =
      folder.write("choose.py", export_of("skypilot", candidates + "--format python"));
  // The fields as SkyPilot documents them (its schema is in no package of Debian), and every
  // candidate once, by ascending cost.
  const auto fields = shell(python() + " -c '" +
                            R"python(
import sys, re
try:
    import yaml
except ImportError:
    sys.exit(77)
text = open(sys.argv[1]).read()
task = yaml.safe_load(text)
assert set(task) == {"name", "num_nodes", "resources"} and set(task["resources"]) == {"ordered"}
assert re.fullmatch("[a-zA-Z0-9]+(?:[._-]{1,2}[a-zA-Z0-9]+)*", task["name"])
assert type(task["num_nodes"]) is int and task["num_nodes"] >= 1
seen = set()
for c in task["resources"]["ordered"]:
    assert set(c) - {"accelerators"} == {"infra", "instance_type", "use_spot"}
    assert re.fullmatch("(aws|gcp|azure|lambda|nebius)(/[^/]+)?", c["infra"]) and type(c["use_spot"]) is bool
    seen.add((c["infra"], c["instance_type"], c["use_spot"]))
assert len(seen) == len(task["resources"]["ordered"]) >= 3
costs = [float(x) for x in re.findall(r"\$([0-9.]+)", text)]
assert costs == sorted(costs) and len(costs) == len(seen)
print("fine")
)python"
                            "' '" +
                            yaml + "'");
  if (fields.status == 77) {
    WARN("left out: python3-yaml is not installed");
    return;
  }
  INFO(fields.err << task.out);
  CHECK(fields.out == "fine\n");
  // The program, with something that has the names of SkyPilot.
  const auto chosen = shell("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/cli/fake_sky " + python() +
                            " '" + program + "' '" + yaml + "' --minimize time --launch");
  INFO(chosen.err);
  CHECK(chosen.status == 0);
  const auto fastest = shell("feedrate export skypilot " + candidates + "--minimize time");
  const std::string first = "instance_type: \"";
  const std::string name = fastest.out.substr(fastest.out.find(first) + first.size());
  CHECK(has(chosen.out, "AWS(" + name.substr(0, name.find('"'))));
  CHECK(has(chosen.out, "launched AWS("));
  // Of a result, the region comes from its scenario.
  REQUIRE(shell("feedrate sweep " + candidates + "--format json -o '" + (folder / "r.json") + "'")
              .status == 0);
  CHECK((shell("feedrate export skypilot '" + (folder / "r.json") + "'").out == task.out));
}

TEST_CASE("skypilot: machines by the names of its catalogue") {
  const auto named = [](const char* cloud, const char* name, const char* gpu, double gpus) {
    Machine machine;
    machine.cloud = cloud;
    machine.name = name;
    machine.gpu_model = gpu;
    machine.gpus = Value<double>{gpus, {}};
    const auto sky = report::skypilot_machine(machine);
    return sky ? sky->instance_type + " " + sky->accelerators : "none";
  };
  CHECK(named("aws", "p3.2xlarge", "V100-16GB", 1) == "p3.2xlarge ");
  CHECK(named("azure", "NC24ads A100 v4", "A100-SXM4-80GB", 1) == "Standard_NC24ads_A100_v4 ");
  CHECK(named("gcp", "n1-highmem-8 + 1x V100", "V100-16GB", 1) == "n1-highmem-8 V100:1");
  CHECK(named("gcp", "a2-ultragpu-4g", "A100-SXM4-80GB", 4) == "a2-ultragpu-4g A100-80GB:4");
  CHECK(named("gcp", "a3-megagpu-8g", "H100-SXM5-80GB", 8) == "a3-megagpu-8g H100-MEGA:8");
  CHECK(named("lambda", "gpu_8x_v100", "V100-16GB", 8) == "gpu_8x_v100 ");
  CHECK(named("lambda", "8x V100-16GB", "V100-16GB", 8) == "none");
  CHECK(named("runpod", "runpod-1x-H100-PCIe-80GB", "H100-PCIe-80GB", 1) == "none");
  // Every machine with GPUs of the shipped catalogue has a name of the form of its cloud's, or
  // none.
  const auto all = shell(
      "feedrate export skypilot scenarios/caltech256_p3.json --set region=null --instances "
      "'gpu>=T4, cloud!=aws' --format python");
  INFO(all.err);
  CHECK(all.status == 0);
  CHECK(has(all.err, "left out: SkyPilot's name for them is not known"));
  const std::regex row(
      R"row(    \("(gcp|azure|lambda|nebius)[^"]*", "(?:Standard_[A-Za-z0-9_]+|[a-z0-9-]+|gpu[a-z0-9_-]+)", (None|"[A-Z0-9a-z-]+:[0-9]+"), (?:True|False)\): .*)row");
  std::istringstream lines(all.out);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    (\"")) continue;
    std::smatch match;
    INFO(line);
    REQUIRE(std::regex_match(line, match, row));
    CHECK((match[1] == "gcp") == (match[2] != "None"));
    ++rows;
  }
  CHECK(rows > 20);
}

TEST_CASE("skypilot: a machine of which the job uses fewer GPUs than it has is remarked on") {
  const std::string command =
      "feedrate export skypilot scenarios/caltech256_p3.json --set instance=p3.16xlarge --set "
      "region=us-east-1 ";
  const auto some = shell(command + "--set gpus_per_instance=2");
  INFO(some.out << some.err);
  CHECK(some.status == 0);
  CHECK(has(some.out, "the job uses 2 of the 8 GPUs that are rented"));
  CHECK_FALSE(has(shell(command).out, "all are rented"));
}

TEST_CASE("skypilot: the value of a job's hours is told apart from its cost") {
  const std::string one =
      "scenarios/caltech256_p3.json --set instance=p3.2xlarge --set region=us-east-1 ";
  const schema::JsonPtr result =
      testing_scenarios::json_of("run " + one + "--set value_of_hour='50 USD/h'");
  const schema::JsonValue& cost = *result->find("result")->find("cost");
  const double money = cost.find("money_usd")->number, total = cost.find("total_usd")->number;
  REQUIRE(total > money);
  const std::string valued = export_of("skypilot", one + "--set value_of_hour='50 USD/h'");
  INFO(valued);
  CHECK(has(valued, fmt::format(", ${:.2f}, ${:.2f} with the value of its hours", money, total)));
  CHECK_FALSE(has(export_of("skypilot", one), "with the value"));
}

TEST_CASE("skypilot: spot and its interruptions are said, what is booked is left out") {
  const std::string spot =
      "scenarios/caltech256_p3.json --set instance=p3.2xlarge --set region=us-east-1 ";
  const auto both = shell("feedrate export skypilot " + spot +
                          "--vary purchase=spot,on_demand --set epochs=20000 --set "
                          "'/cluster/spot={\"interruption_share_per_month\": 0.5}'");
  INFO(both.out << both.err);
  CHECK(both.status == 0);
  CHECK(has(both.out, "; interruptions: "));
  CHECK(has(both.out, " of jobs take "));
  CHECK(has(both.out, "use_spot: true"));
  CHECK(has(both.out,
            "# Remark on p3.2xlarge: Time and cost are the expected values with interruptions."));
  const std::string booked = "--set price='3 USD/h' --set booked=24h ";
  const auto mixed = shell("feedrate export skypilot " + spot + booked +
                           "--vary purchase=capacity_block,on_demand");
  INFO(mixed.out << mixed.err);
  CHECK(mixed.status == 0);
  CHECK(has(mixed.err, "1 point with purchase capacity_block or training_plan is left out"));
  CHECK_FALSE(has(mixed.out.substr(mixed.out.find("use_spot") + 1), "use_spot"));
  const auto none =
      shell("feedrate export skypilot " + spot + booked + "--set purchase=training_plan");
  CHECK(none.status == 2);
  CHECK(has(none.err, "no candidate is left: 1 point with purchase capacity_block"));
  const auto nameless = shell("feedrate export skypilot scenarios/spot_checkpoints.json");
  CHECK(nameless.status == 2);
  CHECK(has(
      nameless.err,
      "/cluster/instance: expected an instance for SkyPilot to rent, got none in the scenario"));
}

TEST_CASE("skypilot: what misses the result's deadline or budget is no candidate") {
  const Folder folder;
  const std::string scaled = folder / "scale.json", swept = folder / "sweep.json";
  const std::string job = " scenarios/caltech256_p3.json --set num_workers=4 ";
  const auto slow = testing_scenarios::json_of("run" + job);
  const double alone = testing_scenarios::at(*slow, "result.time.total_s").number;
  const std::string deadline = fmt::format("--deadline '{} s' ", 0.6 * alone);
  REQUIRE(shell("feedrate scale" + job + deadline + "--to 8 --format json -o '" + scaled + "'")
              .status == 0);
  const auto scale = schema::parse_json(testing_cli::slurp(scaled), scaled);
  const double recommended = testing_scenarios::at(*scale, "recommended.instances").number;
  REQUIRE(recommended > 1.0);
  const auto of_scale = shell("feedrate export skypilot '" + scaled + "'");
  INFO(of_scale.out << of_scale.err);
  CHECK(has(of_scale.out, fmt::format("num_nodes: {:g}\n", recommended)));
  CHECK(has(of_scale.err, "left out: later than the deadline of the result"));
  CHECK(has(of_scale.err, "(what the result recommends)"));

  const std::string varied = job + "--vary num_workers=1,4 --vary instance=p3.2xlarge,g5.xlarge ";
  REQUIRE(shell("feedrate sweep" + varied + fmt::format("--deadline '{} s' ", 1.01 * alone) +
                "--format json -o '" + swept + "'")
              .status == 0);
  const auto of_sweep = shell("feedrate export skypilot '" + swept + "'");
  INFO(of_sweep.out << of_sweep.err);
  CHECK(of_sweep.status == 0);
  CHECK(has(of_sweep.err, "left out: later than the deadline of the result"));
  CHECK_FALSE(has(of_sweep.out, "at num_workers=1"));
  shell("feedrate sweep" + varied + "--deadline '1 s' --format json -o '" + swept + "'");
  const auto none = shell("feedrate export skypilot '" + swept + "'");
  CHECK(none.status == 2);
  CHECK(has(none.err, "no candidate is left: 4 points are left out: later than the deadline"));
}

TEST_CASE("export: rows of scale are runs, and results come through a pipe") {
  const std::string scenario = "scenarios/caltech256_p3.json ";
  const Folder folder;
  const std::string file = "'" + (folder / "scale.json") + "'";
  REQUIRE(shell("feedrate scale " + scenario + "--to 3 --format json -o " + file).status == 0);
  const std::string varied = export_of("skypilot", scenario + "--vary instances=1,2,3");
  CHECK((export_of("skypilot", file) == varied));
  // Shares come by way of what joins them.
  shell("feedrate sweep " + scenario + "--vary instances=1,2,3 --shard 1/1 -o '" +
        (folder / "s.share") + "'");
  const auto share = shell("feedrate export skypilot '" + (folder / "s.share") + "'");
  CHECK(share.status == 2);
  CHECK(has(share.err, "got a share of a sweep: feedrate merge SHARE... --format json"));
  const auto piped = shell("feedrate merge '" + (folder / "s.share") +
                           "' --format json | feedrate export skypilot -");
  CHECK((piped.out == varied));
  const auto typed = shell("feedrate export skypilot - < scenarios/caltech256_p3.json");
  CHECK(typed.status == 0);
  const auto other =
      shell("feedrate advise " + scenario + "--format json | feedrate export skypilot -");
  CHECK(other.status == 2);
  CHECK(has(other.err, "got the kind \"advice\""));
}

TEST_CASE("export: what is no input, and what goes wrong with the output") {
  CHECK(shell("feedrate export").status == 2);
  CHECK(has(shell("feedrate export grafana x").err, "export has no command \"grafana\""));
  CHECK(has(shell("feedrate export skypilot nothing.json").err, "nothing.json"));
  CHECK(shell("feedrate export skypilot scenarios/caltech256_p3.json -o /dev/full").status == 3);
  CHECK(shell("feedrate export skypilot scenarios/caltech256_p3.json | true; exit ${PIPESTATUS[0]}")
            .status == 0);
  CHECK(has(shell("feedrate export skypilot scenarios/caltech256_p3.json -o "
                  "scenarios/caltech256_p3.json")
                .err,
            "--output would overwrite the input"));
  const Folder folder;
  const std::string result = "'" + (folder / "r.json") + "'";
  shell("feedrate run scenarios/caltech256_p3.json --format json -o " + result);
  CHECK(has(shell("feedrate export skypilot " + result + " --vary instances=1,2").err,
            "is a result: expected no --vary"));
  shell("sed -E -i 's/\"total_s\": [0-9][0-9.]*/\"total_s\": \"soon\"/' " + result);
  const auto broken = shell("feedrate export skypilot " + result);
  CHECK(broken.status == 2);
  CHECK(has(broken.err, "/result/time/total_s: expected a number or null, got \"soon\""));
}
