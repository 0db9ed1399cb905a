// Damaged recordings: imported or refused, and what is imported can be read again.
#include <random>

#include "base/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/schema/imports.hpp"

namespace feedrate::schema {
namespace {

const std::string_view pieces[] = {"{",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   ":",
                                   "\"",
                                   "\\",
                                   "\\u",
                                   "null",
                                   "NaN",
                                   "-1",
                                   "1e999",
                                   "0",
                                   "|",
                                   "#",
                                   "/",
                                   "\xff",
                                   "\n",
                                   "\r\n",
                                   "\t",
                                   "-",
                                   "9999999999999999",
                                   "traceEvents",
                                   "\"Type\"",
                                   "%",
                                   "1e308",
                                   "\x1f\x8b",
                                   "2026-11-22T11:21:46",
                                   "ProfilerStep#",
                                   "[Epoch: [0][",
                                   "{'"};

std::string damaged(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t i = 0, n = 1 + below(4); i < n && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + below(40), text.size() - at);
    switch (below(7)) {
      case 0: text[at] = static_cast<char>(random() & 0xFFU); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, pieces[below(std::size(pieces))]); break;
      case 3: text.insert(at, text.substr(below(text.size()), length)); break;
      case 4: text.resize(at); break;
      case 5: text[at] = static_cast<char>('0' + random() % 10); break;
      default: text.replace(at, length, pieces[below(std::size(pieces))]); break;
    }
  }
  return text;
}

TEST_CASE("import: thousands of damaged recordings are read or refused by name") {
  std::mt19937_64 random(13);
  const test::TemporaryFolder folder;
  int fine = 0;
  int refused = 0;
  for (const std::string& name : test::recordings()) {
    const std::string whole = read_text_file(test::recording(name));
    for (int i = 0; i < 150; ++i) {
      const std::string text = damaged(whole, random);
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
        for_each_line(again, [](const ObservationLine&) {});
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

}  // namespace
}  // namespace feedrate::schema
