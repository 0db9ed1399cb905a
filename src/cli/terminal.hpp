#pragma once
// The terminal, if there is one: what it can show, and how bytes get there.
#include <cstddef>
#include <string_view>

#include "report/render.hpp"

namespace feedrate::cli {

/// Opens the standard streams that the caller closed, and lets a write to a closed pipe return an
/// error instead of killing the process. Call first.
void prepare_streams();

/// What standard output can show. Colour only on a terminal, not with NO_COLOR set or TERM=dumb;
/// UTF-8 when LC_ALL, LC_CTYPE or LANG says so; prose as wide as the window, 60 to 120 columns, and
/// tables no wider than it, where folding is enough; elsewhere tables are as wide as they are.
report::Style style_of_stdout();

/// The same for a report that goes to a file: no colour, 100 columns.
report::Style style_of_file();

/// Columns of the pages of --help: the window's, 60 to 100; 80 where there is no window.
std::size_t help_width();

bool stderr_is_terminal();

/// Writes all of `text` to standard output. It is no error if the reader has gone away: there is no
/// one left to tell. HostError for everything else (a full disk).
void write_stdout(std::string_view text);

/// Writes to standard error as it stands, without a line feed: a question, a line that is drawn
/// over; what is shown in it has been through printable(). Gives up silently where that fails.
void write_prompt(std::string_view text);

/// Writes a line to standard error, in which nothing acts on the terminal or the log that it goes
/// to (base/printable.hpp), and gives up silently where that fails.
void write_stderr(std::string_view text);

/// The same for a text of several lines.
void write_stderr_lines(std::string_view text);

}  // namespace feedrate::cli
