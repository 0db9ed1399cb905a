#include <string>
#include <variant>

#include "report/markdown_text.hpp"
#include "report/render.hpp"

namespace feedrate::report {
namespace {

void write(std::string& out, const Paragraph& paragraph) {
  out += markdown_escaped(paragraph.text) + "\n";
}

void write(std::string& out, const Heading& heading) {
  out += "### " + markdown_escaped(heading.text) + "\n";
}

void write(std::string& out, const Facts& facts) {
  for (const Fact& fact : facts.items) {
    out += "- **" + markdown_escaped(fact.label) + "**: " + markdown_escaped(fact.text) + "\n";
  }
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
