#pragma once
// What the characters of a UTF-8 text take on a terminal.
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate::report {

/// Columns that `text` takes: wide East Asian characters and emoji take two, combining marks none.
std::size_t display_width(std::string_view text);

/// Without control characters and broken UTF-8 ("?" instead).
std::string printable(std::string_view text);

/// ASCII only: the few symbols that reports use have a stand-in, other characters become "?".
std::string to_ascii(std::string_view text);

}  // namespace feedrate::report
