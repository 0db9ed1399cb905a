#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "report/glyphs.hpp"
#include "report/render.hpp"

namespace feedrate::report {
namespace {

constexpr std::size_t bar_width = 10;

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
    const std::size_t width = static_cast<std::size_t>(std::max(style_.width, 40)) - indent;
    std::vector<std::string> lines(1);
    std::size_t start = 0;
    while (start < text.size()) {
      std::size_t end = std::min(text.find(' ', start), text.size());
      // A number and its percent sign stay on one line.
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
    return cell.bar ? fmt::format("{} {:>6}", bar(*cell.bar), shown(cell.text)) : shown(cell.text);
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

  void write_block(const Table& table) {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::size_t width = display_width(shown(table.columns[c].title));
      for (const Row& row : table.rows) {
        if (c < row.cells.size()) width = std::max(width, display_width(cell_text(row.cells[c])));
      }
      widths.push_back(width);
    }
    if (!table.title.empty()) out_ += strong(shown(table.title)) + '\n';
    const bool has_titles = std::any_of(table.columns.begin(), table.columns.end(),
                                        [](const Column& column) { return !column.title.empty(); });
    std::vector<std::string> cells;
    for (std::size_t c = 0; has_titles && c < table.columns.size(); ++c) {
      const std::string title = shown(table.columns[c].title);
      cells.push_back(padded(toned(title, Tone::faint), display_width(title), widths[c],
                             table.columns[c].align));
    }
    if (has_titles) write_line("  ", cells);
    for (const Row& row : table.rows) write_row(table, row, widths);
    if (!table.note.empty()) {
      for (const std::string& line : wrapped(shown(table.note), 2)) {
        out_ += "  " + toned(line, Tone::faint) + '\n';
      }
    }
  }

  void write_row(const Table& table, const Row& row, const std::vector<std::size_t>& widths) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.cells.size() && c < table.columns.size(); ++c) {
      const std::string text = cell_text(row.cells[c]);
      cells.push_back(padded(toned(text, row.cells[c].tone), display_width(text), widths[c],
                             table.columns[c].align));
    }
    write_line(row.marked ? (style_.unicode ? "▶ " : "> ") : "  ", cells);
  }

  Style style_;
  std::string out_;
};

}  // namespace

std::string to_text(const Report& report, const Style& style) {
  return TextWriter(style).write(report);
}

}  // namespace feedrate::report
