// Which rung is worked on, and the order in which remedies are listed.
#include <algorithm>
#include <vector>

#include "study/advise_parts.hpp"

namespace feedrate::study {
namespace {

void add_ranked(std::vector<Remedied>& made, const std::vector<Remedied>& rows,
                const Savings& savings, RemedyStanding standing, bool rescuing) {
  std::vector<const Remedied*> list;
  for (const Remedied& row : rows) {
    if (row.standing == standing && savings.rescues(row) == rescuing) list.push_back(&row);
  }
  // What costs more is none the better for being much work.
  const auto worth = [&](const Remedied& row) {
    const double saved = row.after ? savings.of(row) : 0.0;
    return saved > 0.0 ? saved / row.what.effort_hours : saved;
  };
  const auto before = [&](const Remedied* a, const Remedied* b) {
    if (worth(*a) != worth(*b)) return worth(*a) > worth(*b);
    return a->what.kind < b->what.kind;
  };
  std::stable_sort(list.begin(), list.end(), before);
  for (const Remedied* row : list) made.push_back(*row);
}

/// What the best of the remedies that belong to a rung, or to one before it, saves. Those of the
/// bill alone belong to none.
double most_by(Rung rung, const Advice& advice, const Savings& savings) {
  double most = 0.0;
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || row.what.from > rung) continue;
    if (row.what.of_bill_alone) continue;
    most = std::max(most, savings.of(row));
  }
  return most;
}

/// Whether anything that belongs to rungs after `rung`, up to `last`, saves more than all of that
/// rung and before it, in less time, and is no more work than the best of these.
bool outdone(Rung rung, Rung last, const Advice& advice, const Savings& savings) {
  const auto counts = [](const Remedied& row) {
    return row.standing == RemedyStanding::advised && !row.what.of_bill_alone;
  };
  const Remedied* best = nullptr;
  for (const Remedied& row : advice.remedies) {
    if (!counts(row) || row.what.from > rung) continue;
    if (best == nullptr || savings.of(row) > savings.of(*best)) best = &row;
  }
  return best != nullptr &&
         std::any_of(advice.remedies.begin(), advice.remedies.end(), [&](const Remedied& row) {
           return counts(row) && row.what.from > rung && row.what.from <= last &&
                  savings.of(row) > savings.of(*best) && row.after->time < best->after->time &&
                  row.what.effort_hours <= best->what.effort_hours;
         });
}

/// The first rung below the target, or the next one where nothing before it saves nearly as much
/// as what belongs to rungs below it. A rung without a remedy that is worth a change is passed
/// over where another has one, and so is one that is barely missed where another saves more: even
/// without any waiting there it would hardly be sooner; and so is one whose best is outdone by what
/// is less work. What belongs to later rungs comes later.
Rung rung_to_work_on(const Advice& advice, const Savings& savings) {
  constexpr double far_more = 0.1;
  const double cost = savings.cost_before();
  const auto below = [](const RungResult& rung) { return rung.figures && !rung.met; };
  const auto barely = [&](const RungResult& rung) {
    return advice.target - rung.share < worth_changing;
  };
  // Rungs are in order: the last one below the target has all that may be advised on.
  const auto last = std::find_if(advice.ladder.rbegin(), advice.ladder.rend(), below);
  if (last == advice.ladder.rend()) return advice.starts_on;
  const bool next_to_fed =
      std::all_of(advice.ladder.begin(), advice.ladder.end(),
                  [&](const RungResult& rung) { return !below(rung) || barely(rung); });
  const Rung end = next_to_fed ? Rung::fed : last->rung;
  const double all = most_by(end, advice, savings);
  for (const RungResult& rung : advice.ladder) {
    if (!below(rung)) continue;
    const double most = most_by(rung.rung, advice, savings);
    const bool stays = most >= worth_changing * cost
                           ? most >= all - (barely(rung) ? worth_changing : far_more) * cost
                           : all < worth_changing * cost;
    if (most > 0.0 && stays && !outdone(rung.rung, end, advice, savings)) return rung.rung;
  }
  return next_to_fed && all > 0.0 ? Rung::fed : advice.starts_on;
}

}  // namespace

void choose_rung(Advice& advice, const Savings& savings) {
  advice.works_on = rung_to_work_on(advice, savings);
  for (Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || savings.rescues(row)) continue;
    if (row.what.from > advice.works_on) row.standing = RemedyStanding::later;
  }
}

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
  for (Remedied& row : made) row.number = 0;  // one that is advised no more had one
  std::size_t number = 0;
  for (const RemedyStanding standing : {RemedyStanding::advised, RemedyStanding::later}) {
    for (Remedied& row : made) {
      if (row.standing == standing) row.number = ++number;
    }
  }
  return made;
}

}  // namespace feedrate::study
