// `validate` beside a loader that really runs, which takes as long as its steps do.
#include <string>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

TEST_CASE("validate: a loader runs over workers, batches and steps, and is kept") {
  const std::string host = FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json";
  const Folder folder, scratch;
  const std::string save = folder / "native.json";
  const std::string validate = "feedrate validate '" + host + "' ";
  const Outcome run =
      shell(validate + "--quick --scratch '" + scratch.at("") + "' --save '" + save + "'");
  INFO(run.out << run.err);
  const bool decided = run.status == 0 || run.status == 1;
  REQUIRE(decided);
  CHECK(scratch.files() == 0);
  // One worker and all of them, if that is not the same, by two batch sizes by five steps.
  std::size_t settings = 0;
  for (std::size_t at = 0; (at = run.out.find(", batch ", at)) != std::string::npos; ++at) {
    ++settings;
  }
  CHECK(settings >= 10);
  CHECK(settings % 10 == 0);
  for (const char* words : {"1 thread, batch 8, step 0 ms", "1 thread, batch 32, step 0 ms"}) {
    CHECK(has(run.out, words));
  }
  const Outcome again = shell(validate + "--measured '" + save + "'");
  CHECK(again.status == run.status);
  CHECK(again.out == run.out);
  // It is a scenario as any other: its cases are within their tolerance or not.
  const Outcome cases = shell("feedrate cases '" + save + "' --host '" + host + "'");
  CHECK(cases.err.empty());
  CHECK(has(cases.out, "1 thread, batch 8, step 0 ms"));
}
