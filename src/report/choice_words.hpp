#pragma once
// What the events say of what is recommended, in the words of every command that chooses.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sweep.hpp"

namespace feedrate::report {

/// "17 min 52 s, 0.3 % more than in closed form": a job by its events.
std::string beside_mean_words(const ByEvents& by_events);

/// "num_workers = 3": what is set.
std::string name_text(const Confirmed& one);

/// Whether the best by the mean stays it, or what is recommended instead. `best`: "the cheapest".
std::string choice_words(const Choice& choice, std::string_view best,
                         const std::function<std::string(const Confirmed&)>& name = name_text);

/// The same of a sweep, a sentence a choice; none where no events were simulated.
std::vector<std::string> choice_words(const SweepChoices& choices);

}  // namespace feedrate::report
