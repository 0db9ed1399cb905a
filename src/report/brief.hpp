#pragma once
// What the short form of a report is made of: what --full adds is said in it, in one way.
#include <cstddef>
#include <functional>
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

/// How many of `most` parts to leave out: the least number with which what is left fits, `most`
/// where none does. Precondition: where some number from 1 on fits, so does every larger one.
std::size_t left_out_to_fit(std::size_t most, const std::function<bool(std::size_t)>& fits);

/// Takes parts off the end, but for the first `kept`, as long as `n` of them are still to go.
void take_off(std::vector<std::string>& parts, std::size_t kept, std::size_t& n);

/// The table without the columns of these titles.
Table without_columns(const Table& table, const std::vector<std::string_view>& titles);

/// "Time and cost." as a fact is written.
std::string without_full_stop(std::string sentence);

/// The last line: "`--full` adds …".
Paragraph read_on(std::string_view what_full_adds);

}  // namespace feedrate::report
