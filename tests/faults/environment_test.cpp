// No /proc, other locales, no HOME, odd terminals: the same answer, or a word about what is
// missing.
#include <clocale>
#include <locale>

#include "api/answer.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "faults/places.hpp"
#include "report/numbers.hpp"
#include "skipped.hpp"

using namespace testing_cli;

namespace {

const std::string job = "scenarios/caltech256_p3.json ";

/// As in Germany, whatever is installed here: 1.234.567,5.
class WithCommas : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class GlobalLocale {
 public:
  explicit GlobalLocale(const std::locale& locale) : before_(std::locale::global(locale)) {}
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;
  ~GlobalLocale() { std::locale::global(before_); }

 private:
  std::locale before_;
};

TEST_CASE(
    "faults: a user's own catalogue is read instead of the installed one, where there is one") {
  const Folder config;
  const std::string own = config / "feedrate/pricing";
  REQUIRE(shell("mkdir -p '" + own + "' && cp -r pricing/. '" + own +
                "' && sed -i 's/3\\.825/7.65/' '" + own + "'/aws/p3.json && ! cmp -s '" + own +
                "'/aws/p3.json pricing/aws/p3.json")
              .status == 0);
  const std::string cost = "feedrate run " + job +
                           "--format json | python3 -c 'import json, sys; "
                           "print(json.load(sys.stdin)[\"result\"][\"cost\"][\"compute_usd\"])'";
  const auto of = [&](const std::string& environment) {
    const Outcome outcome = shell(cost, environment);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return std::stod(outcome.out);
  };
  const std::string theirs = "XDG_CONFIG_HOME='" + config / "'";
  const double installed = of("");
  CHECK(of(theirs) == Approx(2.0 * installed));
  // What is named comes first; what is not absolute is no folder of the user's.
  CHECK(of(theirs + " FEEDRATE_PRICING=pricing") == installed);
  CHECK(of("XDG_CONFIG_HOME=. HOME=" + config / "") == installed);
}

TEST_CASE("faults: numbers are read and written with a point, whatever the locale") {
  const auto said = [] {
    return feedrate::report::count(1234567.0) + feedrate::report::number(1234.5) +
           feedrate::report::exact(0.1) + feedrate::three_digits(1460.0) +
           feedrate::format_quantity(2.1e9, feedrate::dimension_of(feedrate::Bandwidth{})) +
           std::to_string(
               feedrate::parse_quantity("2.1 GB/s", feedrate::dimension_of(feedrate::Bandwidth{}))
                   .base > 2e9);
  };
  const std::string plain = said();
  const std::string request =
      R"({"scenario": {"dataset": {"samples": 1000, "bytes_per_sample": "1.5 KB"},
          "loader": {"batch_size": 10, "num_workers": 1}, "source": {"service": "local"}, "disk": {"bandwidth": "2.1 GB/s"},
          "cluster": {"gpus_per_instance": 1, "price": "1.5 USD/h", "network": "10 Gbit/s"},
          "job": {"step": "1.25 ms"}}})";
  const feedrate::api::Place place{feedrate::files_on_disk(),
                                   [] { return std::string(FEEDRATE_SOURCE_DIR "/pricing"); }};
  const std::string answer = feedrate::api::answer(request, place);
  INFO(answer);
  CHECK(has(answer, "\"total_s\""));
  {
    const GlobalLocale german(std::locale(std::locale::classic(), new WithCommas));
    CHECK(said() == plain);
    CHECK(feedrate::api::answer(request, place) == answer);
  }
  for (const char* const name : {"de_DE.UTF-8", "tr_TR.UTF-8", "de_DE.utf8", "tr_TR.utf8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    CHECK(said() == plain);
    CHECK(feedrate::api::answer(request, place) == answer);
  }
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("faults: the program's bytes are the same in every locale") {
  const std::string plain = shell("feedrate run " + job + "--format json").out;
  const std::string text = shell("feedrate run " + job).out;
  for (const std::string locale :
       {"de_DE.UTF-8", "tr_TR.UTF-8", "C", "xx_YY.UTF-8", "'$(x)'", ""}) {
    INFO(locale);
    CHECK(shell("feedrate run " + job + "--format json", "LC_ALL=" + locale).out == plain);
    CHECK(shell("feedrate run " + job + "--format csv", "LC_ALL=" + locale).status == 0);
  }
  CHECK(shell("feedrate run " + job, "LC_ALL=tr_TR.UTF-8").out == text);
}

TEST_CASE("faults: no HOME, no TERM, no PATH, and a width that is none") {
  const std::string text = shell("feedrate run " + job).out;
  for (const std::string environment :
       {"COLUMNS=0", "COLUMNS=-5", "COLUMNS=1", "COLUMNS=99999999999999999999", "COLUMNS=abc",
        "COLUMNS=", "TERM=", "TERM=unknown", "HOME=", "HOME=/nonexistent", "TMPDIR=/nonexistent",
        "XDG_CONFIG_HOME=/nonexistent", "USER="}) {
    INFO(environment);
    const Outcome outcome = shell("feedrate run " + job, "LC_ALL=C.UTF-8 " + environment);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == text);
    CHECK(outcome.err.empty());
  }
  // With nothing at all there is no word that UTF-8 is understood.
  const Outcome bare = shell("exec env -i \"$(command -v feedrate)\" run " + job + "--format json");
  CHECK(bare.status == 0);
  CHECK(bare.out == shell("feedrate run " + job + "--format json").out);
  const Outcome terminal =
      on_terminal("feedrate run " + job, "LC_ALL=C.UTF-8 COLUMNS=3 TERM=dumb HOME=/nonexistent");
  CHECK(terminal.status == 0);
  CHECK(has(terminal.out, "Stages"));
}

#ifndef FEEDRATE_SANITIZED  // the leak sanitizer reads /proc
TEST_CASE("faults: without /proc there is the same answer, and a word where it would be read") {
  const std::string mounts = with_mounts();
  if (mounts.empty()) return feedrate::test::skip("mounting is not permitted here");
  const Folder folder;
  folder.write("empty/x", "");
  const auto without = [&](const std::string& command) {
    return shell(mounts + " bash -c 'mount --bind " + (folder / "empty") + " /proc && feedrate " +
                 command + "'");
  };
  for (const std::string& command :
       std::vector<std::string>{"run " + job, "run " + job + "--format json", "catalog list",
                                "sweep " + job + "--vary num_workers=1:30:1 --format csv",
                                "cases " + job, "scale " + job + "--to 4"}) {
    INFO(command);
    const Outcome outcome = without(command);
    const Outcome plain = shell("feedrate " + command);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == plain.out);
    CHECK(outcome.err == plain.err);
  }
  CHECK(without("report " + job + "--output " + (folder / "page.html")).status == 0);
  // More than is kept in memory goes through a file, which /proc would name.
  const std::string large =
      "sweep " + job + "--vary num_workers=1:30:1 --vary batch_size=1:900:1 --format csv";
  CHECK(without(large + " --output " + (folder / "large.csv")).status == 0);
  CHECK(slurp(folder / "large.csv").size() > 16'000'000);
  CHECK(folder.files() == 3);
  const Outcome seen =
      without("observe --for 200ms --interval 20ms --output " + (folder / "o.jsonl"));
  CHECK(seen.status == 0);
  CHECK(has(seen.err, "/proc/stat cannot be read"));
  CHECK(has(seen.err, "/proc/meminfo cannot be read"));
}
#endif

}  // namespace
