#pragma once
// Prose in lines of a certain width, and the columns of tables that are too wide for a window.
#include <cstddef>
#include <string>
#include <vector>

namespace feedrate::report {

/// Lines of at most `width` columns, broken at spaces, at least one; a word that is wider has a
/// line of its own. A number and its percent sign are not parted.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// The text of a table's cell in lines of at most `width` columns, all but the first behind `hang`
/// spaces: as it is where it fits. No number is parted from what follows it ("12 GB", "3 min 5 s").
std::vector<std::string> folded(const std::string& text, std::size_t width, std::size_t hang);

/// Columns of the widest piece of `text` that `folded` does not part.
std::size_t widest_piece(const std::string& text);

/// What a column of a table takes: as it is, and at least.
struct ColumnWidths {
  std::size_t title = 0;
  std::size_t title_least = 0;
  std::size_t cells = 0;
  std::size_t cells_least = 0;  ///< = `cells` where they are numbers or bars
};

/// A width for each column, so that all take at most `room`: titles are folded first, then cells,
/// the widest column first. Where that is not enough, all are as wide as they are.
std::vector<std::size_t> fitted_widths(const std::vector<ColumnWidths>& columns, std::size_t room);

}  // namespace feedrate::report
