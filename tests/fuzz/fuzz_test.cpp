// Every target on its seeds, whole and damaged: what .ci/fuzz does for longer and with sanitizers.
#include <cstdlib>
#include <random>

#include "tests/base/temporary_folder.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/fuzz/support/laws.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::fuzz;

namespace {

/// What fuzzing has found worth keeping (.ci/fuzz --minimize).
std::vector<std::string> committed(std::string_view target) {
  const fs::path archive = source / "tests/fuzz/corpus" / (std::string(target) + ".tar.gz");
  REQUIRE(fs::exists(archive));
  const test::TemporaryFolder folder;
  const std::string unpack = "tar -xzf '" + archive.string() + "' -C '" + folder.at("") + "'";
  REQUIRE(std::system(unpack.c_str()) == 0);
  return files_in(folder.at(""), "", 10'000);
}

TEST_CASE("fuzz: every parser keeps its law on its seeds, whole and damaged") {
  constexpr test::Damage damage{4, 24};
  constexpr std::size_t attempts = 600;
  std::mt19937_64 random(feedrate::test::seeded(17));
  for (const Target& target : targets()) {
    const std::vector<std::string> seeds = target.seeds();
    INFO(target.name << ": " << target.law);
    REQUIRE_FALSE(seeds.empty());
    for (const std::string& seed : seeds) CHECK_NOTHROW(target.attempt(seed));
    for (const std::string& text : committed(target.name)) CHECK_NOTHROW(target.attempt(text));
    for (std::size_t i = 0; i < attempts; ++i) {
      const std::string text = test::damaged(seeds[random() % seeds.size()], random, damage);
      try {
        target.attempt(text);
      } catch (const LawBroken& law) {
        FAIL_CHECK(law.what() << ", of\n" << text);
      }
    }
  }
}

TEST_CASE("fuzz: a seed of every target is one that its parser takes") {
  // A corpus of refused texts would never get past a parser's first line.
  for (const Target& target : targets()) {
    INFO(target.name);
    bool any = false;
    for (const std::string& seed : target.seeds()) any = any || target.attempt(seed);
    CHECK(any);
  }
}

}  // namespace
