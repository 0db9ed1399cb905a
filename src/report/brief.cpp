#include "report/brief.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/glyphs.hpp"
#include "report/wrap.hpp"

namespace feedrate::report {

Table without_columns(const Table& table, const std::vector<std::string_view>& titles) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool left_out =
        std::find(titles.begin(), titles.end(), table.columns[c].title) != titles.end();
    if (!left_out) columns.push_back(c);
  }
  Table kept{table.title, {}, {}, table.note};
  for (const std::size_t c : columns) kept.columns.push_back(table.columns[c]);
  for (const Row& row : table.rows) {
    Row& of = kept.rows.emplace_back(Row{{}, row.marked});
    for (const std::size_t c : columns) {
      of.cells.push_back(c < row.cells.size() ? row.cells[c] : Cell());
    }
  }
  return kept;
}

std::size_t lines_of_facts(const Facts& facts) {
  std::size_t label = 0;
  for (const Fact& fact : facts.items) label = std::max(label, display_width(fact.label));
  std::size_t lines = 0;
  for (const Fact& fact : facts.items) {
    lines += wrapped(fact.text, brief_columns - label - 4).size();
  }
  return lines;
}

std::string without_full_stop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

Paragraph read_on(std::string_view what_full_adds) {
  return {fmt::format("`--full` adds {}.", what_full_adds), Tone::faint};
}

}  // namespace feedrate::report
