#pragma once
// What a check says of each limit, of the baseline, of old prices and of an old host profile.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/bill.hpp"
#include "model/verdict.hpp"

namespace feedrate::words {

// A limit, held against a result.
std::string no_figure(const Limit& limit);
/// Of a rise or a fall, where an older feedrate kept no such figure.
std::string no_figure_before(const Limit& limit);
/// "cost +8.2 %: $10.00 -> $10.82"; `change` is what the limit compares with its bound.
std::string judged(const Limit& limit, double before, double now, double change);
/// Of a limit on the change of every figure: none changed by more.
std::string no_change(const Limit& limit);
std::string other_bottleneck(std::string_view before, std::string_view now);
/// What a judgement on a line of the bill is called, and what it says where the line is gone or
/// costs nothing any more.
std::string line_limit(std::string_view line);
std::string lost_line(std::string_view line, double before, bool listed);
/// What stands behind that where the result's own uncertainty explains it.
inline constexpr std::string_view within_band = ", within the result's own 5-95 % band";
inline constexpr std::string_view within_what_was_measured_again =
    ", within the errors of the inputs that were measured again";

inline constexpr std::string_view not_in_baseline =
    "not in the baseline yet: run with --update to add it";
inline constexpr std::string_view now_in_baseline = "added to the baseline";
inline constexpr std::string_view stale_baseline =
    "much better than the baseline, which is stale: run with --update to store the current figures";

/// A limit on the age of prices, from "180d" or "warn:180d". InputError.
Limit parse_max_price_age(std::string_view text);
/// "ml.p3.2xlarge at 3.825 USD/h (price list, 2024-08); …"
std::string price_list(std::span<const UsedPrice> prices);
/// `old` and `undated` are lists of prices that are too old, or state no date; "" where there are
/// none.
std::string old_prices(const Limit& limit, std::string_view old, std::string_view undated);

// Why a host profile may not hold any more.
/// `age`: in days.
std::string old_profile(std::int64_t age);
std::string other_system(std::string_view what, std::string_view then, std::string_view now);
/// `times` as long as when the profile was made.
std::string other_speed(double times);

}  // namespace feedrate::words
