#pragma once
// A report as text for people, or as Markdown.
#include <string>

#include "report/blocks.hpp"

namespace feedrate::report {

/// What the place where the text will be read can show.
struct Style {
  bool colour = false;  ///< ANSI colours
  bool unicode = true;  ///< UTF-8 bars, dots and lines; else ASCII only
  int width = 100;      ///< columns that prose is wrapped to
  int fold_width = 0;   ///< columns that tables shall fit into; 0: they are as wide as they are
};

/// Plain text, ends with a newline. What would act in names (base/printable.hpp) comes out as "?"
/// so that a scenario cannot drive the terminal or the log of a CI system; without `unicode`,
/// everything beyond ASCII is transliterated.
std::string to_text(const Report& report, const Style& style);

/// Markdown as GitHub reads it, ends with a newline. Text is escaped: no name becomes markup, HTML
/// or a cell.
std::string to_markdown(const Report& report);

}  // namespace feedrate::report
