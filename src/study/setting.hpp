#pragma once
// A scenario with some keys changed, as --set changes them.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/scenario.hpp"

namespace feedrate::study {

/// KEY, VALUE for each key that is set, in this order.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// The scenario with these keys set; InputError where that makes none. May be called from several
/// threads.
using MakeScenario = std::function<Scenario(const Setting&)>;

/// "instances=8, epochs=2".
std::string setting_words(const Setting& set);

}  // namespace feedrate::study
