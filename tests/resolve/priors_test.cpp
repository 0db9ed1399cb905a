// Numbers that are learned anew without a study take the place of those of the program.
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "schema/documents/class_errors.hpp"
#include "study/learned_numbers.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::scenario_with;

namespace {

std::vector<Problem> problems_with(const std::string& text) {
  try {
    schema::parse_priors(text, "p.json", study::learned_numbers());
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

const InputUsed& used(const resolve::Resolved& resolved, const std::string& key) {
  for (const InputUsed& input : resolved.used) {
    if (input.key == key) return input;
  }
  FAIL("not used: " << key);
  return resolved.used.front();
}

}  // namespace

TEST_CASE("priors: a table of them is read, or each row that is wrong is named") {
  const auto read = schema::parse_priors(
      R"({"contention": [0.05, 0.01, 0.2], "cores_of_threads": [0.5, 0.5, 1]})", "p.json",
      study::learned_numbers());
  REQUIRE(read.size() == 2);
  CHECK(read.at("contention").value == 0.05);
  CHECK(read.at("contention").low == 0.01);
  CHECK(read.at("contention").high == 0.2);
  for (const char* row :
       {R"("contention": 1)", R"("contention": [1])", R"("contention": [0.05, 0.1, 0.2])",
        R"("contention": [0.3, 0.1, 0.2])", R"("contention": [0.3, -0.1, 0.4])",
        R"("none": [0.1, 0.1, 0.2])", R"("contention": [0.1, 0.1, "x"])",
        R"("efa_share": [0, 0, 0])", R"("efa_share": [0.9, 0.5, 1.1])",
        R"("efa_beyond": [1e300, 1e-5, 1e308])", R"("efa_beyond": [1e17, 1e-5, 1e17])",
        R"("unknown_communication": [1.5, 1, 2])",
        // A power may be none at all, but not less.
        R"("pcie_crowding": [0.1, -0.1, 0.5])"}) {
    INFO(row);
    const auto problems = problems_with(std::string("{\n") + row + "}");
    REQUIRE_FALSE(problems.empty());
    CHECK(problems[0].line == 2);
  }
  CHECK(problems_with(R"({"pcie_crowding": [0.1, 0, 0.5]})").empty());
  CHECK(problems_with("{}").size() == 1);
}

TEST_CASE("priors: a thousandth of what studies show is taken, and a thousand times it, no more") {
  const auto taken = [](const std::string& name, double low, double value, double high) {
    return problems_with(fmt::format(R"({{"{}": [{}, {}, {}]}})", name, value, low, high)).empty();
  };
  int shares = 0, powers = 0;
  for (const auto& [name, shipped] : study::learned_numbers()) {
    INFO(name);
    const double least = shipped.low / 1000.0;
    const double most = shipped.high <= 1.0 ? 1.0 : 1000.0 * shipped.high;
    const double value = shipped.value;
    CHECK(taken(name, shipped.low, value, most));
    CHECK_FALSE(taken(name, shipped.low, value, 1.001 * most));
    CHECK(taken(name, value, value, value));
    CHECK_FALSE(taken(name, 1.001 * value, value, most));
    CHECK_FALSE(taken(name, shipped.low, value, 0.999 * value));
    CHECK(taken(name, least, value, most));
    CHECK_FALSE(taken(name, least > 0.0 ? 0.999 * least : -1e-9, value, most));
    shares += shipped.high <= 1.0 ? 1 : 0;
    powers += shipped.low <= 0.0 ? 1 : 0;
  }
  CHECK(shares > 0);
  CHECK(powers > 0);
}

TEST_CASE("priors: those that are given are what a job takes, between their ends") {
  Catalog other = catalog();
  other.relearned["contention"] = {0.5, 0.25, 1.0};
  const Scenario scenario = scenario_with({{"loader.kind", "pool"}});
  const resolve::Resolved shipped = resolve::resolve(scenario, catalog());
  const resolve::Resolved changed = resolve::resolve(scenario, other);
  const std::string key = "loss of cores that are all busy";
  CHECK(used(changed, key).text != used(shipped, key).text);
  const auto all_busy = [](const resolve::Resolved& of) { return of.inputs.cores.maximum(); };
  const auto at = [&](double u) {
    return all_busy(resolve::resolve(
        scenario, other, nullptr, [&](std::string_view asked) { return asked == key ? u : 0.5; }));
  };
  CHECK(all_busy(changed) == at(0.5));
  CHECK(at(0.0) > at(0.5));
  CHECK(at(1.0) < at(0.5));
  CHECK(all_busy(shipped) > all_busy(changed));
}
