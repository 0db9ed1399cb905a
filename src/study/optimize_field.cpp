#include <cmath>
#include <limits>
#include <utility>

#include "resolve/resolve.hpp"
#include "study/drawn_job.hpp"
#include "study/interruptions.hpp"
#include "study/optimize_parts.hpp"

namespace feedrate::study {

double without_last_bits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 40)), exponent - 40);
}

Rank rank_of(const Outlay& outlay, Minimized minimized) {
  const double time = without_last_bits(outlay.time.base());
  const double money = without_last_bits(outlay.money.base());
  const double total = without_last_bits(outlay.total.base());
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
  if (options.exact || options.events) {
    RunOptions plain;
    plain.exact = options.exact;
    plain.events = options.events;
    plain.gains = Gains::none;
    plain.seed = options.seed;
    plain.list_inputs = false;
    plain.refuse_unheld = true;
    return outlay_of(run(scenario, catalog, host, plain));
  }
  return outlay_of(drawn_job(scenario, catalog, host, {}));
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
  if (!answered(point) || !constraints.met(outlays_[point].time, outlays_[point].money)) {
    return false;
  }
  if (unpriced_aside_ && outlays_[point].unpriced) return false;
  return !guesses_aside_ || !outlays_[point].step_is_guess;
}

void Field::set_guesses_aside() {
  for (std::size_t i = 0; i < size() && !guesses_aside_; ++i) {
    guesses_aside_ = feasible(i) && !outlays_[i].step_is_guess;
  }
}

void Field::set_unpriced_aside() {
  if (options_->minimized == Minimized::time && !options_->constraints.budget) return;
  for (std::size_t i = 0; i < size() && !unpriced_aside_; ++i) {
    unpriced_aside_ = feasible(i) && !outlays_[i].unpriced;
  }
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

}  // namespace feedrate::study
