#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "study/choice.hpp"
#include "study/optimize_parts.hpp"

namespace feedrate::study {
namespace {

/// Points of the front that are reported: nobody reads more of them.
constexpr std::size_t most_of_front = 20;

/// How many keys a point changes of the scenario as it is written. Each value is tried once.
class Changes {
 public:
  explicit Changes(const Axes& axes) : axes_(axes), as_written_(bare({})) {
    for (const Vary& axis : axes.varied()) known_.emplace_back(axis.values.size(), unknown);
  }

  std::size_t operator()(std::size_t point) {
    const std::vector<std::size_t> at = axes_.values_at(point);
    std::size_t changes = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      signed char& changed = known_[i][at[i]];
      if (changed == unknown) {
        if (tried_++ >= most_tried) return at.size();
        changed = changes_something(axes_.setting(i, at[i])) ? 1 : 0;
      }
      changes += static_cast<std::size_t>(changed);
    }
    return changes;
  }

 private:
  static constexpr signed char unknown = -1;
  /// A key of which more values are equally good is one that does not matter.
  static constexpr std::size_t most_tried = 1000;

  /// Without the parts for people, which makers may leave out.
  [[nodiscard]] std::optional<Scenario> bare(const Setting& set) const {
    try {
      Scenario scenario = axes_.make(set);
      scenario.description.clear();
      scenario.about = {};
      scenario.cases.clear();
      scenario.thresholds.clear();
      return scenario;
    } catch (const InputError&) {
      return std::nullopt;  // a value that only others allow is none that is written
    }
  }

  [[nodiscard]] bool changes_something(const Setting& set) const {
    const std::optional<Scenario> changed = bare(set);
    return !changed || !as_written_ || *changed != *as_written_;
  }

  const Axes& axes_;
  std::optional<Scenario> as_written_;
  std::vector<std::vector<signed char>> known_;
  std::size_t tried_ = 0;
};

/// All that rank like the point and keep the constraints, ascending.
std::vector<std::size_t> equals(const Field& field, std::size_t point) {
  const Rank rank = field.rank(point);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field.feasible(i) && field.rank(i) == rank) list.push_back(i);
  }
  return list;
}

std::size_t differences(const Axes& axes, std::size_t a, std::size_t b) {
  const std::vector<std::size_t> of_a = axes.values_at(a);
  const std::vector<std::size_t> of_b = axes.values_at(b);
  std::size_t count = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) count += of_a[i] != of_b[i] ? 1U : 0U;
  return count;
}

/// Counts the points that are as good as the winner to whoever chooses, and finds the one of them
/// that changes least.
void fill_near(Winner& winner, const Field& field, Changes& changes) {
  const Rank own = field.rank(winner.point.point);
  const Rank end = end_of_alike(own);
  std::size_t simplest = winner.point.point;
  std::size_t least = winner.changes;
  winner.near = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    // What is better by the mean, but not by the events, is no nearer for it.
    if (!field.feasible(i) || field.rank(i) > end || end_of_alike(field.rank(i)) < own) continue;
    ++winner.near;
    if (least == 0) continue;
    const std::size_t count = changes(i);
    const bool better = simplest != winner.point.point && field.rank(i) < field.rank(simplest);
    if (count > least || (count == least && !better)) continue;
    simplest = i;
    least = count;
  }
  if (simplest != winner.point.point) winner.simplest = field.candidate(simplest);
}

/// The best of what is further than alike_share from the winner; of equal ones the one that is most
/// like it.
std::optional<Candidate> runner_up(const Field& field, std::size_t winner) {
  const auto next = field.first(field.options().constraints, end_of_alike(field.rank(winner)));
  if (!next) return std::nullopt;
  const std::vector<std::size_t> all = equals(field, *next);
  const auto nearest = std::min_element(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
    return differences(field.axes(), a, winner) < differences(field.axes(), b, winner);
  });
  return field.candidate(*nearest);
}

void fill_front(Winner& winner, const Field& field) {
  const bool in_money = field.options().minimized == Minimized::money;
  const auto corner = [&](std::size_t i) {
    const Outlay& outlay = field[i];
    return std::pair(without_last_bits(outlay.time.base()),
                     without_last_bits(in_money ? outlay.money.base() : outlay.total.base()));
  };
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field.feasible(i)) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto of_a = corner(a);
    const auto of_b = corner(b);
    return of_a != of_b ? of_a < of_b : a < b;
  });
  const auto won = corner(winner.point.point);
  std::vector<std::size_t> front;
  for (const std::uint32_t i : order) {
    if (!front.empty() && corner(i).second >= corner(front.back()).second) continue;
    front.push_back(corner(i) == won ? winner.point.point : i);
  }
  winner.front_size = front.size();
  const auto place = std::find(front.begin(), front.end(), winner.point.point);
  std::set<std::size_t> shown;
  // Where the events chose it, others may be better by the mean in both.
  if (place != front.end()) shown.insert(static_cast<std::size_t>(place - front.begin()));
  const std::size_t last = front.size() - 1;
  for (std::size_t k = 0; k < most_of_front; ++k) {
    shown.insert(last < most_of_front ? std::min(k, last) : k * last / (most_of_front - 1));
  }
  for (const std::size_t i : shown) winner.front.push_back(field.candidate(front[i]));
}

std::vector<Relaxed> relaxed(const Field& field) {
  const Constraints& all = field.options().constraints;
  std::vector<Relaxed> list;
  const auto add = [&](bool deadline, bool budget) {
    Constraints rest = all;
    if (deadline) rest.deadline.reset();
    if (budget) rest.budget.reset();
    list.push_back({deadline, budget, field.candidate(*field.first(rest))});
  };
  if (all.deadline) add(true, false);
  if (all.budget) add(false, true);
  if (all.deadline && all.budget) add(true, true);
  return list;
}

/// Of equally good points the first that changes the fewest keys.
std::size_t fewest_changes(const Field& field, std::size_t first, Changes& changes) {
  std::size_t best = first;
  std::size_t least = changes(first);
  for (const std::size_t i : equals(field, first)) {
    if (least == 0) break;
    const std::size_t count = changes(i);
    if (count < least) {
      best = i;
      least = count;
    }
  }
  return best;
}

/// The best by the mean, of each rank the point that changes the fewest keys, by their events.
std::optional<Choice> chosen_by_events(const Field& field, std::size_t first, Changes& changes,
                                       const Catalog& catalog, const HostProfile* host) {
  const OptimizeOptions& options = field.options();
  if (!options.run.events || options.run.exact) return std::nullopt;
  std::vector<std::size_t> points = {first};
  while (points.size() < most_contenders) {
    const auto next = field.first(options.constraints, end_of_alike(field.rank(points.back())));
    if (!next) break;
    points.push_back(*next);
  }
  for (std::size_t& point : points) point = fewest_changes(field, point, changes);
  const auto simulated = confirm(
      points,
      [&](std::size_t i) {
        return SweepInput{field.axes().at(i), field.axes().scenario(i)};
      },
      catalog, host, options.run.seed, options.jobs);
  return choose(simulated, options.minimized, options.constraints);
}

}  // namespace

Winner winner_of(const Field& field, std::size_t first, const Catalog& catalog,
                 const HostProfile* host) {
  Changes changes(field.axes());
  const std::size_t by_mean = fewest_changes(field, first, changes);
  Winner winner;
  winner.confirmed = chosen_by_events(field, first, changes, catalog, host);
  const std::size_t best = chosen_or(winner.confirmed, by_mean);
  winner.point = field.candidate(best);
  winner.equal = equals(field, best).size();
  winner.changes = changes(best);
  winner.result = run(field.axes().scenario(best), catalog, host, field.options().run);
  fill_near(winner, field, changes);
  winner.runner_up = best == by_mean ? runner_up(field, best) : field.candidate(by_mean);
  fill_front(winner, field);
  winner.relaxed = relaxed(field);
  winner.chances = chances_of(field, best, catalog, host);
  return winner;
}

}  // namespace feedrate::study
