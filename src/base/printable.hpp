#pragma once
// What of a text acts on whoever shows it instead of being shown. Names, notes and log lines come
// from strangers; every output asks here which of their characters may stay.
#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate {

struct Glyph {
  char32_t code = 0;
  std::size_t length = 1;  ///< bytes
  bool valid = false;      ///< false: the byte at its place begins no UTF-8 sequence
};

/// The character whose first byte is text[at]. Precondition: at < text.size().
Glyph glyph_at(std::string_view text, std::size_t at);

/// Whether a character does something: C0 and C1 controls, DEL, line and paragraph separators,
/// bidirectional marks, embeddings, overrides and isolates (which show a name as another one), what
/// takes no place where it stands (zero-width spaces, soft hyphens, tags), and what XML cannot
/// hold.
bool is_control(char32_t code);

/// Whether text[at] begins, or completes, what the log of a CI system would obey: "::" in front of
/// a word (GitHub), the second # of "##[" or "##name[" (GitHub, Azure Pipelines, TeamCity).
bool is_log_command(std::string_view text, std::size_t at);

/// `text` on one line, with "?" in place of everything that acts and of bytes that are no UTF-8.
std::string printable(std::string_view text);

/// The same for a text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

}  // namespace feedrate
