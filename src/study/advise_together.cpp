// The best combination of remedies in one job.
#include <algorithm>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "study/advise_parts.hpp"
#include "study/remedy.hpp"

namespace feedrate::study {
namespace {

constexpr std::size_t most_together = 3;

using Simulate = std::function<JobFigures(const Setting&)>;

/// The remedies taken so far and one more; empty where they contradict each other.
std::optional<Together> with_one_more(const Together& taken, const Remedied& row,
                                      const Simulate& simulate) {
  if (clash(taken.set, row.set)) return std::nullopt;
  Together with = taken;
  for (const auto& pair : row.set) {
    if (std::find(with.set.begin(), with.set.end(), pair) == with.set.end()) {
      with.set.push_back(pair);
    }
  }
  if (with.set.size() == taken.set.size()) return std::nullopt;
  with.numbers.push_back(row.number);
  with.one_off += row.one_off;
  if (taken.numbers.empty()) {
    with.after = *row.after;
    return with;
  }
  try {
    with.after = simulate(with.set);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return with;
}

double cost_with(const Savings& savings, const Together& of) {
  return savings.cost(of.after, of.one_off);
}

bool better_together(const Savings& savings, const Together& a, const Together& b) {
  const bool a_meets = savings.meets(a.after);
  if (a_meets != savings.meets(b.after)) return a_meets;
  return cost_with(savings, a) < cost_with(savings, b);
}

bool pays_beside(const Savings& savings, const Together& with, const Together& without) {
  const bool is_met = savings.meets(with.after);
  if (is_met != savings.meets(without.after)) return is_met;
  return cost_with(savings, with) <= (1.0 - least_saving) * cost_with(savings, without);
}

/// The one of `with` to take in place of `taken`; null where none pays.
const Together* next_taken(const std::vector<std::optional<Together>>& with, const Together& taken,
                           const Savings& savings) {
  const Together* best = nullptr;
  for (const auto& each : with) {
    if (each && (best == nullptr || better_together(savings, *each, *best))) best = &*each;
  }
  if (best == nullptr || !pays_beside(savings, *best, taken)) return nullptr;
  // One that is nearly as good and stands higher in the list is preferred.
  for (const auto& each : with) {
    if (each && savings.meets(each->after) == savings.meets(best->after) &&
        pays_beside(savings, *each, taken) &&
        cost_with(savings, *each) <= cost_with(savings, *best) * (1.0 + nearly)) {
      return &*each;
    }
  }
  return best;
}

}  // namespace

void set_after(Together& together, const JobFigures& after, const Savings& savings) {
  together.after = after;
  together.sooner = savings.before.time - after.time;
  together.saved = savings.jobs * (savings.before.total - after.total) - together.one_off;
}

std::optional<Together> best_together(const std::vector<const Remedied*>& rows,
                                      const Savings& savings, const Simulate& simulate) {
  Together together;
  together.after = savings.before;
  while (together.numbers.size() < most_together) {
    std::vector<std::optional<Together>> with(rows.size());
    for_each_index(rows.size(), 0,
                   [&](std::size_t i) { with[i] = with_one_more(together, *rows[i], simulate); });
    const Together* const best = next_taken(with, together, savings);
    if (best == nullptr) break;
    together = Together(*best);
  }
  if (together.numbers.size() < 2) return std::nullopt;
  std::sort(together.numbers.begin(), together.numbers.end());
  set_after(together, JobFigures(together.after), savings);
  return together;
}

}  // namespace feedrate::study
