// `optimize`, and the constraints of `sweep`, as a user meets them.
#include "catch.hpp"
#include "cli/process.hpp"

using testing_cli::Folder;
using testing_cli::has;
using testing_cli::shell;
using testing_cli::slurp;

namespace {

const std::string caltech = "feedrate optimize scenarios/caltech256_p3.json ";

/// The words after "--set" on each line of its own, as flags again.
std::string printed_settings(const std::string& text) {
  std::string flags;
  for (std::size_t at = text.find("\n  · --set "); at != std::string::npos;
       at = text.find("\n  · --set ", at + 1)) {
    const std::size_t begin = text.find("--set", at);
    flags += " " + text.substr(begin, text.find('\n', begin) - begin);
  }
  return flags;
}

/// The object under "result", from its bracket to the line that closes it.
std::string result_of(const std::string& json) {
  const std::size_t begin = json.find("\"result\": {");
  REQUIRE(begin != std::string::npos);
  const std::size_t line = json.rfind('\n', begin) + 1;
  const std::string indent = json.substr(line, begin - line);
  const std::size_t end = json.find("\n" + indent + "}", begin);
  std::string object = json.substr(begin, end - begin);
  // At any depth the same.
  std::string flat;
  for (std::size_t i = 0; i < object.size(); ++i) {
    flat += object[i];
    if (object[i] == '\n')
      i += object.compare(i + 1, indent.size(), indent) == 0 ? indent.size() : 0;
  }
  return flat;
}

std::string refused(const std::string& flags) {
  const auto outcome = shell(flags);
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

}  // namespace

TEST_CASE("optimize: --minimize money is taken as cost, which it is called") {
  const std::string least =
      "feedrate optimize scenarios/caltech256_p3.json --over num_workers=1:4:1 --set "
      "'value_of_hour=20 USD/h' --format json --minimize ";
  const auto cost = shell(least + "cost");
  CHECK(cost.status == 0);
  CHECK(cost.out == shell(least + "money").out);
  CHECK(cost.out != shell(least + "total").out);
}

TEST_CASE("optimize: the winner's figures are those of a run with the printed settings") {
  const std::vector<std::string> grids = {
      "--over num_workers=1:8:1 --over instances=1,2,4 --set 'value_of_hour=20 USD/h'",
      "--over '/preprocess/0/cpu=5 ms,9 ms' --over batch_size=16:64:*2 --minimize time",
      "--over num_workers=2,4 --set region=null --instances 'gpu=A10G, gpus=1, region=us-east-1' "
      "--minimize money",
      "--over num_workers=1:6:1 --deadline '20 min' --budget '3 USD' --seed 5 --replications 30",
      "--over num_workers=1,4 --host scenarios/hosts/epyc_vm_2_cores.json",
  };
  for (const std::string& grid : grids) {
    INFO(grid);
    const auto text = shell(caltech + grid);
    REQUIRE(text.status == 0);
    std::string rest;
    for (const char* kept :
         {"--set 'value_of_hour=20 USD/h'", "--set region=null", "--seed 5 --replications 30",
          "--host scenarios/hosts/epyc_vm_2_cores.json"}) {
      if (has(grid, kept)) rest += std::string(" ") + kept;
    }
    const std::string settings = printed_settings(text.out);
    REQUIRE(has(settings, "--set"));
    const auto run =
        shell("feedrate run scenarios/caltech256_p3.json --format json" + rest + settings);
    REQUIRE(run.status == 0);
    const auto json = shell(caltech + grid + " --format json");
    REQUIRE(json.status == 0);
    CHECK((result_of(json.out) == result_of(run.out)));
  }
}

TEST_CASE("optimize: the same answer whatever --jobs, in every format") {
  const std::string grid =
      "--over num_workers=1:8:1 --over batch_size=8:64:8 --over "
      "instance=ml.p3.2xlarge,ml.g5.2xlarge,ml.p6-b300.48xlarge --deadline '40 min' ";
  for (const std::string format : {"text", "json", "csv", "markdown"}) {
    const auto one = shell(caltech + grid + "--jobs 1 --format " + format);
    CHECK(one.status == 0);
    for (const std::string jobs : {"2", "7"}) {
      CHECK((shell(caltech + grid + "--jobs " + jobs + " --format " + format).out == one.out));
    }
  }
  const auto csv = shell(caltech + grid + "--format csv");
  CHECK(csv.out.starts_with("role,set.num_workers,set.batch_size,set.instance,total_s,money_usd,"));
  CHECK(has(csv.out, "\nbest,"));
  CHECK(has(csv.out, "\nwithout_deadline,"));
  CHECK(has(csv.err, "64 of 192 points have no result"));
  const auto text = shell(caltech + grid);
  CHECK(has(text.out, "64 points, the first of them num_workers = 1"));
  CHECK(has(text.out, "no on-demand price of ml.p6-b300.48xlarge"));
}

TEST_CASE("optimize: where nothing keeps the constraints, the nearest miss, and exit status 1") {
  const auto late = shell(caltech + "--over num_workers=1:8:1 --deadline '5 min'");
  CHECK(late.status == 1);
  CHECK(has(late.out, "None of 8 points meets the deadline of 5 min."));
  CHECK(has(late.out, "Nearest: num_workers = 4"));
  CHECK(has(late.out, "deadline by 11 min 49 s"));
  CHECK_FALSE(has(late.out, "exceeds"));
  const auto both = shell(caltech +
                          "--over num_workers=1:8:1 --deadline '5 min' --budget '0.01 USD' "
                          "--format json");
  CHECK(both.status == 1);
  CHECK(has(both.out, "\"winner\": null"));
  CHECK(has(both.out, "\"nearest_miss\": {"));
  CHECK(has(both.out, "\"over_usd\": 1."));
  const auto csv = shell(caltech + "--over num_workers=1:8:1 --deadline '5 min' --format csv");
  CHECK(csv.status == 1);
  CHECK(has(csv.out, "\nnearest_miss,4,"));
  CHECK(has(csv.err, "None of 8 points meets the deadline"));
}

TEST_CASE("optimize: what is wrong with the input is said") {
  CHECK(has(refused(caltech), "optimize: expected --over KEY=VALUES or --instances FILTER"));
  CHECK(has(refused(caltech + "--over num_worker=1:4:1"), "did you mean \"num_workers\"?"));
  CHECK(has(refused(caltech + "--over num_workers"), "--over: expected KEY=A,B,C"));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --over num_workers=3"),
            "--over: expected each key once, got \"num_workers\" twice"));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --over /loader/num_workers=3"),
            "got \"num_workers\" and \"/loader/num_workers\", which are the same"));
  CHECK(has(refused(caltech + "--over num_workers=1:2000:1 --over batch_size=1:1000:1"),
            "--over: expected at most 1000000 points in total"));
  CHECK(has(refused(caltech + "--over num_workers=1,-3"), "--over num_workers=-3"));
  const std::string both =
      refused(caltech + "--over num_workers=1,2 --deadline '-3 h' --budget '5 GB'");
  CHECK(has(both, "--deadline: expected a time above zero such as \"3 h\", got \"-3 h\""));
  CHECK(has(both, "--budget: expected an amount of money such as \"40 USD\", got \"5 GB\""));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --deadline 3"),
            "--deadline: expected a time such as \"3 h\", got \"3\" (the unit is missing)"));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --deadline ''"), "expected a value"));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --minimize bill"),
            "expected one of total, cost, time, got \"bill\""));
  CHECK(has(refused(caltech + "--over num_workers=1,2 --set instance=ml.p3.3xlarge"),
            "(at every point)"));
  CHECK(has(refused("feedrate optimize scenarios/none.json --over num_workers=1,2"), "none.json"));
  const Folder folder;
  const std::string copy = folder / "s.json";
  CHECK(shell("cp scenarios/caltech256_p3.json '" + copy + "'").status == 0);
  CHECK(has(refused("feedrate optimize '" + copy + "' --over num_workers=1,2 -o '" + copy + "'"),
            "--output would overwrite the input"));
}

TEST_CASE("optimize: a budget may be in the scenario's currency") {
  const std::string euro =
      "--set 'currency={\"code\": \"EUR\", \"usd\": 2}' --over num_workers=1:4:1 ";
  const auto in_euro = shell(caltech + euro + "--budget '0.6 EUR' --format json");
  const auto in_usd = shell(caltech + euro + "--budget '1.2 USD' --format json");
  CHECK(in_euro.status == 0);
  CHECK(in_euro.out == in_usd.out);
  CHECK(has(in_euro.out, "\"budget_usd\": 1.2"));
  CHECK(has(shell(caltech + euro + "--budget '0.6 EUR'").out, "the budget of 0.60 EUR"));
  CHECK(has(refused(caltech + euro + "--budget 5"), "such as \"40 USD\" or \"40 EUR\""));
}

TEST_CASE("optimize: the JSON is what its schema says") {
  const Folder folder;
  const std::string validate = "python3 tests/schema/published/validate.py ";
  const std::string schema = folder / "schema.json";
  REQUIRE(shell("feedrate schema optimum --format json --output '" + schema + "'").status == 0);
  if (shell("python3 -c 'import jsonschema'").status != 0) return;
  int file = 0;
  for (const std::string flags :
       {"--over num_workers=1:8:1 --over instances=1,2 --deadline '20 min' --budget '4 USD'",
        "--over num_workers=1:8:1 --deadline '2 min'", "--over num_workers=4",
        "--over instance=ml.p3.2xlarge,ml.none"}) {
    const std::string json = folder / (std::to_string(file++) + ".json");
    CHECK(shell(caltech + flags + " --format json -o '" + json + "'").status <= 1);
    const auto outcome = shell(validate + "'" + schema + "' '" + json + "'");
    INFO(outcome.err);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("sweep: points are held against a deadline and a budget, in every format") {
  const std::string line =
      "feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:4:1 --deadline '20 min' "
      "--budget '1.2 USD' ";
  const auto text = shell(line);
  CHECK(text.status == 0);
  CHECK(has(text.out,
            "2 of 4 points meet the deadline of 20 min and the budget of $1.20; the cheapest of "
            "them: num_workers\n= 4 (16 min 49 s, $1.08)."));
  CHECK(has(text.out, "late, over budget"));
  CHECK(has(text.out, "cheapest that meets them"));
  const auto csv = shell(line + "--format csv");
  CHECK(has(csv.out, "problem,meets_deadline,meets_budget,fastest,cheapest,pareto\n"));
  CHECK(has(csv.out, ",0,0,0,0,0\n"));
  CHECK(has(csv.out, ",1,1,1,1,1\n"));
  CHECK(has(csv.err, "2 of 4 points meet the deadline of 20 min and the budget of $1.20"));
  const auto json = shell(line + "--format json");
  CHECK(has(json.out,
            "\"constraints\": {\"deadline_s\": 1200, \"budget_usd\": 1.2, \"meeting\": "
            "2, \"cheapest\": 3}"));
  CHECK(has(json.out, "\"meets_constraints\": false"));
  CHECK(has(json.out, "\"meets_constraints\": true"));
  CHECK(has(shell(line + "--format markdown").out, "constraints"));
  // One alone, none that meets it, and a point without a result.
  const auto none = shell(
      "feedrate sweep scenarios/caltech256_p3.json --vary instance=ml.p3.2xlarge,ml.none "
      "--deadline '1 min' --format csv");
  CHECK(none.status == 1);
  CHECK(has(none.err, "None of 2 points meets the deadline of 1 min"));
  CHECK(has(none.out, ",0,1,1,1\n"));
  CHECK(has(none.out, ",,0,0,0\n"));
  CHECK(has(refused(line + "--deadline '3 GB'"), "--deadline"));
  CHECK(has(refused("feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1,2 --budget "
                    "'3 h'"),
            "--budget: expected an amount of money such as \"40 USD\", got \"3 h\" (that is a "
            "duration)"));
  // Without constraints nothing of them is said.
  const auto plain = shell("feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:4:1");
  CHECK_FALSE(has(plain.out, "constraints"));
}

TEST_CASE("optimize: no choice rests on what a step takes at a batch where nobody measured it") {
  // The shortest form of a step, at the batch of the file.
  Folder folder;
  const std::string file = folder / "job.json";
  const auto written = shell(
      "printf '%s' '{\"name\": \"t\", \"dataset\": {\"samples\": 1281167, \"bytes_per_sample\": "
      "\"110 KB\", \"bytes_on_gpu_per_sample\": \"600 KB\"}, \"source\": {\"service\": \"local\"}, "
      "\"loader\": {\"num_workers\": 7, \"batch_size\": 256, \"pin_memory\": true}, "
      "\"preprocess\": [{\"operation\": \"decode\", \"cpu\": \"1 ms\"}], "
      "\"cluster\": {\"instance\": \"p3.2xlarge\", \"region\": \"us-east-1\"}, "
      "\"job\": {\"epochs\": 9, \"step\": \"750 ms\"}}' > " +
      file);
  REQUIRE(written.status == 0);
  const auto guessed = shell("feedrate optimize " + file + " --over batch_size=128,256,512");
  CHECK(guessed.status == 0);
  CHECK(has(guessed.out, "\nbatch_size = 256: "));
  CHECK(has(guessed.out, "batch_size=512 would be "));
  // They are none of the points of which the best is the best.
  CHECK(has(guessed.out, " of 1 point; 2 more rest on steps that are guesses."));
  // In two forms it is known at any batch.
  const auto known = shell("feedrate optimize " + file +
                           " --set '/job/step={\"fixed\": \"50 ms\", \"per_sample\": \"2 ms\"}' "
                           "--over batch_size=128,256,512");
  CHECK(has(known.out, "\nbatch_size = 512: "));
}
