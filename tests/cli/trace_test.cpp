// run --trace: a file that trace viewers open, beside the result.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string formats = FEEDRATE_SOURCE_DIR "/tests/schema/published/";

Outcome validate(const std::string& file) {
  return shell("python3 " + formats + "validate.py " + formats + "trace.schema.json '" + file +
               "'");
}

}  // namespace

TEST_CASE("trace: every kind of job gives valid trace events, and the result is as without") {
  const Folder folder;
  for (const std::string name : {"caltech256_p3", "dali_threads", "input_modes_pipe",
                                 "ray_hetero_g5_c5", "albert_p3dn", "dataloader_sleep"}) {
    INFO(name);
    const std::string run = "feedrate run scenarios/" + name + ".json --format json";
    const Outcome traced = shell(run + " --trace-steps 6 --trace '" + (folder / "trace") + "'");
    CHECK(traced.status == 0);
    CHECK(traced.err.empty());
    CHECK(traced.out == shell(run).out);
    const Outcome valid = validate(folder / "trace");
    INFO(valid.err);
    CHECK(valid.status == 0);
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("trace: the same command gives the same bytes, and more steps give more of them") {
  const Folder folder;
  const auto trace = [&](const std::string& flags) {
    CHECK(shell("feedrate run scenarios/caltech256_p3.json -o /dev/null --trace '" +
                (folder / "trace") + "' " + flags)
              .status == 0);
    return slurp(folder / "trace");
  };
  const std::string plain = trace("");
  CHECK(plain == trace("--trace-steps 30"));
  CHECK(has(plain, "\"step 30\""));
  CHECK_FALSE(has(plain, "\"step 31\""));
  CHECK(has(trace("--trace-steps 31"), "\"step 31\""));
}

TEST_CASE("trace: a scenario's name is text in it, whatever it holds") {
  const Folder folder;
  std::string text = slurp(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json");
  text.insert(text.find("\"name\": \"") + 9, R"(</script>😀\")");
  const std::string scenario = folder.write("job.json", text);
  CHECK(shell("feedrate run '" + scenario + "' -o /dev/null --trace-steps 2 --trace '" +
              (folder / "trace") + "'")
            .status == 0);
  CHECK(has(slurp(folder / "trace"), R"("scenario": "</script>😀\")"));
  CHECK(validate(folder / "trace").status == 0);
}

TEST_CASE("trace: what does not fit is left out, and a remark says so") {
  const Folder folder;
  const Outcome outcome =
      shell("feedrate run scenarios/ffcv_p3dn.json --full --trace-steps 1000000 --trace '" +
            (folder / "trace") + "'");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "events are the most it holds"));
  CHECK(has(slurp(folder / "trace"), "events are the most it holds"));
  CHECK(slurp(folder / "trace").size() < 64'000'000);
}

TEST_CASE("trace: a file that cannot be written is one line and exit status 3, nothing printed") {
  for (const std::string path : {"/nonexistent/trace", "/dev/full"}) {
    const Outcome outcome = shell("feedrate run scenarios/caltech256_p3.json --trace " + path);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, path));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("trace: inputs and the result are not overwritten, flags are checked") {
  const Folder folder;
  const std::string scenario =
      folder.write("job.json", slurp(FEEDRATE_SOURCE_DIR "/scenarios/caltech256_p3.json"));
  const std::string before = slurp(scenario);
  const std::string run = "feedrate run '" + scenario + "' ";
  for (const std::string& flags :
       {"--trace '" + scenario + "'", "--trace '" + (folder / "./job.json") + "'",
        "--trace '" + (folder / "x") + "' --output '" + (folder / "x") + "'",
        "--samples '" + (folder / "x") + "' --output '" + (folder / "x") + "'",
        "--trace '" + (folder / "x") + "' --samples '" + (folder / "x") + "'",
        "--trace '" + (folder / "") + "'", std::string("--trace-steps 5"),
        "--trace '" + (folder / "x") + "' --trace-steps 0",
        "--trace '" + (folder / "x") + "' --trace-steps 1.5"}) {
    INFO(flags);
    const Outcome outcome = shell(run + flags);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
  CHECK(slurp(scenario) == before);
  CHECK(folder.files() == 1);
}
