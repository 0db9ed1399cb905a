// scenarios/README.md is what the program prints, never typed.
#include <algorithm>

#include "base/text_file.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("scenarios: README.md is what `feedrate cases` prints today") {
  const auto made =
      testing_cli::shell("feedrate cases scenarios/*.json --format markdown", "LC_ALL=C.UTF-8");
  REQUIRE(made.status == 0);
  const std::string committed =
      feedrate::read_text_file(FEEDRATE_SOURCE_DIR "/scenarios/README.md");
  INFO("anew: build/feedrate cases scenarios/*.json --format markdown > scenarios/README.md");
  CHECK((committed == made.out));
}

TEST_CASE("scenarios: as CSV, cases are rows and what they come to is a remark") {
  const auto made = testing_cli::shell("feedrate cases scenarios/caltech256_p3.json --format csv",
                                       "LC_ALL=C.UTF-8");
  CHECK(made.status == 0);
  CHECK(std::count(made.out.begin(), made.out.end(), '\n') == 7);
  CHECK(made.err.starts_with("remark: 2 predictions miss by"));
  CHECK(made.out.find("remark") == std::string::npos);
}
