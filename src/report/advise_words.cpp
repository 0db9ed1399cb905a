#include "report/advise_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/choice_words.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {

std::string_view words_of(Rung rung) {
  switch (rung) {
    case Rung::one_gpu_in_memory: return "one GPU, data in memory";
    case Rung::one_gpu: return "one GPU, the real source";
    case Rung::one_instance: return "all GPUs of one instance";
    case Rung::cluster: return "all instances";
    case Rung::fed: return "the GPUs' own work";
  }
  return "";
}

std::string_view words_of(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::setting: return "a setting";
    case RemedyKind::code: return "code";
    case RemedyKind::data: return "re-encoding";
    case RemedyKind::infrastructure: return "infrastructure";
  }
  return "";
}

std::string effort_words(double hours_of_work) {
  if (hours_of_work < 0.25) return "minutes";
  if (hours_of_work < 1.0) return "half an hour";
  if (hours_of_work < 1.5) return "an hour";
  if (hours_of_work < 8.0) return fmt::format("{:g} hours", hours_of_work);
  return hours_of_work < 12.0 ? "a day" : fmt::format("{:g} days", hours_of_work / 8.0);
}

std::string stage_words(std::optional<Stage> stage) {
  return stage ? std::string(name_of(*stage)) : "none";
}

const Remedied* first_of(const Advice& advice, RemedyStanding standing) {
  for (const Remedied& row : advice.remedies) {
    if (row.standing == standing) return &row;
  }
  return nullptr;
}

namespace {

/// Of what the job costs, or of its time where nothing has a price.
double saved_share(const Advice& advice, Money saved, Duration sooner) {
  return advice.priced ? saved / (advice.jobs * advice.before.total) : sooner / advice.before.time;
}

/// What costs more is advised for the constraints that it meets.
bool rescues(const Advice& advice, const Remedied& row) {
  return (advice.priced && row.saved < Money{}) ||
         (row.after && feedrate::rescues(advice.constraints, advice.before, *row.after));
}

}  // namespace

bool mostly_saves(const Advice& advice, const Remedied& row) {
  constexpr double half = 0.5;
  return rescues(advice, row) || row.pays.value_or(1.0) >= half;
}

const Remedied* change_first(const Advice& advice) {
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || !mostly_saves(advice, row)) continue;
    if (rescues(advice, row) || saved_share(advice, row.saved, row.sooner) >= worth_changing) {
      return &row;
    }
  }
  return nullptr;
}

bool once_shows(const Remedied& row) {
  constexpr double least = 0.01;
  return row.one_off.base() > least * std::abs(row.saved.base());
}

namespace {

double worth(const Advice& advice, const Remedied& row) {
  return advice.priced ? row.saved.base() : row.sooner.base();
}

constexpr double far_more = 2.0;

/// A later remedy that saves several times as much as all that is advised; null: there is none.
const Remedied* outweighs_all(const Advice& advice) {
  double least = 0.0;
  const Remedied* most = nullptr;
  const auto at_least = [&](Money saved, Duration sooner) {
    least = std::max(least, far_more * (advice.priced ? saved.base() : sooner.base()));
  };
  for (const Remedied& row : advice.remedies) {
    if (row.number == 0 || !mostly_saves(advice, row)) continue;
    if (row.standing == RemedyStanding::advised) {
      at_least(row.saved, row.sooner);
      // What is in time, or within the budget, comes before all savings.
      if (rescues(advice, row)) return nullptr;
    } else if (most == nullptr || worth(advice, row) > worth(advice, *most)) {
      most = &row;
    }
  }
  if (advice.together) at_least(advice.together->saved, advice.together->sooner);
  const bool enough =
      most != nullptr && worth(advice, *most) > least &&
      saved_share(advice, most->saved, most->sooner) >= worth_changing &&
      (meets(advice.constraints, *most->after) || !meets(advice.constraints, advice.before));
  return enough ? most : nullptr;
}

/// What is quickly done comes first; what saves far more must not be overlooked. Nothing that
/// misses the constraints is named beside a first remedy that meets them. Null: there is none.
const Remedied* saves_far_more(const Advice& advice, const Remedied& first) {
  const bool must_meet = meets(advice.constraints, *first.after);
  const Remedied* most = nullptr;
  double least = std::max(0.0, far_more * worth(advice, first));
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || row.number == first.number) continue;
    if (!mostly_saves(advice, row)) continue;
    if ((must_meet && !meets(advice.constraints, *row.after)) || worth(advice, row) <= least)
      continue;
    most = &row;
    least = worth(advice, row);
  }
  return most;
}

}  // namespace

const Remedied* far_beyond_first(const Advice& advice) {
  if (const Remedied* const later = outweighs_all(advice)) return later;
  const Remedied* const first = change_first(advice);
  return first != nullptr ? saves_far_more(advice, *first) : nullptr;
}

const Remedied* saves_most(const Advice& advice) {
  const Remedied* most = nullptr;
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || !mostly_saves(advice, row)) continue;
    if (most == nullptr || worth(advice, row) > worth(advice, *most)) most = &row;
  }
  return most;
}

namespace {

const RungResult* rung_of(const Advice& advice, Rung rung) {
  for (const RungResult& each : advice.ladder) {
    if (each.rung == rung) return &each;
  }
  return nullptr;
}

}  // namespace

bool has_gpu_work(const Advice& advice) {
  return trains(advice.ladder, advice.before);
}

namespace {

std::string where_it_begins(const Advice& advice) {
  if (!advice.before.held) return "The job cannot run as it is: no GPU holds the weights.";
  const RungResult* rung = rung_of(advice, advice.starts_on);
  if (rung == nullptr || !rung->figures) {
    return fmt::format(
        "The GPUs are fed: on every rung they are busy at least {} of the time after start-up.",
        percent(advice.target));
  }
  if (!has_gpu_work(advice)) {
    return rung->share >= advice.target
               ? fmt::format(
                     "The GPUs have next to no work here, and no rung is slower than the one "
                     "before: the loader sets the pace.")
               : fmt::format(
                     "The problem starts at the rung \"{}\": it reaches {} of the rate of the rung "
                     "before.",
                     words_of(rung->rung), percent(rung->share));
  }
  const bool just = percent(rung->share) == percent(advice.target);
  return fmt::format(
      "The problem starts at the rung \"{}\": the GPU{} busy {} of the time after start-up, {} the "
      "target of {}.",
      words_of(rung->rung),
      rung->rung == Rung::one_gpu || rung->rung == Rung::one_gpu_in_memory ? " is" : "s are",
      // As many digits as tell it from the target.
      just ? fmt::format("{:.1f} %", std::floor(1000.0 * rung->share) / 10.0)
           : percent(rung->share),
      just ? "just below" : "below", percent(advice.target));
}

/// Where a later rung is the one to work on.
std::string passed_over(const Advice& advice) {
  if (advice.works_on == advice.starts_on) return "";
  if (advice.works_on == Rung::fed) {
    return " Nothing that could be simulated saves as much there as what comes once the GPUs are "
           "fed.";
  }
  return fmt::format(" Nothing that could be simulated saves as much there as on the rung \"{}\".",
                     words_of(advice.works_on));
}

/// A later rung may lose far more than the one to work on.
std::string later_words(const Advice& advice) {
  const RungResult* rung = rung_of(advice, advice.works_on);
  if (rung == nullptr || !rung->figures || !has_gpu_work(advice)) return "";
  const RungResult* worst = rung;
  for (const RungResult& each : advice.ladder) {
    if (each.figures && each.share < worst->share) worst = &each;
  }
  if (worst->share >= 0.5 * rung->share) return "";
  return fmt::format(" With {}, GPUs are busy only {} of the time after start-up.",
                     words_of(worst->rung), percent(worst->share));
}

/// "takes 17 min 52 s instead of 44 min, and costs $1.15 instead of $2.90"
std::string outcome_words(const Advice& advice, const JobFigures& after) {
  if (!advice.before.held) {
    return fmt::format("the job takes {}{}", duration(after.time),
                       advice.billed ? " and costs " + money(after.total) : "");
  }
  std::string text = fmt::format("the job takes {} instead of {}", duration(after.time),
                                 duration(advice.before.time));
  if (duration(after.time) == duration(advice.before.time)) {
    text = "the job takes about as long";
  }
  if (!advice.billed) return text;
  if (money(after.total) == money(advice.before.total)) {
    const double change = after.total / advice.before.total - 1.0;
    if (!(std::abs(change) >= worth_changing)) return text + " and costs about as much";
    return text + fmt::format(" and costs {} {}", percent(std::abs(change)),
                              change > 0.0 ? "more" : "less");
  }
  return text +
         fmt::format(" and costs {} instead of {}", money(after.total), money(advice.before.total));
}

/// The same of a remedy, with what it costs once where that shows.
std::string outcome_words(const Advice& advice, const Remedied& row) {
  const std::string text = outcome_words(advice, *row.after);
  return once_shows(row) ? fmt::format("{}, and {} once", text, money(row.one_off)) : text;
}

/// "Remedy 5 (spot) saves most: the job takes …"
std::string far_more_words(const Advice& advice, const Remedied& row) {
  const bool most =
      std::none_of(advice.remedies.begin(), advice.remedies.end(), [&](const Remedied& other) {
        return other.number > 0 && mostly_saves(advice, other) &&
               worth(advice, other) > worth(advice, row);
      });
  return fmt::format(" Remedy {} ({}) saves {}: {}.", row.number, row.change,
                     most ? "most" : "far more", outcome_words(advice, row));
}

/// No remedy alone saves enough to be worth a change.
Paragraph nothing_to_change(const Advice& advice) {
  const Remedied* const slower = first_of(advice, RemedyStanding::takes_longer);
  const bool is_cheaper = advice.priced && slower != nullptr &&
                          saved_share(advice, slower->saved, slower->sooner) >= worth_changing;
  const bool soon_enough = is_cheaper && !advice.constraints.deadline;
  std::string text =
      where_it_begins(advice) + fmt::format(
                                    " No remedy{} that could be simulated saves {:g} % or "
                                    "more{}{}.",
                                    advice.works_on == Rung::fed ? "" : " for that rung",
                                    100.0 * worth_changing, advice.together ? " alone" : "",
                                    soon_enough ? " in the same time" : "");
  // Of a bill that storage makes, less time saves next to nothing.
  const Remedied* const quick = first_of(advice, RemedyStanding::advised);
  if (quick != nullptr && advice.priced && quick->sooner >= worth_changing * advice.before.time &&
      mostly_saves(advice, *quick)) {
    text += fmt::format(" With {}, {}.", quick->change, outcome_words(advice, *quick));
  }
  if (soon_enough) {
    text += fmt::format(" With {}, {}; --deadline says how long is soon enough.", slower->change,
                        outcome_words(advice, *slower));
  }
  if (const auto& all = advice.together;
      all && saved_share(advice, all->saved, all->sooner) >= worth_changing) {
    text += fmt::format(" With {} together, {}.", fmt::join(all->numbers, "+"),
                        outcome_words(advice, all->after));
  }
  if (const Remedied* const more = far_beyond_first(advice)) text += far_more_words(advice, *more);
  return {text + later_words(advice),
          advice.works_on == Rung::fed && !advice.together && !is_cheaper && advice.before.held
              ? Tone::good
              : Tone::plain};
}

}  // namespace

Paragraph advice_headline(const Advice& advice) {
  const Remedied* first = change_first(advice);
  if (first == nullptr) {
    const auto may =
        std::find_if(advice.remedies.begin(), advice.remedies.end(), [&](const Remedied& row) {
          return row.standing == RemedyStanding::advised &&
                 saved_share(advice, row.saved, row.sooner) >= worth_changing;
        });
    if (may == advice.remedies.end()) return nothing_to_change(advice);
    return {where_it_begins(advice) + passed_over(advice) +
                fmt::format(" No remedy saves in most of the draws. As stated, {} would: {}; that "
                            "occurs in {} of the draws.",
                            may->change, outcome_words(advice, *may), percent(*may->pays)) +
                later_words(advice),
            Tone::plain};
  }
  std::string text = fmt::format("{}{} Change first: {}. Then {}", where_it_begins(advice),
                                 passed_over(advice), first->change, outcome_words(advice, *first));
  if (first->after->bottleneck && first->after->bottleneck != advice.before.bottleneck) {
    text += fmt::format(", and {} is the bottleneck", name_of(*first->after->bottleneck));
  }
  text += ".";
  if (advice.before.held && advice.priced && first->saved < Money{}) {
    text += " It costs more, but meets the constraints.";
  } else if (first->pays && *first->pays < sure) {
    text += fmt::format(" The saving is uncertain: it occurs in {} of the draws.",
                        percent(*first->pays));
  }
  if (first->what.alters_training) {
    text += fmt::format(" It changes the training itself: {}.", first->what.limits);
  }
  if (const Remedied* const more = far_beyond_first(advice)) text += far_more_words(advice, *more);
  return {text + later_words(advice), Tone::plain};
}

std::string limits_words(const Advice& advice) {
  const auto& [deadline, budget] = advice.constraints;
  if (!advice.constraints.any()) return "";
  std::string asked;
  if (deadline) asked = "the deadline of " + duration(*deadline);
  if (budget) {
    asked += std::string(asked.empty() ? "" : " and ") + "the budget of " + money(*budget);
  }
  if (meets(advice.constraints, advice.before))
    return fmt::format("The job as it is meets {}.", asked);
  std::string numbers;
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || !meets(advice.constraints, *row.after)) continue;
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", row.number);
  }
  if (!numbers.empty()) {
    return fmt::format(
        "The job as it is does not meet {}; with {} alone it does.", asked,
        (numbers.find(',') == std::string::npos ? "remedy " : "any one of the remedies ") +
            numbers);
  }
  if (advice.together && meets(advice.constraints, advice.together->after)) {
    return fmt::format("The job as it is does not meet {}; with the best together it does.", asked);
  }
  return fmt::format("Neither the job as it is nor any remedy here meets {}.", asked);
}

std::string confirmed_words(const Advice& advice) {
  if (!advice.confirmed) return "";
  std::string text = fmt::format("Simulated event by event, the job takes {}",
                                 beside_mean_words(advice.confirmed->by_events));
  int remedies = 0;
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised || !row.confirmed) continue;
    text += fmt::format("; with {}{}, {}", remedies++ > 0 ? "" : "remedy ", row.number,
                        beside_mean_words(row.confirmed->by_events));
  }
  if (advice.together && advice.together->confirmed) {
    text += fmt::format("; with the best together, {}",
                        beside_mean_words(advice.together->confirmed->by_events));
  }
  return text + ".";
}

std::vector<std::string> not_yet(const Advice& advice) {
  std::vector<std::string> items;
  const auto first =
      std::find_if(advice.remedies.begin(), advice.remedies.end(), [&](const Remedied& row) {
        return row.standing == RemedyStanding::advised && mostly_saves(advice, row);
      });
  if (advice.too_early && first != advice.remedies.end()) {
    items.push_back(fmt::format(
        "Do not {} yet: {} with everything else unchanged cost {}, "
        "more than the job with {} ({}).",
        advice.too_early->rented ? "rent more instances" : "spread the job over more machines",
        advice.too_early->change, money(advice.too_early->after.total), first->change,
        money(first->after->total)));
  }
  if (advice.hides_disk) {
    items.push_back(fmt::format(
        "Do not judge the disk by a subset of the data of less than {} GB: it stays in the page "
        "cache, so that the disk is not measured.",
        number(advice.hides_disk->base() / 1e9)));
  }
  return items;
}

}  // namespace feedrate::report
