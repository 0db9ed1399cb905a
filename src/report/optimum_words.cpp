#include "report/optimum_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/numbers.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

std::string number_of(std::size_t points) {
  return count(static_cast<double>(points));
}

/// What is smaller than this share is shown as no difference at all.
constexpr double visible = 5e-4;

bool differ(double value, double than) {
  return std::abs(value - than) > visible * std::max(std::abs(value), std::abs(than));
}

std::string by_share(double value, double than) {
  return than > 0.0 ? fmt::format(" ({})", signed_percent(value / than - 1.0)) : "";
}

std::string time_beside(const Outlay& outlay, const Outlay& than) {
  const double by = (outlay.time - than.time).base();
  if (!differ(outlay.time.base(), than.time.base())) return "as fast";
  return fmt::format("{} {}{}", duration(seconds(std::abs(by))), by > 0.0 ? "slower" : "faster",
                     by_share(outlay.time.base(), than.time.base()));
}

std::string money_beside(Money value, Money than, std::string_view what) {
  if (!differ(value.base(), than.base())) return fmt::format("same cost{}", what);
  const Money by = value - than;
  return fmt::format("{} {}{}{}", money(usd(std::abs(by.base()))),
                     by > Money{} ? "more expensive" : "cheaper", what,
                     by_share(value / usd(1), than / usd(1)));
}

}  // namespace

std::string outlay_words(const Optimum& optimum, const Outlay& outlay) {
  std::string words = fmt::format("{}, {}", duration(outlay.time), money(outlay.money));
  if (optimum.hours_count) {
    words += fmt::format(" ({} including the value of the hours)", money(outlay.total));
  }
  return words;
}

std::string instead_words(const Candidate& point, const Candidate& than) {
  std::string words;
  for (std::size_t i = 0; i < point.set.size(); ++i) {
    const auto& [key, value] = point.set[i];
    if (value == than.set[i].second) continue;
    words += fmt::format("{}{} = {} instead of {}", words.empty() ? "" : ", ", key, value,
                         than.set[i].second);
  }
  return words;
}

std::string beside_words(const Optimum& optimum, const Outlay& outlay, const Outlay& than) {
  const std::string time = time_beside(outlay, than);
  const std::string bill =
      money_beside(outlay.money, than.money, optimum.hours_count ? " on the bill" : "");
  const std::string total =
      optimum.hours_count ? money_beside(outlay.total, than.total, " in total") : bill;
  switch (optimum.minimized) {
    case Minimized::total: return total + ", " + time;
    case Minimized::money: return bill + ", " + time;
    case Minimized::time: return time + ", " + total;
  }
  return total;
}

std::string least_words(const Optimum& optimum) {
  if (optimum.no_price) return "shortest time (nothing here has a price)";
  switch (optimum.minimized) {
    case Minimized::total: return optimum.hours_count ? "lowest total cost" : "lowest cost";
    case Minimized::money: return "lowest bill";
    case Minimized::time: return "shortest time";
  }
  return "lowest cost";
}

std::string feasible_words(const Optimum& optimum) {
  const std::size_t answered = optimum.points - optimum.unanswered;
  const std::string left_out =
      optimum.unanswered == 0
          ? ""
          : fmt::format("; {} cannot be simulated or priced", number_of(optimum.unanswered));
  if (!optimum.constraints.any()) {
    return fmt::format(" of {}{}", counted(answered, "point"), left_out);
  }
  return fmt::format(" of the {} of {} that {} {}{}", number_of(optimum.feasible),
                     counted(answered, "point"), optimum.feasible == 1 ? "meets" : "meet",
                     constraint_words(optimum.constraints), left_out);
}

std::string no_winner_words(const Optimum& optimum) {
  const Constraints& constraints = optimum.constraints;
  const NearestMiss& nearest = *optimum.nearest;
  std::string words =
      fmt::format("None of {} meets {}", counted(optimum.points - optimum.unanswered, "point"),
                  constraint_words(constraints));
  if (constraints.deadline && constraints.budget) {
    words += fmt::format(" together ({} the deadline, {} the budget)", number_of(optimum.in_time),
                         number_of(optimum.in_budget));
  }
  std::string misses;
  if (nearest.late) {
    misses = fmt::format("misses the deadline by {}{}", duration(*nearest.late),
                         by_share(nearest.point.outlay.time.base(), constraints.deadline->base()));
  }
  if (nearest.over) {
    misses += fmt::format("{} the budget by {}{}", misses.empty() ? "exceeds" : " and",
                          money(*nearest.over),
                          by_share(nearest.point.outlay.money.base(), constraints.budget->base()));
  }
  return fmt::format("{}. Nearest: {} ({}) {}.", words, setting_text(nearest.point.set),
                     outlay_words(optimum, nearest.point.outlay), misses);
}

}  // namespace feedrate::report
