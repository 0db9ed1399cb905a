#pragma once
// What the characters of a UTF-8 text take on a terminal.
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate::report {

/// Columns that `text` takes: wide East Asian characters and emoji take two, combining marks none.
std::size_t display_width(std::string_view text);

/// As many whole characters as fit into so many columns.
std::string first_columns(std::string_view text, std::size_t columns);

/// ASCII only: the few symbols that reports use have a stand-in, other characters become "?".
std::string to_ascii(std::string_view text);

}  // namespace feedrate::report
