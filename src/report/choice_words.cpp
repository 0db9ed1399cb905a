#include "report/choice_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/advise_words.hpp"
#include "report/numbers.hpp"
#include "report/sweep_words.hpp"
#include "words/job.hpp"

namespace feedrate::report {
namespace {

bool parts_visibly(const ByEvents& by_events) {
  constexpr double least_shown = 5e-4;
  return std::abs(by_events.difference) >= least_shown;
}

std::string bottleneck_text(const Confirmed& one) {
  if (one.bottleneck == one.by_events.mean_bottleneck) return "";
  return fmt::format(" Its bottleneck by events is {} instead of {}.", stage_words(one.bottleneck),
                     stage_words(one.by_events.mean_bottleneck));
}

/// Both in one, where they choose the same.
std::optional<Choice> together(const std::optional<Choice>& a, const std::optional<Choice>& b) {
  if (!a || !b || a->best().point != b->best().point || a->clear != b->clear ||
      a->contenders.front().point != b->contenders.front().point) {
    return std::nullopt;
  }
  Choice both = *a;
  for (const Confirmed& one : b->contenders) {
    const bool there =
        std::any_of(a->contenders.begin(), a->contenders.end(),
                    [&](const Confirmed& other) { return other.point == one.point; });
    if (!there) both.contenders.push_back(one);
  }
  return both;
}

}  // namespace

std::string beside_mean_words(const ByEvents& by_events) {
  if (!parts_visibly(by_events)) {
    return fmt::format("{}, as in closed form", duration(by_events.total));
  }
  return fmt::format("{}, {} {} than in closed form", duration(by_events.total),
                     percent(std::abs(by_events.difference)),
                     by_events.difference < 0.0 ? "less" : "more");
}

std::string name_text(const Confirmed& one) {
  return one.set.empty() ? "the job as written" : setting_text(one.set);
}

std::string choice_words(const Choice& choice, std::string_view best,
                         const std::function<std::string(const Confirmed&)>& name) {
  // "num_workers = 3 takes 17 min 52 s, 2.3 % more than in closed form ($1.15)": of which of both
  // the bill is, where they part.
  const auto confirmed = [&](const Confirmed& one) {
    const bool apart = !one.by_events.stated && parts_visibly(one.by_events);
    std::string cost;
    if (one.outlay.total > Money{}) {
      const std::string paid = money(one.outlay.total);
      cost = apart ? fmt::format(", where it costs {}", paid) : fmt::format(" ({})", paid);
    }
    return fmt::format("{} takes {}{}", name(one), beside_mean_words(one.by_events), cost);
  };
  const Confirmed& by_mean = choice.contenders.front();
  const Confirmed& chosen = choice.best();
  const std::size_t compared = choice.contenders.size();
  std::string text;
  if (choice.chosen > 0) {
    text = fmt::format("Simulated event by event, {}, and {}, so that {} is {} instead.",
                       confirmed(by_mean), confirmed(chosen), name(chosen), best);
  } else {
    text = fmt::format("Simulated event by event, {} takes {}", name(chosen),
                       beside_mean_words(chosen.by_events));
    if (!chosen.meets) {
      text += ", and no longer meets the constraints";
      text +=
          compared > 1 ? fmt::format("; nor does any other of the {} compared.", compared) : ".";
    } else if (compared == 1) {
      text += ".";
    } else if (choice.clear) {
      text += fmt::format(", and stays {} of the {} compared.", best, compared);
    } else {
      text += fmt::format(
          ". It stays {}: none of the {} compared is better by more than the events can tell.",
          best, compared);
    }
  }
  return text + bottleneck_text(chosen);
}

std::vector<std::string> choice_words(const SweepChoices& choices) {
  std::vector<std::string> list;
  const auto& [fastest, cheapest, meeting] = choices;
  if (const auto both = together(fastest, cheapest)) {
    list.push_back(choice_words(*both, "the fastest and the cheapest"));
  } else {
    if (fastest) list.push_back(choice_words(*fastest, "the fastest"));
    if (cheapest) list.push_back(choice_words(*cheapest, "the cheapest"));
  }
  if (meeting) list.push_back(choice_words(*meeting, "the cheapest that meets the constraints"));
  const std::array all = {&fastest, &cheapest, &meeting};
  if (std::any_of(all.begin(), all.end(), [](const std::optional<Choice>* choice) {
        return *choice && (*choice)->best().outlay.step_is_guess;
      })) {
    list.emplace_back(words::choice_rests_on_guess);
  }
  return list;
}

}  // namespace feedrate::report
