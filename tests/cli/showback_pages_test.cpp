// `showback`, and `report` of several jobs, as a user meets them.
#include "catch.hpp"
#include "cli/process.hpp"
#include "cli/small_job.hpp"
#include "schema/json/json_reader.hpp"

using namespace testing_cli;
using feedrate::schema::JsonPtr;
using feedrate::schema::JsonValue;

namespace {

const std::string jobs =
    "scenarios/teams/classifier.json scenarios/teams/detector.json scenarios/teams/language.json";

/// A small job with more keys.
std::string job_with(const std::string& name, const std::string& more) {
  std::string text = small_job(name);
  text.insert(text.rfind('}'), ", " + more);
  return text;
}

double number(const JsonValue& in, const char* key) {
  const JsonValue* value = in.find(key);
  REQUIRE(value != nullptr);
  return value->number;
}

JsonPtr json_of(const std::string& command) {
  const Outcome outcome = shell(command + " --format json");
  INFO(command << outcome.err);
  REQUIRE(outcome.status == 0);
  return feedrate::schema::parse_json(outcome.out, "out");
}

}  // namespace

TEST_CASE("showback: a run costs what `run` says, and groups add up to all") {
  const JsonPtr told = json_of("feedrate showback " + jobs);
  double month = 0.0;
  for (const JsonPtr& job : told->find("jobs")->items) {
    const JsonPtr run = json_of("feedrate run " + job->find("file")->text);
    const JsonValue& result = *run->find("result");
    CHECK(number(*job, "money_usd") == number(*result.find("cost"), "money_usd"));
    CHECK(number(*job, "total_s") == number(*result.find("time"), "total_s"));
    month += number(*job, "month_in_all_usd");
  }
  double groups = 0.0;
  for (const JsonPtr& group : told->find("groups")->items)
    groups += number(*group, "month_in_all_usd");
  CHECK(number(*told->find("all"), "month_in_all_usd") == Approx(month));
  CHECK(groups == Approx(month));
  CHECK(told->find("groups")->items.size() == 2);
  // Overlapping patterns name a file twice; its job is one.
  const JsonPtr again = json_of("feedrate showback " + jobs + " ./" + jobs);
  CHECK(number(*again->find("all"), "month_in_all_usd") == Approx(month));
  CHECK(has(shell("feedrate showback " + jobs + " " + jobs).out,
            "is given more than once and counted once"));
  const JsonPtr other = json_of("feedrate showback --by project " + jobs);
  CHECK(other->find("groups")->items.size() == 2);
  CHECK(other->find("groups")->items[0]->find("name")->text == "retrieval");
}

TEST_CASE("showback: what is wrong in each of several files is told at once") {
  const Folder folder;
  const std::string one =
      folder.write("one.json", job_with("one", R"("accounting": {"discounts": {"gpus": 0.1}})"));
  const std::string two = folder.write(
      "two.json",
      job_with("two", R"("accounting": {"preparation": [{"what": "upload", "time": "2 h"}]})"));
  const Outcome wrong = shell("feedrate showback " + one + " " + two);
  INFO(wrong.err);
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "/accounting/discounts/gpus: expected a known key"));
  CHECK(has(wrong.err, "/accounting/preparation/0: expected either cost, or time and price"));
}

TEST_CASE(
    "showback: weights that no GPU holds have no bill, nor are they compared; run has a note") {
  const Folder folder;
  // 140 GB of weights in 16 bits, and GPUs of 80 GB.
  const auto job = [&](const char* name, const char* parallelism) {
    return folder.write(name, std::string(R"({"name": "large",
      "dataset": {"samples": 10000, "bytes_per_sample": "16 KB"},
      "loader": {"num_workers": 2, "batch_size": 16},
      "cluster": {"instance": "p5.48xlarge", "instances": 4, "region": "us-east-1"},
      "job": {"step": {"model_parameters": 70e9, "tokens_per_sample": 4096}, "parallelism": ")") +
                                  parallelism + R"(", "allreduce": {"parameters": 70e9}}})");
  };
  const std::string whole = "'" + job("whole.json", "zero1") + "'";
  const std::string divided = "'" + job("divided.json", "fsdp") + "'";
  for (const std::string& command :
       {"showback " + whole, "compare " + divided + " " + whole,
        "sweep " + whole + " --vary num_workers=1,2", "scale " + whole + " --to 2"}) {
    const Outcome outcome = shell("feedrate " + command);
    INFO(command << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, "/job/parallel: the weights alone are 140 GB a GPU in 16 bits"));
  }
  for (const std::string command : {"run ", "advise "}) {
    const Outcome outcome = shell("feedrate " + command + whole);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(has(outcome.out, "note "));
    CHECK(has(outcome.out, "The weights alone are 140 GB a GPU in 16 bits"));
  }
  const Outcome advised = shell("feedrate advise " + whole);
  CHECK(has(advised.out, "parallelism = fsdp (2 hours)"));
  CHECK(has(advised.out, "The job cannot run as it is: no GPU holds the weights."));
  CHECK_FALSE(has(advised.out, "The GPUs are fed"));
  CHECK(shell("feedrate compare " + divided + " " + divided).status == 0);
}

TEST_CASE("showback: a plan may be in the currency of all jobs, and need not hold their hours") {
  const Folder folder;
  const auto plan = [&](const char* runs) {
    std::string job = job_with("euros", R"("currency": {"code": "EUR", "usd": 1.25})");
    job.replace(job.find(R"("region")"), 0, R"("purchase": "savings_plan", "savings": 0.5, )");
    job.insert(job.rfind('}'), std::string(R"(, "accounting": {"runs_per_month": )") + runs + "}");
    return folder.write("euros.json", job);
  };
  const std::string euros = plan("1");
  const JsonPtr own = json_of("feedrate showback " + euros + " --commitment '0.8 EUR/h'");
  const JsonPtr usd = json_of("feedrate showback " + euros + " --commitment '1 USD/h'");
  CHECK(number(*own->find("commitment"), "committed_usd") == Approx(730.0));
  CHECK(number(*own->find("commitment"), "used_usd") ==
        Approx(number(*usd->find("commitment"), "used_usd")));
  CHECK(shell("feedrate showback " + jobs + " --commitment '0.8 EUR/h'").status == 2);
  CHECK_FALSE(has(shell("feedrate showback " + euros + " --commitment '1 USD/h'").out, "at most"));
  const Outcome crowded = shell("feedrate showback " + plan("1e6") + " --commitment '1 USD/h'");
  INFO(crowded.out << crowded.err);
  CHECK(has(crowded.out, "the jobs use at most"));
  CHECK(has(crowded.out, "and a month has 730: some run"));
}

TEST_CASE("showback: several jobs are one page, on which names are text") {
  const Folder folder;
  const std::string hostile =
      folder.write("hostile.json",
                   job_with("<script>alert(1)</script>",
                            R"("accounting": {"tags": {"team": "<img src=x onerror=alert(1)>"}})"));
  const std::string page = folder / "page.html";
  const Outcome made =
      shell("feedrate report " + hostile + " scenarios/teams/detector.json --output " + page);
  INFO(made.err);
  REQUIRE(made.status == 0);
  const std::string html = slurp(page);
  CHECK(has(html, "<h1>Showback of 2 jobs by team</h1>"));
  CHECK(has(html, "&lt;script"));
  CHECK_FALSE(has(html, "<script>alert(1)"));
  CHECK_FALSE(has(html, "<img"));
  CHECK(has(html, "Content-Security-Policy"));
  const Outcome varied = shell("feedrate report " + jobs + " --vary num_workers=1:2:1 -o " + page);
  CHECK(varied.status == 2);
  CHECK(has(varied.err, "--vary is for one scenario"));
}

TEST_CASE("showback: check says what a change costs in a month, and holds limits on it") {
  const Folder folder;
  const std::string often = R"("accounting": {"runs_per_month": 30})";
  const std::string job = folder.write("job.json", job_with("job", often));
  const std::string baseline = " --baseline " + (folder / "baseline.json");
  REQUIRE(shell("feedrate check " + job + baseline + " --update").status == 0);
  const Outcome same = shell("feedrate check " + job + baseline);
  CHECK(same.status == 0);
  CHECK_FALSE(has(same.out, "a month"));
  std::string slow = job_with("job", often);
  slow.replace(slow.find("\"num_workers\": 7"), 16, "\"num_workers\": 2");
  folder.write("job.json", slow);
  const Outcome worse = shell("feedrate check " + job + baseline);
  INFO(worse.out << worse.err);
  CHECK(has(worse.out, "30 runs a month: +$"));
  CHECK(shell("feedrate check " + job + baseline + " --threshold 'month_usd < 1'").status == 1);
  CHECK(shell("feedrate check " + job + baseline + " --threshold 'month_usd < 5000'").status == 0);
}
