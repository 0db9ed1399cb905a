// `fit` as a user meets it: published measurements, a file of one's own, and what cannot be fitted.

#include <algorithm>

#include "catch.hpp"
#include "cli/process.hpp"
#include "scenarios/shipped.hpp"
#include "schema/json/json_reader.hpp"
#include "seed.hpp"

using namespace testing_cli;
using feedrate::schema::JsonPtr;
using feedrate::schema::parse_json;

namespace {

const std::string caltech = "scenarios/caltech256_p3.json";

Outcome fit(const std::string& arguments) {
  return shell("feedrate fit " + arguments);
}

JsonPtr answer(const std::string& arguments) {
  const Outcome outcome = fit(arguments + " --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status <= 1);
  return parse_json(outcome.out, "fit");
}

const feedrate::schema::JsonValue& unknown(const JsonPtr& json, std::size_t k) {
  return *json->find("fit")->find("unknowns")->items.at(k);
}

/// A job whose epochs are said to take this long with one, two and eight workers.
/// What busy cores lose is given, so that no assumption decides what its cases say.
std::string job(const std::string& cases,
                const std::string& preprocess = R"([{"operation": "decode", "cpu": "4 ms"}])") {
  return R"({"name": "mine", "dataset": {"samples": 20000, "bytes_per_sample": "100 KB",
      "bytes_on_gpu_per_sample": "600 KB"}, "disk": {"page_cache": "1 TB"},
    "loader": {"num_workers": 2, "batch_size": 64, "pin_memory": true, "contention": 0.059},
    "preprocess": )" +
         preprocess + R"(, "cluster": {"instance": "p3.2xlarge"},
    "job": {"epochs": 3, "step": "60 ms"}, "cases": [)" +
         cases + "]}";
}

std::string epoch(int workers, double seconds, const std::string& more = "") {
  return "{\"name\": \"" + std::to_string(workers) +
         " workers\", \"set\": {\"num_workers\": " + std::to_string(workers) +
         "}, \"metric\": \"epoch_s\", \"measured\": " + std::to_string(seconds) + more + "}";
}

const std::string three = epoch(1, 109) + "," + epoch(2, 57.5) + "," + epoch(8, 25.6);

}  // namespace

TEST_CASE("fit: what was published of a shipped scenario gives back what its file says") {
  const JsonPtr json = answer(caltech + " --free /preprocess/resize/cpu,/job/step/per_sample");
  CHECK(unknown(json, 0).find("value")->number == Approx(6.6e-3).epsilon(0.01));
  CHECK(unknown(json, 1).find("value")->number == Approx(3.08e-3).epsilon(0.01));
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& one = unknown(json, k);
    CHECK(one.find("determined")->boolean);
    CHECK(one.find("interval_low")->number < one.find("before")->number);
    CHECK(one.find("interval_high")->number > one.find("before")->number);
  }
  const Outcome text = fit(caltech + " --free /preprocess/resize/cpu,/job/step/per_sample");
  CHECK(text.status == 0);
  CHECK(has(text.out, "--set '/preprocess/resize/cpu="));
  CHECK(has(text.out, "a bottleneck is right or wrong"));
  // How long an epoch of 7 workers takes, and how busy GPUs are in it.
  CHECK(has(text.out, "figures of one job count as if measured"));
}

TEST_CASE("fit: from a start far off, or from none, to the same") {
  const std::string from = caltech + " --free /preprocess/resize/cpu=\"0.1 ms..100 ms\"";
  const double value = unknown(answer(from), 0).find("value")->number;
  const double far =
      unknown(answer(from + " --set /preprocess/resize/cpu=\"90 ms\""), 0).find("value")->number;
  const JsonPtr none = answer(from + " --set /preprocess/resize/cpu=null");
  CHECK(far == Approx(value).epsilon(1e-3));
  CHECK(unknown(none, 0).find("value")->number == Approx(value).epsilon(1e-3));
  CHECK(unknown(none, 0).find("before")->kind == feedrate::schema::JsonKind::null);
}

TEST_CASE("fit: two that only add up are said to, with what would tell them apart") {
  const Folder folder;
  const std::string file = folder.write(
      "mine.json",
      job(three,
          R"([{"operation": "decode", "cpu": "4 ms"}, {"operation": "crop", "cpu": "2 ms"}])"));
  const Outcome outcome = fit("'" + file + "' --free /preprocess/decode/cpu,/preprocess/crop/cpu");
  INFO(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out,
            "These measurements cannot tell /preprocess/decode/cpu from /preprocess/crop/cpu: only "
            "their"));
  CHECK(has(outcome.out, "Measure next: "));
  CHECK(has(outcome.out, "done ahead"));
}

TEST_CASE("fit: where there are no error bars, no next measurement narrows them") {
  const Folder folder;
  const std::string file = folder.write("mine.json", job(epoch(1, 109) + "," + epoch(8, 25.6)));
  const std::string free = " --free /preprocess/decode/cpu,/job/step";
  const Outcome outcome = fit("'" + file + "'" + free + " | tr '\\n' ' '");
  INFO(outcome.out);
  CHECK(has(outcome.out, "no error bar"));
  CHECK(has(outcome.out, "It would determine /"));
  CHECK_FALSE(has(outcome.out, "It would take"));
  CHECK_FALSE(has(outcome.out, " from ±"));
}

TEST_CASE("fit: what no measurement depends on is not fitted, and the exit status says so") {
  const Outcome outcome = fit(caltech + " --free busbw,/preprocess/resize/cpu");
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "No measurement depends on /job/allreduce/busbw, so it was not fitted."));
  CHECK_FALSE(has(outcome.out, "--set /job/allreduce/busbw"));
  const JsonPtr json = answer(caltech + " --free busbw,/preprocess/resize/cpu");
  CHECK(unknown(json, 0).find("value")->kind == feedrate::schema::JsonKind::null);
  CHECK(unknown(json, 1).find("determined")->boolean);
}

TEST_CASE("fit: a range that ends before the best value is said to, and what fits anywhere too") {
  const std::string key = "/job/step/per_sample";
  for (const bool higher : {true, false}) {
    const std::string free = caltech + " --free " + key + (higher ? "=1ms..2ms" : "=5ms..9ms");
    const Outcome out = fit(free);
    INFO(out.out);
    CHECK(out.status == 1);
    std::string flat = out.out;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    CHECK(has(flat, higher ? "they want a larger value than its range allows"
                           : "they want a smaller value than its range allows"));
    CHECK(has(flat, higher ? "fit best at its upper end, 2 ms" : "at its lower end, 5 ms"));
    CHECK_FALSE(has(flat, "equally well"));
    CHECK_FALSE(has(flat, "not determined by"));
    const JsonPtr json = answer(free);
    CHECK(unknown(json, 0).find("wants")->text == (higher ? "higher" : "lower"));
    CHECK_FALSE(unknown(json, 0).find("determined")->boolean);
  }
  // A step that no epoch waits for ceases to matter below some value.
  const Folder folder;
  const std::string file = "'" + folder.write("mine.json", job(epoch(1, 109))) + "'";
  const Outcome out = fit(file + " --free /job/step/fixed=1ms..20ms");
  INFO(out.out);
  CHECK_FALSE(has(out.out, "than its range allows"));
  CHECK(has(out.out, "equally well"));
}

TEST_CASE("fit: a receipt's promises are listed, not fitted on, and not marked") {
  const Folder folder;
  const std::string promise = R"(, {"name": "promise", "metric": "epoch_s", "promised": 1})";
  const std::string free = " --free /preprocess/decode/cpu,/job/step/fixed";
  const JsonPtr plain = answer("'" + folder.write("plain.json", job(three)) + "'" + free);
  const std::string file = folder.write("mine.json", job(three + promise));
  const std::string out = folder / "fitted.json";
  const JsonPtr json = answer("'" + file + "'" + free + " -o '" + out + "'");
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(unknown(json, k).find("value")->number == unknown(plain, k).find("value")->number);
  }
  CHECK(json->find("fit")->find("measurements")->number == 3.0);
  CHECK(has(fit("'" + file + "'" + free).out, "promise (epoch_s): promised, not measured yet"));
  const JsonPtr written = parse_json(slurp(out), out);
  CHECK(written->find("cases")->items.at(3)->find("fitted") == nullptr);
  CHECK_FALSE(has(fit("'" + file + "'" + free).out, "figures of one job"));
  const Outcome none =
      fit("'" + folder.write("none.json", job(promise.substr(2))) + "' --free /job/step/fixed");
  CHECK(none.status == 2);
  CHECK(has(none.err, "1 is only promised"));
}

TEST_CASE(
    "fit: of cases that contradict each other, those that miss are not said to fit no longer") {
  const Folder folder;
  const std::string file = folder.write("mine.json", R"({
    "schema": 1, "name": "a", "dataset": {"samples": 100000, "bytes_per_sample": "100 kB"},
    "source": {"service": "local"}, "cluster": {"instance": "g5.2xlarge"},
    "loader": {"batch_size": 100}, "job": {"epochs": 2, "step": "100 ms"},
    "cases": [{"name": "once", "metric": "epoch_s", "measured": 200, "tolerance": "1%"},
              {"name": "again", "metric": "epoch_s", "measured": 300, "tolerance": "1%"}]})");
  const std::string out = folder / "fitted.json";
  const Outcome outcome = fit("'" + file + "' --free /job/step -o '" + out + "'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status <= 1);
  const Outcome cases = shell("feedrate cases '" + out + "'");
  INFO(cases.out << cases.err);
  CHECK(cases.status == 1);
  CHECK(has(cases.out, "2 of them miss their tolerance"));
  CHECK_FALSE(has(cases.out, "no longer fit"));
}

TEST_CASE("fit: the written scenario predicts what was printed, and says what was fitted") {
  const Folder folder;
  const std::string file = folder.write("mine.json", job(three));
  const std::string out = folder / "fitted.json";
  const Outcome outcome =
      fit("'" + file + "' --free /preprocess/decode/cpu,/job/step -o '" + out + "' --format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const JsonPtr json = parse_json(outcome.out, "fit");
  const JsonPtr written = parse_json(slurp(out), out);
  CHECK(written->find("about")->find("fitted")->items.size() == 2);
  for (const JsonPtr& one : written->find("cases")->items) CHECK(one->find("fitted")->boolean);
  const Outcome cases = shell("feedrate cases '" + out + "' --format csv");
  for (const JsonPtr& one : json->find("fit")->find("cases")->items) {
    CHECK(has(cases.out, "," + one->find("fitted")->text + ","));
  }
  // Fitted once more nothing moves, and the sentences are replaced, not added to.
  const Outcome again =
      fit("'" + out + "' --free /preprocess/decode/cpu,/job/step -o '" + out + ".2'");
  REQUIRE(again.status == 0);
  const JsonPtr twice = parse_json(slurp(out + ".2"), out);
  CHECK(twice->find("about")->find("fitted")->items.size() == 2);
  CHECK(twice->find("job")->find("step")->find("fixed")->text ==
        written->find("job")->find("step")->find("fixed")->text);
}

TEST_CASE(
    "fit: of cases that no value reproduces no interval is stated, and the value is a guess") {
  const Folder folder;
  // Ten times the workers and the same epoch: nothing that decoding costs makes these.
  const std::string file =
      folder.write("mine.json", job(epoch(1, 400) + "," + epoch(2, 400) + "," + epoch(8, 400)));
  const std::string out = folder / "fitted.json";
  const std::string command = "'" + file + "' --free /preprocess/decode/cpu -o '" + out + "'";
  const Outcome outcome = fit(command);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "does not\nreproduce its cases with any value"));
  CHECK(has(outcome.out, "No intervals"));
  CHECK_FALSE(has(outcome.out, "Measure next"));
  const JsonPtr written = parse_json(slurp(out), out);
  CHECK(written->find("about")->find("fitted")->items.empty());
  CHECK(written->find("guesses")->find("/preprocess/0/cpu") != nullptr);
  CHECK(written->find("errors")->find("/preprocess/0/cpu")->number > 0.3);
  const JsonPtr json = answer("'" + file + "' --free /preprocess/decode/cpu");
  CHECK_FALSE(json->find("fit")->find("reproduced")->boolean);
  CHECK(unknown(json, 0).find("interval_low")->kind == feedrate::schema::JsonKind::null);
}

TEST_CASE("fit: the printed settings predict what was printed, also for another instance") {
  const Folder folder;
  const std::string file = folder.write("mine.json", job(three));
  const std::string other = "'" + file + "' --set instance=g5.2xlarge";
  const JsonPtr json = answer(other + " --free /preprocess/decode/cpu,/job/step");
  std::string settings;
  for (const JsonPtr& one : json->find("fit")->find("unknowns")->items) {
    settings += " --set " + one->find("key")->text + "=\"" + one->find("set")->text + "\"";
  }
  const Outcome cases = shell("feedrate cases " + other + settings + " --format csv");
  INFO(cases.out << cases.err);
  for (const JsonPtr& one : json->find("fit")->find("cases")->items) {
    CHECK(has(cases.out, "," + one->find("fitted")->text + ","));
  }
}

TEST_CASE("fit: JSON as its schema says, Markdown, and three unknowns of ten cases") {
  const Folder folder;
  std::string cases;
  for (int workers = 1; workers <= 10; ++workers) {
    cases += (cases.empty() ? "" : ",") + epoch(workers, std::max(22.0, 130.0 / workers));
  }
  const std::string file = folder.write("mine.json", job(cases));
  const Outcome json =
      fit("'" + file + "' --free /preprocess/decode/cpu,/job/step,handover --format json");
  const std::string formats = FEEDRATE_SOURCE_DIR "/tests/schema/published/";
  for (const std::string& text :
       {json.out, fit(caltech + " --free busbw,overlap --format json").out,
        fit(caltech + " --free /preprocess/0/cpu,/preprocess/1/cpu,collate -f json").out}) {
    const std::string out = folder.write("out.json", text);
    const Outcome checked =
        shell("python3 " + formats + "validate.py " + formats + "fit.schema.json '" + out + "'");
    INFO(text << checked.err);
    CHECK(checked.status == 0);
    CHECK_FALSE(has(text, "nan"));
    CHECK_FALSE(has(text, "inf"));
  }
  CHECK(has(fit(caltech + " --free /job/step/per_sample -f markdown").out, "| 7 workers |"));
}

TEST_CASE("fit: every shipped scenario with cases is fitted or refused with a reason") {
  std::size_t files = 0;
  for (const std::string& name : feedrate::test::some_of(testing_scenarios::shipped(), 3)) {
    const std::string file = "'" FEEDRATE_SOURCE_DIR "/scenarios/" + name + "'";
    const char* const free[] = {"handover", "/preprocess/0/cpu", "/job/step/fixed"};
    const Outcome outcome = fit(file + " --free " + free[++files % 3]);
    INFO(file << outcome.out << outcome.err);
    CHECK(outcome.status <= 2);
    CHECK((outcome.status == 2) == outcome.out.empty());
    CHECK((outcome.status == 2) == !outcome.err.empty());
    CHECK_FALSE(has(outcome.out, "nan"));
  }
  CHECK(files > static_cast<std::size_t>(feedrate::test::some(20)));
}

TEST_CASE("fit: what cannot be fitted is refused, with what would be taken") {
  const Folder folder;
  const std::string mine = "'" + folder.write("mine.json", job(three)) + "'";
  const std::string silent = "'" + folder.write("silent.json", job("")) + "'";
  const std::string judged =
      "'" +
      folder.write("judged.json",
                   job(R"({"name": "w", "metric": "bottleneck is decode", "measured": 1},
                        {"name": "m", "metric": "largest num_workers in 1..8 with gpu_busy >= 0.5",
                         "measured": 3}, {"name": "e", "metric": "epoch_s", "measured": 60})")) +
      "'";
  const std::string odd =
      "'" +
      folder.write("odd.json", job(R"({"name": "e", "metric": "epoch_seconds", "measured": 60})")) +
      "'";
  const std::pair<std::string, std::string> wrong[] = {
      {mine, "fit: expected --free KEY"},
      {mine + " --free colate", "did you mean \"collate\"?"},
      {mine + " --free num_workers", "a whole number: try its values with feedrate sweep"},
      {mine + " --free pin_memory", "which holds true or false"},
      {mine + " --free disk", "which holds an object"},
      {mine + " --free /preprocess/decod/cpu", "did you mean \"decode\"?"},
      {mine + " --free /preprocess/4/cpu", "(decode), got \"4\""},
      {mine + " --free collate=\"3 us/MB..1 us/MB\"", "expected LOW below HIGH"},
      {mine + " --free collate=\"1 ms..2 ms\"", "that is a duration"},
      {mine + " --free collate=1..2", "the unit is missing"},
      {mine + " --free overlap=0.2..1.5", "in the range 0 … 1, got \"1.5\""},
      {mine + " --free handover=\"0 s..1 s\"", "expected LOW above 0"},
      {mine + " --free overlap=0.5", "expected overlap=LOW..HIGH"},
      {mine + " --free collate,/loader/collate", "expected each key once"},
      {mine + " --free collate,,handover", "between the commas"},
      {mine + " --free \"\"", "expected a key between the commas"},
      {mine + " --free /preprocess/0/cpu,/job/step,handover,collate",
       "expected at least as many cases that can be fitted as unknowns (4), got 3 of 3"},
      {mine + " --free /preprocess/0/cpu_per_byte", "got both"},
      {silent + " --free handover", "/cases: expected measured cases to fit on, got none"},
      {judged + " --free /preprocess/0/cpu,/job/step", "unknowns (2), got 1 of 3"},
      {odd + " --free handover", "got \"epoch_seconds\""},
      {mine + " --free handover -o " + mine, "--output would overwrite the input"},
      {mine + " --free handover --format csv", "expected one of text, json, markdown, got \"csv\""},
      {"nowhere.json --free handover", "no such file"},
  };
  for (const auto& [arguments, said] : wrong) {
    const Outcome outcome = fit(arguments);
    INFO(arguments << "\n" << outcome.err << outcome.out);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, said));
  }
}

TEST_CASE("fit: keys complete as they do for --set") {
  const Outcome offered = shell(
      "source <(feedrate completion bash)\n"
      "COMP_LINE='feedrate fit x.json --free colla'; COMP_POINT=${#COMP_LINE}; COMPREPLY=()\n"
      "_feedrate feedrate\nprintf '%s\\n' \"${COMPREPLY[@]}\"");
  CHECK(has(offered.out, "collate"));
  const Outcome second = shell(
      "source <(feedrate completion bash)\n"
      "COMP_LINE='feedrate fit x.json --free handover,colla'; COMP_POINT=${#COMP_LINE}; "
      "COMPREPLY=()\n_feedrate feedrate\nprintf '%s\\n' \"${COMPREPLY[@]}\"");
  CHECK(has(second.out, "handover,collate"));
}
