#pragma once
// Keys that a scenario gives and nothing reads, because other keys make them irrelevant. They get a
// remark and are not refused, so that one key may vary in a sweep while the others stay.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Adds a remark "KEY has no effect: WHY" for each such key that the scenario alone shows.
void tell_without_effect(Context& context);

/// Adds that remark for one key, whose reason is found elsewhere.
void tell_without_effect(Context& context, std::string_view key, std::string_view why);

}  // namespace feedrate::resolve
