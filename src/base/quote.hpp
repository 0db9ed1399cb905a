#pragma once
// The user's own text inside a message: quoted, on one line, never longer than a message should be.
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate {

/// `"text"` with everything that acts (base/printable.hpp) escaped, bytes that are no UTF-8
/// replaced, and cut with "…" after about `limit` bytes.
std::string in_quotes(std::string_view text, std::size_t limit = 60);

/// The text of in_quotes() without its quotes.
std::string on_one_line(std::string_view text, std::size_t limit = 60);

/// Length of the UTF-8 sequence that starts at `at` (1…4), or 0 where the bytes are none.
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);
/// `text` with "?" in place of each byte that is no UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace feedrate
