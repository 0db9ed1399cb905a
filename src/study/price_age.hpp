#pragma once
// How old a price is, by the date that its source states.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "model/bill.hpp"
#include "model/verdict.hpp"

namespace feedrate::study {

/// The last day that a date in a pricing file can mean, in days since 1970-01-01: for "2024-08-14"
/// that day, for "2024-08" and "2024" the last day of the month or year, for "2021-2023" the end of
/// 2023, for "2025 (undated)" the end of 2025. Empty where no year is stated.
std::optional<std::int64_t> last_day(std::string_view date);

/// The prices of the bill's lines that cost something, each once. Prices that the scenario gives
/// are left out, because they have no age.
std::vector<UsedPrice> used_prices(const Bill& bill);

/// Judges prices by the limit on their age; the message names each that is too old, with its date
/// and source. A price without a date may have any age and counts as a warning. `today` is in days
/// since 1970-01-01.
Judgement judge_price_age(const Limit& limit, const std::vector<UsedPrice>& prices,
                          std::int64_t today);

}  // namespace feedrate::study
