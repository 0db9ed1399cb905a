// What the library answers is what the command line prints; whatever it is asked, it answers JSON.
#include "api/answer.hpp"

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/text_file.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"
#include "tests/damage.hpp"
#include "tests/resolve/generated_scenario.hpp"

using namespace feedrate;
using namespace feedrate::api;

namespace {

namespace fs = std::filesystem;
using schema::JsonPtr;
using schema::JsonValue;

const std::string root = FEEDRATE_SOURCE_DIR;
const std::string host = root + "/scenarios/hosts/epyc_vm_2_cores.json";

const api::Place& on_disk() {
  static const api::Place place{files_on_disk(), [] { return root + "/pricing"; }, {root}};
  return place;
}

std::string asked(const std::string& request) {
  return answer(request, on_disk());
}

std::string json_text(std::string_view text) {
  schema::JsonWriter out;
  std::string made = std::move(out.text(text)).finish();
  made.pop_back();
  return made;
}

std::vector<std::string> shipped() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(root + "/scenarios")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  REQUIRE(files.size() > 30);
  return files;
}

std::string printed(const std::string& arguments) {
  const auto outcome = testing_cli::shell("feedrate " + arguments + " --format json");
  INFO(arguments << ": " << outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

/// "file: key" of each problem of an error.
std::vector<std::string> places(const std::string& text) {
  const JsonPtr document = schema::parse_json(text, "answer");
  REQUIRE(document->find("kind")->text == "error");
  std::vector<std::string> found;
  for (const JsonPtr& problem : document->find("error")->find("problems")->items) {
    found.push_back(problem->find("file")->text + ": " + problem->find("key")->text);
  }
  return found;
}

TEST_CASE("answer: for every shipped scenario, the bytes that feedrate run prints") {
  for (const std::string& file : shipped()) {
    INFO(file);
    const std::string own = printed("run '" + file + "'");
    const std::string text = read_text_file(file);
    const std::string name = ", \"file\": " + json_text(file) + "}";
    CHECK(asked("{\"scenario\": " + text + name) == own);
    CHECK(asked("{\"scenario\": " + json_text(text) + name) == own);
    CHECK(asked("{\"file\": " + json_text(file) + "}") == own);
  }
}

TEST_CASE("answer: with a host, settings and options, the bytes that feedrate run prints") {
  const std::string profile = read_text_file(host);
  for (const char* const name : {"caltech256_p3", "small_files_s3", "nvidia_resnet50"}) {
    const std::string file = root + "/scenarios/" + name + ".json";
    INFO(file);
    CHECK(asked("{\"file\": " + json_text(file) + ", \"host\": " + profile +
                R"(, "set": {"num_workers": 3, "epochs": 2, "/loader/pin_memory": true},
                    "options": {"replications": 20, "seed": 7}})") ==
          printed("run '" + file + "' --host '" + host +
                  "' --set num_workers=3 --set epochs=2 --set /loader/pin_memory=true "
                  "--replications 20 --seed 7"));
    CHECK(asked("{\"file\": " + json_text(file) + ", \"host\": " + json_text(profile) +
                R"(, "options": {"exact": true}})") ==
          printed("run '" + file + "' --host '" + host + "' --exact"));
  }
}

TEST_CASE("answer: for generated scenarios, the bytes that feedrate run prints") {
  pipeline::Generator random(41);
  const testing_cli::Folder folder;
  int fine = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string text = schema::write_document(
        testing_resolve::document_with(testing_resolve::generated_settings(random)));
    const std::string file = folder.write("t.json", text);
    const auto outcome = testing_cli::shell("feedrate run '" + file + "' --format json");
    const std::string got =
        asked("{\"scenario\": " + text + ", \"file\": " + json_text(file) + "}");
    if (outcome.status == 0) {
      CHECK(got == outcome.out);
      ++fine;
      continue;
    }
    // The same words, where it cannot be answered.
    const JsonPtr error = schema::parse_json(got, "answer");
    REQUIRE(error->find("kind")->text == "error");
    CHECK(error->find("status")->number == outcome.status);
    for (const JsonPtr& problem : error->find("error")->find("problems")->items) {
      CHECK(testing_cli::has(outcome.err, problem->find("message")->text));
    }
  }
  CHECK(fine > 20);
}

TEST_CASE("answer: files in memory are as good as those on the disk") {
  std::map<std::string, std::string> texts;
  for (const char* const folder : {"scenarios", "pricing", "pricing/aws"}) {
    for (const std::string& name : files_on_disk().names(root + "/" + folder)) {
      const std::string path = std::string(folder) + "/" + name;
      if (fs::is_regular_file(root + "/" + path)) texts[path] = read_text_file(root + "/" + path);
    }
  }
  const std::map<std::string, std::string_view> views(texts.begin(), texts.end());
  const FilesInMemory memory(views);
  const api::Place place{memory, [] { return std::string("pricing"); }, {"scenarios"}};
  CHECK(memory.names("pricing/aws") == files_on_disk().names(root + "/pricing/aws"));
  for (const std::string& file : shipped()) {
    INFO(file);
    const std::string name = "scenarios/" + fs::path(file).filename().string();
    CHECK(answer("{\"file\": " + json_text(name) + "}", place) == printed("run " + name));
  }
  const std::string missing = answer(R"({"file": "scenarios/none.json"})", place);
  CHECK(places(missing) == std::vector<std::string>{"scenarios/none.json: "});
}

/// An answer lists what was set, which is all that it tells of it.
std::string without_settings(std::string answer) {
  const std::size_t start = answer.find("\n  \"set\": {");
  if (start != std::string::npos) answer.erase(start, answer.find("},\n", start) - start);
  return answer;
}

TEST_CASE("answer: what is set is as good as written in the scenario") {
  pipeline::Generator random(43);
  for (int i = 0; i < 60; ++i) {
    const testing_resolve::Settings all = testing_resolve::generated_settings(random);
    std::string set;
    for (const auto& [key, value] : all) {
      // Numbers, words and objects as a program would give them; quantities are texts.
      const bool json = value.starts_with('{') || value == "true" || value == "false" ||
                        value.find_first_not_of("0123456789.") == std::string::npos;
      set += (set.empty() ? "" : ", ") + json_text(key) + ": " + (json ? value : json_text(value));
    }
    const std::string plain = schema::write_document(testing_resolve::plain_document());
    const std::string edited = schema::write_document(testing_resolve::document_with(all));
    INFO(set);
    const std::string by_set = asked("{\"scenario\": " + plain + ", \"set\": {" + set + "}}");
    const std::string by_edit = asked("{\"scenario\": " + edited + "}");
    if (by_edit.find("\"kind\": \"error\"") == std::string::npos) {
      CHECK(without_settings(by_set) == without_settings(by_edit));
    } else {
      CHECK(by_set.find("\"kind\": \"error\"") != std::string::npos);
    }
  }
}

TEST_CASE("answer: with vary, the bytes that feedrate sweep prints") {
  const std::string file = root + "/scenarios/caltech256_p3.json";
  const std::string start = "{\"file\": " + json_text(file);
  const std::string two = printed("sweep '" + file +
                                  "' --vary num_workers=1:4:1 --vary step.per_sample='3 ms','4 ms' "
                                  "--deadline '30 min' --budget '2 USD'");
  const std::string limits = R"(, "deadline": "30 min", "budget": "2 USD"})";
  CHECK(asked(start + R"(, "vary": ["num_workers=1:4:1", "step.per_sample=3 ms,4 ms"])" + limits) ==
        two);
  CHECK(asked(start +
              R"(, "vary": {"num_workers": [1, 2, 3, 4], "step.per_sample": ["3 ms", "4 ms"]})" +
              limits) == two);
  CHECK(asked(start + R"(, "vary": {"num_workers": "1:4:1", "step.per_sample": "3 ms,4 ms"},
                          "options": {"jobs": 3})" +
              limits) == two);
  CHECK(asked(start + R"(, "instances": "gpu>=A10G, region=us-east-1, price<2"})") ==
        printed("sweep '" + file + "' --instances 'gpu>=A10G, region=us-east-1, price<2'"));
}

TEST_CASE("answer: values in a list are taken as they are written") {
  const std::string start = "{\"file\": " + json_text(root + "/scenarios/caltech256_p3.json");
  const JsonPtr document = schema::parse_json(
      asked(start + R"(, "vary": {"/preprocess/0/operation": ["a,b", "x:y", " c ", "[d"]}})"), "");
  REQUIRE(document->find("kind")->text == "sweep");
  std::vector<std::string> set;
  for (const JsonPtr& point : document->find("points")->items) {
    CHECK(point->find("result")->kind == schema::JsonKind::object);
    set.push_back(point->find("set")->members.front().value->text);
  }
  CHECK(set == std::vector<std::string>{R"("a,b")", R"("x:y")", R"(" c ")", R"("[d")"});
}

TEST_CASE("answer: of the files that a request names none is read whose folder is not allowed") {
  const testing_cli::Folder folder;
  const std::string job = R"({"loader": {"batch_size": 1}, )";
  folder.write("base.json", R"({"name": "hunter2"})");
  folder.write("steps.csv", "0.5\n");
  const std::string file = folder.write("job.json", job + R"("include": "base.json"})");
  const std::string name = R"(, "file": )" + json_text(file);
  const api::Place closed{files_on_disk(), [] { return root + "/pricing"; }};
  const auto messages = [](const std::string& text) {
    std::string all;
    const JsonPtr document = schema::parse_json(text, "answer");
    if (document->find("kind")->text != "error") return all;
    for (const JsonPtr& one : document->find("error")->find("problems")->items) {
      all += one->find("message")->text + "\n";
    }
    return all;
  };
  const std::string times = job + R"("job": {"step": {"times": "steps.csv"}}})";
  const std::string included = R"({"loader": {"batch_size": 1}, "include": ")" + file + "\"}";
  for (const std::string& request :
       {"{\"file\": " + json_text(file) + "}",
        "{\"scenario\": " + read_text_file(file) + name + "}",
        "{\"scenario\": " + json_text(read_text_file(file)) + name + "}", read_text_file(file),
        "{\"scenario\": " + times + name + "}", times, included}) {
    INFO(request);
    const std::string said = messages(answer(request, closed));
    CHECK(testing_cli::has(said, "none may be read here without \"allow_files\" in the request"));
    CHECK_FALSE(testing_cli::has(said, "hunter2"));
  }
  const std::string allowed = R"(, "allow_files": [)" + json_text(folder.at("")) + "]}";
  for (const std::string& request :
       {"{\"file\": " + json_text(file) + allowed, "{\"scenario\": " + times + name + allowed}) {
    INFO(request);
    CHECK_FALSE(testing_cli::has(messages(answer(request, closed)), "allow_files"));
  }
  const std::string outside = messages(answer(R"({"file": "/etc/passwd")" + allowed, closed));
  CHECK(testing_cli::has(outside, "expected a file below an allowed folder"));
}

TEST_CASE("answer: all that is wrong is said at once, each with its place") {
  const std::string text = asked(R"({
    "scenario": {"loader": {"num_workers": "x"}, "job": {"epochz": 1}},
    "host": {"disk_iops": "3 GB"},
    "set": {"num_workes": 3, "batch_size": "many"},
    "options": {"seed": -1}, "deadline": "3 h", "sett": {}
  })");
  const auto found = places(text);
  // What is wrong with the request and its documents is said before settings are tried.
  CHECK(std::set<std::string>(found.begin(), found.end()) ==
        std::set<std::string>{"request: /options/seed", "request: /sett", "request: /deadline",
                              "host: /disk_iops"});
  const std::string settings = asked(R"({
    "scenario": {"loader": {"num_workers": "x"}, "job": {"epochz": 1}},
    "set": {"num_workes": 3, "batch_size": "many", "nothing": 1}
  })");
  const auto wrong = places(settings);
  CHECK(std::set<std::string>(wrong.begin(), wrong.end()) ==
        std::set<std::string>{": set num_workes=3", ": set nothing=1", ": set batch_size=many",
                              "scenario: /loader/num_workers", "scenario: /job/epochz"});
}

TEST_CASE("answer: a text as a scenario keeps its lines, an object has none") {
  const auto line = [](const std::string& request) {
    const JsonPtr document = schema::parse_json(asked(request), "answer");
    const JsonValue& at = *document->find("error")->find("problems")->items.front();
    return at.find("line")->kind == schema::JsonKind::null ? 0.0 : at.find("line")->number;
  };
  const std::string text = "{\n\n\"loader\": {\n\"num_workers\": \"x\"}}";
  CHECK(line("{\"scenario\": " + text + "}") == 0);
  CHECK(line("{\"scenario\": " + json_text(text) + "}") == 4);
  CHECK(line(text) == 4);
}

TEST_CASE("answer: eight threads at once get the bytes that one gets") {
  std::vector<std::string> requests;
  for (const char* const name :
       {"caltech256_p3", "small_files_s3", "ray_hetero_g5_c5", "spot_checkpoints"}) {
    const std::string start = "{\"file\": " + json_text(root + "/scenarios/" + name + ".json");
    requests.push_back(start + "}");
    requests.push_back(start + R"(, "set": {"epochs": 3}, "options": {"seed": 5}})");
    requests.push_back(start + R"(, "set": {"num_workers": "none"}})");
  }
  requests.push_back("{\"file\": " + json_text(root + "/scenarios/caltech256_p3.json") +
                     R"(, "vary": {"num_workers": "1:3:1"}})");
  std::vector<std::string> alone;
  for (const std::string& request : requests) alone.push_back(asked(request));
  std::vector<std::vector<std::string>> got(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < got.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < requests.size(); ++i) {
          got[t].push_back(asked(requests[(i + t) % requests.size()]));
        }
      });
    }
  }
  for (std::size_t t = 0; t < got.size(); ++t) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      CHECK(got[t][i] == alone[(i + t) % requests.size()]);
    }
  }
}

constexpr std::string_view seed_request = R"({"scenario": {
  "name": "fuzz", "dataset": {"samples": 30600, "bytes_per_sample": "110 KB"},
  "source": {"service": "s3", "input_mode": "FastFile"},
  "loader": {"num_workers": 7, "batch_size": 256}, "preprocess": [{"operation": "d", "cpu": "8 ms"}],
  "cluster": {"instance": "ml.p3.2xlarge", "instances": 2}, "job": {"epochs": 9, "step": "0.7 s"}},
  "file": "/nowhere/fuzz.json", "host": {"name": "h", "disk": [[1, "90 MB/s"]]},
  "set": {"num_workers": 3, "/job/epochs": 2}, "vary": {"batch_size": [64, 128], "epochs": "1,2"},
  "deadline": "3 h", "options": {"seed": 1, "jobs": 1}})";

TEST_CASE("answer: damaged requests are answered with JSON") {
  constexpr std::string_view pieces[] = {"\"scenario\":", "\"vary\": []",   "\"set\": {},",
                                         "\"host\":",     "\\u0000",        "\"include\": \"x\",",
                                         "\"file\": 3,",  "\"instances\": "};
  const test::Damage damage{3, 12, pieces};
  std::mt19937_64 random(17);
  std::map<std::string, int> kinds;
  for (int i = 0; i < 800; ++i) {
    const std::string request = test::damaged(std::string(seed_request), random, damage);
    const std::string text = asked(request);
    INFO(request << "\n" << text);
    const JsonPtr document = schema::parse_json(text, "answer");
    REQUIRE(document->kind == schema::JsonKind::object);
    const std::string kind = document->find("kind")->text;
    REQUIRE((kind == "result" || kind == "sweep" || kind == "error"));
    if (kind == "error") REQUIRE(!document->find("error")->find("message")->text.empty());
    ++kinds[kind];
  }
  CHECK(kinds["sweep"] > 50);
  CHECK(kinds["error"] > 300);
}

TEST_CASE("answer: what is no request is refused with words") {
  using namespace std::string_literals;
  for (const std::string& request : {""s,
                                     " "s,
                                     "\0"s,
                                     "{}"s,
                                     "[]"s,
                                     "3"s,
                                     "null"s,
                                     "\xff\xfe"s,
                                     "{\"scenario\": \"\xc3\"}"s,
                                     "{\"scenario\": null}"s,
                                     "{\"scenario\": 3}"s,
                                     "{\"scenario\": \"\"}"s,
                                     "{\"scenario\": \"\\u0000\"}"s,
                                     "{\"file\": \"\"}"s,
                                     "{\"file\": \"/dev/zero\"}"s,
                                     "{\"file\": \"/\"}"s,
                                     "{\"file\": \"-\"}"s,
                                     "{\"scenario\": {}, \"vary\": []}"s,
                                     std::string(200'000, '['),
                                     std::string(17'000'000, ' '),
                                     "\0{}"s}) {
    INFO(request.substr(0, 60));
    const JsonPtr document = schema::parse_json(asked(request), "answer");
    CHECK(document->find("kind")->text == "error");
    CHECK(document->find("status")->number == 2);
    CHECK(!document->find("error")->find("problems")->items.empty());
  }
}

TEST_CASE("answer: without a catalogue the failure is said, with the status of a failed host") {
  const api::Place place{
      files_on_disk(), []() -> std::string { throw HostError("no pricing files"); }, {root}};
  const std::string file = root + "/scenarios/caltech256_p3.json";
  const JsonPtr document =
      schema::parse_json(answer("{\"file\": " + json_text(file) + "}", place), "");
  CHECK(document->find("status")->number == 3);
  CHECK(document->find("error")->find("message")->text == "no pricing files");
}

}  // namespace
