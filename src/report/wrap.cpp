#include "report/wrap.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "report/glyphs.hpp"

namespace feedrate::report {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a line may end at the space `at`.
bool may_break(std::string_view text, std::size_t at) {
  if (at == 0 || at + 1 >= text.size()) return false;
  const char before = text[at - 1];
  const char after = text[at + 1];
  if (after == '%' || before == ' ') return false;
  const std::size_t start = text.rfind(' ', at - 1) + 1;
  const std::string_view word = text.substr(start, at - start);
  // "12 GB", but not "Caltech-256 with".
  constexpr std::string_view signs = "$+-(<";
  if (is_digit(before) && is_digit(word[std::min(word.find_first_not_of(signs), word.size() - 1)]))
    return false;
  return !is_digit(after) || (word != "h" && word != "min" && word != "d");
}

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ' ' || !may_break(text, at)) continue;
    pieces.push_back(text.substr(start, at - start));
    start = at + 1;
  }
  pieces.push_back(text.substr(start));
  return pieces;
}

/// Takes from the widest of the columns that may give, until `excess` is gone or none may.
void narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least,
            std::size_t& excess) {
  while (excess > 0) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] <= least[c]) continue;
      if (widest == widths.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --excess;
  }
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find(' ', start), text.size());
    if (end + 1 < text.size() && text[end + 1] == '%') {
      end = std::min(text.find(' ', end + 1), text.size());
    }
    const std::string word = text.substr(start, end - start);
    start = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::vector<std::string> folded(const std::string& text, std::size_t width, std::size_t hang) {
  if (display_width(text) <= width) return {text};
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& piece : pieces_of(text)) {
    const bool empty = line.find_first_not_of(' ') == std::string::npos;
    if (!empty && display_width(line) + 1 + display_width(piece) > width) {
      lines.push_back(std::move(line));
      line = std::string(hang, ' ') + piece;
    } else {
      line += (empty ? "" : " ") + piece;
    }
  }
  lines.push_back(std::move(line));
  return lines;
}

std::size_t widest_piece(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& piece : pieces_of(text)) width = std::max(width, display_width(piece));
  return width;
}

std::vector<std::size_t> fitted_widths(const std::vector<ColumnWidths>& columns, std::size_t room) {
  std::vector<std::size_t> natural, titles_folded, cells_folded;
  for (const ColumnWidths& of : columns) {
    natural.push_back(std::max(of.title, of.cells));
    titles_folded.push_back(std::max(of.title_least, of.cells));
    cells_folded.push_back(std::max(of.title_least, of.cells_least));
  }
  const std::size_t all = std::accumulate(natural.begin(), natural.end(), std::size_t{0});
  if (all <= room) return natural;
  std::size_t excess = all - room;
  std::vector<std::size_t> widths = natural;
  narrow(widths, titles_folded, excess);
  narrow(widths, cells_folded, excess);
  return excess == 0 ? widths : natural;
}

}  // namespace feedrate::report
