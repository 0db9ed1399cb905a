#include <cctype>
#include <string>
#include <string_view>
#include <variant>

#include "report/glyphs.hpp"
#include "report/render.hpp"

namespace feedrate::report {
namespace {

void write(std::string& out, const Paragraph& paragraph) {
  out += markdown_escaped(paragraph.text) + "\n";
}

void write(std::string& out, const Heading& heading) {
  out += "### " + markdown_escaped(heading.text) + "\n";
}

void write(std::string& out, const List& list) {
  if (!list.title.empty()) out += "**" + markdown_escaped(list.title) + "**\n\n";
  for (const std::string& item : list.items) out += "- " + markdown_escaped(item) + "\n";
}

void write(std::string& out, const Table& table) {
  if (!table.title.empty()) out += "**" + markdown_escaped(table.title) + "**\n\n";
  std::string rule = "|";
  out += '|';
  for (const Column& column : table.columns) {
    out += ' ' + markdown_escaped(column.title) + " |";
    rule += column.align == Align::right ? "---:|" : "---|";
  }
  out += '\n' + rule + '\n';
  for (const Row& row : table.rows) {
    out += '|';
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string text = c < row.cells.size() ? markdown_escaped(row.cells[c].text) : "";
      const bool strong = row.marked && c == 0 && !text.empty();
      out += ' ' + (strong ? "**" + text + "**" : text) + " |";
    }
    out += '\n';
  }
  if (!table.note.empty()) out += '\n' + markdown_escaped(table.note) + '\n';
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
  const std::string shown = printable(text);
  const auto is_word = [&](std::size_t i) {
    return i < shown.size() && (std::isalnum(static_cast<unsigned char>(shown[i])) != 0);
  };
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    // An underscore inside a word (num_workers) is one; escaping it would only spoil the source.
    const bool inside_word = c == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
    const bool starts_line = i == 0 && std::string_view("#>+-").find(c) != std::string_view::npos;
    if (starts_line ||
        (!inside_word && std::string_view("\\`*_[]<|~&").find(c) != std::string_view::npos)) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string to_markdown(const Report& report) {
  std::string out;
  if (!report.title.empty()) out += "## " + markdown_escaped(report.title) + "\n\n";
  if (!report.headline.text.empty()) {
    out += "**" + markdown_escaped(report.headline.text) + "**\n";
  }
  for (const Block& block : report.blocks) {
    if (!out.empty()) out += '\n';
    std::visit([&out](const auto& b) { write(out, b); }, block);
  }
  return out;
}

}  // namespace feedrate::report
