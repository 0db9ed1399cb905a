#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "study/drawn_job.hpp"
#include "study/optimize_parts.hpp"

namespace feedrate::study {
namespace {

/// Points that come nearest to the best; more of them are further away than inputs are uncertain.
constexpr std::size_t most_near = 12;
/// Points that are the best with another value of a key: they share less of what is uncertain.
constexpr std::size_t most_other = 12;
/// Points that are better and nearly keep the constraints.
constexpr std::size_t most_missing = 4;

class Contenders {
 public:
  Contenders(const Field& field, std::size_t best) : field_(field), list_{best}, seen_{best} {}

  void add_near() {
    Rank beyond = field_.rank(list_.front());
    for (std::size_t i = 0; i < most_near; ++i) {
      const auto next = field_.first(field_.options().constraints, end_of_alike(beyond));
      if (!next) return;
      add(*next);
      beyond = field_.rank(*next);
    }
  }

  void add_other_values() {
    const std::vector<Vary>& axes = field_.axes().varied();
    std::vector<std::vector<std::size_t>> best_of;
    for (const Vary& axis : axes) best_of.emplace_back(axis.values.size(), none);
    for (std::size_t point = 0; point < field_.size(); ++point) {
      if (!field_.feasible(point)) continue;
      const std::vector<std::size_t> at = field_.axes().values_at(point);
      for (std::size_t i = 0; i < at.size(); ++i) {
        std::size_t& best = best_of[i][at[i]];
        if (best == none || field_.rank(point) < field_.rank(best)) best = point;
      }
    }
    std::vector<std::size_t> all;
    for (const auto& of_axis : best_of) all.insert(all.end(), of_axis.begin(), of_axis.end());
    std::erase(all, none);
    add_first(std::move(all), most_other, [&](std::size_t point) { return field_.rank(point); });
  }

  void add_missing() {
    if (!field_.options().constraints.any()) return;
    std::vector<std::size_t> all;
    for (std::size_t point = 0; point < field_.size(); ++point) {
      if (!field_.answered(point) || field_.feasible(point)) continue;
      if (field_.rank(point) < field_.rank(list_.front())) all.push_back(point);
    }
    add_first(std::move(all), most_missing, [&](std::size_t point) {
      return excess(field_[point], field_.options().constraints);
    });
  }

  /// The best point first.
  [[nodiscard]] const std::vector<std::size_t>& list() const { return list_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void add(std::size_t point) {
    if (seen_.insert(point).second) list_.push_back(point);
  }

  template <class Value>
  void add_first(std::vector<std::size_t> all, std::size_t most, Value value) {
    const std::size_t count = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [&](std::size_t a, std::size_t b) {
                        return std::pair(value(a), a) < std::pair(value(b), b);
                      });
    for (std::size_t i = 0; i < count; ++i) add(all[i]);
  }

  const Field& field_;
  std::vector<std::size_t> list_;
  std::set<std::size_t> seen_;
};

/// One draw of all that is uncertain.
struct Drawn {
  bool in_time = true;  ///< the best point
  bool in_budget = true;
  std::size_t best = 0;  ///< index of the best contender; their number where none is feasible
};

}  // namespace

std::optional<Chances> chances_of(const Field& field, std::size_t best, const Catalog& catalog,
                                  const HostProfile* host) {
  const OptimizeOptions& options = field.options();
  Contenders contenders(field, best);
  contenders.add_near();
  contenders.add_other_values();
  contenders.add_missing();
  const std::vector<std::size_t>& points = contenders.list();
  if ((points.size() < 2 && !options.constraints.any()) || options.draws < 1) return std::nullopt;
  std::vector<Scenario> scenarios;
  for (const std::size_t point : points) scenarios.push_back(field.axes().scenario(point));
  std::vector<Drawn> draws(static_cast<std::size_t>(options.draws));
  for_each_index(draws.size(), options.jobs, [&](std::size_t d) {
    const std::uint64_t stream = d + 1;
    const resolve::Draw draw = [&](std::string_view key) {
      return uniform_of(options.run.seed, stream, key);
    };
    const Own own_course = Own::of(options.run.seed, stream).among_others();
    double least = std::numeric_limits<double>::infinity();
    double own = least;
    Drawn& drawn = draws[d];
    drawn.best = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      Outlay outlay;
      try {
        const DrawnJob job = drawn_job(scenarios[i], catalog, host, draw, own_course);
        outlay = {job.outcome.total.wall, job.bill.money, job.bill.total};
      } catch (const InputError&) {
        outlay.time = seconds(std::numeric_limits<double>::infinity());
        outlay.money = usd(std::numeric_limits<double>::infinity());
        outlay.total = outlay.money;
      }
      const Constraints& constraints = options.constraints;
      if (i == 0) {
        drawn.in_time = constraints.in_time(outlay.time);
        drawn.in_budget = constraints.in_budget(outlay.money);
      }
      if (!constraints.met(outlay.time, outlay.money)) continue;
      const double value = outlay.of(options.minimized);
      if (i == 0) own = value;
      if (value < least) {
        least = value;
        drawn.best = i;
      }
    }
    if (std::isfinite(own) && own <= least + alike_share * std::abs(least)) drawn.best = 0;
  });
  Chances chances;
  chances.draws = options.draws;
  chances.compared = points.size();
  std::vector<int> bests(points.size() + 1);
  int in_time = 0;
  int in_budget = 0;
  for (const Drawn& drawn : draws) {
    ++bests[drawn.best];
    in_time += drawn.in_time ? 1 : 0;
    in_budget += drawn.in_budget ? 1 : 0;
  }
  const auto share = [&](int count) { return static_cast<double>(count) / options.draws; };
  chances.best = share(bests.front());
  chances.in_time = share(in_time);
  chances.in_budget = share(in_budget);
  bests.pop_back();
  const auto rival = std::max_element(bests.begin() + 1, bests.end());
  if (rival != bests.end() && *rival > 0) {
    chances.rival = field.candidate(points[static_cast<std::size_t>(rival - bests.begin())]);
    chances.rival_best = share(*rival);
  }
  return chances;
}

}  // namespace feedrate::study
