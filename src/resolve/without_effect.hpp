#pragma once
// Keys that a scenario gives and nothing reads, because of what stands beside them: said, and not
// refused, so that one of them may vary while the others stay.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// A remark "KEY has no effect: WHY" for each of them that the scenario alone tells.
void tell_without_effect(Context& context);

/// The same of one key, whose reason is found elsewhere.
void tell_without_effect(Context& context, std::string_view key, std::string_view why);

}  // namespace feedrate::resolve
