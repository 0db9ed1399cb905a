#include "bench/shared_library.hpp"

#include "base/temporary_folder.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

/// A library of tests/bench/libraries, moved to where the loader does not look.
void place(const char* file, const TemporaryFolder& folder, const std::string& below) {
  fs::create_directories(folder.at(below));
  fs::copy_file(file, fs::path(folder.at(below)) / fs::path(file).filename());
}

}  // namespace

TEST_CASE("shared library: what it needs is found too, in another folder, or is named") {
  const TemporaryFolder folder;
  place(FEEDRATE_TEST_NEEDING, folder, "one");
  const std::string name = fs::path(FEEDRATE_TEST_NEEDING).filename();
  const std::string needed = fs::path(FEEDRATE_TEST_NEEDED).filename();
  {
    const SharedLibrary alone({name}, [&] { return SharedLibrary::Folders{folder.at("one")}; });
    CHECK(alone.missing() == name + " cannot be loaded: " + needed +
                                 ": cannot open shared object file: No such file or directory");
  }
  place(FEEDRATE_TEST_NEEDED, folder, "two");
  SharedLibrary both({"libno_such_library.so.13", name}, [&] {
    return SharedLibrary::Folders{folder.at("one"), folder.at("two")};
  });
  CHECK(both.missing().empty());
  int (*seven)() = nullptr;
  both.find("feedrate_test_needing", seven);
  REQUIRE(seven != nullptr);
  CHECK(seven() == 7);
  int (*eight)() = nullptr;
  both.find_if_there("feedrate_test_eight", eight);
  CHECK(eight == nullptr);
  CHECK(both.missing().empty());
  both.find("feedrate_test_eight", eight);
  CHECK(both.missing() == "it has no feedrate_test_eight");
}

TEST_CASE("shared library: one that is there and broken is told with the loader's words") {
  const TemporaryFolder folder;
  folder.write("libfeedrate_broken.so.1", "no library");
  const SharedLibrary broken({"libfeedrate_broken.so.2", "libfeedrate_broken.so.1"},
                             [&] { return SharedLibrary::Folders{folder.at("")}; });
  INFO(broken.missing());
  CHECK(broken.missing().find("libfeedrate_broken.so.1: ") != std::string::npos);
  CHECK(broken.missing().find("file too short") != std::string::npos);
}

TEST_CASE("shared library: where one was looked for is said, and nowhere else is looked") {
  bool asked = false;
  const SharedLibrary here({"libc.so.6"}, [&] {
    asked = true;
    return SharedLibrary::Folders{};
  });
  CHECK(here.missing().empty());
  CHECK_FALSE(asked);
  const SharedLibrary nowhere({"libfeedrate_none.so.2", "libfeedrate_none.so.1"}, [] {
    return SharedLibrary::Folders{"/a", "/b", "/c", "/d", "/e"};
  });
  CHECK(nowhere.missing() ==
        "libfeedrate_none.so.2 or libfeedrate_none.so.1 was found neither in the loader's search "
        "path nor in /a, /b, /c or 2 more folders");
}
