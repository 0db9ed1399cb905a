#pragma once
// Generated grids: scenarios of every kind, some of their keys with several values each, what each
// point comes to by a run of its own, and constraints that some of the points keep.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/optimize_parts.hpp"
#include "study/run.hpp"

namespace testing_laws {

using feedrate::Constraints;
using feedrate::InputError;
using feedrate::Minimized;
using feedrate::Optimum;
using feedrate::Outlay;
using feedrate::Result;
using feedrate::seconds;
using feedrate::usd;
using feedrate::pipeline::Generator;
using testing_resolve::catalog;
using testing_resolve::Settings;
namespace study = feedrate::study;

struct Values {
  std::string key;
  std::vector<std::string> values;
};

/// The grid of these values over a scenario with these settings.
inline study::Axes axes_of(const Settings& settings, const std::vector<Values>& all) {
  std::vector<study::Vary> varied;
  for (const Values& one : all) varied.push_back({one.key, one.values});
  study::Axes axes{study::Grid(varied), {}, {}};
  axes.make = [settings](const study::Setting& set) {
    Settings together = settings;
    together.insert(together.end(), set.begin(), set.end());
    return testing_resolve::scenario_with(together);
  };
  axes.scenario = [axes](std::size_t point) { return axes.make(axes.at(point)); };
  return axes;
}

inline std::vector<Values> generated_axes(Generator& random) {
  const auto some = [&](std::string key, std::vector<std::string> values) {
    std::vector<std::string> kept;
    for (const std::string& value : values) {
      if (random.chance(0.6)) kept.push_back(value);
    }
    if (kept.empty()) kept.push_back(values.front());
    return Values{std::move(key), std::move(kept)};
  };
  std::vector<Values> all;
  all.push_back(some("/cluster/instances", {"1", "2", "3", "5", "8", "16"}));
  if (random.chance(0.7)) all.push_back(some("/loader/batch_size", {"16", "32", "64", "128"}));
  if (random.chance(0.5)) {
    const std::string first = testing_resolve::rented()[static_cast<std::size_t>(
        random.whole(0.0, static_cast<double>(testing_resolve::rented().size()) - 1.0))];
    all.push_back(some("/cluster/instance", {"p3.2xlarge", first}));
  }
  if (random.chance(0.5)) all.push_back(some("/job/epochs", {"3", "4"}));
  return all;
}

/// A run of each point; no result where it cannot be simulated or priced.
inline std::vector<std::optional<Result>> brute_force(const study::Axes& axes) {
  std::vector<std::optional<Result>> results;
  study::RunOptions options;
  options.list_inputs = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    try {
      results.emplace_back(study::run(axes.scenario(i), catalog(), nullptr, options));
    } catch (const InputError&) {
      results.emplace_back();
    }
  }
  return results;
}

/// Constraints between the least and the most of what the points come to, or just beyond.
inline Constraints generated_constraints(Generator& random,
                                         const std::vector<std::optional<Result>>& results) {
  std::vector<double> times, amounts;
  for (const auto& result : results) {
    if (!result) continue;
    times.push_back(result->times.total.base());
    amounts.push_back(result->bill.money.base());
  }
  const auto between = [&](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return random.uniform(0.9 * *low, 1.1 * *high);
  };
  Constraints constraints;
  if (random.chance(0.6)) constraints.deadline = seconds(between(times));
  if (random.chance(0.6)) constraints.budget = usd(between(amounts));
  return constraints;
}

struct GridCase {
  Settings settings;
  std::vector<Values> values;
  study::OptimizeOptions options;
  std::vector<std::optional<Result>> results;
};

/// Calls `check` with generated grids of which some point has a result.
template <class Check>
void for_generated(unsigned seed, int cases, Check check) {
  Generator random(seed);
  int checked = 0;
  for (int i = 0; i < 3 * cases && checked < cases; ++i) {
    GridCase one;
    one.settings = testing_resolve::generated_settings(random);
    if (random.chance(0.5)) one.settings.emplace_back("/job/value_of_hour", "40 USD/h");
    one.values = generated_axes(random);
    const double which = random.uniform(0.0, 3.0);
    one.options.minimized = which < 1.0   ? Minimized::total
                            : which < 2.0 ? Minimized::money
                                          : Minimized::time;
    one.options.draws = 5;
    one.options.jobs = 1;
    const study::Axes axes = axes_of(one.settings, one.values);
    try {
      one.results = brute_force(axes);
    } catch (const InputError&) {
      continue;
    }
    if (std::none_of(one.results.begin(), one.results.end(),
                     [](const auto& result) { return result.has_value(); })) {
      continue;
    }
    one.options.constraints = generated_constraints(random, one.results);
    INFO("seed " << seed << ", case " << i);
    check(one, axes, random);
    ++checked;
  }
  CHECK(checked == cases);
}

/// A grid that was optimized, and what its points come to.
struct Looked {
  const GridCase& one;
  const study::Axes& axes;
  Optimum optimum;
  std::vector<std::optional<Outlay>> outlays;

  Looked(const GridCase& of, const study::Axes& grid, const study::OptimizeOptions& options)
      : one(of), axes(grid), optimum(study::optimize(grid, catalog(), nullptr, options)) {
    for (const auto& result : of.results) {
      outlays.emplace_back();
      if (result) {
        outlays.back() = Outlay{result->times.total, result->bill.money, result->bill.total};
      }
    }
  }
  [[nodiscard]] const Constraints& constraints() const { return optimum.constraints; }
  [[nodiscard]] study::Rank rank(std::size_t i) const {
    return study::rank_of(*outlays[i], optimum.minimized);
  }
  [[nodiscard]] bool feasible(std::size_t i) const {
    return outlays[i] && constraints().met(outlays[i]->time, outlays[i]->money);
  }
  [[nodiscard]] std::size_t count(const auto& holds) const {
    std::size_t counted = 0;
    for (std::size_t i = 0; i < outlays.size(); ++i) counted += outlays[i] && holds(i) ? 1 : 0;
    return counted;
  }
  /// The least of those that hold; the first of equal ones.
  [[nodiscard]] std::optional<std::size_t> least(const auto& holds, const auto& value) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < outlays.size(); ++i) {
      if (outlays[i] && holds(i) && (!best || value(i) < value(*best))) best = i;
    }
    return best;
  }
  [[nodiscard]] std::optional<std::size_t> least(const auto& holds) const {
    return least(holds, [&](std::size_t i) { return rank(i); });
  }
};

/// Calls `check` with generated grids, optimized as they ask for.
template <class Check>
void for_each_looked(unsigned seed, int cases, Check check) {
  for_generated(seed, cases, [&](const GridCase& one, const study::Axes& axes, Generator&) {
    check(Looked(one, axes, one.options));
  });
}

}  // namespace testing_laws
