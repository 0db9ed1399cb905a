// Several processes that replace the files of one folder at the same moment.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/replace_files.hpp"
#include "base/temporary_folder.hpp"
#include "base/text_file.hpp"
#include "catch.hpp"

using namespace feedrate;

namespace {

constexpr int processes = 4;
constexpr int rounds = 12;
constexpr int files = 8;

std::string name(int i) {
  return "part" + std::to_string(i) + "/file";
}

/// One process: the whole set, again and again, each time of another version. Its exit status.
int replace_again_and_again(const std::string& folder, int process) {
  try {
    for (int round = 0; round < rounds; ++round) {
      std::vector<NewFile> set;
      for (int i = 0; i < files; ++i) {
        set.push_back({folder + "/" + name(i), std::to_string(process * rounds + round)});
      }
      if (replace_files(folder, set) != Replaced::as_one) return 1;
    }
  } catch (const std::exception&) {
    return 2;
  }
  return 0;
}

TEST_CASE("faults: processes that replace a folder's files at a time do so one after the other") {
  const test::TemporaryFolder folder;
  for (int i = 0; i < files; ++i) folder.write("prices/" + name(i), "0");
  folder.write("prices/kept", "kept");
  const std::string prices = folder / "prices";
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(replace_again_and_again(prices, process));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  std::set<std::string> versions;
  for (int i = 0; i < files; ++i) versions.insert(read_text_file(prices + "/" + name(i)));
  CHECK(versions.size() == 1);
  CHECK(read_text_file(prices + "/kept") == "kept");
  CHECK(folder.files() == 1);
}

TEST_CASE("faults: what was left beside a folder is swept, and what stands beside it is not") {
  const test::TemporaryFolder folder;
  folder.write("prices/a", "old");
  folder.write(".prices.replaced-by.4711/a", "left behind");
  folder.write(".pricesreplaced-by.x/a", "another's");
  const std::vector<NewFile> set = {{folder / "prices/a", "new"}};
  CHECK(replace_files(folder / "prices", set) == Replaced::as_one);
  CHECK(read_text_file(folder / "prices/a") == "new");
  CHECK_FALSE(std::filesystem::exists(folder / ".prices.replaced-by.4711"));
  CHECK(std::filesystem::exists(folder / ".pricesreplaced-by.x/a"));
}

}  // namespace
