#include "base/spool.hpp"

#include <filesystem>
#include <string>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "base/text_file.hpp"
#include "catch.hpp"

using namespace feedrate;

namespace {

std::string whole(const Spool& spool) {
  std::string text;
  spool.read([&](std::string_view part) { text += part; });
  return text;
}

}  // namespace

TEST_CASE("spool: in memory or in a file, the text is the same") {
  for (const std::size_t in_memory : {0, 10, 1'000'000}) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "out";
    Spool beside(path, Rights::as_usual, in_memory);
    Spool nowhere("", Rights::as_usual, in_memory);
    std::string expected;
    for (int i = 0; i < 1000; ++i) {
      const std::string line = "line " + std::to_string(i) + " 0\n";
      beside.append(line);
      nowhere.append(line);
      expected += line;
    }
    for (Spool* spool : {&beside, &nowhere}) {
      CHECK(spool->size() == expected.size());
      spool->overwrite(7, "1");
      spool->overwrite(expected.size() - 2, "1");
    }
    expected[7] = '1';
    expected[expected.size() - 2] = '1';
    CHECK((whole(beside) == expected));
    CHECK((whole(nowhere) == expected));
    beside.finish();
    CHECK((read_text_file(path) == expected));
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("spool: a text that is not finished leaves nothing; a file keeps its mode") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  {
    Spool spool(path, Rights::as_usual, 0);
    spool.append("new");
  }
  CHECK(read_text_file(path) == "old");
  Spool spool(path, Rights::as_usual, 0);
  spool.append("new");
  spool.finish();
  CHECK(read_text_file(path) == "new");
  CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0640));
  CHECK(folder.files() == 1);
}

TEST_CASE("spool: what cannot be written to") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(Spool(folder / ""), InputError);
  Spool nowhere(folder / "none/out", Rights::as_usual, 0);
  CHECK_THROWS_AS(nowhere.append("x"), HostError);
  Spool full("/dev/full", Rights::as_usual, 0);
  full.append("x");
  CHECK_THROWS_AS(full.finish(), HostError);
}
