// `calibrate download --url file://PATH`: a file on a mount, read past the page cache.
#include <string>

#include "base/temporary_folder.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

MeasurementSet of_url(const std::string& url) {
  Settings settings;
  settings.url = url;
  return test::measured(probe_download, settings);
}

}  // namespace

TEST_CASE("mounted file: the series of a download, of the file alone") {
  const test::TemporaryFolder folder;
  const std::string text(4'000'000, 'x');
  const std::string path = folder.write("shard.tar", text);
  const MeasurementSet set = of_url("file://" + path);
  INFO(set.probes[0].reason);
  REQUIRE(set.probes[0].measured);
  CHECK(test::count(set, "first_byte") == 1);
  CHECK(test::count(set, "transfer") == 3);
  CHECK(test::count(set, "small_objects") == 3);
  for (const Measurement& what : set.measurements) {
    INFO(what.quantity);
    CHECK(test::sane(what));
    CHECK(what.how.at("server") == "given");
    if (what.quantity == "transfer") {
      // Four readers, each of a quarter of the file.
      CHECK(what.at.at("bytes") == 1e6);
      CHECK(what.work == 1e6 * what.at.at("users"));
    }
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("mounted file: the forms of its URL") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a shard.tar", std::string(2'000'000, 'x'));
  std::string escaped = path;
  escaped.replace(escaped.find(' '), 1, "%20");
  for (const std::string& url :
       {"file://" + path, "FILE://" + escaped, "file://localhost" + path}) {
    INFO(url);
    CHECK(of_url(url).probes[0].measured);
  }
  CHECK(of_url("file://shard.tar").probes[0].reason.find("expected file:///PATH") !=
        std::string::npos);
}

TEST_CASE("mounted file: what is no file of some size is refused by name") {
  const test::TemporaryFolder folder;
  const auto reason = [](const std::string& path) {
    return of_url("file://" + path).probes[0].reason;
  };
  CHECK(reason(folder.at("gone")).find("gone\": No such file or directory") != std::string::npos);
  CHECK(reason(folder.at("")).find("expected a file") != std::string::npos);
  const std::string small = folder.write("small", std::string(1000, 'x'));
  CHECK(reason(small).find("expected a file of at least 1 MB, got 1000 bytes") !=
        std::string::npos);
}
