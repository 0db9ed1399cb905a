#include "study/choice.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/portable_math.hpp"
#include "study/by_events.hpp"

namespace feedrate::study {

std::vector<std::size_t> contenders(
    std::size_t first, std::size_t points,
    const std::function<std::optional<double>(std::size_t)>& value) {
  std::vector<std::size_t> list = {first};
  while (list.size() < most_contenders) {
    const double last = *value(list.back());
    const double end = last + alike_share * std::abs(last);
    std::optional<std::size_t> next;
    double least = 0.0;
    for (std::size_t i = 0; i < points; ++i) {
      const std::optional<double> one = value(i);
      if (!one || *one <= end || (next && *one >= least)) continue;
      next = i;
      least = *one;
    }
    if (!next) break;
    list.push_back(*next);
  }
  return list;
}

std::vector<std::optional<Confirmed>> confirm(std::span<const std::size_t> points,
                                              const std::function<SweepInput(std::size_t)>& point,
                                              const Catalog& catalog, const HostProfile* host,
                                              std::uint64_t seed, int jobs) {
  RunOptions options;
  options.events = true;
  options.seed = seed;
  options.list_inputs = false;
  std::vector<std::optional<Confirmed>> list(points.size());
  for_each_index(points.size(), jobs, [&](std::size_t i) {
    SweepInput input = point(points[i]);
    list[i] =
        confirmed(points[i], std::move(input.set), run(input.scenario, catalog, host, options));
  });
  return list;
}

std::vector<std::optional<Confirmed>> confirmed(
    std::span<const std::size_t> points,
    const std::function<const SweepPoint&(std::size_t)>& point) {
  std::vector<std::optional<Confirmed>> list;
  for (const std::size_t i : points) list.push_back(confirmed(i, point(i).set, point(i).result));
  return list;
}

std::optional<Confirmed> confirmed(std::size_t point, Setting set, const Result& result) {
  if (!result.by_events) return std::nullopt;
  return Confirmed{point, std::move(set), outlay_of(result), result.bottleneck.stage,
                   *result.by_events};
}

double by_events_of(const Confirmed& one, Minimized minimized) {
  const double outlay = one.outlay.of(minimized);
  return one.by_events.stated ? outlay : outlay * (1.0 + one.by_events.difference);
}

bool clearly_less(const Confirmed& a, double value_of_a, const Confirmed& b, double value_of_b) {
  const double error = portable::hypot(a.by_events.error, b.by_events.error);
  return value_of_a < value_of_b * (1.0 - std::max(parts_from, 2.0 * error));
}

std::optional<Choice> choose(std::span<const std::optional<Confirmed>> contenders,
                             Minimized minimized, const Constraints& constraints) {
  if (contenders.empty() || !contenders.front()) return std::nullopt;
  Choice choice;
  for (const auto& one : contenders) {
    if (!one) continue;
    choice.contenders.push_back(*one);
    choice.contenders.back().meets = constraints.met(one->outlay.time, one->outlay.money);
  }
  const auto value = [&](const Confirmed& one) { return by_events_of(one, minimized); };
  const auto beats = [&](const Confirmed& a, const Confirmed& b) {
    if (a.meets != b.meets) return a.meets;
    return clearly_less(a, value(a), b, value(b));
  };
  const auto better = [&] {
    return std::find_if(choice.contenders.begin(), choice.contenders.end(),
                        [&](const Confirmed& one) { return beats(one, choice.best()); });
  };
  for (auto next = better(); next != choice.contenders.end(); next = better()) {
    choice.chosen = static_cast<std::size_t>(next - choice.contenders.begin());
  }
  choice.clear =
      std::none_of(choice.contenders.begin(), choice.contenders.end(), [&](const Confirmed& one) {
        return one.meets == choice.best().meets && value(one) < value(choice.best());
      });
  return choice;
}

namespace {

/// What the events chose as the fastest costs less by them than what they chose as the cheapest:
/// nobody takes the latter.
void take_if_less(std::optional<Choice>& choice, const Confirmed& fastest,
                  const Constraints& constraints) {
  if (!choice || fastest.outlay.unpriced || fastest.point == choice->best().point) return;
  if (!constraints.met(fastest.outlay.time, fastest.outlay.money)) return;
  const auto value = [](const Confirmed& one) { return by_events_of(one, Minimized::total); };
  if (value(fastest) >= value(choice->best())) return;
  const auto known = std::find_if(choice->contenders.begin(), choice->contenders.end(),
                                  [&](const Confirmed& one) { return one.point == fastest.point; });
  choice->chosen = static_cast<std::size_t>(known - choice->contenders.begin());
  if (known == choice->contenders.end()) choice->contenders.push_back(fastest);
}

}  // namespace

SweepChoices sweep_choices(std::span<const Placed> points, const Constraints& constraints,
                           const ByEventsOf& by_events) {
  const StandingOut best = standing_out(points);
  if (best.pareto.empty()) return {};
  const auto among = [&](std::size_t first, Minimized minimized, const Constraints& within) {
    return contenders(first, points.size(), [&](std::size_t i) -> std::optional<double> {
      const Placed& one = points[i];
      if (!one.answered || !within.met(one.time, one.money)) return std::nullopt;
      if (minimized == Minimized::time) return one.time.base();
      if (one.unpriced && !points[first].unpriced) return std::nullopt;
      return one.cost.base();
    });
  };
  const auto fastest = among(best.fastest, Minimized::time, {});
  const auto cheapest = among(best.cheapest, Minimized::total, {});
  std::vector<std::size_t> meeting;
  if (constraints.any()) {
    if (const auto first = study::meeting(points, constraints).cheapest) {
      meeting = among(*first, Minimized::total, constraints);
    }
  }
  std::vector<std::size_t> all = fastest;
  all.insert(all.end(), cheapest.begin(), cheapest.end());
  all.insert(all.end(), meeting.begin(), meeting.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto simulated = by_events(all);
  const auto chosen = [&](const std::vector<std::size_t>& of, Minimized minimized,
                          const Constraints& within) {
    std::vector<std::optional<Confirmed>> list;
    for (const std::size_t i : of) {
      list.push_back(simulated[static_cast<std::size_t>(
          std::lower_bound(all.begin(), all.end(), i) - all.begin())]);
    }
    return choose(list, minimized, within);
  };
  SweepChoices choices = {chosen(fastest, Minimized::time, {}),
                          chosen(cheapest, Minimized::total, {}),
                          chosen(meeting, Minimized::total, constraints)};
  if (choices.fastest) {
    take_if_less(choices.cheapest, choices.fastest->best(), {});
    take_if_less(choices.cheapest_meeting, choices.fastest->best(), constraints);
  }
  return choices;
}

}  // namespace feedrate::study
