// What a document may name: files beside it, and nothing else of the machine.
#include "base/named_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "schema/scenario/scenario.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

using test::TemporaryFolder;

constexpr const char* secret = "hunter2";

std::string refusal(const std::string& path, const AllowedFiles& allowed = {}) {
  try {
    static_cast<void>(load_document(path, allowed));
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

std::string including(const std::string& name) {
  return R"({"loader": {"batch_size": 1}, "include": ")" + name + "\"}";
}

std::string with_times(const std::string& name) {
  return R"({"loader": {"batch_size": 1}, "job": {"step": {"times": ")" + name + "\"}}}";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The job of the inner folder may name what lies in it or below; secret.json and times.csv, which
/// lie beside that folder, may it not.
struct World {
  World() {
    root.write("secret.json", std::string(R"({"name": ")") + secret + "\"}");
    root.write("times.csv", "0.1\n");
    root.write("work/inside.json", R"({"name": "inside"})");
    root.write("work/deep/inner.json", including("../inside.json"));
    root.write("work/steps.csv", "0.1\n0.2\n");
    std::filesystem::create_symlink("../secret.json", root.at("work/link.json"));
    std::filesystem::create_symlink("..", root.at("work/up"));
    std::filesystem::create_symlink("inside.json", root.at("work/alias.json"));
    std::filesystem::create_symlink("nowhere.json", root.at("work/dangling.json"));
    ::mkfifo(root.at("work/pipe.json").c_str(), 0600);
  }
  [[nodiscard]] std::string asked(const std::string& text, const AllowedFiles& allowed = {}) const {
    return refusal(root.write("work/job.json", text), allowed);
  }
  TemporaryFolder root;
};

}  // namespace

TEST_CASE("named files: what lies below the document's folder is read, by links that stay there") {
  const World world;
  for (const char* name :
       {"inside.json", "./deep/../inside.json", "deep/inner.json", "alias.json"}) {
    INFO(name);
    CHECK(world.asked(including(name)) == "fine");
  }
  CHECK(world.asked(with_times("steps.csv")) == "fine");
}

TEST_CASE("named files: no path, and no link, leads out of the document's folder") {
  const World world;
  const std::string absolute = world.root.at("secret.json");
  for (const std::string& name :
       {absolute, std::string("../secret.json"), std::string("deep/../../secret.json"),
        std::string("link.json"), std::string("up/secret.json"), std::string("/etc/passwd"),
        std::string("/proc/self/environ"), std::string("../none.json"), std::string(".."),
        world.root.at("work/inside.json")}) {
    for (const std::string& text : {including(name), with_times(name)}) {
      INFO(text);
      const std::string said = world.asked(text);
      CHECK(says(said, "job.json:1: /"));
      CHECK(says(said, "expected a file below the document's folder (--allow-files DIR allows"));
      CHECK_FALSE(says(said, secret));
      CHECK_FALSE(says(said, "no such file"));
    }
  }
  // What an included file names is held to the same folder.
  world.root.write("work/deep/evil.json", including("../../secret.json"));
  CHECK(says(world.asked(including("deep/evil.json")), "evil.json:1: /include: expected a file"));
}

TEST_CASE("named files: only regular files are opened") {
  const World world;
  CHECK(says(world.asked(including("pipe.json")), "expected a file, got a pipe"));
  CHECK(says(world.asked(including("deep")), "expected a file, got a directory"));
  CHECK(says(world.asked(including("dangling.json")), "expected a file, got a link to nowhere"));
  CHECK(says(world.asked(including("none.json")), "expected a file, got no such file"));
  AllowedFiles everything;
  everything.folders = {"/"};
  for (const char* name : {"/proc/self/environ", "/proc/self/cmdline", "/sys/kernel/profiling"}) {
    if (!std::filesystem::exists(name)) continue;
    INFO(name);
    CHECK(says(world.asked(including(name), everything), "what the kernel makes up"));
  }
  CHECK(says(world.asked(including("/dev/zero"), everything), "expected a file, got a device"));
}

TEST_CASE("named files: in a repository what it holds may be named, but nothing in .git") {
  const World world;
  std::filesystem::create_directories(world.root.at(".git"));
  world.root.write(".git/config.json", std::string(R"({"name": ")") + secret + "\"}");
  CHECK(world.asked(including("../secret.json")) == "fine");
  CHECK(world.asked(with_times("../times.csv")) == "fine");
  CHECK(says(world.asked(including("../../x.json")), "expected a file of the repository"));
  CHECK(says(world.asked(including("../.git/config.json")), "one within .git"));
  std::filesystem::create_symlink("../.git/config.json", world.root.at("work/config.json"));
  CHECK(says(world.asked(including("config.json")), "one within .git"));
}

TEST_CASE("named files: another folder may be allowed, and then by an absolute path too") {
  const World world;
  const TemporaryFolder other;
  const std::string path = other.write("base.json", R"({"name": "x"})");
  AllowedFiles allowed;
  allowed.folders = {other.at("")};
  CHECK(world.asked(including(path), allowed) == "fine");
  CHECK(says(world.asked(including(world.root.at("secret.json")), allowed), "an absolute path"));
  CHECK(says(world.asked(including("../secret.json"), allowed), "one outside"));
  allowed.own_folder = false;
  CHECK(says(world.asked(including("inside.json"), allowed), "below an allowed folder"));
  CHECK(says(world.asked(including("inside.json"), {nullptr, false}), "none may be read here"));
}

TEST_CASE("named files: of a text that is no JSON and no list of times nothing is quoted") {
  const World world;
  for (const std::string& text :
       {std::string("hunter2:x:0:0"), std::string("{\"a\": hunter2}"), std::string("{hunter2: 1}"),
        std::string("{\"hunter2\n"), std::string("{\"a\": \"hunter2\n\"}"),
        std::string("'hunter2'"), std::string("{\"a\": 1} hunter2"), std::string("[1hunter2]"),
        std::string("\"hunter2\""), std::string("{\"a\": \"\\hunter2\"}"),
        std::string("{\"a\": \"\\uhunter2\"}"), std::string("{\"a\" hunter2}"),
        std::string("{\"a\": 1 hunter2}"), std::string("hunter2")}) {
    INFO(text);
    world.root.write("work/token", text);
    for (const std::string& job : {including("token"), with_times("token")}) {
      const std::string said = world.asked(job);
      CHECK(says(said, "expected"));
      CHECK(says(said, "token:"));
      for (const char* part : {"hunter", "unter2", "\\h", "\"h\""}) CHECK_FALSE(says(said, part));
    }
  }
  // The user's own file neither, where it is plainly no JSON: its name may be a stranger's link.
  const std::string own = refusal(world.root.write("work/own", "hunter2=1\n"));
  CHECK(says(own, "own:1: expected a value"));
  CHECK_FALSE(says(own, secret));
}

TEST_CASE("named files: files that each name the next one five hundred times are read once") {
  const TemporaryFolder folder;
  for (int file = 0; file < 3; ++file) {
    std::string names;
    for (int i = 0; i < 500; ++i) {
      names += std::string(i > 0 ? ", " : "") + "\"" + std::to_string(file + 1) + ".json\"";
    }
    folder.write(std::to_string(file) + ".json", R"({"include": [)" + names +
                                                     R"(], "loader": {"num_workers": )" +
                                                     std::to_string(file) + "}}");
  }
  folder.write("3.json",
               R"({"loader": {"batch_size": 7, "num_workers": 9}, "dataset": {"samples": 8},
    "job": {"step": {"times": "steps.csv"}}})");
  folder.write("steps.csv", "0.5\n");
  struct Counting : Files {
    [[nodiscard]] std::string text(const std::string& path) const override {
      return files_on_disk().text(path);
    }
    [[nodiscard]] bool has(const std::string& path) const override {
      return files_on_disk().has(path);
    }
    [[nodiscard]] std::string identity(const std::string& path) const override {
      return files_on_disk().identity(path);
    }
    [[nodiscard]] std::string text_of_real(const std::string& path) const override {
      ++reads;
      return files_on_disk().text_of_real(path);
    }
    [[nodiscard]] std::string repository_of(const std::string&) const override { return ""; }
    [[nodiscard]] std::vector<std::string> names(const std::string& path) const override {
      return files_on_disk().names(path);
    }
    mutable int reads = 0;
  };
  const Counting files;
  AllowedFiles allowed;
  allowed.files = &files;
  const Scenario scenario = read_scenario(load_document(folder.at("0.json"), allowed));
  CHECK(files.reads == 4);
  CHECK(scenario.loader.batch_size == 7.0);
  CHECK(scenario.loader.num_workers == WorkerCount(0.0));
  REQUIRE(scenario.job.step->times);
  CHECK(scenario.job.step->times->size() == 1);
}

TEST_CASE("named files: documents that are read at once note what they read in one list") {
  const TemporaryFolder root;
  constexpr std::size_t documents = 400;
  for (std::size_t i = 0; i < documents; ++i) {
    const std::string n = std::to_string(i);
    root.write("of" + n + ".json", R"({"name": "of )" + n + "\"}");
    root.write("job" + n + ".json", including("of" + n + ".json"));
  }
  FilesRead read;
  AllowedFiles allowed;
  allowed.read = &read;
  for_each_index(documents, 8, [&](std::size_t i) {
    static_cast<void>(load_document(root.at("job" + std::to_string(i) + ".json"), allowed));
  });
  const std::vector<std::string> paths = read.paths();
  CHECK(paths.size() == documents);
  CHECK(std::set<std::string>(paths.begin(), paths.end()).size() == documents);
}

TEST_CASE("named files: a thousand files and 64 MB are as much as a document may name") {
  const TemporaryFolder folder;
  const auto list = [&](int files) {
    std::string names;
    for (int i = 0; i < files; ++i) {
      names += std::string(i > 0 ? ", " : "") + "\"f/" + std::to_string(i) + ".json\"";
    }
    return folder.write("job.json", R"({"include": [)" + names + "]}");
  };
  for (int i = 0; i <= 1000; ++i) folder.write("f/" + std::to_string(i) + ".json", "{}");
  CHECK(refusal(list(1000)) == "fine");
  const std::string many = refusal(list(1001));
  CHECK(says(many, "/include/1000: expected a document that names at most 1000 files, got more"));
  const std::string large(15'900'000, ' ');
  for (int i = 0; i < 5; ++i) folder.write("f/" + std::to_string(i) + ".json", large + "{}");
  CHECK(refusal(list(4)) == "fine");
  const std::string heavy = refusal(list(5));
  CHECK(says(heavy, "/include/4: expected a document whose files hold at most 64 MB together"));
}

TEST_CASE("named files: a file may be named ten thousand times in all") {
  const TemporaryFolder folder;
  folder.write("a.json", "{}");
  folder.write("b.json", R"({"include": ["a.json"]})");
  const auto list = [&](int names) {
    std::string text = "{\"include\": [";
    for (int i = 0; i < names; ++i) {
      text += std::string(i > 0 ? ", " : "") + (i % 2 == 0 ? "\"a.json\"" : "\"b.json\"");
    }
    return folder.write("job.json", text + "]}");
  };
  CHECK(refusal(list(9'999)) == "fine");
  CHECK(says(refusal(list(10'000)), "/include/9999: expected at most 10000 names of files in all"));
}

TEST_CASE("named files: files that were read once already are no way around the depth") {
  const TemporaryFolder folder;
  for (int i = 0; i < 12; ++i) {
    folder.write("c" + std::to_string(i) + ".json",
                 i == 11 ? "{}" : including("c" + std::to_string(i + 1) + ".json"));
  }
  for (int i = 0; i < 6; ++i) {
    folder.write("b" + std::to_string(i) + ".json",
                 including(i == 5 ? "c0.json" : "b" + std::to_string(i + 1) + ".json"));
  }
  const std::string text = R"({"include": ["c0.json", "b0.json"]})";
  CHECK(says(refusal(folder.write("job.json", text)), "at most 16 files including each other"));
}
