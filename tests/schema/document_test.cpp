// Includes, and keys set from the command line.
#include "schema/scenario/scenario.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

using test::TemporaryFolder;

constexpr const char* plain = R"({
  "dataset": {"samples": 1000, "bytes_per_sample": "110 KB"},
  "loader": {"num_workers": 4, "batch_size": 10},
  "preprocess": [{"operation": "decode", "cpu": "8 ms"},
                 {"operation": "resize", "cpu": "2 ms"}],
  "job": {"step": "300 ms", "efficiency": 0.9}
})";

Document document() {
  return parse_document(plain, "s.json");
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

Scenario with(std::string_view key, std::string_view value) {
  Document changed = document();
  set_value(changed, key, value);
  return read_scenario(changed);
}

std::string refused(std::string_view key, std::string_view value) {
  return refusal([&] { with(key, value); });
}

TEST_CASE("a step given as a text is a whole one, or what a sample takes of it") {
  CHECK(with("/job/step", "\"400 ms\"").job.step->fixed == seconds(0.4));
  const Scenario rate = with("/job/step", "250 images/s");
  CHECK_FALSE(rate.job.step->fixed);
  CHECK(rate.job.step->per_sample == seconds_per_sample(0.004));
  // What is set beside it stays beside it, and another part of the time takes its place.
  Document both = document();
  set_value(both, "/job/step", "250 images/s");
  set_value(both, "/job/step/cv", "0.1");
  CHECK(read_scenario(both).job.step->per_sample == seconds_per_sample(0.004));
  CHECK(read_scenario(both).job.step->cv == 0.1);
  set_value(both, "/job/step/fixed", "3 ms");
  CHECK(read_scenario(both).job.step->fixed == seconds(0.003));
  const Scenario by_gpu = with("/job/step", R"({"by_gpu": {"V100": "300 images/s"}})");
  CHECK(by_gpu.job.step->by_gpu->at("V100").per_sample == seconds_per_sample(1.0 / 300.0));
  CHECK(refused("/job/step", "3 USD").find("expected a duration such as") != std::string::npos);
  CHECK(with("/preprocess/0/cpu", "125 img/s").preprocess[0].cpu == seconds_per_sample(0.008));
}

TEST_CASE("include: objects merge key by key, the including file wins, null removes") {
  const TemporaryFolder folder;
  folder.write("base/base.json", R"({"include": ["more.json"], "name": "base",
    "dataset": {"samples": 5, "samples_per_object": 7},
    "preprocess": [{"operation": "a"}, {"operation": "b"}], "job": {"efficiency": 0.5}})");
  folder.write("base/more.json", R"({"dataset": {"samples": 4, "size_cv": 0.5}})");
  const std::string path = folder.write("top.json", R"({"include": "base/base.json", "name": "top",
    "dataset": {"samples": 6}, "loader": {"batch_size": 2},
    "preprocess": [{"operation": "c"}], "job": {"efficiency": null, "step": "1 s"}})");
  const Scenario scenario = read_scenario(load_document(path));
  CHECK(scenario.name == "top");
  CHECK(scenario.dataset.samples == 6.0);
  CHECK(scenario.dataset.samples_per_object == 7.0);
  CHECK(scenario.dataset.size_cv == 0.5);
  REQUIRE(scenario.preprocess.size() == 1);
  CHECK(scenario.preprocess[0].operation == "c");
  CHECK_FALSE(scenario.job.efficiency);
}

TEST_CASE("include: of several files the later wins") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"dataset": {"samples": 1, "size_cv": 1}})");
  folder.write("b.json", R"({"dataset": {"samples": 2}})");
  const std::string path =
      folder.write("top.json", R"({"include": ["a.json", "b.json"], "loader": {"batch_size": 1}})");
  const Scenario scenario = read_scenario(load_document(path));
  CHECK(scenario.dataset.samples == 2.0);
  CHECK(scenario.dataset.size_cv == 1.0);
}

TEST_CASE("include: a complaint names the file that holds the value") {
  const TemporaryFolder folder;
  const std::string base = folder.write("base.json", "{\"loader\": {\n\"batch_size\": -1}}");
  const std::string path =
      folder.write("top.json", "{\"include\": \"base.json\",\n\"dataset\": {\"samples\": 0}}");
  CHECK(refusal([&] { read_scenario(load_document(path)); }) ==
        base + ":2: /loader/batch_size: expected a whole number from 1 to 1e9, got -1\n" + path +
            ":2: /dataset/samples: expected a whole number from 1 to 1e15, got 0");
}

TEST_CASE("include: missing, circular and endless ones are refused with the chain") {
  const TemporaryFolder folder;
  const auto load = [](const std::string& path) { return refusal([&] { load_document(path); }); };
  const std::string lost = folder.write("lost.json", "{\n\"include\": \"none.json\"}");
  CHECK(load(lost) == lost + ":2: /include: expected a file, got no such file: \"" +
                          folder.at("none.json") + "\"");
  const std::string a = folder.write("a.json", R"({"include": "b.json"})");
  const std::string b = folder.write("b.json", R"({"include": ["./a.json"]})");
  CHECK(load(a) ==
        b + ":1: /include/0: expected files that do not include each other in a circle, got " + a +
            " → " + b + " → " + folder.at("./a.json"));
  const std::string self = folder.write("self.json", R"({"include": "self.json"})");
  CHECK(load(self).find("include each other in a circle") != std::string::npos);
  CHECK(load(folder.write("n.json", R"({"include": 3})")).find("expected a file name, got 3") !=
        std::string::npos);
  CHECK(load(folder.write("d.json", R"({"include": "."})")).find("got a directory") !=
        std::string::npos);
  for (int i = 0; i < 20; ++i) {
    folder.write("c" + std::to_string(i) + ".json",
                 "{\"include\": \"c" + std::to_string(i + 1) + ".json\"}");
  }
  CHECK(load(folder.at("c0.json")).find("at most 16 files including each other") !=
        std::string::npos);
  const std::string broken = folder.write("broken.json", "{\n");
  const std::string user = folder.write("user.json", R"({"include": "broken.json"})");
  CHECK(load(user).starts_with(broken + ":2: expected \"}\""));
}

TEST_CASE("include: two large files that alternate thousands of times are refused") {
  const TemporaryFolder folder;
  std::string keys;
  for (int i = 0; i < 30'000; ++i) {
    keys += std::string(i > 0 ? "," : "") + "\"k" + std::to_string(i) + "\": [1]";
  }
  folder.write("large.json", R"({"about": {"canary": {)" + keys + "}}}");
  folder.write("small.json", R"({"about": {"canary": {"z": [1]}}})");
  folder.write("other.json", R"({"dataset": {"samples": 4}})");
  const auto load = [&](const std::string& names, int times) {
    std::string all = names;
    for (int i = 1; i < times; ++i) all += ", " + names;
    const std::string path = folder.write(
        "top.json", "{\n\"include\": [" + all + R"(], "about": {"canary": {"own": 1}}})");
    return refusal([&] { load_document(path); });
  };
  const std::string refused = load(R"("large.json", "small.json")", 4999);
  CHECK(refused.starts_with(folder.at("top.json") + ":2: /include/"));
  CHECK(refused.ends_with(
      ": expected included files of which at most 4000000 keys are merged in all, got more"));
  CHECK(load(R"("large.json")", 1000) == "fine");
  CHECK(load(R"("large.json", "small.json")", 10) == "fine");
  CHECK(load(R"("large.json", "other.json")", 1) == "fine");
  // What does not meet is not merged.
  CHECK(load(R"("other.json", "small.json")", 4999) == "fine");
}

TEST_CASE("set: short names, dotted names and pointers lead to the same place") {
  CHECK(with("num_workers", "7").loader.num_workers == 7.0);
  CHECK(with("loader.num_workers", "7").loader.num_workers == 7.0);
  CHECK(with("/loader/num_workers", "7").loader.num_workers == 7.0);
  CHECK(with("instances", "8").cluster.instances == 8.0);
  CHECK(with("disk.bandwidth", "1 GB/s").disk.bandwidth == bytes_per_second(1e9));
  CHECK(with("input_mode", "local").source.input_mode == InputMode::local);
  CHECK(with("pin_memory", "true").loader.pin_memory == true);
  CHECK(with("/preprocess/1/cpu", "3 ms").preprocess[1].cpu == seconds_per_sample(0.003));
  CHECK(with("/preprocess/resize/cpu", "3 ms").preprocess[1].cpu == seconds_per_sample(0.003));
  CHECK(with("preprocess.resize.where", "offline").preprocess[1].where == Place::offline);
  CHECK(set_pointer("samples_per_object") == "/dataset/samples_per_object");
  CHECK(set_pointer("source") == "/source");
  CHECK(set_pointer("preprocess.resize.where") == "/preprocess/resize/where");
}

TEST_CASE("set: a whole section as JSON, null to leave a key out, an object where a text was") {
  const Scenario scaled = [] {
    Document changed = document();
    set_value(changed, "efficiency", "null");
    set_value(changed, "scaling", R"([[1, "57 min"], [5, "13 min"]])");
    return read_scenario(changed);
  }();
  CHECK_FALSE(scaled.job.efficiency);
  REQUIRE(scaled.job.scaling);
  CHECK((*scaled.job.scaling)[1] == std::pair{5.0, minutes(13)});
  CHECK(with("per_sample", "2 ms").job.step->per_sample == seconds_per_sample(0.002));
  CHECK(with("step", "2 s").job.step->fixed == seconds(2.0));
  // What stands beside the time keeps it; another part of the time takes its place.
  CHECK(with("step.cv", "0.1").job.step->fixed == with("step.cv", "0").job.step->fixed);
  CHECK(with("step.cv", "0.1").job.step->fixed);
  CHECK_FALSE(with("per_sample", "2 ms").job.step->fixed);
  CHECK(with("/job/step/by_gpu/V100", "2 s").job.step->by_gpu->at("V100").fixed == seconds(2.0));
  CHECK(with("step.by_gpu.V100.fixed", "2 s").job.step->by_gpu->at("V100").fixed == seconds(2.0));
}

TEST_CASE("set: the document that was copied stays as it was") {
  const Document original = document();
  Document changed = original;
  set_value(changed, "num_workers", "9");
  CHECK(read_scenario(original).loader.num_workers == 4.0);
}

TEST_CASE("set: complaints name the flag") {
  CHECK(
      refused("num_workers", "abc") ==
      "--set num_workers=abc: expected a whole number from 0 to 4096, \"auto\" or \"cpus-1\", got "
      "\"abc\"");
  CHECK(refused("instances", "1e6") ==
        "--set instances=1e6: expected a whole number from 1 to 100000, got 1e6");
  CHECK(refused("efficiency", "0") ==
        "--set efficiency=0: expected a fraction above 0 and at most 1, such as 0.05 or \"5%\", "
        "got 0");
  CHECK(refused("price", "-3 USD/h") ==
        "--set price=-3 USD/h: expected a price per time in the range 0 USD/h … 1000000 USD/h, "
        "got \"-3 USD/h\"");
  CHECK(refused("samples", "1e30") ==
        "--set samples=1e30: expected a whole number from 1 to 1e15, got 1e30");
  CHECK(refused("samples", "nan") ==
        "--set samples=nan: expected a whole number from 1 to 1e15, got \"nan\"");
  CHECK(refused("allreduce", "{\"overlap\": 1").find("truncated?") != std::string::npos);
  Document changed = document();
  set_value(changed, "num_workers", "-1", "--vary");
  CHECK(refusal([&] { read_scenario(changed); }).starts_with("--vary num_workers=-1: "));
}

TEST_CASE("set: unknown and ambiguous names are refused with what exists") {
  CHECK(refused("num_wrkers", "1") ==
        "--set num_wrkers=1: expected a key, got \"num_wrkers\" (did you mean \"num_workers\"?)");
  CHECK(refused("latency", "1 ms") ==
        "--set latency=1 ms: expected one key, got \"latency\", which may be disk.latency or "
        "job.allreduce.latency");
  CHECK(
      refused("where", "gpu") ==
      "--set where=gpu: expected a key, got \"where\" (did you mean \"preprocess.decode.where\" or "
      "\"preprocess.resize.where\"?)");
  CHECK_NOTHROW(with("preprocess.decode.where", "gpu"));
  CHECK(refused("/preprocess/reszie/where", "gpu").find("(did you mean \"resize\"?)") !=
        std::string::npos);
  CHECK(refused("/preprocess/9/where", "gpu").find("got 9") != std::string::npos);
  CHECK(refused("/cases/0/name", "x").find("expected a key") != std::string::npos);
  for (const char* key : {"", "/", ".", "//", "/preprocess", "/preprocess/0/cpu/x", "a.b.c"}) {
    INFO(key);
    CHECK(refused(key, "3").find("expected") != std::string::npos);
  }
  CHECK(refused("zzzzzzzz", "1").find("`feedrate schema scenario` lists all") != std::string::npos);
}

TEST_CASE("set: every short name resolves, and none hides a section") {
  const std::vector<std::string> names = scenario_short_keys();
  CHECK(names.size() > 70);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(set_pointer(name).ends_with("/" + name));
  }
  for (const char* name : {"instances", "efficiency", "num_workers", "batch_size", "instance",
                           "prefetch_factor", "input_mode", "samples_per_object", "price"}) {
    INFO(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
  CHECK(scenario_key_words("transport") == std::vector<std::string>{"shared_memory", "pickled"});
  CHECK(scenario_key_words("pin_memory") == std::vector<std::string>{"true", "false"});
  CHECK(scenario_key_words("samples").empty());
}

}  // namespace
