#include "base/text_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/errors.hpp"
#include "tests/base/ordinary_user.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;

namespace {

using test::TemporaryFolder;

std::string refusal(const std::string& path, std::size_t limit = max_text_file_bytes) {
  try {
    read_text_file(path, limit);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

TEST_CASE("text file: read whole, byte by byte") {
  const TemporaryFolder folder;
  const std::string text("a\0b\r\nµ", 7);
  CHECK(read_text_file(folder.write("f", text)) == text);
  CHECK(read_text_file(folder.write("empty", "")).empty());
}

TEST_CASE("text file: missing, directory, pipe and device are refused by name") {
  const TemporaryFolder folder;
  CHECK(refusal(folder.at("none.json")) ==
        folder.at("none.json") + ": expected a file, got no such file");
  CHECK(refusal(folder.at("")) == folder.at("") + ": expected a file, got a directory");
  const std::string pipe = folder.at("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal(pipe) == pipe + ": expected a file, got a pipe");
  CHECK(refusal("/dev/null") == "/dev/null: expected a file, got a device");
}

TEST_CASE("text file: a file of 100 MB is refused without reading it") {
  const TemporaryFolder folder;
  const std::string path = folder.write("big.json", "{");
  std::filesystem::resize_file(path, 100'000'000);
  CHECK(refusal(path) == path + ": expected a file of at most 16.0 MB, got 100.0 MB");
  CHECK(refusal(folder.write("small", "12345"), 4).find("at most") != std::string::npos);
}

TEST_CASE("text file: unreadable is refused with the host's reason") {
  const TemporaryFolder folder;
  const std::string path = folder.write("secret.json", "{}");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const test::OrdinaryUser reader;
  CHECK(refusal(path) == path + ": expected a readable file, got: Permission denied");
}

TEST_CASE("text file: standard input is nothing to write to") {
  try {
    write_text_file("-", "text");
    FAIL("written");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("expected a file to write, got standard input") !=
          std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("text file: written whole, with nothing left beside it") {
  const TemporaryFolder folder;
  write_text_file(folder.at("out.json"), "{}\n");
  write_text_file(folder.at("out.json"), "[1]\n");
  CHECK(read_text_file(folder.at("out.json")) == "[1]\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("text file: a replaced file keeps its permissions, a link its target") {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.json", "old");
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  std::filesystem::create_symlink(path, folder.at("link"));
  write_text_file(folder.at("link"), "new");
  CHECK(std::filesystem::is_symlink(folder.at("link")));
  CHECK(read_text_file(path) == "new");
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("text file: when the host refuses, the old file stays and no temporary one does") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(write_text_file(folder.at("no/such/folder/out"), "x"), HostError);
  CHECK_THROWS_AS(write_text_file(folder.at(""), "x"), InputError);
  // Nobody can make a file in /proc, not even root.
  CHECK_THROWS_AS(write_text_file("/proc/feedrate-out", "x"), HostError);
  CHECK(folder.files() == 0);
}

TEST_CASE("text file: a device is written to, not replaced") {
  write_text_file("/dev/null", "x");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_AS(write_text_file("/dev/full", "x"), HostError);
}

}  // namespace
