// Damaged recordings: imported or refused, and what is imported can be read again.
#include <random>

#include "base/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/formats/imports.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::formats;

namespace {

constexpr std::string_view pieces[] = {
    "|", "#", "traceEvents", "\"Type\"", "2026-11-22T11:21:46", "ProfilerStep#", "[Epoch: [0][",
    "{'"};
constexpr test::Damage damage{4, 40, pieces};

TEST_CASE("import: thousands of damaged recordings are read or refused by name") {
  std::mt19937_64 random(feedrate::test::seeded(13));
  const test::TemporaryFolder folder;
  int fine = 0;
  int refused = 0;
  for (const std::string& name : test::recordings()) {
    const std::string whole = read_text_file(test::recording(name));
    for (int i = 0; i < 150; ++i) {
      const std::string text = test::damaged(whole, random, damage);
      const std::string path = folder.write("fuzz", text);
      try {
        const ImportedObservation of = test::import({path});
        ++fine;
        const ImportedFile& file = of.files().front();
        std::int64_t skipped = 0;
        for (const auto& [why, count] : file.skipped) skipped += count;
        if (file.all_kept() + skipped != file.records) FAIL("records went missing:\n" << text);
        const std::string written = test::file_of(of);
        const std::string again = folder.write("again", written);
        schema::for_each_line(again, [](const schema::ObservationLine&) {});
        if (test::file_of(test::import({again})) != written) {
          FAIL("not the same after writing:\n" << text);
        }
      } catch (const InputError& error) {
        ++refused;
        for (const Problem& problem : error.problems()) {
          if (problem.file != path || problem.message.find("expected ") == std::string::npos ||
              problem.text().find('\n') != std::string::npos) {
            FAIL(problem.text() << "\nof\n" << text);
          }
        }
      }
    }
  }
  CHECK(fine > 1000);
  CHECK(refused > 100);
}

TEST_CASE("import: a step's number that no file can hold as a whole one is left out") {
  std::string summary = read_text_file(test::recording("traceml.json"));
  const std::string before = "\"steps_analyzed\": ";
  const auto at = summary.find(before);
  REQUIRE(at != std::string::npos);
  summary.replace(at, before.size(), before + "1000000000000");
  const test::TemporaryFolder folder;
  const std::string written = test::file_of(test::import({folder.write("summary", summary)}));
  CHECK(test::file_of(test::import({folder.write("again", written)})) == written);
}

TEST_CASE(
    "import: a step that would end after all numbers is left out, and those after it are not") {
  // FEEDRATE_SEED=26112623: 51 steps of a mean of 0.5011e308 s.
  const auto line = [](int step, const char* mean) {
    return "Train: 0 [" + std::to_string(step) +
           "/1251 (  0%)]  Loss: 6.95 (6.95)  Time: 0.387s,  661.5/s  (" + mean +
           "s,  510.2/s)  LR: 1.000e-01  Data: 0.012 (0.110)\n";
  };
  // Told again, the step counts.
  const std::string log =
      line(0, "0.5") + line(50, "0.5011e308") + line(50, "0.5") + line(100, "0.5");
  const test::TemporaryFolder folder;
  const ImportedObservation of = test::import({folder.write("log", log)});
  const ImportedFile& file = of.files().front();
  CHECK(file.all_kept() == 3);
  CHECK(file.skipped.at("values that are not finite numbers") == 1);
  const std::string written = test::file_of(of);
  CHECK(test::file_of(test::import({folder.write("again", written)})) == written);
}

TEST_CASE("import: a machine's name that is no UTF-8 is written as it can be read again") {
  std::string report = read_text_file(test::recording("sadf.json"));
  const std::string before = "\"nodename\": \"";
  const auto at = report.find(before);
  REQUIRE(at != std::string::npos);
  report[at + before.size()] = '\x9a';
  const test::TemporaryFolder folder;
  const std::string written = test::file_of(test::import({folder.write("report.json", report)}));
  CHECK(test::file_of(test::import({folder.write("again", written)})) == written);
}

}  // namespace
