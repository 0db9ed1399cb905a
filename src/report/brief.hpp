#pragma once
// What the short form of a report is made of: what --full adds is said in it, in one way.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/blocks.hpp"

namespace feedrate::report {

/// What a short form is made for: a terminal, and lines above its tables.
inline constexpr std::size_t brief_columns = 80;
inline constexpr std::size_t most_brief_lines = 12;

/// Lines that the facts take on such a terminal.
std::size_t lines_of_facts(const Facts& facts);

/// The table without the columns of these titles.
Table without_columns(const Table& table, const std::vector<std::string_view>& titles);

/// "Time and cost." as a fact is written.
std::string without_full_stop(std::string sentence);

/// The last line: "`--full` adds …".
Paragraph read_on(std::string_view what_full_adds);

}  // namespace feedrate::report
