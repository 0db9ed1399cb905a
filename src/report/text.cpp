#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "report/brief.hpp"
#include "report/glyphs.hpp"
#include "report/render.hpp"
#include "report/wrap.hpp"

namespace feedrate::report {
namespace {

constexpr std::size_t bar_width = 10;
/// Of a cell that is folded: what its further lines are indented by, and the least that it takes.
constexpr std::size_t hang = 2;
constexpr std::size_t narrowest_prose = 12;

std::string_view colour_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[31m";
    case Tone::caution: return "\x1b[33m";
    case Tone::faint: return "\x1b[2m";
  }
  return "";
}

class TextWriter {
 public:
  explicit TextWriter(const Style& style) : style_(style) {}

  std::string write(const Report& report) {
    if (!report.title.empty()) out_ += strong(shown(report.title)) + (report.close ? "\n" : "\n\n");
    if (!report.headline.text.empty()) write_block(report.headline);
    bool first = report.close || report.headline.text.empty();
    for (const Block& block : report.blocks) {
      if (!first) out_ += '\n';
      first = false;
      std::visit([this](const auto& b) { write_block(b); }, block);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string shown(std::string_view text) const {
    return style_.unicode ? printable(text) : to_ascii(printable(text));
  }

  [[nodiscard]] std::string toned(const std::string& text, Tone tone) const {
    const std::string_view colour = colour_of(tone);
    if (!style_.colour || colour.empty() || text.empty()) return text;
    return std::string(colour) + text + "\x1b[0m";
  }

  [[nodiscard]] std::string strong(const std::string& text) const {
    return style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text;
  }

  // Lines of at most the style's width, broken at spaces; `indent` starts every line but the first.
  [[nodiscard]] std::vector<std::string> wrapped(const std::string& text,
                                                 std::size_t indent) const {
    return report::wrapped(text, static_cast<std::size_t>(std::max(style_.width, 40)) - indent);
  }

  void write_block(const Paragraph& paragraph) {
    for (const std::string& line : wrapped(shown(paragraph.text), 0)) {
      out_ += toned(line, paragraph.tone) + '\n';
    }
  }

  void write_block(const Facts& facts) {
    std::size_t width = 0;
    for (const Fact& fact : facts.items) width = std::max(width, display_width(shown(fact.label)));
    for (const Fact& fact : facts.items) {
      std::string label = shown(fact.label);
      std::size_t used = display_width(label);
      label = strong(label);
      for (const std::string& line : wrapped(shown(fact.text), width + 4)) {
        write_line("  ", {padded(label, used, width, Align::left), line});
        label.clear();
        used = 0;
      }
    }
  }

  void write_block(const Heading& heading) { out_ += strong(shown(heading.text)) + '\n'; }

  void write_block(const List& list) {
    if (!list.title.empty()) out_ += strong(shown(list.title)) + '\n';
    const std::string bullet = style_.unicode ? "  · " : "  - ";
    for (const std::string& item : list.items) {
      bool first = true;
      for (const std::string& line : wrapped(shown(item), 4)) {
        out_ += (first ? bullet : "    ") + line + '\n';
        first = false;
      }
    }
  }

  [[nodiscard]] std::string bar(double share) const {
    const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(bar_width);
    // Anything above nothing shows, and only what is full is full.
    auto full = static_cast<std::size_t>(std::lround(filled));
    if (share > 0.0) full = std::max<std::size_t>(full, 1);
    if (share < 0.995) full = std::min(full, bar_width - 1);
    std::string text;
    for (std::size_t i = 0; i < bar_width; ++i) {
      text += i < full ? (style_.unicode ? "█" : "#") : (style_.unicode ? "░" : ".");
    }
    return text;
  }

  // The text of a cell, without its tone: a cell with a bar is the bar, then the text on the right.
  [[nodiscard]] std::string cell_text(const Cell& cell) const {
    return cell.bar && bars_ ? fmt::format("{} {:>6}", bar(*cell.bar), shown(cell.text))
                             : shown(cell.text);
  }

  static std::string padded(const std::string& text, std::size_t visible, std::size_t width,
                            Align align) {
    const std::string spaces(width > visible ? width - visible : 0, ' ');
    return align == Align::left ? text + spaces : spaces + text;
  }

  void write_line(const std::string& mark, const std::vector<std::string>& cells) {
    std::string line = mark;
    for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : "  ") + cell;
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + '\n';
  }

  /// Text, which may be folded; numbers stand on the right, and bars are as wide as they are.
  [[nodiscard]] static bool is_prose(const Column& column, const Cell& cell) {
    return column.align == Align::left && !cell.bar;
  }

  [[nodiscard]] std::vector<std::size_t> widths_of(const Table& table) const {
    std::vector<ColumnWidths> columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string title = shown(table.columns[c].title);
      ColumnWidths of{display_width(title), widest_piece(title), 0, 0};
      for (const Row& row : table.rows) {
        if (c >= row.cells.size()) continue;
        const std::string text = cell_text(row.cells[c]);
        const std::size_t width = display_width(text);
        const std::size_t least =
            is_prose(table.columns[c], row.cells[c])
                ? std::min(width, std::max(narrowest_prose, widest_piece(text) + hang))
                : width;
        of.cells = std::max(of.cells, width);
        of.cells_least = std::max(of.cells_least, least);
      }
      columns.push_back(of);
    }
    return fitted_widths(columns, room_of(table));
  }

  /// Columns that the cells of the table may take.
  [[nodiscard]] std::size_t room_of(const Table& table) const {
    if (style_.fold_width <= 0) return static_cast<std::size_t>(-1);
    const std::size_t beside = 2 * table.columns.size();  // the mark, and what is between columns
    const auto width = static_cast<std::size_t>(style_.fold_width);
    return width > beside ? width - beside : 0;
  }

  [[nodiscard]] bool fits(const Table& table, const std::vector<std::size_t>& widths) const {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) <= room_of(table);
  }

  /// Folded where it is too wide, then without its bars, whose numbers stand beside them; nothing
  /// where neither is enough.
  [[nodiscard]] std::optional<std::vector<std::size_t>> fitting_widths(const Table& table) {
    for (const bool bars : {true, false}) {
      bars_ = bars;
      std::vector<std::size_t> widths = widths_of(table);
      if (fits(table, widths)) return widths;
    }
    bars_ = true;
    return std::nullopt;
  }

  /// Where folding is not enough, columns that may be left out are, from the last; where that is
  /// not enough either, the table is as wide as the others are.
  void write_block(const Table& table) {
    std::vector<std::string_view> left_out;
    std::optional<std::vector<std::size_t>> widths = fitting_widths(table);
    for (std::size_t c = table.columns.size(); !widths && c-- > 0;) {
      const std::string& title = table.columns[c].title;
      const auto named = std::find(left_out.begin(), left_out.end(), title);
      if (!table.columns[c].spare || named != left_out.end()) continue;
      left_out.insert(left_out.begin(), title);  // every column of that title
      const Table narrower = without_columns(table, left_out);
      widths = fitting_widths(narrower);
      if (widths) return write_table(narrower, *widths, left_out);
    }
    if (widths || left_out.empty()) {
      return write_table(table, widths ? *widths : widths_of(table), {});
    }
    const Table narrowest = without_columns(table, left_out);
    write_table(narrowest, widths_of(narrowest), left_out);
  }

  void write_table(const Table& table, const std::vector<std::size_t>& widths,
                   const std::vector<std::string_view>& left_out) {
    if (!table.title.empty()) write_title(table.title);
    write_column_titles(table, widths);
    for (const Row& row : table.rows) write_row(table, row, widths);
    std::string note = table.note;
    if (!left_out.empty()) {
      note += fmt::format("{}Left out in this window: {}.", note.empty() ? "" : " ",
                          fmt::join(left_out, ", "));
    }
    if (!note.empty()) {
      for (const std::string& line : wrapped(shown(note), 2)) {
        out_ += "  " + toned(line, Tone::faint) + '\n';
      }
    }
  }

  void write_title(const std::string& text) {
    const std::string title = shown(text);
    const std::size_t width =
        style_.fold_width > 0 ? static_cast<std::size_t>(style_.fold_width) : display_width(title);
    for (const std::string& line : folded(title, width, 0)) out_ += strong(line) + '\n';
  }

  // Of several lines, the last stands above the cells.
  void write_column_titles(const Table& table, const std::vector<std::size_t>& widths) {
    std::vector<std::vector<std::string>> titles;
    std::size_t lines = 0;
    bool any = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      any = any || !table.columns[c].title.empty();
      titles.push_back(folded(shown(table.columns[c].title), widths[c], 0));
      lines = std::max(lines, titles.back().size());
    }
    for (std::size_t i = 0; any && i < lines; ++i) {
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < titles.size(); ++c) {
        const std::size_t above = lines - titles[c].size();
        const std::string title = i < above ? "" : titles[c][i - above];
        cells.push_back(padded(toned(title, Tone::faint), display_width(title), widths[c],
                               table.columns[c].align));
      }
      write_line("  ", cells);
    }
  }

  void write_row(const Table& table, const Row& row, const std::vector<std::size_t>& widths) {
    const std::size_t columns = std::min(row.cells.size(), table.columns.size());
    std::vector<std::vector<std::string>> texts;
    std::size_t lines = 1;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string text = cell_text(row.cells[c]);
      texts.push_back(is_prose(table.columns[c], row.cells[c]) ? folded(text, widths[c], hang)
                                                               : std::vector{text});
      lines = std::max(lines, texts.back().size());
    }
    for (std::size_t i = 0; i < lines; ++i) {
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < columns; ++c) {
        const std::string text = i < texts[c].size() ? texts[c][i] : "";
        cells.push_back(padded(toned(text, row.cells[c].tone), display_width(text), widths[c],
                               table.columns[c].align));
      }
      const bool marked = row.marked && i == 0;
      write_line(marked ? (style_.unicode ? "▶ " : "> ") : "  ", cells);
    }
  }

  Style style_;
  bool bars_ = true;  ///< whether the table that is written shows its bars
  std::string out_;
};

}  // namespace

std::string to_text(const Report& report, const Style& style) {
  return TextWriter(style).write(report);
}

}  // namespace feedrate::report
