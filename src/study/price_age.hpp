#pragma once
// How old a price is, from the date that its source states.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "model/bill.hpp"
#include "model/verdict.hpp"

namespace feedrate::study {

/// Days since 1970-01-01 of the last day that a date in a pricing file can mean: "2024-08-14" that
/// day, "2024-08" and "2024" their ends, "2021-2023" the end of 2023, "2025 (undated)" the end of
/// 2025. Empty where no year is stated.
std::optional<std::int64_t> last_day(std::string_view date);

/// The prices that make up the bill, each once: those of lines that cost something, unless the
/// scenario gives them, for such a price has no age. What the catalogue holds beside them is not
/// asked.
std::vector<UsedPrice> used_prices(const Bill& bill);

/// The limit held against prices; the message names each that is too old, with its date and source.
/// A price without a date may be of any age: it counts as a warning. `today` in days since
/// 1970-01-01.
Judgement judge_price_age(const Limit& limit, const std::vector<UsedPrice>& prices,
                          std::int64_t today);

}  // namespace feedrate::study
