// What is wrong with a scenario's measured cases is told by every command that reads the scenario.
#include <fmt/format.h>

#include <random>
#include <string_view>

#include "api/case_work.hpp"
#include "api/inputs.hpp"
#include "base/errors.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "resolve/generated_scenario.hpp"

using namespace feedrate;

namespace {

struct Part {
  std::string_view text;
  bool fine;
};

constexpr Part settings[] = {
    {R"({})", true},
    {R"({"num_workers": 2})", true},
    {R"({"/preprocess/0/where": "offline", "num_workers": 1})", true},
    {R"({"batch_size": 32, "epochs": 2})", true},
    {R"({"input_mode": "FastFile"})", true},
    {R"({"num_workrs": 2})", false},
    {R"({"num_workers": "many"})", false},
    {R"({"num_workers": -1})", false},
    {R"({"batch_size": "64 GB"})", false},
    {R"({"/preprocess/7/cpu": "1 ms"})", false},
    {R"({"input_mode": "Fil"})", false},
    {R"({"steps": 4})", false},  // beside the file's epochs
    {R"({"step": "8.5 GB/s"})", false},
};

constexpr Part metrics[] = {
    {"epoch_s", true},
    {"bottleneck is decode", true},
    {"stall_s.download", true},
    {"largest num_workers in 1..8 with gpu_busy >= 20%", true},
    {"epoch", false},
    {"bottleneck is dog", false},
    {"largest num_workrs in 1..8 with gpu_busy >= 20%", false},
    {"largest num_workers in 8..1 with gpu_busy >= 20%", false},
    {"largest num_workers in 1..8 with gpu_bsy >= 20%", false},
};

constexpr Part measured[] = {
    {R"("measured": 96)", true},
    {R"("promised": 96)", true},
    {R"("tolerance": 0.1)", false},
    {R"("measured": "fast")", false},
};

struct Made {
  std::string text;
  std::size_t wrong = 0;  ///< parts
};

Made made(std::mt19937_64& random, double share_wrong) {
  Made out;
  std::bernoulli_distribution wrong(share_wrong);
  const auto one_of = [&](const auto& list) {
    const bool fine = !wrong(random);
    for (;;) {
      const Part& part = list[random() % std::size(list)];
      if (part.fine != fine) continue;
      out.wrong += fine ? 0 : 1;
      return std::string(part.text);
    }
  };
  const std::size_t cases = 1 + random() % 6;
  for (std::size_t i = 0; i < cases; ++i) {
    out.text += fmt::format(
        "{}{{\"name\": \"{}\",\n\"set\": {}, \"relative_to\":\n{},\n\"metric\": \"{}\",\n{}}}",
        i == 0 ? "" : ",\n", i, one_of(settings), one_of(settings), one_of(metrics),
        one_of(measured));
  }
  out.text = R"({"name": "t",
"dataset": {"samples": 30600, "bytes_per_sample": "39 KB"}, "source": {"service": "s3"},
"loader": {"num_workers": 7, "batch_size": 64},
"preprocess": [{"operation": "resize", "cpu": "6.6 ms"}],
"cluster": {"instance": "ml.p3.2xlarge"}, "job": {"epochs": 2, "step": "90 ms"},
"cases": [
)" + out.text +
             "]}";
  return out;
}

std::vector<Problem> problems_of_run(const schema::Document& document) {
  try {
    static_cast<void>(api::scenario_of(document));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> problems_of_cases_command(const schema::Document& document) {
  try {
    static_cast<void>(api::cases_of(document, testing_resolve::catalog(), nullptr, {}));
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

TEST_CASE("cases: a run finds all that is wrong with them, each where it stands, as cases does") {
  std::mt19937_64 random(17);
  for (int i = 0; i < 300; ++i) {
    const Made one = made(random, i % 3 == 0 ? 0.0 : 0.3);
    INFO(one.text);
    const schema::Document document = schema::parse_document(one.text, "t.json");
    const std::vector<Problem> run = problems_of_run(document);
    // Each part that is wrong is told once.
    CHECK(run.size() == one.wrong);
    for (const Problem& problem : run) {
      INFO(problem.text());
      CHECK(problem.file == "t.json");
      CHECK(problem.line > 6);
      CHECK(problem.pointer.starts_with("/cases/"));
      CHECK(problem.message.starts_with("expected "));
    }
    CHECK(problems_of_cases_command(document) == run);
  }
}

TEST_CASE("cases: what is set on the command line is no fault of the file's cases") {
  std::mt19937_64 random(5);
  schema::Document document = schema::parse_document(made(random, 0.0).text, "t.json");
  schema::set_value(document, "preprocess", "null");
  schema::set_value(document, "epochs", "null");
  schema::set_value(document, "steps", "10");
  document.keep_as_base();
  CHECK(problems_of_run(document).empty());
}

TEST_CASE("cases: beside what is wrong with the scenario itself, all in one run of any command") {
  const testing_cli::Folder folder;
  const std::string file = folder.write("t.json", R"({"name": "t",
"dataset": {"samples": "a few", "bytes_per_sample": "39 KB"}, "source": {"service": "s3"},
"loader": {"num_workers": 7, "batch_size": 64},
"cluster": {"instance": "ml.p3.2xlarge"}, "job": {"epochs": 2, "step": "90 ms"},
"cases": [{"name": "a", "set": {"num_workers": "many"}, "metric": "epoch_s", "measured": 1},
{"name": "b", "set": {"num_workers": 3}, "metric": "epochs", "measured": 1}]})");
  for (const std::string command :
       {"run", "cases", "advise", "feeds", "scale", "sweep --vary num_workers=1:2:1",
        "fit --free collate", "check --baseline .ci/baseline.json", "diagnose --gpu 35",
        "report --output /dev/null", "optimize --over num_workers=1:2:1", "export skypilot"}) {
    const testing_cli::Outcome outcome =
        testing_cli::shell("feedrate " + command + " '" + file + "'");
    INFO(command << '\n' << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(testing_cli::has(outcome.err, ":2: /dataset/samples: expected"));
    CHECK(testing_cli::has(outcome.err, ":5: /cases/0/set/num_workers: expected"));
    CHECK(testing_cli::has(outcome.err, ":6: /cases/1/metric: expected a metric"));
  }
}

}  // namespace
