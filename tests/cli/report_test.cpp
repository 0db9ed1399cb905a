// `feedrate report`: where the page goes, and what it refuses.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string report = "feedrate report scenarios/caltech256_p3.json ";

}  // namespace

TEST_CASE("report: one file, below 1.5 MB, the same bytes each time, nothing on standard output") {
  const Folder folder;
  const Outcome outcome = shell(report + "--output " + (folder / "a.html"));
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK(folder.files() == 1);
  const std::string page = slurp(folder / "a.html");
  CHECK(page.size() > 20'000);
  CHECK(page.size() < 1'500'000);
  shell(report + "--jobs 1 --output " + (folder / "b.html"));
  CHECK(slurp(folder / "b.html") == page);
}

TEST_CASE("report: the page holds the answer, the bill, every input and the scenario") {
  const Folder folder;
  REQUIRE(shell("sed '2s/\"name\": .*/\"name\": \"R\\&D <b>\",/' scenarios/caltech256_p3.json > " +
                (folder / "named.json"))
              .status == 0);
  REQUIRE(shell("feedrate report " + (folder / "named.json") + " --set num_workers=1 -o " +
                (folder / "a.html"))
              .status == 0);
  const std::string page = slurp(folder / "a.html");
  for (const char* part :
       {"decode is the bottleneck", "1 × ml.p3.2xlarge", "class=\"is-bottleneck\"",
        "/source/connections", "starting-documents, 2021-2023",
        "<h1 id=\"title\">R&amp;D &lt;b&gt;</h1>", "&quot;num_workers&quot;: 1"}) {
    INFO(part);
    CHECK(has(page, part));
  }
}

TEST_CASE("report: the page says between what it lies, what explains that, and what to measure") {
  const Folder folder;
  // A decode and a step so short that the copies into a batch, which are assumed, matter beside
  // the model's own error.
  const std::string light =
      report +
      "--set num_workers=1 --set /job/step/per_sample=50us "
      "--set '/preprocess=[{\"operation\": \"decode\", \"cpu\": \"0.2 ms\"}]' ";
  for (const std::string vary : {"", "--vary num_workers=1,2 "}) {
    INFO(vary);
    REQUIRE(shell(light + vary + "-o " + (folder / "a.html")).status == 0);
    const std::string page = slurp(folder / "a.html");
    for (const char* part :
         {"in 90 % of 100 draws", "The model itself, CPU work: × ",
          "between 200 us/MB and 1.3 ms/MB: the job takes ", "of the variance",
          "Measure first: `feedrate calibrate loader", "200 us/MB … 1.3 ms/MB"}) {
      INFO(part);
      CHECK(has(page, part));
    }
  }
}

TEST_CASE("report: without --vary it looks at instances, and at efficiencies where one is stated") {
  const Folder folder;
  REQUIRE(shell("feedrate report scenarios/total_cost_24h_p3.json -o " + (folder / "a")).status ==
          0);
  const std::string page = slurp(folder / "a");
  CHECK(has(page, "30 points: instances × efficiency. A line for each efficiency."));
  CHECK(has(page, "S*: 0.780 for 2 instances, 0.670 for 4, 0.615 for 8, 0.588 for 16."));
  REQUIRE(shell(report + "--vary num_workers=2:4:1 -o " + (folder / "b")).status == 0);
  CHECK(has(slurp(folder / "b"), "3 points: num_workers."));
}

TEST_CASE("report: --instances: the machines that a filter lets through, as in sweep") {
  const Folder folder;
  const std::string filter = "--instances 'gpu=V100-SXM2-16GB, region=us-east-1' ";
  const Outcome made = shell(report + filter + "-o " + (folder / "a.html"));
  INFO(made.err);
  REQUIRE(made.status == 0);
  const std::string page = slurp(folder / "a.html");
  const Outcome swept =
      shell("feedrate sweep scenarios/caltech256_p3.json " + filter + "--format csv 2>/dev/null");
  REQUIRE(swept.status == 0);
  const auto points = std::count(swept.out.begin(), swept.out.end(), '\n') - 1;
  REQUIRE(points > 2);
  CHECK(has(page, std::to_string(points) + " points: instance × purchase × region. "));
  CHECK(has(page, "data-chart=\"pareto\""));
  CHECK_FALSE(has(page, "data-chart=\"scaling_time\""));  // machines have no order
  REQUIRE(shell(report + filter + "--vary num_workers=1,2 -o " + (folder / "b.html")).status == 0);
  CHECK(has(slurp(folder / "b.html"),
            std::to_string(2 * points) + " points: instance × purchase × region × num_workers."));
}

TEST_CASE("report: --instances with what cannot be is exit 2 and says why") {
  const Folder folder;
  const std::string file = folder / "a.html";
  for (const auto& [flags, words] :
       {std::pair("--instances ''", "--instances: expected a value"),
        std::pair("--instances 'gpu=nothing'", "--instances: gpu: expected a GPU of the catalogue"),
        std::pair("--instances 'gpu=V100-SXM2-16GB' --vary instance=ml.p3.2xlarge", "instance"),
        std::pair("--instances 'gpu=V100-SXM2-16GB' --vary batch_size=1:999:1",
                  "--instances: expected at most 1000 points in a report, got "),
        std::pair("--instances 'gpu=V100-SXM2-16GB' --live",
                  "--instances and --live exclude each other"),
        std::pair("scenarios/albert_p3dn.json --instances 'gpu=V100-SXM2-16GB'",
                  "--instances is for one scenario")}) {
    const Outcome outcome = shell(report + flags + " -o " + file);
    INFO(flags << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("report: a page that cannot be written is one line and exit 3") {
  for (const std::string path : {"/proc/no/such/report.html", "/dev/full"}) {
    const Outcome outcome = shell(report + "--output " + path);
    INFO(path);
    CHECK(outcome.status == 3);
    CHECK(has(outcome.err, path));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("report: wrong usage is exit 2 and says what was expected") {
  const Folder folder;
  CHECK(shell(report).status == 2);
  CHECK(has(shell(report).err, "--output"));
  const std::string copy =
      folder.write("job.json", slurp(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json"));
  const Outcome own = shell("feedrate report " + copy + " --output " + copy);
  CHECK(own.status == 2);
  CHECK(has(own.err, "--output would overwrite the input"));
  CHECK(has(slurp(copy), "\"Caltech-256"));
  const Outcome many = shell(report + "--vary batch_size=1:2000:1 --output " + (folder / "a.html"));
  CHECK(many.status == 2);
  CHECK(has(many.err, "expected at most 1000 points in a report, got 2000"));
  CHECK(shell(report + "--vary nonsense=1,2 --output " + (folder / "a.html")).status == 2);
  CHECK(folder.files() == 1);
}
