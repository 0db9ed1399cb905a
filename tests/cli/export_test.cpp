// `export`: what other tools read of a prediction is what was predicted.
#include <regex>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "model/figures.hpp"
#include "model/stage.hpp"
#include "report/prometheus.hpp"
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

/// Samples by name and labels as the format says: NAME{LABEL="VALUE",…} NUMBER.
std::map<std::string, double> samples_of(const std::string& text) {
  const std::regex sample(
      R"(([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\} ([-+.e0-9]+))");
  std::map<std::string, double> samples;
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) continue;
    if (line.starts_with("# TYPE ")) {
      last = line.substr(7, line.find(' ', 7) - 7);
      continue;
    }
    std::smatch match;
    INFO(line);
    REQUIRE(std::regex_match(line, match, sample));
    CHECK(match[1] == last);
    CHECK(
        samples
            .emplace(std::string(match[1]) + "{" + std::string(match[2]) + "}", std::stod(match[3]))
            .second);
  }
  return samples;
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
  const auto check = [&](const std::string& command, const std::string& input) {
    const std::string file = folder / "result.json";
    REQUIRE(shell("feedrate " + command + " " + input + " --format json --output '" + file + "'")
                .status == 0);
    for (const std::string kind : {"json", "prometheus"}) {
      INFO(kind << " of " << input);
      CHECK((export_of(kind, input) == export_of(kind, "'" + file + "'")));
    }
  };
  for (const std::string& name : test::some_of(testing_scenarios::shipped(), 2)) {
    check("run", "scenarios/" + name);
  }
  check("sweep", sweep);
}

TEST_CASE("law: every figure that is exported is that of the result") {
  const schema::JsonPtr result = testing_scenarios::json_of("sweep " + sweep);
  const schema::JsonPtr flat = schema::parse_json(export_of("json", sweep), "flat");
  const auto samples = samples_of(export_of("prometheus", sweep));
  const auto& points = flat->find("points")->items;
  REQUIRE(points.size() == 6);
  std::size_t told = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const schema::JsonValue& of = *result->find("points")->items[i]->find("result");
    const std::string workers =
        result->find("points")->items[i]->find("set")->find("num_workers")->text;
    if (of.kind == schema::JsonKind::null) {
      CHECK(points[i]->find("total_s")->kind == schema::JsonKind::null);
      CHECK(points[i]->find("problem")->kind == schema::JsonKind::text);
      continue;
    }
    CHECK(points[i]->find("total_s")->number == of.find("time")->find("total_s")->number);
    CHECK(points[i]->find("money_usd")->number == of.find("cost")->find("money_usd")->number);
    CHECK(points[i]->find("gpu_busy")->number == of.find("gpu_busy")->number);
    const std::string labels =
        R"({scenario="Caltech-256 with ResNet-50 on one V100",instance_type=")" +
        of.find("instance")->text + R"(",instances="1",num_workers=")" + workers + "\"";
    for (const Figure& figure : all_figures()) {
      const schema::JsonValue* const value = points[i]->find(figure.name);
      const auto sample =
          samples.find(report::metric_name(figure.name, figure.unit) + labels + "}");
      const bool number = value != nullptr && value->kind == schema::JsonKind::number;
      INFO(figure.name);
      REQUIRE(number == (sample != samples.end()));
      if (!number) continue;
      CHECK(sample->second == value->number);
      ++told;
    }
    for (const schema::JsonPtr& row : of.find("stages")->items) {
      const std::string stage = row->find("stage")->text;
      for (const StageFigure& figure : stage_figures()) {
        const schema::JsonValue& value = *points[i]->find(stage + "." + std::string(figure.name));
        const schema::JsonValue& expected = *row->find(figure.name);
        const auto sample =
            samples.find(report::metric_name("stage_" + std::string(figure.name), figure.unit) +
                         labels + ",stage=\"" + stage + "\"}");
        REQUIRE(value.kind == expected.kind);
        REQUIRE((value.kind == schema::JsonKind::number) == (sample != samples.end()));
        if (sample == samples.end()) continue;
        CHECK(value.number == expected.number);
        CHECK(sample->second == expected.number);
        ++told;
      }
    }
    if (of.find("bottleneck")->find("stage")->kind == schema::JsonKind::text) ++told;
    // Caveats and remarks, each as a label; the region is said once, by what was set.
    std::set<std::string> remarks;
    for (const char* const list : {"caveats", "remarks"}) {
      for (const schema::JsonPtr& text : of.find(list)->items) remarks.insert(text->text);
    }
    REQUIRE(points[i]->find("remarks")->items.size() == remarks.size());
    for (const std::string& text : remarks) {
      CHECK(samples.contains("feedrate_predicted_remark_info" + labels + ",remark=\"" + text +
                             "\"}"));
      ++told;
    }
  }
  CHECK(told == samples.size());
}

TEST_CASE("prometheus: names of labels and what stands in them") {
  CHECK(report::label_name("num_workers") == "num_workers");
  CHECK(report::label_name("/preprocess/0/cpu") == "preprocess_0_cpu");
  CHECK(report::label_name("disk.bandwidth") == "disk_bandwidth");
  CHECK(report::label_name("0") == "key_0");
  CHECK(report::label_name("__x") == "key___x");
  CHECK(report::label_name("größe") == "gr____e");
  CHECK(report::metric_name("effective_time_ratio", FigureUnit::share) ==
        "feedrate_predicted_effective_time_ratio");
  CHECK(report::metric_name("gpu_busy", FigureUnit::share) == "feedrate_predicted_gpu_busy_ratio");
  Exported exported{"a \"name\"\\of\ntwo lines", "", {}};
  exported.points.resize(2);
  for (ExportedPoint& point : exported.points) {
    point.instance = "any";
    point.figures[static_cast<std::size_t>(FigureId::total_time)] = 1e-7;
  }
  const std::string text = report::prometheus_text(
      exported,
      {{{"/a/b", "1"}, {"a_b", "2"}, {"scenario", "\"3\""}, {"stage", "4"}, {"region", "null"}},
       {}});
  const std::string all =
      R"(feedrate_predicted_total_seconds{scenario="a \"name\"\\of\ntwo lines",instance_type="any",)"
      R"(instances="1",a_b="1",a_b_2="2",scenario_2="\"3\"",stage_2="4"} 1e-07)";
  CHECK(has(text, all + "\n"));
  CHECK(samples_of(text).size() == 2);
  // By the reader of Prometheus' own client.
  const Folder folder;
  const std::string file = folder.write("t.prom", text);
  const auto read =
      shell(python() +
            " -c 'import sys\ntry:\n    from prometheus_client.parser import "
            "text_string_to_metric_families as read\nexcept ImportError:\n    "
            "sys.exit(77)\nfor family in read(open(sys.argv[1]).read()):\n    for s in "
            "family.samples:\n        print(family.type, s.name, s.value, "
            "repr(s.labels[\"scenario\"]), s.labels.get(\"a_b_2\"))' '" +
            file + "'");
  if (read.status == 77) {
    WARN("left out: python3-prometheus-client is not installed");
    return;
  }
  INFO(read.err);
  REQUIRE(read.status == 0);
  CHECK(
      has(read.out, R"(gauge feedrate_predicted_total_seconds 1e-07 'a "name"\\of\ntwo lines' 2)"));
  const std::string shipped = folder.write("s.prom", export_of("prometheus", sweep));
  CHECK(shell(python() +
              " -c 'import sys\nfrom prometheus_client.parser import "
              "text_string_to_metric_families as read\nprint(sum(len(f.samples) for f in "
              "read(open(sys.argv[1]).read())))' '" +
              shipped + "'")
            .out == std::to_string(samples_of(testing_cli::slurp(shipped)).size()) + "\n");
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

TEST_CASE("export: rows of scale are runs, and results come through a pipe") {
  const std::string scenario = "scenarios/caltech256_p3.json ";
  const Folder folder;
  const std::string file = "'" + (folder / "scale.json") + "'";
  REQUIRE(shell("feedrate scale " + scenario + "--to 3 --format json -o " + file).status == 0);
  const schema::JsonPtr rows = schema::parse_json(export_of("json", file), "");
  const schema::JsonPtr runs =
      schema::parse_json(export_of("json", scenario + "--vary instances=1,2,3"), "");
  REQUIRE(rows->find("points")->items.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const schema::JsonValue& row = *rows->find("points")->items[i];
    const schema::JsonValue& run = *runs->find("points")->items[i];
    CHECK(row.find("instance")->text == run.find("instance")->text);
    CHECK(row.find("bottleneck")->text == run.find("bottleneck")->text);
    CHECK(row.find("remarks")->items.size() == run.find("remarks")->items.size());
    for (const Figure& figure : all_figures()) {
      if (!is_exported(figure)) continue;
      INFO(figure.name);
      const schema::JsonValue& a = *row.find(figure.name);
      const schema::JsonValue& b = *run.find(figure.name);
      CHECK(a.kind == b.kind);
      CHECK(a.number == b.number);
    }
  }
  CHECK(shell("feedrate export skypilot " + file).status == 0);
  // Shares come by way of what joins them.
  shell("feedrate sweep " + scenario + "--vary instances=1,2,3 --shard 1/1 -o '" +
        (folder / "s.share") + "'");
  const auto share = shell("feedrate export json '" + (folder / "s.share") + "'");
  CHECK(share.status == 2);
  CHECK(has(share.err, "got a share of a sweep: feedrate merge SHARE... --format json"));
  const auto piped =
      shell("feedrate merge '" + (folder / "s.share") + "' --format json | feedrate export json -");
  CHECK((piped.out == export_of("json", scenario + "--vary instances=1,2,3")));
  const auto typed = shell("feedrate export json - < scenarios/caltech256_p3.json");
  CHECK(typed.status == 0);
  const auto other =
      shell("feedrate advise " + scenario + "--format json | feedrate export json -");
  CHECK(other.status == 2);
  CHECK(has(other.err, "got the kind \"advice\""));
}

TEST_CASE("export: what is no input, and what goes wrong with the output") {
  CHECK(shell("feedrate export").status == 2);
  CHECK(has(shell("feedrate export grafana x").err, "export has no command \"grafana\""));
  CHECK(has(shell("feedrate export json nothing.json").err, "nothing.json"));
  CHECK(shell("feedrate export json scenarios/caltech256_p3.json -o /dev/full").status == 3);
  CHECK(shell("feedrate export json scenarios/caltech256_p3.json | true; exit ${PIPESTATUS[0]}")
            .status == 0);
  CHECK(has(shell("feedrate export json scenarios/caltech256_p3.json -o "
                  "scenarios/caltech256_p3.json")
                .err,
            "--output would overwrite the input"));
  const Folder folder;
  const std::string result = "'" + (folder / "r.json") + "'";
  shell("feedrate run scenarios/caltech256_p3.json --format json -o " + result);
  CHECK(has(shell("feedrate export json " + result + " --vary instances=1,2").err,
            "is a result: expected no --vary"));
  shell("sed -E -i 's/\"total_s\": [0-9][0-9.]*/\"total_s\": \"soon\"/' " + result);
  const auto broken = shell("feedrate export json " + result);
  CHECK(broken.status == 2);
  CHECK(has(broken.err, "/result/time/total_s: expected a number or null, got \"soon\""));
}
