// What is shipped beside a library is found wherever a distribution puts libraries.
#include "base/shared_folder.hpp"

#include <filesystem>
#include <string>

#include "base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;

namespace {

/// Of a library at `library` in a folder that has `marker` too.
std::string found(const std::string& library, const std::string& marker) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write(library, "");
  folder.write(marker, "");
  const std::string path = find_shared_folder("prices", "a.json", file).path;
  return path.empty() ? path : std::filesystem::relative(path, folder.at("")).string();
}

TEST_CASE("shared folder: that of a library is beside it, in every usual layout") {
  const std::string shared = "usr/share/feedrate/prices";
  CHECK(found("usr/lib/x.so", shared + "/a.json") == shared);
  CHECK(found("usr/lib64/x.so", shared + "/a.json") == shared);
  CHECK(found("usr/lib/x86_64-linux-gnu/x.so", shared + "/a.json") == shared);
  CHECK(found("anywhere/x.so", "anywhere/prices/a.json") == "anywhere/prices");
  CHECK(found("root/build/x.so", "root/prices/a.json") == "root/prices");
  CHECK(found("usr/lib/x.so", shared + "/b.json").empty());
}

TEST_CASE("shared folder: a library in a build folder finds the sources that it was built from") {
  const test::TemporaryFolder folder;
  folder.write("sources/prices/a.json", "");
  const std::string library = folder.write("elsewhere/deep/build/x.so", "");
  folder.write("elsewhere/deep/build/feedrate-sources", folder / "sources\n");
  CHECK(find_shared_folder("prices", "a.json", library).path == folder / "sources/prices");
}

TEST_CASE("shared folder: a library that is nowhere has nothing") {
  CHECK(find_shared_folder("prices", "a.json", "/nowhere/x.so").path.empty());
}

}  // namespace
