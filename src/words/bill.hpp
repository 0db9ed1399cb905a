#pragma once
// The lines of a bill as people read them, and what is wrong with amounts that make none.
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "model/bill.hpp"

namespace feedrate::words {

/// "requests".
std::string_view name_of(BillPart part);
/// "requests: S3 GET": what a baseline knows the line by.
std::string name_of_line(const BillLine& line);
/// Whether the line of that name comes to nothing where all that is booked is used.
bool may_come_to_nothing(std::string_view name);
/// "8 x ml.p3.2xlarge", "FSx for Lustre SCRATCH_2".
std::string item(const BillLine& line);
/// "3.3333 h each", "1.2 TiB for 2 h", "2000000 requests".
std::string quantity(const BillLine& line);
/// That of a unit, as the services' pages spell it: "0.005 USD/IOPS-month".
std::string price(const BillLine& line);

// What is expected of a line's numbers.
inline constexpr std::string_view finite_money = "a finite amount, 0 or more";
inline constexpr std::string_view some_instances = "more than 0 instances";
inline constexpr std::string_view some_price = "a price of 0 or more";
inline constexpr std::string_view a_price = "a price";
inline constexpr std::string_view some_time = "times of 0 or more";
inline constexpr std::string_view some_amount = "an amount of 0 or more";

/// Where the prices come from, each source once with its date and what it prices: "price list,
/// 2026-11-01 (p3.2xlarge); scenario (S3 GET)"; what is priced is left out where one source has
/// all.
std::string price_sources(const Bill& bill);

/// InputError that names the line, unless it is `fine`.
void expect_of_bill(bool fine, std::string_view line, std::string_view expected);
[[noreturn]] void refuse_unpriced(std::string_view line, Bytes known, Bytes moved);

// Remarks on what is read across the internet.
/// By machines without a name, whose region is none of that cloud.
/// `known`: the region is the scenario's, and not taken to be it.
std::string leaves_for_own(std::string_view from_cloud, std::string_view from_region, bool known,
                           Bytes amount);
std::string leaves_cloud(std::string_view from_cloud, std::string_view from_region, bool known,
                         std::string_view to_cloud, Bytes amount);
std::string last_tier_taken(std::string_view what, std::string_view from_region, Bytes amount,
                            Bytes known);

}  // namespace feedrate::words
