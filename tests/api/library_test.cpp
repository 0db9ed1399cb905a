// The two C functions as a program meets them that loads the library.
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "api/shared/feedrate.h"
#include "base/errors.hpp"
#include "schema/json/json_reader.hpp"
#include "tests/catch.hpp"
#include "tests/cli/process.hpp"
#include "tests/skipped.hpp"

#ifdef FEEDRATE_SHARED_LIBRARY
namespace {

struct Library {
  void* handle = dlopen(FEEDRATE_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  decltype(&feedrate_run) run = nullptr;
  decltype(&feedrate_free) free = nullptr;

  Library() {
    REQUIRE(handle != nullptr);
    run = reinterpret_cast<decltype(run)>(dlsym(handle, "feedrate_run"));
    free = reinterpret_cast<decltype(free)>(dlsym(handle, "feedrate_free"));
    REQUIRE(run != nullptr);
    REQUIRE(free != nullptr);
  }

  [[nodiscard]] std::string ask(const char* request) const {
    char* const answer = run(request);
    if (answer == nullptr) return "NULL";
    std::string text = answer;
    free(answer);
    return text;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

const std::string file = FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json";
const std::string allowed = R"(, "allow_files": [")" FEEDRATE_SOURCE_DIR R"(/scenarios"])";
const std::string request = "{\"file\": \"" + file + "\"" + allowed + "}";

}  // namespace

TEST_CASE("library: feedrate_run answers with the bytes that feedrate run prints") {
  const auto printed = testing_cli::shell("feedrate run '" + file + "' --format json");
  REQUIRE(printed.status == 0);
  CHECK(library().ask(request.c_str()) == printed.out);
}

TEST_CASE("library: a null pointer is a wrong request, and can be given back") {
  library().free(nullptr);
  const std::string text = library().ask(nullptr);
  CHECK(feedrate::schema::parse_json(text, "answer")->find("status")->number == 2);
}

TEST_CASE("library: eight threads at once get what one gets") {
  const std::string sweep = "{\"file\": \"" + file + "\"" + allowed +
                            ", \"vary\": {\"num_workers\": \"1:3:1\"}, \"deadline\": \"1 h\"}";
  const std::vector<std::string> requests = {request, sweep, "{", request};
  std::vector<std::string> alone;
  for (const std::string& one : requests) alone.push_back(library().ask(one.c_str()));
  std::vector<std::vector<std::string>> got(8);
  {
    std::vector<std::jthread> threads;
    for (std::vector<std::string>& answers : got) {
      threads.emplace_back([&] {
        for (const std::string& one : requests) answers.push_back(library().ask(one.c_str()));
      });
    }
  }
  for (const std::vector<std::string>& answers : got) CHECK(answers == alone);
}

TEST_CASE("library: without its catalogue it says so, and prints nothing") {
  // In a process of its own: no other test may see the variable.
  const auto outcome = testing_cli::shell(
      "FEEDRATE_PRICING=/nowhere python3 -c 'import ctypes\n"
      "library = ctypes.CDLL(\"" FEEDRATE_SHARED_LIBRARY
      "\")\n"
      "library.feedrate_run.restype = ctypes.c_char_p\n"
      "print(b\"FEEDRATE_PRICING: expected a folder\" in library.feedrate_run(b\"\"\"" +
      request + "\"\"\"))'");
  INFO(outcome.err);
  CHECK(outcome.out == "True\n");
  CHECK(outcome.err.empty());
}
#else
TEST_CASE("library: none was built") {
  feedrate::test::skip("FEEDRATE_C_API is off");
}
#endif
