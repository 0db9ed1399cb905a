// `feeds` and `run --find` as a user meets them.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

TEST_CASE("feeds: one drive keeps 71 emulated accelerators busy, and the drive is why not 72") {
  const Outcome text = shell("feedrate feeds scenarios/mlperf_storage_micron.json");
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK(has(text.out,
            "71 GPUs per instance are kept busy 90 % of the time or more; with 72 they are "
            "busy 89.5 %"));
  CHECK(has(text.out, "fixed: instances = 1"));
  CHECK(has(text.out, "num_workers = 2 for each GPU"));
  const Outcome csv = shell(
      "feedrate feeds scenarios/mlperf_storage_micron.json --over gpus_per_instance "
      "--format csv 2>/dev/null | cut -d, -f2,6,7,14,16");
  CHECK(csv.out == "key,answer,at_end,next,limited_by\ngpus_per_instance,71,0,72,disk\n");
  const Outcome json = shell(
      "feedrate feeds scenarios/mlperf_storage_micron.json --busy 0.9 --over gpus_per_instance "
      "--format json");
  CHECK(has(json.out, "\"kind\": \"search\""));
  CHECK(has(json.out, "\"answer\": 71"));
}

TEST_CASE("feeds: the end of the search is no answer, and none fed exits with 1") {
  const Outcome end = shell(
      "feedrate feeds scenarios/mlperf_storage_micron.json --over gpus_per_instance --up-to 20");
  CHECK(end.status == 0);
  CHECK(has(end.out, "At least 20 GPUs per instance"));
  const Outcome none = shell(
      "feedrate feeds scenarios/mlperf_storage_micron.json --over gpus_per_instance --set "
      "disk.bandwidth='10 MB/s'");
  CHECK(none.status == 1);
  CHECK(has(none.out, "No number of GPUs per instance from 1 to 1,024 keeps the GPUs busy"));
}

TEST_CASE("feeds: instances that have each its own number of GPUs are not sought the number of") {
  const std::string job =
      "scenarios/caltech256_p3.json --set instance=p3.16xlarge --set instances=2 --set "
      "'gpus_per_instance=[8, 4]' ";
  for (const std::string& command : std::vector<std::string>{
           "feeds " + job + "--over instances", "feeds " + job + "--over /cluster/instances",
           "run " + job + "--find 'largest instances in 1..8 with gpu_busy >= 90%'"}) {
    const Outcome out = shell("feedrate " + command);
    INFO(command << out.out << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err,
              "/cluster/gpus_per_instance: expected one number for all instances, because "));
  }
  CHECK(shell("feedrate feeds " + job).status != 2);
}

TEST_CASE("feeds: keys by any of their names, also those that count no GPUs") {
  const std::string feeds = "feedrate feeds scenarios/mlperf_storage_micron.json ";
  const Outcome instances = shell(feeds + "--over instances --up-to 4");
  for (const char* name : {"/cluster/instances", "cluster.instances"}) {
    CHECK(shell(feeds + "--up-to 4 --over " + name).out == instances.out);
  }
  CHECK_FALSE(has(instances.out, "fixed: instances"));
  const Outcome batch = shell("feedrate feeds scenarios/caltech256_p3.json --over num_workers");
  INFO(batch.out);
  CHECK(has(batch.out, "The GPUs are kept busy 90 % of the time or more up to num_workers = "));
}

TEST_CASE("feeds: wrong flags are refused with what would be right") {
  struct Wrong {
    const char* flags;
    const char* says;
  };
  const Wrong all[] = {{"--busy 90", "write 90%"},
                       {"--busy much", "--busy: expected a percentage"},
                       {"--busy 0", "above 0"},
                       {"--busy 101%", "up to 1"},
                       {"--busy -5%", "above 0"},
                       {"--busy ''", "--busy"},
                       {"--up-to 0", "from 1 to"},
                       {"--up-to many", "from 1 to"},
                       {"--over instnces", "did you mean \"instances\""},
                       {"--over bytes_per_sample", "the unit is missing"},
                       {"--over", "--over"}};
  for (const Wrong& wrong : all) {
    const Outcome outcome =
        shell(std::string("feedrate feeds scenarios/mlperf_storage_micron.json ") + wrong.flags);
    INFO(wrong.flags << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, wrong.says));
  }
}

TEST_CASE("find: run answers searches, several at once") {
  const Outcome outcome = shell(
      "feedrate run scenarios/caltech256_p3.json --find 'smallest num_workers in 1..32 with "
      "gpu_busy "
      ">= 90%' --find 'largest epochs in 1..100 with hours <= 1'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "gpu_busy >= 90%: 3; at 2 gpu_busy is 67 %, GPUs wait for decode."));
  CHECK(has(outcome.out, "hours <= 1: "));
  // What it says of the answer is what a run with the answer says.
  const Outcome value = shell(
      "feedrate run scenarios/caltech256_p3.json --find 'smallest num_workers in 1..32 with "
      "gpu_busy "
      ">= 90%' --format json | grep -m 1 gpu_busy\\\":");
  const Outcome run = shell(
      "feedrate run scenarios/caltech256_p3.json --set num_workers=3 --format json | grep -m 1 "
      "gpu_busy\\\":");
  const auto number = [](const std::string& line) { return line.substr(line.find(':')); };
  CHECK(number(value.out) == number(run.out));
}

TEST_CASE("find: all that is wrong with all searches is told at once") {
  const Outcome outcome = shell(
      "feedrate run scenarios/caltech256_p3.json --find 'larges num_workers in 9..1 with gpu_busy "
      ">= "
      "90' --find 'largest num_worker in 1..9 with gpu_busy >= 90%' --find ''");
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  for (const char* part : {"did you mean \"largest\"", "write 1..9", "90%", "\"num_workers\"",
                           "largest KEY in A..B with METRIC >= X"}) {
    CHECK(has(outcome.err, part));
  }
  CHECK(shell("feedrate run scenarios/caltech256_p3.json --trace /tmp/x --find 'largest epochs in "
              "1..2 with hours <= 1'")
            .status == 2);
}

TEST_CASE("find: the value that is refused is told from the bound that it is near") {
  const auto run = shell(
      "feedrate run scenarios/caltech256_p3.json --set num_workers=2 --format json | grep -m 1 "
      "money_usd");
  const std::string text = run.out.substr(run.out.find(':') + 1);
  const double costs = std::stod(text);
  const Outcome outcome = shell(
      "feedrate run scenarios/caltech256_p3.json --find 'smallest num_workers in 1..32 with "
      "money_usd <= " +
      std::to_string(costs - 2e-4) + "' | tr '\\n' ' '");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "at 2 money_usd is $0.00020 over $"));
}
