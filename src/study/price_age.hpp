#pragma once
// How old a price is, from the date that its source states.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/verdict.hpp"

namespace feedrate::study {

/// Days since 1970-01-01 of the last day that a date in a pricing file can mean: "2024-08-14" that
/// day, "2024-08" and "2024" their ends, "2021-2023" the end of 2023, "2025 (undated)" the end of
/// 2025. Empty where no year is stated.
std::optional<std::int64_t> last_day(std::string_view date);

/// A limit on the age of prices, from "180d" or "warn:180d". InputError.
Limit parse_max_price_age(std::string_view text);

/// The limit held against prices (name, date). A price without a date may be of any age: it counts
/// as a warning. `today` in days since 1970-01-01.
Judgement judge_price_age(const Limit& limit,
                          const std::vector<std::pair<std::string, std::string>>& prices,
                          std::int64_t today);

}  // namespace feedrate::study
