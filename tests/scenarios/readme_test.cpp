// scenarios/README.md is what the program prints, never typed.
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
