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
  CHECK(has(text.out, "the job costs least in all"));
  CHECK(has(text.out, "more than it saves"));
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
  CHECK(has(met.out, "To be done within 9 min, "));
}

TEST_CASE("scale: the global batch is kept on request, and rounding is said") {
  const Outcome text = shell(caltech + "--strong --to 12");
  INFO(text.out);
  CHECK(has(text.out, "Strong scaling: the global batch of "));
  CHECK(has(text.out, "3*"));
  CHECK(has(text.out, "The global batch does not divide"));
  const Outcome none = shell("feedrate scale scenarios/total_cost_24h_p3.json --strong");
  CHECK(none.status == 2);
  CHECK(has(none.err, "/loader/batch_size: expected the batch of a GPU"));
}

TEST_CASE("scale: machines beside each other, a table each, and the best of all") {
  const Outcome text = shell(caltech + "--vary num_workers=1,3 --deadline '10 min' --to 8");
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK(has(text.out, "num_workers = 3, "));
  CHECK(has(text.out, "num_workers = 1"));
  CHECK(has(text.out, "within the deadline"));
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
      {"--vary instances=1,2", "expected another key than instances"},
      {"--vary /cluster/instances=1,2", "expected another key than instances"},
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
  const Outcome out = shell(caltech + "--set 'gpus_per_instance=[8, 4, 8]'");
  INFO(out.out << out.err);
  CHECK(out.status == 0);
  CHECK(has(out.out, "3 × p3.16xlarge · 20 GPUs"));
  CHECK(has(out.out, "the instances are unequal (2 with 8 GPUs, 1 with 4 GPUs)"));
  CHECK(has(out.out, "3 x p3.16xlarge"));
  const Outcome equal = shell(caltech + "--format json --set 'gpus_per_instance=[4, 4, 4]'");
  CHECK(equal.out == shell(caltech + "--format json --set gpus_per_instance=4").out);
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
  CHECK(has(scaled.err, "expected one number for all instances"));
}
