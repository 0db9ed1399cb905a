// `scale` as a user meets it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string caltech = "feedrate scale scenarios/caltech256_p3.json ";

}  // namespace

TEST_CASE("scale: where the next instance costs more than it saves, as optimize finds it too") {
  const Outcome text = shell(caltech + "--value-of-hour '20 USD/h' --to 32");
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK(has(text.out, "No other number up to 32"));
  CHECK(has(text.out, "total at $20.00/h"));
  const Outcome hours = shell(caltech + "--to 2 --vary value_of_hour='20 USD/h','40 USD/h'");
  CHECK(has(hours.out, "total cost"));
  CHECK_FALSE(has(hours.out, "total at"));
  CHECK(has(text.out, "; one more would cost $"));
  CHECK(has(text.out, "The batch of each GPU is kept"));
  const Outcome csv = shell(caltech +
                            "--value-of-hour '20 USD/h' --to 32 --format csv 2>/dev/null | "
                            "grep 'least total' | cut -d, -f1");
  const Outcome best = shell(
      "feedrate optimize scenarios/caltech256_p3.json --over instances=1:32:1 --set "
      "'value_of_hour=20 USD/h' --format csv | grep ^best | cut -d, -f2");
  CHECK_FALSE(csv.out.empty());
  CHECK(csv.out == best.out);
}

TEST_CASE("scale: a deadline that no number meets is told with the fastest, and exits with 1") {
  const Outcome late = shell(caltech + "--deadline '1 s' --to 16");
  INFO(late.out << late.err);
  CHECK(late.status == 1);
  CHECK(has(late.out, "No number of instances up to 16 meets the deadline of "));
  CHECK(late.err.empty());
  const Outcome json = shell(caltech + "--deadline '1 s' --to 16 --format json");
  CHECK(json.status == 1);
  CHECK(has(json.out, "\"kind\": \"scale\""));
  CHECK(has(json.out, "\"in_time\": false"));
  CHECK(has(json.out, "\"fewest_in_time\": null"));
  const Outcome met = shell(caltech + "--deadline '9 min' --to 16");
  CHECK(met.status == 0);
  CHECK(has(met.out, "No other number up to 16 that meets the"));
  CHECK(has(met.out, "fewest and cheapest in time"));
  // Where an hour has a value, what comes to least need not be the fewest, nor the cheapest.
  const Outcome both = shell(caltech + "--deadline '9 min' --value-of-hour '40 USD/h' --to 16");
  CHECK(has(both.out, "To finish within 9 min, 3 instances are enough: "));
  const Outcome cheapest = shell(
      "feedrate optimize scenarios/caltech256_p3.json --over instances=1:16:1 --set "
      "'value_of_hour=40 USD/h' --deadline '9 min' --format csv | grep ^best | cut -d, -f2 | "
      "tr -d '\\n'");
  CHECK_FALSE(cheapest.out.empty());
  CHECK(cheapest.out != "3");
  CHECK(has(both.out, " The total with the hours is least for " + cheapest.out + ": "));
  const Outcome one = shell(caltech + "--to 1");
  CHECK(has(one.out, " · 1 instance\n"));
  CHECK_FALSE(has(one.out, "No other"));
}

TEST_CASE("scale: a deadline may be a sum, and each row says how likely it meets it") {
  const std::string command = "feedrate scale scenarios/caltech256_p3.json --to 4 --deadline ";
  const Outcome sum = shell(command + "'17 min 52 s' --format json");
  const Outcome plain = shell(command + "'1072 s' --format json");
  INFO(sum.err);
  CHECK(sum.status == 0);
  CHECK(sum.out == plain.out);
  CHECK(has(sum.out, "\"deadline_s\": 1072"));
  CHECK(has(sum.out, "\"chance_in_time\": 0."));
  const Outcome text = shell(command + "'17 min 52 s' --full");
  CHECK(has(text.out, "in time"));
  CHECK(has(text.out, "the share of these draws that meets the deadline"));
  CHECK_FALSE(has(shell("feedrate scale scenarios/caltech256_p3.json --to 4").out, "in time"));
}

TEST_CASE("scale: bands, and the remarks of all rows, those of some with their numbers") {
  const Outcome text = shell(caltech + "--to 8 --full");
  INFO(text.out);
  CHECK(has(text.out, "in 90 % of draws"));
  CHECK(has(text.out, " · ml.p3.2xlarge: no region given: us-west-2"));
  CHECK(has(text.out, " · N = 2 to 8: What gradients cost is not known: they are taken"));
  // The words of a run.
  CHECK(has(text.out, " exposed communication"));
  CHECK_FALSE(has(text.out, "0.06 allreduce"));
  const Outcome two = shell(caltech + "--to 8 --full --vary epochs=2,3");
  CHECK(has(two.out, " · N = 2 to 8: What gradients cost"));
  // A share of nothing is 0, whatever its last digits.
  const Outcome csv = shell(caltech + "--to 32 --format csv 2>/dev/null");
  CHECK_FALSE(has(csv.out, "e-1"));
  // What interrupts a job is in the draws of both.
  const Outcome spot = shell("feedrate scale scenarios/spot_checkpoints.json --to 2 --full");
  const Outcome run = shell("feedrate run scenarios/spot_checkpoints.json --full");
  const std::size_t row = run.out.find("\n  whole job ");
  const std::size_t end = run.out.find(" in 90 % of ", row);
  REQUIRE(end != std::string::npos);
  const std::size_t start = run.out.rfind("  ", end) + 2;
  const std::string band = run.out.substr(start, end - start);
  INFO(band << "\n" << spot.out);
  REQUIRE(has(band, " h to "));
  CHECK(has(spot.out, "  " + band + "  "));
  // As JSON too, digit by digit.
  const std::string one = shell("feedrate run scenarios/spot_checkpoints.json --format json").out;
  const std::string rows =
      shell("feedrate scale scenarios/spot_checkpoints.json --to 2 --format json").out;
  for (const std::string figure : {"total_s", "money_usd"}) {
    const std::size_t at = one.find("\"" + figure + "\": [", one.find("\"bands\""));
    REQUIRE(at != std::string::npos);
    const std::string numbers = one.substr(at, one.find(']', at) + 1 - at);
    INFO(numbers);
    CHECK(has(rows, numbers));
  }
}

TEST_CASE("scale: the global batch is kept on request, and rounding is said") {
  const Outcome text = shell(caltech + "--strong --to 12");
  INFO(text.out);
  CHECK(has(text.out, "Strong scaling: the global batch of "));
  CHECK(has(text.out, "3*"));
  CHECK(has(text.out, "The global batch does not divide"));
  // What a job of a given duration divides is no batch.
  const Outcome given = shell("feedrate scale scenarios/total_cost_24h_p3.json --strong --to 2");
  CHECK(given.status == 0);
  CHECK_FALSE(has(given.out, "The global batch"));
}

TEST_CASE("scale: what shares the global batch by rounding is not recommended, whatever it saves") {
  const Folder folder;
  // 32 batches of 2 on 8 GPUs: 512 samples, an even share for 32 instances, and none for 33 to 36,
  // which would train 528 and more a step.
  const std::string job = folder.write("strong.json", R"({"name": "strong",
    "dataset": {"samples": 1024000, "bytes_per_sample": "16 KB", "samples_per_object": 100},
    "source": {"service": "s3", "input_mode": "FastFile"},
    "loader": {"num_workers": 4, "batch_size": 2, "pin_memory": true},
    "cluster": {"instance": "p5.48xlarge", "region": "us-east-1"},
    "job": {"epochs": 1, "step": {"fixed": "2838.3 ms", "gpus": 8}, "parallelism": "fsdp",
      "gradient_accumulation": 32, "allreduce": {"parameters": 8e9, "gradient_type": "bf16"}}})");
  const Outcome text = shell("feedrate scale '" + job +
                             "' --strong --to 36 --value-of-hour '2000 USD/h' | tr -s '\n ' ' '");
  INFO(text.out);
  CHECK(has(text.out, " 32 instances: "));
  CHECK(has(text.out,
            "No other number up to 36 that divides the global batch evenly costs less in "
            "total."));
  CHECK(has(text.out, "Compared with 16, 32 instances save "));
  CHECK(has(text.out, " more than they cost. More of them may still pay off"));
  CHECK(has(text.out, "36 instances would take "));
  CHECK(has(text.out, ", but share the global batch only by rounding."));
  CHECK_FALSE(has(text.out, "-$"));
}

TEST_CASE("scale: machines beside each other, a table each, and the best of all") {
  const Outcome text = shell(caltech + "--vary num_workers=1,3 --deadline '10 min' --to 8");
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK(has(text.out, "num_workers = 3, "));
  CHECK(has(text.out, "num_workers = 1"));
  CHECK(has(text.out, "No other of these that meets the deadline of 10"));
}

TEST_CASE("scale: a file system that all share says from which number on it is the limit") {
  const Outcome text =
      shell("feedrate scale scenarios/input_modes_fsx.json --to 64 --set epochs=5");
  INFO(text.out << text.err);
  CHECK(has(text.out, "which all instances share, is the limit"));
  CHECK(has(text.out, "shared limit binds"));
}

TEST_CASE("scale: a page with the rows as its sweep") {
  const std::filesystem::path page =
      std::filesystem::temp_directory_path() / ("scale_page_" + std::to_string(getpid()) + ".html");
  const Outcome made =
      shell(caltech + "--strong --to 4 --value-of-hour '20 USD/h' --html " + page.string());
  INFO(made.out << made.err);
  CHECK(made.status == 0);
  std::ifstream file(page);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(has(text.str(), "Points of the sweep"));
  CHECK(has(text.str(), "batch_size"));
  std::filesystem::remove(page);
}

TEST_CASE("scale: wrong flags are refused with what would be right") {
  struct Wrong {
    const char* flags;
    const char* says;
  };
  const Wrong all[] = {
      {"--to 0", "--to"},
      {"--to 1e9", "--to"},
      {"--deadline ''", "--deadline"},
      {"--deadline soon", "--deadline: expected a time"},
      {"--value-of-hour 3", "--value-of-hour"},
      {"--vary instances=1,2", "expected a key other than instances"},
      {"--vary /cluster/instances=1,2", "expected a key other than instances"},
      {"--vary job.value_of_hour='1 USD/h','2 USD/h' --value-of-hour '3 USD/h'", "got both"},
      {"--vary num_workers=1:100:1", "expected at most 64 settings"},
      {"--strong --per-gpu-batch", "--strong"},
      {"--vary num_wrkers=1,2", "num_workers"},
      {"--html scenarios/caltech256_p3.json", "--html"},
  };
  for (const Wrong& wrong : all) {
    const Outcome out = shell(caltech + wrong.flags);
    INFO(wrong.flags << "\n" << out.out << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, wrong.says));
  }
}

TEST_CASE("run: unequal instances have a number each, and what they are is said") {
  const std::string caltech =
      "feedrate run scenarios/caltech256_p3.json --set instance=p3.16xlarge --set instances=3 ";
  const Outcome out = shell(caltech + "--full --set 'gpus_per_instance=[8, 4, 8]'");
  INFO(out.out << out.err);
  CHECK(out.status == 0);
  CHECK(has(out.out, "3 × p3.16xlarge · 20 GPUs"));
  CHECK(has(out.out, "the instances are unequal (2 with 8 GPUs, 1 with 4 GPUs)"));
  CHECK(has(out.out, "3 x p3.16xlarge"));
  const Outcome equal = shell(caltech + "--format json --set 'gpus_per_instance=[4, 4, 4]'");
  const auto result = [](const std::string& json) {
    return json.substr(json.find("\"result\": {"));
  };
  CHECK(result(equal.out) ==
        result(shell(caltech + "--format json --set gpus_per_instance=4").out));
}

TEST_CASE("run: what unequal instances cannot have beside them is refused, all at once") {
  struct Wrong {
    const char* flags;
    const char* says;
  };
  const std::vector<Wrong> all = {
      {"--set 'gpus_per_instance=[8, 8]'",
       "expected a number for each instance (/cluster/instances: 3), or one for all, got a list "
       "of 2"},
      {"--set 'gpus_per_instance=[8, 0, 4]'", "expected a whole number from 1 to 1024, got 0"},
      {"--set 'gpus_per_instance=[]'", "or a list of them, got"},
      {"--set 'gpus_per_instance=[16, 8, 8]'", "has 8, got 16"},
      {"--set 'gpus_per_instance=[8, 8, 4]' --set distribution=ShardedByS3Key",
       "whose shards would leave their ranks different numbers of samples"},
      {"--set 'gpus_per_instance=[8, 8, 4]' --set '/job/scaling=[[1, \"3 h\"], [2, \"2 h\"]]'",
       "expected nothing beside unequal instances"},
  };
  for (const Wrong& wrong : all) {
    const Outcome out = shell(
        std::string("feedrate run scenarios/caltech256_p3.json --set instance=p3.16xlarge --set "
                    "instances=3 ") +
        wrong.flags);
    INFO(wrong.flags << "\n" << out.out << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, wrong.says));
  }
  const Outcome scaled = shell(
      "feedrate scale scenarios/caltech256_p3.json --set instance=p3.16xlarge --set instances=3 "
      "--set 'gpus_per_instance=[8, 8, 4]'");
  CHECK(scaled.status == 2);
  CHECK(has(scaled.err, "expected one number for all instances, because scale varies"));
}

TEST_CASE("scale: GPUs that wait for the slowest of them are not said to wait for messages") {
  const std::string run =
      "feedrate run scenarios/caltech256_p3.json --full --set instance=p3.16xlarge --set "
      "instances=4 "
      "--set '/job/efficiency=null' --set '/job/step={\"times\": [[1, \"1 s\"], [2, \"1.1 s\"], "
      "[1, \"9 s\"]]}' ";
  const Outcome few =
      shell(run + "--set '/job/allreduce={\"gradient_bytes\": \"100 MB\"}' | tr '\\n' ' '");
  INFO(few.out << few.err);
  CHECK(has(few.out, "for stragglers among them"));
  const Outcome many =
      shell(run +
            "--set '/job/allreduce={\"algorithm\": \"ring\", \"gradient_bytes\": \"100 GB\", "
            "\"busbw\": \"1 GB/s\", \"overlap\": 0}' | tr '\\n' ' '");
  INFO(many.out << many.err);
  CHECK_FALSE(has(many.out, "stragglers among"));
}

TEST_CASE("scale, optimize: jobs that would never end say so at once") {
  const std::string fails =
      "scenarios/spot_checkpoints.json --set purchase=on_demand --set "
      "'/cluster/failures={\"mttf\": "
      "\"0.01 h\"}' ";
  for (const std::string& command : std::vector<std::string>{
           "scale " + fails, "optimize " + fails + "--over instances=1:8:1 ", "run " + fails}) {
    const Outcome out = shell("timeout 20 feedrate " + command);
    INFO(command << out.out << out.err);
    CHECK(out.status == 2);
    CHECK(has(out.err, "the job would in effect never end"));
  }
  // From some number on: those rows alone have no result.
  const Outcome some = shell(
      "timeout 60 feedrate scale scenarios/spot_checkpoints.json --to 4096 --set "
      "purchase=on_demand --set '/cluster/failures={\"mttf\": \"2 h\"}'");
  INFO(some.out << some.err);
  CHECK(some.status == 0);
  CHECK(has(some.out, "4,049 of 4,096 numbers of instances have no result, among them N = 48: "));
  CHECK_FALSE(has(some.out, "inf"));
  CHECK_FALSE(has(some.out, "nan"));
}

TEST_CASE("scale: the JSON is what its schema says, and every topic explains itself") {
  const Folder folder;
  for (const std::string topic : {"scale", "share"}) {
    const Outcome manual = shell("feedrate schema " + topic);
    CHECK(manual.status == 0);
    CHECK(manual.out.size() > 300);
  }
  const Outcome none = shell("feedrate schema share --format json");
  CHECK(none.status == 2);
  CHECK(has(none.err, "share has no JSON Schema: it is no JSON document"));
  if (shell("python3 -c 'import jsonschema'").status != 0) return;
  const auto valid = [&](const std::string& topic, const std::string& command) {
    const std::string schema = folder / (topic + ".schema.json");
    const std::string json = folder / "made.json";
    REQUIRE(shell("feedrate schema " + topic + " --format json -o '" + schema + "'").status == 0);
    CHECK(shell(command + " -o '" + json + "'").status <= 1);
    const Outcome checked =
        shell("python3 tests/schema/published/validate.py '" + schema + "' '" + json + "'");
    INFO(command << "\n" << checked.err);
    CHECK(checked.status == 0);
  };
  for (const std::string flags :
       {"--to 3", "--to 3 --strong --value-of-hour '40 USD/h'", "--to 3 --deadline '1 s'",
        "--to 24 --vary num_workers=1,3", "--to 2 --set purchase=spot --set price='1 USD/h'"}) {
    valid("scale", caltech + "--format json " + flags);
  }
  valid("scale", "feedrate scale scenarios/spot_checkpoints.json --to 3 --format json");
}
