#include "report/heat_map_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "report/csv.hpp"
#include "report/heat_map_words.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace heat {

using observe::HeatKind;
using observe::HeatMap;
using observe::HeatRow;

std::string row_name(const HeatRow& row) {
  if (row.of) return fmt::format("{} (of {}B/s)", row.name, rate(Throughput::of(row.of->base())));
  if (row.kind == HeatKind::process) return row.name + " CPU";
  if (row.kind == HeatKind::stage) return "stage " + row.name;
  return row.name;
}

std::string title_of(const ShownObservation& shown) {
  const std::string& what = shown.map.header.command;
  return what.empty() ? shown.file : fmt::format("{}: {}", shown.file, what);
}

std::string times_of(const HeatMap& map) {
  return fmt::format("{}; one column is {}", duration(map.length), duration(map.column));
}

std::vector<RowOfAll> all_rows(std::span<const ShownObservation> shown) {
  std::vector<RowOfAll> rows;
  std::map<std::pair<HeatKind, std::string_view>, std::size_t> places;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (const HeatRow& row : shown[i].map.rows) {
      const auto [found, added] = places.try_emplace({row.kind, row.name}, rows.size());
      if (added) rows.push_back({&row, std::vector<const HeatRow*>(shown.size())});
      rows[found->second].of_each[i] = &row;
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RowOfAll& a, const RowOfAll& b) { return a.row->kind < b.row->kind; });
  return rows;
}

}  // namespace heat

namespace {

using namespace heat;

constexpr int label_width = 44;  // names, and the numbers beside a map
constexpr std::array<const char*, 5> levels = {" ", "░", "▒", "▓", "█"};

std::string cells(const HeatRow* row, std::size_t columns) {
  std::string text;
  for (std::size_t c = 0; c < columns; ++c) {
    const bool seen = row != nullptr && c < row->shares.size() && row->shares[c];
    text += seen ? levels[static_cast<std::size_t>(std::lround(*row->shares[c] * 4.0))] : "·";
  }
  return text;
}

std::string step_cells(const HeatMap& map) {
  std::string text;
  for (const double steps : map.steps) {
    text += steps <= 0.0   ? " "
            : steps == 1.0 ? "|"
            : steps < 10.0 ? fmt::format("{:.0f}", steps)
                           : "+";
  }
  return text;
}

std::string stall_cells(const HeatMap& map) {
  std::string text;
  for (const bool stalls : map.stalls) text += stalls ? "!" : " ";
  return text;
}

template <class Cells>
void add_marks(Table& table, std::span<const ShownObservation> shown, const char* name,
               const Cells& cells_of) {
  Row row{{name}, false};
  bool any = false;
  for (const ShownObservation& one : shown) {
    const std::string text = cells_of(one.map);
    any = any || text.find_first_not_of(' ') != std::string::npos;
    row.cells.emplace_back(text);
    row.cells.emplace_back("");
  }
  if (any) table.rows.push_back(std::move(row));
}

Table map_table(std::span<const ShownObservation> shown) {
  Table table;
  table.columns = {{""}};
  for (const ShownObservation& one : shown) {
    table.columns.push_back({shown.size() > 1 ? one.file : "over time"});
    table.columns.push_back({"mean", Align::right});
  }
  for (const RowOfAll& all : all_rows(shown)) {
    Row line{{row_name(*all.row)}, false};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const HeatRow* const found = all.of_each[i];
      line.cells.emplace_back(cells(found, shown[i].map.columns));
      line.cells.push_back(found == nullptr ? Cell("-", Tone::faint) : Cell(percent(found->mean)));
    }
    table.rows.push_back(std::move(line));
  }
  add_marks(table, shown, "steps", step_cells);
  add_marks(table, shown, "stalls", stall_cells);
  table.note =
      "Blank to full: 0 to 100 % busy. ·: not seen. steps: | one ended, 2 … 9 as many, + more. "
      "stalls: ! the GPUs were busy for less than a tenth of the column.";
  return table;
}

}  // namespace

std::size_t heat_columns(int width, std::size_t observations) {
  const int each =
      (width - label_width) / static_cast<int>(observations) - (observations > 1 ? 8 : 0);
  return static_cast<std::size_t>(std::max(16, each));
}

Report heat_map_report(std::span<const ShownObservation> shown) {
  Report report;
  report.title = title_of(shown.front());
  std::string text = times_of(shown.front().map);
  if (shown.size() > 1) {
    report.title += "  |  " + title_of(shown.back());
    text += "  |  " + times_of(shown.back().map);
  }
  report.headline = {text, Tone::plain};
  report.add(map_table(shown));
  for (const ShownObservation& one : shown) {
    const std::string whose = shown.size() > 1 ? one.file + ": " : "";
    report.add(whose + verdict_of(one.diagnosis));
    report.add(List{whose + "Remarks", one.map.remarks});
  }
  return report;
}

std::string heat_map_csv(std::span<const ShownObservation> shown) {
  std::vector<std::vector<std::string>> rows = {{"file", "row", "begin_s", "share"}};
  for (const ShownObservation& one : shown) {
    for (const HeatRow& row : one.map.rows) {
      for (std::size_t c = 0; c < row.shares.size(); ++c) {
        rows.push_back({one.file, row_name(row),
                        exact(static_cast<double>(c) * one.map.column.base()),
                        row.shares[c] ? exact(*row.shares[c]) : ""});
      }
    }
  }
  return to_csv(rows);
}

}  // namespace feedrate::report
