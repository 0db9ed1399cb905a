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

std::size_t left_out_to_fit(std::size_t most, const std::function<bool(std::size_t)>& fits) {
  if (most == 0 || fits(0)) return 0;
  // Whoever writes a scenario or a baseline says how many parts there are: each is not tried.
  std::size_t low = 1;
  std::size_t high = most;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

void take_off(std::vector<std::string>& parts, std::size_t kept, std::size_t& n) {
  if (parts.size() <= kept) return;
  const std::size_t taken = std::min(n, parts.size() - kept);
  parts.resize(parts.size() - taken);
  n -= taken;
}

std::string without_full_stop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

Paragraph read_on(std::string_view what_full_adds) {
  return {fmt::format("`--full` adds {}.", what_full_adds), Tone::faint};
}

}  // namespace feedrate::report
