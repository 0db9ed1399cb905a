#include "study/decision.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "study/drawn_job.hpp"

namespace feedrate::study {
namespace {

/// The number of points that are compared: others are further from the best than inputs are
/// uncertain.
constexpr std::size_t most_points = 16;
/// Points whose costs differ by less than this share are equally good.
constexpr double alike = 1e-4;
constexpr int draws_of_all = 100;
constexpr int draws_of_group = 32;

/// Inputs that become known together, by one probe or measurement.
struct Group {
  std::string probe;
  std::vector<std::string> keys;
};

class Chooser {
 public:
  Chooser(const Sweep& sweep, std::span<const SweepInput> inputs, const Catalog& catalog,
          const HostProfile* host)
      : inputs_(inputs), catalog_(catalog), host_(host) {
    in_money_ = std::any_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& point) {
      return point.answered() && point.result.bill.total > Money{};
    });
    const auto time = [&](std::size_t i) { return sweep.points[i].result.times.total.base(); };
    const auto value = [&](std::size_t i) {
      return in_money_ ? sweep.points[i].result.bill.total.base() : time(i);
    };
    const auto unpriced = [&](std::size_t i) { return sweep.points[i].result.bill.unpriced; };
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      if (sweep.points[i].answered()) points_.push_back(i);
    }
    // A bill that lacks a price is no less than another, however it is drawn.
    if (in_money_ && !std::all_of(points_.begin(), points_.end(), unpriced)) {
      std::erase_if(points_, unpriced);
    }
    std::stable_sort(points_.begin(), points_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(value(a), time(a)) < std::pair(value(b), time(b));
    });
    points_.resize(std::min(points_.size(), most_points));
    // Drawn jobs are in closed form: what the sweep's events are off from that at stated values,
    // they are off in every draw.
    beside_.assign(points_.size(), 1.0);
    stated_ = costs({});
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (stated_[k] > 0.0) beside_[k] = value(points_[k]) / stated_[k];
      stated_[k] *= beside_[k];
    }
  }

  [[nodiscard]] bool in_money() const { return in_money_; }
  /// Points in ascending order of their cost at stated values: the first is the best.
  [[nodiscard]] const std::vector<std::size_t>& points() const { return points_; }
  [[nodiscard]] const std::vector<double>& stated() const { return stated_; }

  /// The cost of each point in one draw.
  [[nodiscard]] std::vector<double> costs(const resolve::Draw& draw) const {
    std::vector<double> list;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const DrawnJob job =
          drawn_job(inputs_[points_[k]].scenario, catalog_, host_, draw, Own{}.among_others());
      const double value = in_money_ ? job.bill.total.base() : job.outcome.total.wall.base();
      list.push_back(beside_[k] * value);
    }
    return list;
  }

 private:
  std::span<const SweepInput> inputs_;
  const Catalog& catalog_;
  const HostProfile* host_;
  bool in_money_ = true;
  std::vector<std::size_t> points_;
  std::vector<double> beside_;
  std::vector<double> stated_;
};

/// Statistics of the choice over a number of draws.
class Tally {
 public:
  explicit Tally(std::size_t points) : sums_(points), best_(points) {}

  void add(const std::vector<double>& costs) {
    const auto least = std::min_element(costs.begin(), costs.end());
    ++draws_;
    least_ += *least;
    for (std::size_t i = 0; i < costs.size(); ++i) sums_[i] += costs[i];
    if (*least >= costs.front() * (1.0 - alike)) return;
    ++others_;
    ++best_[static_cast<std::size_t>(least - costs.begin())];
  }

  [[nodiscard]] int draws() const { return draws_; }
  /// Share of the draws in which another point than the first is better.
  [[nodiscard]] double others() const { return static_cast<double>(others_) / draws_; }
  /// The point of the least mean cost: the choice without further knowledge.
  [[nodiscard]] std::size_t choice() const {
    const auto least = std::min_element(sums_.begin(), sums_.end());
    return sums_.front() <= *least * (1.0 + alike)
               ? 0
               : static_cast<std::size_t>(least - sums_.begin());
  }
  /// The mean additional cost of that choice compared with choosing anew in each draw.
  [[nodiscard]] double worth() const {
    return std::max(0.0, (*std::min_element(sums_.begin(), sums_.end()) - least_) / draws_);
  }
  /// The point that is most often the best in place of the first.
  [[nodiscard]] std::size_t often() const {
    return static_cast<std::size_t>(std::max_element(best_.begin(), best_.end()) - best_.begin());
  }

 private:
  int draws_ = 0;
  int others_ = 0;
  double least_ = 0.0;
  std::vector<double> sums_;
  std::vector<int> best_;
};

std::vector<Group> groups_of(const Sweep& sweep, const std::vector<std::size_t>& points) {
  std::vector<Group> groups;
  std::vector<std::string> seen;
  for (const std::size_t i : points) {
    for (const InputUsed& input : sweep.points[i].result.inputs) {
      if (input.low.empty() || std::find(seen.begin(), seen.end(), input.key) != seen.end())
        continue;
      seen.push_back(input.key);
      // What was measured once can be measured again, but that is no news.
      const bool news = input.from.origin == Origin::assumed && !input.probe.empty();
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return news && group.probe == input.probe;
      });
      if (same != groups.end()) {
        same->keys.push_back(input.key);
      } else {
        groups.push_back({news ? input.probe : "", {input.key}});
      }
    }
  }
  return groups;
}

resolve::Draw only(const std::vector<std::string>& keys, const resolve::Draw& draw) {
  return [&keys, draw](std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end() ? draw(key) : 0.5;
  };
}

/// Whether any input of the group changes the cost of any point.
bool matters(const Chooser& chooser, const Group& group) {
  for (const std::string& key : group.keys) {
    for (const double share : {0.02, 0.98}) {
      const std::vector<std::string> one{key};
      const auto costs = chooser.costs(only(one, [share](std::string_view) { return share; }));
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (std::abs(costs[i] - chooser.stated()[i]) > 1e-6 * chooser.stated()[i]) return true;
      }
    }
  }
  return false;
}

std::optional<Worth> worth_of(const Chooser& chooser, const Group& group, std::uint64_t seed) {
  if (!matters(chooser, group)) return std::nullopt;
  Tally tally(chooser.points().size());
  for (int i = 0; i < draws_of_group; ++i) {
    // For a single input, even steps tell more than random ones.
    const resolve::Draw draw = [&](std::string_view key) {
      return group.keys.size() == 1 ? (i + 0.5) / draws_of_group
                                    : uniform_of(seed, static_cast<std::uint64_t>(i) + 1U, key);
    };
    tally.add(chooser.costs(only(group.keys, draw)));
  }
  if (tally.others() <= 0.0) return std::nullopt;
  return Worth{group.probe, group.keys, tally.worth(), tally.others(),
               chooser.points()[tally.often()]};
}

}  // namespace

std::optional<Decision> decide(const Sweep& sweep, std::span<const SweepInput> inputs,
                               const Catalog& catalog, const HostProfile* host, std::uint64_t seed,
                               bool worth_knowing) {
  const auto answered = std::count_if(sweep.points.begin(), sweep.points.end(),
                                      [](const SweepPoint& point) { return point.answered(); });
  if (answered < 2) return std::nullopt;
  const Chooser chooser(sweep, inputs, catalog, host);
  if (chooser.points().size() < 2) return std::nullopt;
  Decision decision;
  decision.in_money = chooser.in_money();
  decision.best = chooser.points().front();
  decision.compared = chooser.points().size();
  Tally all(chooser.points().size());
  for (int i = 0; i < draws_of_all; ++i) {
    all.add(chooser.costs([&](std::string_view key) {
      return uniform_of(seed, static_cast<std::uint64_t>(i) + 1U, key);
    }));
  }
  decision.draws = all.draws();
  decision.likely = 1.0 - all.others();
  decision.expected_loss = all.worth();
  decision.choice = chooser.points()[all.choice()];
  if (!worth_knowing) return decision;
  for (const Group& group : groups_of(sweep, chooser.points())) {
    if (auto worth = worth_of(chooser, group, seed)) decision.worth.push_back(std::move(*worth));
  }
  std::stable_sort(decision.worth.begin(), decision.worth.end(),
                   [](const Worth& a, const Worth& b) { return a.worth > b.worth; });
  return decision;
}

}  // namespace feedrate::study
