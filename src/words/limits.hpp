#pragma once
// Limits as people write them: "money_usd < 120", "total_s increase < 5%", "warn: gpu_busy > 90%".
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/accounting.hpp"
#include "model/verdict.hpp"

namespace feedrate::words {

/// [warn: | fail:] METRIC [increase | decrease | change] OP VALUE, or "bottleneck is [not] STAGE".
/// METRIC is a name of model/metrics.hpp, or cost, total_cost, time; OP one of < <= > >= == !=;
/// VALUE a number in the metric's unit, a quantity ("2 h", "120 USD"), or a percentage of the
/// baseline (of 1 for shares). A number without a unit is refused where it might be of another: of
/// a rise or fall, which may be a percentage, and of "time", whose name ends in no unit. InputError
/// with what is wrong; its problem has no file and no pointer. An amount of money may be in `own`
/// as well, the scenario's currency: its bound is in dollars then, its text as written.
Limit parse_limit(std::string_view text, const std::optional<Currency>& own = {});

/// "cost=5%,time=10 min": at most that much more than the baseline; each becomes a Limit. Metrics
/// of which more is better are refused.
std::vector<Limit> parse_max_increase(std::string_view text);

/// "all=0.0001%,time=10 s": at most that much more or less than the baseline. "all" is every figure
/// that the baseline has, and takes a percentage.
std::vector<Limit> parse_max_change(std::string_view text);

/// The limits if none is stated: cost, total cost and time at most 5 % up.
std::vector<Limit> default_limits();

}  // namespace feedrate::words
