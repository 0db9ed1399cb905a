#pragma once
// The columns of a showback, each said once: tables, CSV and JSON name and order them as they stand
// here; and what its sums leave out.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/figures.hpp"
#include "model/showback.hpp"

namespace feedrate::words {

/// Which tables of the report have a column.
enum class ChargeTable : std::uint8_t { month, job, both, unit };

struct ChargeColumn {
  std::string_view name;   ///< "month_usd": the key in JSON and CSV
  std::string_view title;  ///< for people: "a month"
  std::string_view manual;
  ChargeTable shown = ChargeTable::month;
  FigureUnit unit = FigureUnit::count;
  std::optional<double> (*of)(const ChargedJobs&) = nullptr;  ///< empty: not known, does not apply
  bool of_month = false;  ///< shown as a share of the month, too
};

/// In the order in which they are written. What is a figure of a run has that figure's name.
std::span<const ChargeColumn> charge_columns();

/// Of a remark of a bill, that something has no price.
inline constexpr std::string_view not_billed = "not on the bill";
/// Likewise, that storage which is the same for several runs is on the bill of each.
inline constexpr std::string_view paid_again = "paid several times";
/// `held` for each of `runs` in a month, which is `months` in all.
std::string storage_paid_again(double runs, Duration held, double months);

/// Storage that is said to be held for less than the job takes.
std::string held_too_short(Duration held, Duration read, double jobs);
/// Of one of several jobs.
std::string remark_of(std::string_view job, std::string_view remark);
std::string unshared_preparation(std::string_view job);
std::string more_runs_than_all(std::string_view job, double a_month, double all);
/// Of jobs that share a savings plan and have more hours than a month.
std::string crowded_month(Duration jobs);
std::string without_runs(std::size_t jobs, std::size_t of);
std::string without_tag(std::string_view tag, std::size_t jobs, std::size_t of);
std::string unknown_emissions(std::size_t jobs, std::size_t of);

}  // namespace feedrate::words
