// The best combination of remedies in one job.
#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "study/advise_parts.hpp"
#include "study/remedy.hpp"

namespace feedrate::study {
namespace {

constexpr std::size_t most_together = 5;
/// From how many of the best remedies a combination is grown. What is best alone may exclude those
/// that are best together.
constexpr std::size_t most_starts = 3;
/// Exchanges of one remedy for another, and removals. Each that is made saves, so few are.
constexpr int most_moves = 10;

using Simulate = std::function<JobFigures(const Setting&)>;
using Places = std::vector<std::size_t>;  ///< of rows, in order

/// Combinations of remedies, each simulated once.
class Combinations {
 public:
  Combinations(const std::vector<const Remedied*>& rows, const Savings& savings,
               const Simulate& simulate, std::size_t most_tried)
      : rows_(rows), savings_(savings), simulate_(simulate), most_tried_(most_tried) {
    Together none;
    none.after = savings.before;
    known_[{}] = none;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<Together> alone = joined({i});
      if (alone) alone->after = *rows[i]->after;
      known_[{i}] = std::move(alone);
    }
  }

  /// What each comes to; null where its remedies contradict each other, there is no such job, it
  /// takes too long, or too many have been tried.
  std::vector<const Together*> tried(const std::vector<Places>& wanted) {
    std::vector<const Places*> fresh;
    for (const Places& places : wanted) {
      const auto [at, is_new] = known_.try_emplace(places);
      if (!is_new) continue;
      at->second = joined(places);
      if (at->second && simulated_ < most_tried_) {
        fresh.push_back(&at->first);
        ++simulated_;
      } else {
        at->second.reset();
      }
    }
    std::vector<std::optional<JobFigures>> after(fresh.size());
    for_each_index(fresh.size(), 0, [&](std::size_t i) {
      try {
        after[i] = simulate_(known_.at(*fresh[i])->set);
      } catch (const InputError&) {
        after[i].reset();
      }
    });
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      std::optional<Together>& one = known_.at(*fresh[i]);
      if (after[i] && !too_long(*fresh[i], *after[i])) {
        one->after = *after[i];
      } else {
        one.reset();
      }
    }
    std::vector<const Together*> list;
    for (const Places& places : wanted) {
      const auto& one = known_.at(places);
      list.push_back(one ? &*one : nullptr);
    }
    return list;
  }

 private:
  /// Empty where the remedies contradict each other, or one changes nothing beside the others.
  [[nodiscard]] std::optional<Together> joined(const Places& places) const {
    Together all;
    for (const std::size_t i : places) {
      const Remedied& row = *rows_[i];
      if (clash(all.set, row.set)) return std::nullopt;
      const std::size_t before = all.set.size();
      for (const auto& pair : row.set) {
        if (std::find(all.set.begin(), all.set.end(), pair) == all.set.end()) {
          all.set.push_back(pair);
        }
      }
      if (all.set.size() == before) return std::nullopt;
      all.numbers.push_back(row.number);
      all.one_off += row.one_off;
    }
    return all;
  }

  [[nodiscard]] bool too_long(const Places& places, const JobFigures& job) const {
    double longest = 0.0;
    for (const std::size_t i : places) longest = std::max(longest, rows_[i]->longest);
    return savings_.too_long(job, longest, savings_.before.time);
  }

  const std::vector<const Remedied*>& rows_;
  const Savings& savings_;
  const Simulate& simulate_;
  std::map<Places, std::optional<Together>> known_;
  std::size_t most_tried_;
  std::size_t simulated_ = 0;
};

class Search {
 public:
  Search(const std::vector<const Remedied*>& rows, const Savings& savings, const Simulate& simulate,
         std::size_t most_tried)
      : rows_(rows), savings_(savings), combinations_(rows, savings, simulate, most_tried) {}

  std::optional<Together> best() {
    std::optional<Found> best;
    for (const Places& start : starts()) {
      // From one that was taken, much the same grows.
      if (best && holds(*best, start.front())) continue;
      const Found found = grown(start);
      if (!best || clearly_better(*found.of, *best->of)) best = found;
    }
    if (!best) return std::nullopt;
    for (int move = 0; move < most_moves; ++move) {
      const auto next = moved(*best);
      if (!next) break;
      best = grown(next->places);
    }
    return best->places.size() < 2 ? std::nullopt : std::optional(*best->of);
  }

 private:
  struct Found {
    Places places;
    const Together* of = nullptr;
  };

  static bool holds(const Found& taken, std::size_t row) {
    return std::binary_search(taken.places.begin(), taken.places.end(), row);
  }

  [[nodiscard]] double cost(const Together& of) const {
    return savings_.cost(of.after, of.one_off);
  }
  [[nodiscard]] bool meets(const Together& of) const { return savings_.meets(of.after); }

  [[nodiscard]] bool better(const Together& a, const Together& b) const {
    return meets(a) != meets(b) ? meets(a) : cost(a) < cost(b);
  }
  /// By more than what a smaller change is preferred by.
  [[nodiscard]] bool clearly_better(const Together& a, const Together& b) const {
    return meets(a) != meets(b) ? meets(a) : cost(a) < (1.0 - nearly) * cost(b);
  }
  /// Whether what `with` has beyond `without` is worth it.
  [[nodiscard]] bool pays_beside(const Together& with, const Together& without) const {
    if (meets(with) != meets(without)) return meets(with);
    return cost(with) <= (1.0 - least_saving) * cost(without);
  }

  /// The remedy that comes first, and those that are best alone.
  std::vector<Places> starts() {
    std::vector<Places> list;
    const Found first = with_one_more({{}, combinations_.tried({{}}).front()});
    if (first.of == nullptr) return {};
    list.push_back(first.places);
    std::vector<Places> alone;
    for (std::size_t i = 0; i < rows_.size(); ++i) alone.push_back({i});
    const auto of = combinations_.tried(alone);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (of[i] != nullptr && alone[i] != first.places) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return better(*of[a], *of[b]); });
    for (const std::size_t i : order) {
      if (list.size() < most_starts) list.push_back(alone[i]);
    }
    return list;
  }

  /// With the first in the list of those that save nearly the most beside what is taken; null where
  /// none pays.
  Found with_one_more(const Found& taken) {
    std::vector<Places> wanted;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto at = std::lower_bound(taken.places.begin(), taken.places.end(), i);
      if (at != taken.places.end() && *at == i) continue;
      Places places = taken.places;
      places.insert(places.begin() + (at - taken.places.begin()), i);
      wanted.push_back(std::move(places));
    }
    const auto with = combinations_.tried(wanted);
    const Together* best = nullptr;
    for (const Together* each : with) {
      if (each != nullptr && (best == nullptr || better(*each, *best))) best = each;
    }
    if (best == nullptr || !pays_beside(*best, *taken.of)) return {};
    for (std::size_t i = 0; i < with.size(); ++i) {
      if (with[i] != nullptr && meets(*with[i]) == meets(*best) &&
          pays_beside(*with[i], *taken.of) && cost(*with[i]) <= (1.0 + nearly) * cost(*best)) {
        return {wanted[i], with[i]};
      }
    }
    return {};  // the best is one of them
  }

  Found grown(const Places& start) {
    Found taken{start, combinations_.tried({start}).front()};
    while (taken.places.size() < most_together) {
      Found more = with_one_more(taken);
      if (more.of == nullptr) break;
      taken = std::move(more);
    }
    return taken;
  }

  /// Without one that is not worth it beside the others, or else with another that excludes it in
  /// its place, which saves clearly more.
  std::optional<Found> moved(const Found& taken) {
    std::vector<Places> fewer, other;
    for (std::size_t i = 0; i < taken.places.size(); ++i) {
      Places left = taken.places;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        // What goes with all of them was tried beside them.
        if (holds(taken, row) || !clash(taken.of->set, rows_[row]->set)) continue;
        Places places = left;
        places.insert(std::lower_bound(places.begin(), places.end(), row), row);
        other.push_back(std::move(places));
      }
      fewer.push_back(std::move(left));
    }
    const auto without = combinations_.tried(fewer);
    std::optional<Found> best;
    for (std::size_t i = 0; i < fewer.size(); ++i) {
      if (without[i] == nullptr || pays_beside(*taken.of, *without[i])) continue;
      if (!best || better(*without[i], *best->of)) best = Found{fewer[i], without[i]};
    }
    if (best) return best;
    const auto changed = combinations_.tried(other);
    for (std::size_t i = 0; i < other.size(); ++i) {
      if (changed[i] == nullptr || !clearly_better(*changed[i], *taken.of)) continue;
      if (!best || better(*changed[i], *best->of)) best = Found{other[i], changed[i]};
    }
    return best;
  }

  const std::vector<const Remedied*>& rows_;
  const Savings& savings_;
  Combinations combinations_;
};

}  // namespace

void set_after(Together& together, const JobFigures& after, const Savings& savings) {
  together.after = after;
  together.sooner = savings.before.time - after.time;
  together.saved = savings.jobs * (savings.before.total - after.total) - together.one_off;
}

std::vector<const Remedied*> of_mean(const std::vector<const Remedied*>& rows,
                                     const Simulate& simulate, std::vector<Remedied>& own) {
  own.clear();
  own.reserve(rows.size());
  std::vector<const Remedied*> all = rows;
  for (const Remedied*& row : all) {
    if (!parts_from_mean(*row)) continue;
    Remedied by_mean = *row;
    try {
      by_mean.after = simulate(row->set);
    } catch (const InputError&) {
      continue;
    }
    own.push_back(std::move(by_mean));
    row = &own.back();
  }
  return all;
}

std::optional<Together> best_together(const std::vector<const Remedied*>& rows,
                                      const Savings& savings, const Simulate& simulate,
                                      std::size_t most_tried) {
  std::optional<Together> together = Search(rows, savings, simulate, most_tried).best();
  if (!together) return std::nullopt;
  std::sort(together->numbers.begin(), together->numbers.end());
  set_after(*together, JobFigures(together->after), savings);
  return together;
}

}  // namespace feedrate::study
