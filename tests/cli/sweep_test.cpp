#include "study/sweep.hpp"

#include <algorithm>

#include "api/vary.hpp"
#include "catch.hpp"
#include "cli/inputs.hpp"
#include "cli/process.hpp"
#include "cli/sweep_inputs.hpp"
#include "report/csv.hpp"
#include "schema/json/json_reader.hpp"

using namespace feedrate;
using namespace feedrate::cli;
using testing_cli::Folder;
using testing_cli::has;
using testing_cli::shell;
using testing_cli::slurp;

namespace {

const std::string scenario = FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json";

/// Every point read from the whole document by itself, all kept.
std::string kept_in_memory(const std::vector<std::string>& vary) {
  std::vector<api::Vary> varied;
  for (const std::string& text : vary) varied.push_back(api::parse_vary(text));
  const schema::Document document = load_with_settings(scenario, {});
  std::vector<study::SweepInput> inputs;
  std::set<std::string> instances;
  const api::Grid grid(varied);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    study::Setting setting = grid.at(i);
    schema::Document point = document;
    for (const auto& [key, value] : setting) schema::set_value(point, key, value, "--vary");
    Scenario read = scenario_of(point);
    add_instances(instances, read);
    inputs.push_back({std::move(setting), std::move(read)});
  }
  return report::sweep_csv(study::sweep(inputs, catalog_of(instances), nullptr, {}));
}

std::string command(const std::vector<std::string>& vary) {
  std::string line = "feedrate sweep scenarios/caltech256_p3.json";
  for (const std::string& text : vary) line += " --vary '" + text + "'";
  // By the mean alone, as kept_in_memory(): events would choose which rows are marked.
  return line + " --mean --format csv";
}

}  // namespace

TEST_CASE("sweep: rows written as points finish are those of a sweep kept in memory") {
  const std::vector<std::vector<std::string>> sweeps = {
      {"num_workers=1:16:1", "batch_size=1:256:15", "instances=1,4",
       "instance=ml.p3.2xlarge,ml.g5.2xlarge", "epochs=1,3"},
      {"efficiency=null,0.5,0.9", "instances=1:8:*2", "/preprocess/0/cpu=5 ms,9 ms"},
      {R"(loader={"num_workers":2,"batch_size":8},{"num_workers":4,"batch_size":8})",
       "prefetch_factor=1,2", R"(thresholds=["total_s < 1"],["total_s < 2"])"},
      {R"(scaling=null,[[1,"4 h"],[2,"2.5 h"],[4,"1.5 h"]])", "instances=1,2,8"},
      {"num_workers=4"},
      {"instance=ml.p3.2xlarge,ml.g5.2xlarge,ml.g4dn.12xlarge", "num_workers=auto,cpus-1,4",
       "step=200 ms,100 ms,{\"by_gpu\": {\"V100\": \"200 ms\"}}"},
      {R"(measured_on=null,{"gpu_times":"T4"},{"cpu_times":"any"})",
       "instance=ml.p3.2xlarge,ml.g5.2xlarge"},
      {"instance=ml.p3.2xlarge,ml.none,ml.p6-b300.48xlarge,ml.g5.2xlarge", "num_workers=1:40:1"},
  };
  for (const auto& vary : sweeps) {
    INFO(vary.front());
    const std::string expected = kept_in_memory(vary);
    for (const std::string jobs : {"1", "2", "7"}) {
      const auto streamed = shell(command(vary) + " --jobs " + jobs);
      CHECK(streamed.err.empty() == (expected.find("ml.none") == std::string::npos));
      CHECK((streamed.out == expected));
    }
    const Folder folder;
    CHECK(shell(command(vary) + " --output '" + (folder / "out.csv") + "'").status == 0);
    CHECK((slurp(folder / "out.csv") == expected));
  }
}

TEST_CASE("sweep, scale: rows of few points say what a run says of each") {
  const Folder folder;
  const std::string file = folder / "job.json";
  // Jobs whose events part from the mean: shards that do not divide among the workers.
  REQUIRE(shell("feedrate init image-jpeg --yes --instance p4d.24xlarge --set num_workers=12 "
                "--set input_mode=stream --set samples_per_object=1000 --set epochs=2 -o " +
                file)
              .status == 0);
  const auto answer = [&](const std::string& command, const std::string& flags) {
    const auto outcome = shell("feedrate " + command + " " + file + flags + " --format json");
    REQUIRE(outcome.status == 0);
    return schema::parse_json(outcome.out, command);
  };
  const auto sweep = answer("sweep", " --vary instances=2,8");
  const auto scale = answer("scale", " --to 8");
  int stated = 0;
  for (const auto& point : sweep->find("points")->items) {
    const std::string instances = point->find("set")->find("instances")->text;
    INFO(instances << " instances");
    const auto run = answer("run", " --set instances=" + instances);
    const double total = run->find("result")->find("time")->find("total_s")->number;
    CHECK(point->find("result")->find("time")->find("total_s")->number == total);
    stated += run->find("result")->find("by_events")->find("stated")->boolean ? 1 : 0;
    for (const auto& row : scale->find("curves")->items[0]->find("rows")->items) {
      if (row->find("instances")->number != std::stod(instances)) continue;
      CHECK(row->find("total_s")->number == total);
    }
  }
  CHECK(stated > 0);
}

TEST_CASE("sweep: a point that cannot be read is told of before one that cannot be simulated") {
  const auto unread = shell(command({"instance=ml.p3.2xlarge,ml.none", "batch_size=1,8,-3"}));
  CHECK(unread.status == 2);
  CHECK(unread.out.empty());
  CHECK(has(unread.err, "--vary batch_size=-3"));
}

TEST_CASE("sweep: a point without a price says so, and the rest is swept") {
  const std::vector<std::string> vary = {"instance=ml.p6-b300.48xlarge,ml.p3.2xlarge",
                                         "batch_size=1,8"};
  const auto csv = shell(command(vary));
  CHECK(csv.status == 0);
  CHECK(has(csv.out, "\nml.p3.2xlarge,8,ml.p3.2xlarge,1,"));
  CHECK(has(csv.err, "2 of 4 points have no result; the column \"problem\" says why"));
  const std::string line = "feedrate sweep scenarios/caltech256_p3.json --vary '" + vary[0] +
                           "' --vary '" + vary[1] + "' ";
  const auto text = shell(line);
  CHECK(text.status == 0);
  CHECK(has(text.out, "no price\n"));
  CHECK(has(text.out, "/cluster/price: no on-demand price of ml.p6-b300.48xlarge"));
  const auto json = shell(line + "--format json");
  CHECK(has(json.out, "\"result\": null"));
  CHECK(has(json.out, "\"pareto\": [3]"));
  const Folder folder;
  const auto page = shell("feedrate report scenarios/caltech256_p3.json --vary '" + vary[0] +
                          "' -o '" + (folder / "r.html") + "'");
  CHECK(page.status == 0);
  CHECK(has(slurp(folder / "r.html"), "1 of 2 points has no result and are left out"));
}

TEST_CASE("sweep: a block of no stated length has no row of figures, and the rest is swept") {
  const std::string job = "scenarios/caltech256_p3.json --set region=us-east-1 ";
  const auto swept = shell("feedrate sweep " + job +
                           "--vary purchase=on_demand,capacity_block --vary num_workers=1,4");
  INFO(swept.out << swept.err);
  CHECK(swept.status == 0);
  CHECK(has(swept.out, "2 of 4 points have no result"));
  CHECK(has(swept.out, "/cluster/booked: needed here and not known: the hours that are booked"));
  const auto alone = shell("feedrate run " + job + "--set purchase=capacity_block");
  CHECK(alone.status == 2);
  CHECK(has(alone.err, "/cluster/booked: needed here and not known: the hours that are booked"));
}

TEST_CASE("sweep: where no point has a result, each reason is told once") {
  const auto typo = shell(command({"num_workers=1:100:1"}) + " --set instance=ml.p3.3xlarge");
  CHECK(typo.status == 2);
  CHECK(typo.out.empty());
  CHECK(has(typo.err, "(did you mean \"ml.p3.2xlarge\"?) (at every point)"));
  CHECK(std::count(typo.err.begin(), typo.err.end(), '\n') == 1);
  for (const std::string format : {"csv", "text"}) {
    const auto two = shell(
        "feedrate sweep scenarios/caltech256_p3.json --vary instance=ml.a,ml.b "
        "--vary num_workers=1:50:1 --format " +
        format);
    CHECK(two.status == 2);
    CHECK(two.out.empty());
    CHECK(has(two.err, "(at instance=ml.a, num_workers=1)"));
    CHECK(has(two.err, "(at instance=ml.b, num_workers=1)"));
    CHECK(std::count(two.err.begin(), two.err.end(), '\n') == 2);
  }
}

TEST_CASE("sweep: the catalogue's instances, purchases and regions by a filter") {
  const std::string line = "feedrate sweep scenarios/caltech256_p3.json --set region=null ";
  const auto swept = shell(line +
                           "--instances 'gpu=A10G, gpus=1, region=us-east-1, price<1.5' "
                           "--vary num_workers=2,4 --format csv");
  CHECK(swept.status == 0);
  CHECK(swept.out.starts_with("set.instance,set.purchase,set.region,set.num_workers,instance,"));
  CHECK(has(swept.out, "\ng5.xlarge,on_demand,us-east-1,2,g5.xlarge,"));
  CHECK(has(swept.out, "\ng5.xlarge,spot,us-east-1,4,g5.xlarge,"));
  CHECK(has(swept.out, "\nml.g5.xlarge,on_demand,us-east-1,4,ml.g5.xlarge,"));
  // Each point is what run says of its settings.
  const auto run = shell(
      "feedrate run scenarios/caltech256_p3.json --set instance=g5.xlarge --set purchase=spot "
      "--set region=us-east-1 --set num_workers=4 --format csv");
  const std::size_t begin = swept.out.find("g5.xlarge,spot,us-east-1,4,") + 27;
  CHECK(has(run.out, swept.out.substr(begin, 200)));
  const auto refused = [&](const std::string& flags) {
    const auto outcome = shell(line + flags);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(has(refused("--instances 'gpu>=A10F'"), "--instances: gpu: expected a GPU"));
  CHECK(has(refused("--instances 'gpus>=100'"), "nothing in the catalogue meets \"gpus>=100\""));
  CHECK(has(refused("--instances gpus=8 --vary instance=a"), "expected each key once"));
  CHECK(has(refused("--instances gpus=8 --set 'price=3 USD/h'"), "--set price=null removes it"));
  CHECK(has(refused(""), "expected --vary KEY=VALUES or --instances FILTER"));
}

TEST_CASE("sweep: a sweep that fails leaves the file that was there, and nothing beside it") {
  const Folder folder;
  const std::string out = folder.write("out.csv", "old\n");
  CHECK(shell(command({"instance=ml.none"}) + " -o '" + out + "'").status == 2);
  CHECK(slurp(out) == "old\n");
  const std::string line = command({"num_workers=1:100:1", "batch_size=1:100:1", "epochs=1:100:1"});
  // Over 16 MB are in a file without a name by the time of the interrupt.
  CHECK(shell("timeout --signal INT 3 " + line + " --jobs 1 -o '" + out + "'").status != 0);
  CHECK(slurp(out) == "old\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("sweep: a full disk and a closed pipe") {
  const std::string line = command({"num_workers=1:100:1", "batch_size=1:3:1"});
  CHECK(shell(line + " > /dev/full").status == 3);
  CHECK(shell(line + " -o /dev/full").status == 3);
  const auto closed = shell(line + " | head -1 | wc -l; echo ${PIPESTATUS[0]}");
  CHECK(closed.out == "1\n0\n");
}

TEST_CASE("sweep: more points than fit the memory are for CSV") {
  for (const std::string format : {"text", "json", "markdown"}) {
    const auto refused = shell(
        "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:100:1 --vary "
        "batch_size=1:301:1 --format " +
        format);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "at most 30000 points"));
    CHECK(has(refused.err, "--format csv"));
  }
}

TEST_CASE("sweep: a currency changes what texts show, and no number of JSON and CSV") {
  const std::string rate =
      R"( --set 'currency={"code": "EUR", "usd": 1.25, "date": "2026-11-01"}')";
  for (const std::string line :
       {"feedrate run scenarios/caltech256_p3.json",
        "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1,2",
        "feedrate compare scenarios/caltech256_p3.json scenarios/nvme_vs_ebs.json"}) {
    INFO(line);
    const auto text = shell(line + rate);
    CHECK(text.status == 0);
    CHECK(has(text.out, " EUR"));
    CHECK_FALSE(has(text.out, "$"));
    CHECK(has(text.out, "Amounts in EUR at 1.25 USD per EUR (2026-11-01)"));
    // JSON repeats what was set, and that alone is another text.
    for (const std::string format : {" --format csv", R"( --format json | sed '/^ *"set": /d')"}) {
      CHECK((shell(line + rate + format).out == shell(line + format).out));
    }
  }
  // A price in it is one in dollars, in every point of a sweep; twice a double is exact.
  const auto rows = [](const std::string& flags) {
    return shell("feedrate sweep scenarios/caltech256_p3.json --vary " + flags +
                 " --format csv | cut -d, -f2-")
        .out;
  };
  const std::string twice = R"( --set 'currency={"code": "EUR", "usd": 2}')";
  const std::string given = rows("'value_of_hour=1 EUR/h,2 EUR/h'" + twice);
  CHECK(has(given, "ml.p3.2xlarge"));
  CHECK((given == rows("'value_of_hour=2 USD/h,4 USD/h'")));
}

TEST_CASE("sweep: a deadline or a budget that no point meets is a verdict, as of scale") {
  const std::string line =
      std::string("feedrate sweep scenarios/caltech256_p3.json --vary instances=1,2");
  const Folder folder;
  for (const std::string format : {"text", "csv", "json"}) {
    const std::string late = line + " --deadline '1 s' --format " + format;
    CHECK(shell(line + " --format " + format).status == 0);
    CHECK(shell(line + " --deadline '9 h' --budget '90 USD' --format " + format).status == 0);
    CHECK(shell(line + " --deadline '9 h' --budget '0.01 USD' --format " + format).status == 1);
    CHECK(shell(late).status == 1);
    CHECK(shell(late + " --resume -o '" + (folder / ("r." + format)) + "'").status == 1);
  }
  const std::string share = "'" + (folder / "s") + "'";
  CHECK(shell(line + " --deadline '1 s' --shard 1/1 -o " + share).status == 0);
  CHECK(shell("feedrate merge " + share).status == 1);
}

TEST_CASE("sweep: a winner whose step is a guess says so") {
  const Folder folder;
  const auto job = [&](const std::string& step) {
    return folder.write(
        "job.json", R"({"name": "j", "dataset": {"samples": 200000, "bytes_per_sample": "100 KB"},
          "disk": {"page_cache": "1 TB"}, "loader": {"num_workers": 8, "batch_size": 64},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "cluster": {"instance": "p3.2xlarge"}, "job": {"epochs": 1, "step": )" +
                        step + "}}");
  };
  const std::string rests = "The choice rests on an assumed share";
  const auto swept = [&](const std::string& flags) {
    return shell("feedrate sweep '" + (folder / "job.json") + "' --vary batch_size=" + flags);
  };
  job("\"120 ms\"");
  const auto guessed = swept("64,256");
  INFO(guessed.out);
  CHECK(has(guessed.out, "batch_size = 256 is both"));
  CHECK(has(guessed.out, rests));
  CHECK(has(swept("64,256 --format csv").err, rests));
  CHECK_FALSE(has(swept("64").out, rests));
  job(R"({"table": [[64, "120 ms"], [256, "400 ms"]]})");
  CHECK_FALSE(has(swept("64,256").out, rests));
}

TEST_CASE("sweep: data that is nowhere in particular follows each point's region, which is said") {
  const std::string line = "feedrate sweep scenarios/small_files_s3.json --set source.region=null ";
  const std::string follows = "data is taken to lie in the region of its job";
  // Texts are wrapped.
  const auto said = [&](const std::string& flags) {
    const auto outcome = shell(line + flags);
    REQUIRE(outcome.status == 0);
    std::string all = outcome.out + outcome.err;
    for (std::size_t at = all.find("\n   "); at != std::string::npos; at = all.find("\n   ")) {
      all.erase(at, 3);
      all[at] = ' ';
    }
    return has(all, follows);
  };
  const std::string regions = "--vary cluster.region=us-east-1,us-west-2 ";
  CHECK(said(regions));
  CHECK(said(regions + "--format json"));
  CHECK(said(regions + "--format csv"));
  CHECK_FALSE(said("--vary cluster.region=us-east-1 "));
  CHECK_FALSE(said(regions + "--set source.region=us-east-1"));
  CHECK_FALSE(said(regions + "--set 'source={\"service\": \"local\"}'"));
}
