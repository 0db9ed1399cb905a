// Every row of the table of questions can be asked without a command line, and the answer is what
// the command of that name prints.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/answer.hpp"
#include "base/files.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/requests/question.hpp"
#include "schema/requests/request.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"

using namespace feedrate;
using namespace feedrate::api;

namespace {

const std::string sources = FEEDRATE_SOURCE_DIR;

std::string asked_of(const std::string& name, const std::string& keys, const std::string& file) {
  const api::Place place{files_on_disk(), [] { return sources + "/pricing"; }, {sources}};
  const std::string of = file.empty() ? "" : ", \"file\": \"" + file + "\"";
  return answer("{\"ask\": \"" + name + "\"" + of + keys + "}", place);
}

/// What is asked of a scenario, in the words of a request and of the command.
struct Asked {
  std::string keys;
  std::string flags;
};

/// Against the baseline of the shipped scenarios, as an object.
Asked against_baseline(const std::string& keys, const std::string& flags) {
  const std::string file = sources + "/.ci/baseline.json";
  return {", \"baseline\": " + testing_cli::slurp(file) + ", \"baseline_file\": \"" + file + "\"" +
              keys,
          "--baseline '" + file + "' " + flags};
}

/// A row without an entry here fails the test below.
const std::multimap<std::string, Asked>& examples() {
  static const std::multimap<std::string, Asked> all = {
      {"run", {}},
      {"run",
       {R"(, "set": {"num_workers": 2}, "options": {"seed": 3})", "--set num_workers=2 --seed 3"}},
      {"sweep",
       {R"(, "vary": {"num_workers": [1, 2]}, "deadline": "20 min")",
        "--vary num_workers=1,2 --deadline '20 min'"}},
      {"advise", {}},
      {"advise",
       {R"(, "set": {"num_workers": 1, "jobs": 20}, "target": 0.8, "deadline": "10 min",)"
        R"( "budget": "40 USD", "options": {"seed": 2, "mean": true})",
        "--set num_workers=1 --sharing-jobs 20 --target 0.8 --deadline '10 min' --budget '40 USD' "
        "--seed 2 "
        "--mean"}},
      {"optimize",
       {R"(, "over": {"num_workers": "1:8:1", "instances": [1, 2]}, "deadline": "20 min")",
        "--over num_workers=1:8:1 --over instances=1,2 --deadline '20 min'"}},
      {"optimize",
       {R"(, "instances": "gpu>=A10G, region=us-east-1, price<2", "minimize": "cost",)"
        R"( "options": {"replications": 20})",
        "--instances 'gpu>=A10G, region=us-east-1, price<2' --minimize cost --replications 20"}},
      {"optimize",
       {R"(, "over": "num_workers=1,2", "deadline": "1 s")",
        "--over num_workers=1,2 --deadline '1 s'"}},
      {"scale", {R"(, "to": 8)", "--to 8"}},
      {"scale",
       {R"(, "to": 6, "strong": true, "vary": {"num_workers": [2, 4]}, "deadline": "30 min",)"
        R"( "value_of_hour": "40 USD/h")",
        "--to 6 --strong --vary num_workers=2,4 --deadline '30 min' --value-of-hour '40 USD/h'"}},
      {"cases", {}},
      {"cases", {R"(, "options": {"replications": 10, "mean": true})", "--replications 10 --mean"}},
      {"fit", {R"(, "free": "collate", "set": {"epochs": 2})", "--free collate --set epochs=2"}},
      {"diagnose",
       {R"(, "readings": {"gpu": 35, "cpu": "13 %", "start": "2 min"}, "threshold": ["low=20%"])",
        "--gpu 35 --cpu '13 %' --start '2 min' --threshold low=20%"}},
      {"check", against_baseline("", "")},
      {"check",
       against_baseline(R"(, "set": {"num_workers": 2}, "max_increase": "time=5%",)"
                        R"( "threshold": ["money_usd < 1", "warn: gpu_busy > 90%"])",
                        "--set num_workers=2 --max-increase time=5% --threshold 'money_usd < 1' "
                        "--threshold 'warn: gpu_busy > 90%'")},
      {"check",
       against_baseline(
           R"(, "hold_prices": true, "strict": true, "max_change": "all=0.0001%",)"
           R"( "max_price_age": "warn:1d", "options": {"mean": true})",
           "--hold-prices --strict --max-change all=0.0001% --max-price-age warn:1d --mean")},
  };
  return all;
}

TEST_CASE("questions: each is answered with the bytes that its command prints") {
  for (const schema::QuestionRow& row : schema::all_questions()) {
    REQUIRE(examples().contains(std::string(row.name)));
  }
  const std::string file = sources + "/scenarios/caltech256_p3.json";
  for (const auto& [name, one] : examples()) {
    INFO(name << " " << one.flags);
    const auto printed =
        testing_cli::shell("feedrate " + name + " '" + file + "' " + one.flags + " --format json");
    INFO(printed.err);
    REQUIRE((printed.status == 0 || printed.status == 1));
    CHECK(asked_of(name, one.keys, file) == printed.out);
  }
}

TEST_CASE("questions: of other jobs too, and in the words of their commands where there is none") {
  for (const char* const name : {"small_files_s3", "ray_hetero_g5_c5", "spot_checkpoints"}) {
    const std::string file = sources + "/scenarios/" + name + ".json";
    for (const auto& [question, keys, flags] :
         {std::tuple{"advise", "", ""},
          {"cases", R"(, "options": {"replications": 5})", "--replications 5"},
          {"scale", R"(, "to": 4)", "--to 4"}}) {
      INFO(question << " " << name);
      const auto printed = testing_cli::shell(std::string("feedrate ") + question + " '" + file +
                                              "' " + flags + " --format json");
      const std::string got = asked_of(question, keys, file);
      if (printed.status < 2) {
        CHECK(got == printed.out);
        continue;
      }
      const schema::JsonPtr error = schema::parse_json(got, "answer");
      REQUIRE(error->find("kind")->text == "error");
      CHECK(error->find("status")->number == printed.status);
      for (const auto& problem : error->find("error")->find("problems")->items) {
        CHECK(testing_cli::has(printed.err, problem->find("message")->text));
      }
    }
  }
}

TEST_CASE("questions: a diagnosis needs no scenario") {
  CHECK(asked_of("diagnose", R"(, "readings": {"gpu": 35})", "") ==
        testing_cli::shell("feedrate diagnose --gpu 35 --format json").out);
}

TEST_CASE(
    "questions: a check takes several scenarios, names what is wrong with one, and needs some") {
  const std::string baseline =
      ", \"baseline\": " + testing_cli::slurp(sources + "/.ci/baseline.json");
  const auto member = [](const std::string& name) {
    return "\"scenarios/" + name +
           ".json\": " + testing_cli::slurp(sources + "/scenarios/" + name + ".json");
  };
  const std::string named = ", \"baseline_file\": \".ci/baseline.json\"";
  const schema::JsonPtr good = schema::parse_json(
      asked_of("check",
               baseline + named + ", \"scenarios\": {" + member("caltech256_p3") + ", " +
                   member("spot_checkpoints") + ", \"scenarios/wrong.json\": {\"job\": 3}}",
               ""),
      "answer");
  REQUIRE(good->find("kind")->text == "check");
  CHECK(good->find("scenarios")->items.size() == 2);
  for (const auto& one : good->find("scenarios")->items) {
    CHECK(testing_cli::has(one->find("scenario")->find("key")->text, "../scenarios/"));
    CHECK(one->find("level")->text == "pass");
  }
  REQUIRE(good->find("errors")->items.size() == 1);
  CHECK(good->find("errors")->items[0]->find("file")->text == "scenarios/wrong.json");
  CHECK(good->find("level")->text == "fail");

  for (const auto& remark : good->find("remarks")->items) {
    CHECK_FALSE(testing_cli::has(remark->text, "not looked for"));
  }
  const schema::JsonPtr nowhere = schema::parse_json(
      asked_of("check", baseline + ", \"scenarios\": {" + member("spot_checkpoints") + "}", ""),
      "answer");
  REQUIRE(nowhere->find("remarks")->items.size() == 2);
  CHECK(testing_cli::has(nowhere->find("remarks")->items[1]->text, "not looked for"));
  CHECK(nowhere->find("gone")->items.empty());

  for (const auto& [keys, expected] :
       {std::pair<std::string, std::string>{", \"scenario\": {}", "expected the key \"baseline\""},
        {baseline, "expected the key \"scenario\" or \"file\", or \"scenarios\""},
        {baseline + ", \"scenarios\": {}", "expected the key \"scenario\" or \"file\""},
        {baseline + ", \"scenario\": {}, \"strict\": true", "expected \"baseline_file\" below"},
        {baseline + ", \"scenario\": {}, \"baseline_file\": \"../b.json\"", "can be named, got"},
        {baseline + ", \"scenarios\": [1]", "expected an object of FILE: an object, or a text"},
        {baseline + ", \"scenarios\": {\"a.json\": 3}",
         "expected an object of FILE: an object, or a text"},
        {", \"scenario\": {}, \"baseline\": {\"kind\": \"result\"}", "this is not a baseline"},
        {baseline + ", \"scenario\": {}, \"max_increase\": \"nonsense=5%\"", "nonsense"}}) {
    INFO(expected);
    const schema::JsonPtr error = schema::parse_json(asked_of("check", keys, ""), "answer");
    REQUIRE(error->find("kind")->text == "error");
    CHECK(error->find("status")->number == 2);
    std::string all;
    for (const auto& problem : error->find("error")->find("problems")->items) {
      all += problem->find("message")->text + '\n';
    }
    INFO(all);
    CHECK(testing_cli::has(all, expected));
  }
}

TEST_CASE("questions: a check that is asked for looks for files below the allowed folders alone") {
  namespace fs = std::filesystem;
  const testing_cli::Folder folder;
  for (const char* const name : {"inside", "outside"}) fs::create_directory(folder / name);
  const std::string job = testing_cli::slurp(sources + "/scenarios/caltech256_p3.json");
  const auto gone_of = [&](const std::string& of, const std::string& allowed) {
    const std::string file = folder / (of + "/baseline.json");
    folder.write(of + "/a.json", job);
    folder.write(of + "/b.json", job);
    const auto made =
        testing_cli::shell("feedrate check '" + (folder / (of + "/a.json")) + "' '" +
                           (folder / (of + "/b.json")) + "' --mean --update -b '" + file + "'");
    REQUIRE(made.status == 0);
    fs::remove(folder / (of + "/b.json"));
    const api::Place place{
        files_on_disk(), [] { return sources + "/pricing"; }, {folder / allowed}};
    const schema::JsonPtr verdict =
        schema::parse_json(answer("{\"ask\": \"check\", \"baseline\": " + testing_cli::slurp(file) +
                                      ", \"baseline_file\": \"" + file + "\", \"file\": \"" +
                                      (folder / (of + "/a.json")) + "\", \"scenario\": " + job +
                                      ", \"options\": {\"mean\": true}}",
                                  place),
                           "answer");
    REQUIRE(verdict->find("kind")->text == "check");
    return verdict->find("gone")->items.size();
  };
  CHECK(gone_of("inside", "inside") == 1);
  CHECK(gone_of("outside", "inside") == 0);
  // A link from outside into the folder is no way to learn of it.
  fs::create_directory_symlink(folder / "inside", folder / "link");
  CHECK(gone_of("link", "inside") == 0);
}

TEST_CASE("questions: what is named is what is answered without a name") {
  const std::string file = sources + "/scenarios/caltech256_p3.json";
  const api::Place place{files_on_disk(), [] { return sources + "/pricing"; }, {sources}};
  const std::string start = "{\"file\": \"" + file + "\"";
  CHECK(asked_of("run", "", file) == answer(start + "}", place));
  const std::string vary = R"(, "vary": {"num_workers": [1, 2]})";
  CHECK(asked_of("sweep", vary, file) == answer(start + vary + "}", place));
}

TEST_CASE("questions: a key that a question has no use for is refused, and says whose it is") {
  using schema::all_questions;
  std::set<std::string> keys;
  for (const auto& row : all_questions()) {
    std::string_view rest = row.keys;
    while (!rest.empty()) {
      std::string key(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(key.size() + 1, rest.size()));
      if (key.ends_with('!')) key.pop_back();
      keys.insert(key);
    }
  }
  REQUIRE(keys.size() > 15);
  for (const auto& row : all_questions()) {
    for (const std::string& key : keys) {
      INFO(row.name << " " << key);
      const bool option = key.starts_with("options/");
      const std::string name = option ? key.substr(8) : key;
      // A value of no kind that any key takes: what is wrong with it is said as well.
      const std::string member = "\"" + name + "\": [[]]";
      const std::string given = asked_of(
          std::string(row.name),
          (option ? ", \"options\": {" + member + "}" : ", " + member) + ", \"scenario\": {}", "");
      const schema::JsonPtr error = schema::parse_json(given, "answer");
      REQUIRE(error->find("kind")->text == "error");
      std::string said;
      for (const auto& problem : error->find("error")->find("problems")->items) {
        if (problem->find("key")->text.starts_with("/" + key))
          said += problem->find("message")->text;
      }
      CHECK_FALSE(said.empty());
      CHECK(testing_cli::has(said, "it belongs to ") == !schema::takes(row, key));
    }
  }
}

TEST_CASE("questions: of a word that is none nothing else is said") {
  const std::string got = asked_of("advice", R"(, "target": "80%", "deadline": "3 h")", "x.json");
  const schema::JsonPtr error = schema::parse_json(got, "answer");
  std::string words;
  for (const auto& problem : error->find("error")->find("problems")->items) {
    if (problem->find("file")->text == "request") words += problem->find("message")->text;
  }
  CHECK(testing_cli::has(words, "did you mean \"advise\""));
  CHECK_FALSE(testing_cli::has(words, "beside it"));
}

TEST_CASE("questions: a file's name that is given as a scenario is told its key") {
  const api::Place place{files_on_disk(), [] { return sources + "/pricing"; }};
  for (const std::string name : {"a.json", "/etc/passwd", "../ci/a.json"}) {
    const std::string got = answer(R"({"ask": "run", "scenario": ")" + name + "\"}", place);
    INFO(got);
    CHECK(schema::is_error(got));
    CHECK(testing_cli::has(got, "the key \\\"file\\\" names a scenario's file"));
  }
}

TEST_CASE("questions: a request without folders of its own may allow none") {
  const std::string file = sources + "/scenarios/caltech256_p3.json";
  api::Place place{files_on_disk(), [] { return sources + "/pricing"; }};
  place.may_allow = false;
  for (const std::string folders : {"[\"/\"]", "\"/\"", "[]", "null"}) {
    const std::string got =
        answer(R"({"file": ")" + file + R"(", "allow_files": )" + folders + "}", place);
    CHECK(schema::is_error(got));
    CHECK(testing_cli::has(got, "--allow-files of the server names the folders"));
  }
  place.folders = {sources};
  CHECK_FALSE(schema::is_error(answer(R"({"file": ")" + file + "\"}", place)));
}

}  // namespace
