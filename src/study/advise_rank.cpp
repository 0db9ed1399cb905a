// The order in which remedies are listed.
#include <algorithm>
#include <array>

#include "study/advise_parts.hpp"

namespace feedrate::study {
namespace {

void add_ranked(std::vector<Remedied>& made, const std::vector<Remedied>& rows,
                const Savings& savings, RemedyStanding standing, bool rescuing) {
  const bool missed = !savings.meets(savings.before);
  std::array<std::vector<const Remedied*>, remedy_kind_words.size()> kinds;
  for (const Remedied& row : rows) {
    const bool rescues = missed && savings.meets(row);
    if (row.standing != standing || rescues != rescuing) continue;
    kinds[static_cast<std::size_t>(row.what.kind)].push_back(&row);
  }
  for (auto& kind : kinds) {
    std::stable_sort(kind.begin(), kind.end(), [&](const Remedied* a, const Remedied* b) {
      return a->after && b->after && savings.of(*a) > savings.of(*b);
    });
    std::reverse(kind.begin(), kind.end());  // taken from the back
  }
  const auto for_effort = [&](const Remedied& row) {
    return row.after ? savings.of(row) / row.what.effort_hours : 0.0;
  };
  for (;;) {
    std::vector<const Remedied*>* best = nullptr;
    for (auto& kind : kinds) {
      if (kind.empty()) continue;
      if (best == nullptr || for_effort(*kind.back()) > for_effort(*best->back())) best = &kind;
    }
    if (best == nullptr) return;
    made.push_back(*best->back());
    best->pop_back();
  }
}

}  // namespace

std::vector<Remedied> ranked(const std::vector<Remedied>& rows, const Savings& savings) {
  std::vector<Remedied> made;
  for (const RemedyStanding standing :
       {RemedyStanding::advised, RemedyStanding::later, RemedyStanding::no_help,
        RemedyStanding::costs_more, RemedyStanding::takes_longer, RemedyStanding::impossible,
        RemedyStanding::not_simulated}) {
    for (const bool rescuing : {true, false}) {
      add_ranked(made, rows, savings, standing, rescuing);
    }
  }
  std::size_t number = 0;
  for (const RemedyStanding standing : {RemedyStanding::advised, RemedyStanding::later}) {
    for (Remedied& row : made) {
      if (row.standing == standing) row.number = ++number;
    }
  }
  return made;
}

}  // namespace feedrate::study
