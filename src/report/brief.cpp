#include "report/brief.hpp"

#include <fmt/format.h>

namespace feedrate::report {

Table with_columns(const Table& table, const std::vector<std::size_t>& columns) {
  Table kept{table.title, {}, {}, table.note};
  for (const std::size_t c : columns) kept.columns.push_back(table.columns.at(c));
  for (const Row& row : table.rows) {
    Row& of = kept.rows.emplace_back(Row{{}, row.marked});
    for (const std::size_t c : columns) {
      of.cells.push_back(c < row.cells.size() ? row.cells[c] : Cell());
    }
  }
  return kept;
}

Paragraph read_on(std::string_view what_full_adds) {
  return {fmt::format("`--full` adds {}.", what_full_adds), Tone::faint};
}

}  // namespace feedrate::report
