// Renamed scenarios are found again: by a name that is one's alone, else by their inputs.
#include "study/renamed.hpp"

#include <set>

#include "base/random.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::study;

TEST_CASE("renamed: a name that is one's alone, then the same inputs") {
  const std::vector<Identity> gone = {{"resnet", "a"}, {"", "b"}, {"bert", "c"}, {"bert", "d"}};
  const std::vector<Identity> added = {{"vit", "b"}, {"resnet", "z"}, {"bert", "d"}, {"new", "y"}};
  const auto found = match_renamed(added, gone);
  REQUIRE(found.size() == 4);
  REQUIRE((found[0] && found[1] && found[2]));
  CHECK(found[0]->gone == 1);
  CHECK(found[0]->what == "inputs");
  CHECK(found[1]->gone == 0);
  CHECK(found[1]->what == "name");
  CHECK(found[2]->gone == 3);
  CHECK(found[2]->what == "inputs");  // two are called bert
  CHECK_FALSE(found[3]);
}

TEST_CASE("renamed: nothing is taken twice, what is found is the same, what is the same is found") {
  for (std::uint64_t round = 0; round < 300; ++round) {
    const auto draw = [&](const std::string& what, int of) {
      return static_cast<int>(uniform_of(round, 1, what) * of);
    };
    const auto some = [&](const std::string& what) {
      std::vector<Identity> list(static_cast<std::size_t>(draw(what, 6)));
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string at = what + std::to_string(i);
        const int name = draw(at + " name", 5);
        list[i] = {name == 0 ? "" : std::to_string(name), std::to_string(draw(at + " inputs", 5))};
      }
      return list;
    };
    const std::vector<Identity> added = some("added"), gone = some("gone");
    const auto found = match_renamed(added, gone);
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (!found[i]) continue;
      CHECK(taken.insert(found[i]->gone).second);
      const Identity& was = gone[found[i]->gone];
      CHECK((found[i]->what == "name" ? was.name == added[i].name : was.inputs == added[i].inputs));
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
      for (std::size_t k = 0; k < gone.size() && !found[i]; ++k) {
        CHECK((taken.contains(k) || added[i].inputs != gone[k].inputs));
      }
    }
  }
}
