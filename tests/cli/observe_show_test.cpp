// feedrate run --samples and feedrate observe show as a user meets them.
#include "cli/process.hpp"
#include "schema/documents/observation.hpp"
#include "tests/catch.hpp"

namespace {

using namespace testing_cli;
using namespace feedrate;

const char* const scenario = "scenarios/caltech256_p3.json";

TEST_CASE("run --samples: the lines of a simulated job are read as those of a real one") {
  const Folder folder;
  const std::string twin = folder / "twin.jsonl";
  const Outcome run =
      shell(std::string("feedrate run ") + scenario + " --samples '" + twin + "' --interval 200ms");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.out == shell(std::string("feedrate run ") + scenario).out);
  std::size_t samples = 0;
  schema::for_each_line(twin, [&](const schema::ObservationLine& line) {
    samples += std::holds_alternative<Sample>(line) ? 1 : 0;
    if (const auto* const header = std::get_if<ObservationHeader>(&line)) {
      CHECK(header->source == "simulation");
      CHECK(header->clock == ClockKind::relative);
      CHECK(header->interval == milliseconds(200.0));
    }
  });
  CHECK(samples > 1000);
  const Outcome again =
      shell(std::string("feedrate run ") + scenario + " --samples '" + (folder / "again.jsonl") +
            "' --interval 200ms && cmp '" + twin + "' '" + (folder / "again.jsonl") + "'");
  CHECK(again.status == 0);
  const Outcome diagnosis = shell("feedrate diagnose '" + twin + "'");
  CHECK(diagnosis.status == 0);
  CHECK(has(diagnosis.out, "Monitors show GPU"));

  const Outcome one = shell("feedrate observe show '" + twin + "'");
  INFO(one.out << one.err);
  CHECK(one.status == 0);
  for (const char* part : {"gpu0", "worker CPU", "stage decode", "over time", "█", "rule"}) {
    CHECK(has(one.out, part));
  }
  const std::string page = folder / "page.html";
  const Outcome two = shell("feedrate observe show '" + twin + "' '" + (folder / "again.jsonl") +
                                "' --html '" + page + "'",
                            "LC_ALL=C");
  CHECK(two.status == 0);
  for (const char c : two.out) CHECK(static_cast<unsigned char>(c) < 0x80U);
  CHECK(has(slurp(page), "<svg class=\"heat\""));
  CHECK(has(shell("feedrate observe show '" + twin + "' --format csv").out, "file,row,begin_s"));
  CHECK(has(shell("feedrate observe show '" + twin + "' --format markdown").out, "| gpu0"));
}

TEST_CASE("observe show: two hundred thousand rows take seconds") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    text += R"({"Type":"cpu","Name":"cpu)" + std::to_string(i) +
            R"(","Dimension":"CPUUtilization","Value":5,"NodeId":"n","Timestamp":1})" + "\n";
  }
  const std::string file = folder.write("rows.jsonl", text);
  // Where each row was looked for among all others, it took twice that.
  const Outcome shown = shell("ulimit -t 30; feedrate observe show '" + file + "' | grep -c cpu");
  INFO(shown.err);
  CHECK(shown.out == "200000\n");
}

TEST_CASE("observe show: what cannot be shown is said") {
  const Folder folder;
  const std::string cut =
      folder.write("cut.jsonl",
                   "{\"Type\":\"cpu\",\"Name\":\"cpu0\",\"Dimension\":\"CPUUtilization\","
                   "\"Value\":5,\"NodeId\":\"n\",\"Timestamp\":1}\n{\"Type\":\"cpu\",\"Na");
  const std::string none =
      folder.write("none.jsonl",
                   "{\"Type\":\"memory-bytes\",\"Name\":\"\",\"Dimension\":\"UsedBytes\","
                   "\"Value\":5,\"NodeId\":\"n\",\"Timestamp\":1}\n");
  const std::string fine =
      folder.write("fine.jsonl",
                   "{\"Type\":\"cpu\",\"Name\":\"cpu0\",\"Dimension\":\"CPUUtilization\","
                   "\"Value\":5,\"NodeId\":\"n\",\"Timestamp\":1}\n");
  struct Slip {
    std::string line;
    std::string says;
  };
  const Slip slips[] = {
      {"observe show", "expected OBS [OTHER], got nothing"},
      {"observe show '" + cut + "'", "cut.jsonl:2: expected a complete line"},
      {"observe show '" + none + "'", "none.jsonl: expected an observation with samples"},
      {"observe show '" + (folder / "missing") + "'", "no such file"},
      {"observe show '" + fine + "' --html '" + fine + "'", "fine.jsonl"},
      {"observe show '" + fine + "' --html '" + (folder / "x") + "' -o '" + (folder / "./x") + "'",
       "--html: expected a different file than --output"},
      {"observe show '" + fine + "' --format json", "json"},
      {std::string("run ") + scenario + " --interval 100ms", "--samples"},
      {std::string("run ") + scenario + " --samples x.jsonl --interval 5", "--interval"},
      {std::string("run ") + scenario + " --samples " + scenario, "--samples"},
  };
  for (const Slip& slip : slips) {
    const Outcome outcome = shell("feedrate " + slip.line);
    INFO(slip.line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, slip.says));
  }
  CHECK(shell("feedrate observe show '" + fine + "'").status == 0);
}

}  // namespace
