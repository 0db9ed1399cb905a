#include "study/optimize.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "study/drawn_job.hpp"
#include "study/optimize_parts.hpp"
#include "study/point_problems.hpp"

namespace feedrate::study {
namespace {

/// Points that a thread takes at a time.
constexpr std::size_t block = 64;
/// Of the front: more of them are read by nobody.
constexpr std::size_t most_of_front = 20;
constexpr std::size_t most_reasons = 5;

/// To 40 bits, which is twelve digits.
double rounded(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 40)), exponent - 40);
}

/// Reasons in few words, with the number of points that have each and the first of them.
class Reasons {
 public:
  void add(std::size_t point, const InputError& error) {
    std::string words;
    for (const Problem& problem : error.problems()) {
      // Amounts differ from point to point: what comes before the first says what it is.
      const std::string& text = problem.brief.empty() ? problem.message : problem.brief;
      words += problem.pointer + ' ' + text.substr(0, text.find_first_of(":;(0123456789")) + '\n';
    }
    const std::lock_guard lock(mutex_);
    auto& [points, first] = reasons_.try_emplace(std::move(words), 0, point).first->second;
    ++points;
    first = std::min(first, point);
    problems_.add(point, error);
  }

  /// As PointProblems.
  void throw_if_all(const Axes& axes) const {
    problems_.throw_if_all(axes.size(),
                           [&](std::size_t point) { return setting_words(axes.at(point)); });
  }

  /// Number of points and first point of each reason, most points first.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> ordered() const {
    std::vector<std::pair<std::size_t, std::size_t>> list;
    for (const auto& [words, reason] : reasons_) list.push_back(reason);
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return list;
  }

  [[nodiscard]] std::size_t count() const { return problems_.count(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> reasons_;
  PointProblems problems_;
};

void simulate_all(Field& field, Reasons& reasons, const Catalog& catalog, const HostProfile* host,
                  const SweepProgress& progress) {
  std::mutex reporting;
  std::size_t done = 0;
  const std::size_t blocks = (field.size() + block - 1) / block;
  for_each_index(blocks, field.options().jobs, [&](std::size_t b) {
    const std::size_t end = std::min(field.size(), (b + 1) * block);
    for (std::size_t point = b * block; point < end; ++point) {
      const Scenario scenario = field.axes().scenario(point);
      try {
        field.set(point, outlay_of(scenario, catalog, host, field.options().run));
      } catch (const InputError& error) {
        field.set_unanswered(point);
        reasons.add(point, error);
      }
    }
    const std::lock_guard lock(reporting);
    done += end - b * block;
    if (progress) progress(done, field.size());
  });
}

std::vector<NoResult> commonest(const Reasons& reasons, const Axes& axes, const Catalog& catalog,
                                const HostProfile* host, const RunOptions& options) {
  std::vector<NoResult> list;
  for (const auto& [points, first] : reasons.ordered()) {
    if (list.size() == most_reasons) break;
    try {
      static_cast<void>(outlay_of(axes.scenario(first), catalog, host, options));
    } catch (const InputError& error) {
      list.push_back({error.problems(), axes.at(first), points});
    }
  }
  return list;
}

/// How many keys a point changes of the scenario as it is written. Each value is tried once.
class Changes {
 public:
  explicit Changes(const Axes& axes) : axes_(axes), as_written_(bare({})) {
    for (const Axis& axis : axes.axes) known_.emplace_back(axis.values.size(), unknown);
  }

  std::size_t operator()(std::size_t point) {
    const std::vector<std::size_t> at = axes_.values_at(point);
    std::size_t changes = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      signed char& changed = known_[i][at[i]];
      if (changed == unknown) {
        if (tried_++ >= most_tried) return at.size();
        changed = changes_something(axes_.axes[i].setting(at[i])) ? 1 : 0;
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
  for (std::size_t i = point; i < field.size(); ++i) {
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
  const Rank end = end_of_alike(field.rank(winner.point.point));
  std::size_t simplest = winner.point.point;
  std::size_t least = winner.changes;
  winner.near = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!field.feasible(i) || field.rank(i) > end) continue;
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
    return std::pair(rounded(outlay.time.base()),
                     rounded(in_money ? outlay.money.base() : outlay.total.base()));
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
  std::set<std::size_t> shown = {static_cast<std::size_t>(place - front.begin())};
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

Winner winner_of(const Field& field, std::size_t first, const Catalog& catalog,
                 const HostProfile* host) {
  const std::vector<std::size_t> equal = equals(field, first);
  Changes changes(field.axes());
  std::size_t best = first;
  std::size_t least = changes(first);
  for (const std::size_t i : equal) {
    if (least == 0) break;
    const std::size_t count = changes(i);
    if (count < least) {
      best = i;
      least = count;
    }
  }
  Winner winner;
  winner.point = field.candidate(best);
  winner.equal = equal.size();
  winner.changes = least;
  winner.result = run(field.axes().scenario(best), catalog, host, field.options().run);
  fill_near(winner, field, changes);
  winner.runner_up = runner_up(field, best);
  fill_front(winner, field);
  winner.relaxed = relaxed(field);
  winner.ends = range_ends(field, best, catalog, host);
  winner.chances = chances_of(field, best, catalog, host);
  return winner;
}

std::optional<Outlay> as_written(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                                 const RunOptions& options) {
  try {
    return outlay_of(axes.make({}), catalog, host, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Without any, only time can be compared.
bool any_price(const Field& field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field.answered(i) && field[i].total > Money{}) return true;
  }
  return false;
}

/// Where no point keeps the constraints: which comes nearest, and what could be had at all.
void fill_misses(Optimum& optimum, const Field& field) {
  const Constraints& constraints = field.options().constraints;
  std::optional<std::size_t> nearest, fastest, cheapest;
  const auto better = [&](std::optional<std::size_t>& best, std::size_t i, auto&& value) {
    if (!best || value(i) < value(*best)) best = i;
  };
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!field.answered(i)) continue;
    better(nearest, i,
           [&](std::size_t p) { return std::pair(excess(field[p], constraints), field.rank(p)); });
    better(fastest, i, [&](std::size_t p) { return rank_of(field[p], Minimized::time); });
    better(cheapest, i, [&](std::size_t p) { return rank_of(field[p], Minimized::money); });
  }
  NearestMiss& miss = optimum.nearest.emplace();
  miss.point = field.candidate(*nearest);
  const Outlay& outlay = miss.point.outlay;
  if (!constraints.in_time(outlay.time)) miss.late = outlay.time - *constraints.deadline;
  if (!constraints.in_budget(outlay.money)) miss.over = outlay.money - *constraints.budget;
  optimum.fastest = field.candidate(*fastest);
  optimum.cheapest = field.candidate(*cheapest);
}

}  // namespace

std::size_t Axes::size() const {
  std::size_t product = 1;
  for (const Axis& axis : axes) product *= axis.values.size();
  return product;
}

std::vector<std::size_t> Axes::values_at(std::size_t point) const {
  std::vector<std::size_t> at(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    at[i] = point % axes[i].values.size();
    point /= axes[i].values.size();
  }
  return at;
}

Setting Axes::at(std::size_t point) const {
  const std::vector<std::size_t> values = values_at(point);
  Setting setting;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (auto& one : axes[i].setting(values[i])) setting.push_back(std::move(one));
  }
  return setting;
}

Rank rank_of(const Outlay& outlay, Minimized minimized) {
  const double time = rounded(outlay.time.base());
  const double money = rounded(outlay.money.base());
  const double total = rounded(outlay.total.base());
  switch (minimized) {
    case Minimized::total: return {total, time, money};
    case Minimized::money: return {money, time, total};
    case Minimized::time: return {time, total, money};
  }
  return {total, time, money};
}

Rank end_of_alike(const Rank& rank) {
  constexpr double any = std::numeric_limits<double>::infinity();
  return {rank[0] + alike_share * std::abs(rank[0]), any, any};
}

Outlay outlay_of(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                 const RunOptions& options) {
  if (options.exact) {
    RunOptions plain;
    plain.exact = true;
    plain.seed = options.seed;
    plain.list_inputs = false;
    const Result result = run(scenario, catalog, host, plain);
    return {result.times.total, result.bill.money, result.bill.total};
  }
  const DrawnJob job = drawn_job(scenario, catalog, host, {});
  return {job.outcome.total.wall, job.bill.money, job.bill.total};
}

double excess(const Outlay& outlay, const Constraints& constraints) {
  const auto beyond = [](double value, double bound) {
    if (value <= bound) return 0.0;
    return bound > 0.0 ? value / bound - 1.0 : std::numeric_limits<double>::infinity();
  };
  double most = 0.0;
  if (constraints.deadline) {
    most = std::max(most, beyond(outlay.time.base(), constraints.deadline->base()));
  }
  if (constraints.budget) {
    most = std::max(most, beyond(outlay.money.base(), constraints.budget->base()));
  }
  return most;
}

void Field::set_unanswered(std::size_t point) {
  outlays_[point].time = seconds(std::numeric_limits<double>::quiet_NaN());
}

bool Field::answered(std::size_t point) const {
  return !std::isnan(outlays_[point].time.base());
}

bool Field::feasible(std::size_t point, const Constraints& constraints) const {
  return answered(point) && constraints.met(outlays_[point].time, outlays_[point].money);
}

std::optional<std::size_t> Field::first(const Constraints& constraints,
                                        const std::optional<Rank>& beyond) const {
  std::optional<std::size_t> best;
  Rank least{};
  for (std::size_t i = 0; i < size(); ++i) {
    if (!feasible(i, constraints)) continue;
    const Rank one = rank(i);
    if ((beyond && one <= *beyond) || (best && one >= least)) continue;
    best = i;
    least = one;
  }
  return best;
}

Optimum optimize(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                 const OptimizeOptions& asked, const SweepProgress& progress) {
  OptimizeOptions options = asked;
  Field field(axes, options);
  Reasons reasons;
  simulate_all(field, reasons, catalog, host, progress);
  reasons.throw_if_all(axes);
  if (!any_price(field)) options.minimized = Minimized::time;
  Optimum optimum;
  optimum.minimized = options.minimized;
  optimum.no_price = options.minimized != asked.minimized;
  optimum.constraints = options.constraints;
  optimum.as_written = as_written(axes, catalog, host, options.run);
  optimum.points = axes.size();
  optimum.unanswered = reasons.count();
  optimum.no_result = commonest(reasons, axes, catalog, host, options.run);
  optimum.other_reasons = reasons.ordered().size() - optimum.no_result.size();
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!field.answered(i)) continue;
    const Outlay& outlay = field[i];
    if (outlay.total != outlay.money) optimum.hours_count = true;
    if (options.constraints.in_time(outlay.time)) ++optimum.in_time;
    if (options.constraints.in_budget(outlay.money)) ++optimum.in_budget;
    if (field.feasible(i)) ++optimum.feasible;
  }
  if (const auto first = field.first(options.constraints)) {
    optimum.winner = winner_of(field, *first, catalog, host);
  } else {
    fill_misses(optimum, field);
  }
  return optimum;
}

}  // namespace feedrate::study
