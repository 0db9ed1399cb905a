// Which remedies are taken together, of jobs whose cost is written down: a hundred dollars, times
// what is left of them by each remedy, and by some only beside others.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "study/advise_parts.hpp"

using namespace feedrate;

namespace {

using study::Setting;

/// An hour costs a dollar.
JobFigures job_of(double dollars) {
  JobFigures job;
  job.time = hours(dollars);
  job.money = job.total = usd(dollars);
  return job;
}

struct PricedList {
  std::vector<Setting> sets;  ///< of the remedies, in their order
  std::function<double(const Setting&)> dollars;
  Constraints constraints{};
  double longest = 1.1;
  std::size_t most_tried = 120;
  std::atomic<std::size_t> tried = 0;

  std::optional<Together> best() {
    const study::Savings savings{job_of(100.0), true, 1.0, constraints};
    std::vector<Remedied> rows;
    for (const Setting& set : sets) {
      Remedied row;
      row.number = rows.size() + 1;
      row.set = set;
      row.after = job_of(dollars(set));
      row.longest = longest;
      rows.push_back(row);
    }
    std::vector<const Remedied*> list;
    for (const Remedied& row : rows) list.push_back(&row);
    return study::best_together(
        list, savings,
        [&](const Setting& set) {
          ++tried;
          return job_of(dollars(set));
        },
        most_tried);
  }
};

bool has(const Setting& set, std::string_view key, std::string_view value = "1") {
  return std::any_of(set.begin(), set.end(),
                     [&](const auto& pair) { return pair.first == key && pair.second == value; });
}

TEST_CASE("together: the best alone is left where it excludes those that are best together") {
  // Without a quota, or on a smaller machine; helpers are worth more beside the second.
  PricedList choice{{{{"machine", "1"}}, {{"machine", "2"}}, {{"helpers", "1"}}, {{"code", "1"}}},
                    [](const Setting& set) {
                      double cost = 100.0;
                      if (has(set, "machine", "1")) cost *= 0.5;
                      if (has(set, "machine", "2")) cost *= 0.52;
                      if (has(set, "helpers")) cost *= has(set, "machine", "2") ? 0.5 : 0.9;
                      if (has(set, "code")) cost *= 0.95;
                      return cost;
                    }};
  const auto best = choice.best();
  REQUIRE(best);
  CHECK(best->numbers == std::vector<std::size_t>{2, 3, 4});
  CHECK(best->after.total.base() == Approx(100.0 * 0.52 * 0.5 * 0.95));
  CHECK(best->saved.base() == Approx(100.0 - 24.7));
  CHECK(best->sooner == hours(100.0) - best->after.time);
}

TEST_CASE("together: all that is worth it is taken, up to five, and each job is simulated once") {
  PricedList choice{{}, [](const Setting& set) {
                      return 100.0 * std::pow(0.9, static_cast<double>(set.size()));
                    }};
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) choice.sets.push_back({{key, "1"}});
  const auto best = choice.best();
  REQUIRE(best);
  CHECK(best->numbers == std::vector<std::size_t>{1, 2, 3, 4, 5});
  // Of six, there are no more of two to five.
  CHECK(choice.tried <= 15 + 20 + 15 + 6);
  PricedList few{choice.sets, choice.dollars, {}, 1.1, 7};
  CHECK(few.best());
  CHECK(few.tried == 7);
}

TEST_CASE("together: what the others make needless is left out, and what pays beside them comes") {
  // The first is worth most alone; the other two do all that it does.
  PricedList choice{{{{"a", "1"}}, {{"b", "1"}}, {{"c", "1"}}}, [](const Setting& set) {
                      const bool a = has(set, "a"), b = has(set, "b"), c = has(set, "c");
                      if (b && c) return 40.0;
                      if (a) return b ? 55.0 : c ? 58.0 : 60.0;
                      return b ? 70.0 : c ? 75.0 : 100.0;
                    }};
  const auto needless = choice.best();
  REQUIRE(needless);
  CHECK(needless->numbers == std::vector<std::size_t>{2, 3});
  // One that saves two per mille is taken, one of half a per mille is not.
  choice.sets = {{{"a", "1"}}, {{"b", "1"}}, {{"c", "1"}}};
  choice.dollars = [](const Setting& set) {
    return 100.0 * (has(set, "a") ? 0.5 : 1.0) * (has(set, "b") ? 0.998 : 1.0) *
           (has(set, "c") ? 0.9995 : 1.0);
  };
  const auto small = choice.best();
  REQUIRE(small);
  CHECK(small->numbers == std::vector<std::size_t>{1, 2});
}

TEST_CASE(
    "together: a deadline comes before the cost, and what is no job or worth nothing is not "
    "taken") {
  // Neither alone is in time.
  PricedList choice{{{{"a", "1"}}, {{"b", "1"}}}, [](const Setting& set) {
                      return 100.0 * (has(set, "a") ? 0.7 : 1.0) * (has(set, "b") ? 0.8 : 1.0);
                    }};
  choice.constraints.deadline = hours(60.0);
  const auto both = choice.best();
  REQUIRE(both);
  CHECK(both->after.time == hours(56.0));
  // None where a second one is worth nothing beside the first.
  PricedList none{{{{"a", "1"}}, {{"b", "1"}}},
                  [](const Setting& set) { return set.empty() ? 100.0 : 50.0; }};
  CHECK_FALSE(none.best());
  // Nor where they are no job.
  PricedList refused{{{{"a", "1"}}, {{"b", "1"}}}, [](const Setting& set) {
                       if (set.size() > 1) throw InputError("no");
                       return 50.0;
                     }};
  CHECK_FALSE(refused.best());
}

}  // namespace
