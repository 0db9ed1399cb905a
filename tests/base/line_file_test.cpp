// Lines in and out, whatever their number and length.
#include "base/line_file.hpp"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;

namespace {

using test::TemporaryFolder;

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("line file: lines of every length come back as they were written") {
  const TemporaryFolder folder;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3000; ++i) {
    lines.emplace_back(i * i % 977 + (i % 500 == 0 ? 70000 : 0), static_cast<char>('a' + i % 26));
  }
  {
    LineWriter writer(folder / "f");
    for (const std::string& line : lines) writer.write(line + "\n");
  }
  CHECK(lines_of(folder / "f") == lines);
}

TEST_CASE("line file: ends of Windows, a mark in front, a last line without its end") {
  const TemporaryFolder folder;
  LineReader reader(folder.write("f", "\xEF\xBB\xBFone\r\n\r\nlast"));
  CHECK(*reader.next() == "one");
  CHECK(reader.next()->empty());
  CHECK_FALSE(reader.unfinished());
  CHECK(*reader.next() == "last");
  CHECK(reader.unfinished());
  CHECK(reader.number() == 3);
  CHECK_FALSE(reader.next());
  CHECK(lines_of(folder.write("empty", "")).empty());
}

TEST_CASE("lines: one that is longer than it may be is passed over, and the next is read") {
  const TemporaryFolder folder;
  const std::string long_one(400'000, 'x');
  LineReader reader(folder.write("f", "one\nfour\n" + long_one + "\ntwo\n" + long_one), 3);
  CHECK(reader.next() == "one");
  CHECK_FALSE(reader.too_long());
  for (const bool too_long : {true, true, false, true}) {
    const auto line = reader.next();
    REQUIRE(line);
    CHECK(reader.too_long() == too_long);
    CHECK(*line == (too_long ? "" : "two"));
  }
  CHECK_FALSE(reader.next());
  // Whatever a stranger's first bytes are, they are a line.
  LineReader packed(folder.write("g", "\x1f\x8b\nb"), 3);
  CHECK(packed.next() == "\x1f\x8b");
  CHECK(packed.next() == "b");
}

TEST_CASE("line file: what is no file of lines is refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(LineReader(folder / "none"), InputError);
  CHECK_THROWS_AS(LineReader(folder.at("")), InputError);
  CHECK_THROWS_AS(LineReader("/dev/null"), InputError);
  CHECK_THROWS_AS(LineWriter(folder.at("")), InputError);
  CHECK_THROWS_AS(LineWriter(folder / "none/f"), HostError);
  CHECK_THROWS_AS(lines_of(folder.write("long", std::string(2'000'000, 'x'))), InputError);
}

TEST_CASE("line file: a full disk leaves whole lines") {
  const TemporaryFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto on_signal =
      std::signal(SIGXFSZ, SIG_IGN);  // as a full disk: some of it, then an error
  rlimit small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  std::size_t written = 0;
  {
    LineWriter writer(folder / "f");
    try {
      for (;; ++written) writer.write("a line of 32 bytes with its end\n");
    } catch (const HostError&) {
    }
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, on_signal);
  CHECK(written == 1000 / 32);
  CHECK(slurp(folder / "f").size() == written * 32);
}

}  // namespace
