#pragma once
// What bench/evidence has learned, as JSON: the model's own errors, and numbers that are assumed.
#include <map>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "model/class_errors.hpp"

namespace feedrate::schema {

/// {"NAME": [bias, between, within, degrees of freedom, points, studies, median error, 90 %
/// factor]}. Names are classes ("storage", "cpu", "copies", "gpu", "scale_out", "any"), alone or
/// with what was known ("storage/nothing", "any/fitted", "cpu/profile"). InputError with file:line
/// for anything else.
ClassErrors parse_class_errors(std::string_view text, const std::string& file);

/// Likewise of {"NAME": [value, low, high]}, in SI base units, low ≤ value ≤ high. `known` are
/// those that there are: none may be a thousand times as large or small, and no share more than
/// all.
std::map<std::string, LearnedNumber, std::less<>> parse_priors(
    std::string_view text, const std::string& file,
    const std::map<std::string, LearnedNumber, std::less<>>& known);

}  // namespace feedrate::schema
