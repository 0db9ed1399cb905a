// The heat map as a page: pictures with a table of the same numbers, nothing that is loaded or
// runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/version.hpp"
#include "report/heat_map_words.hpp"
#include "report/html_text.hpp"
#include "report/numbers.hpp"
#include "report/page_assets.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace {

using namespace heat;
using observe::HeatMap;
using observe::HeatRow;

constexpr int left = 170;   // of the names
constexpr int width = 620;  // of the map
constexpr int row_height = 18;
constexpr double shades = 20.0;

constexpr std::string_view page = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="feedrate {{version}}">
<title>{{title}} · feedrate</title>
<style>{{style}}
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); gap: 1.5rem; }
svg.heat { width: 100%; height: auto; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
svg.heat text { fill: var(--ink); font-size: 13px; }
svg.heat .cell { fill: var(--accent); }
svg.heat .frame { fill: none; stroke: var(--line); }
svg.heat .step { stroke: var(--ink); }
svg.heat .stall { fill: var(--alert); }
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the answer</a>
<header class="top"><p class="brand">feedrate observe show</p></header>
<main id="main" tabindex="-1">
<section class="answer" aria-labelledby="title">
<h1 id="title">{{title}}</h1>
<p class="lead">One row per CPU, GPU, disk, link and kind of process; time runs from left to right. The stronger
the colour, the busier.</p>
</section>
<div class="maps">{{maps}}</div>
</main>
<footer><p>Made by feedrate {{version}}.</p></footer>
</body>
</html>
)";

/// Neighbours of one shade are one rectangle.
std::string cells(const HeatRow& row, int y, double column) {
  std::string out;
  const auto shade_of = [&](std::size_t c) {
    return row.shares[c] ? std::lround(*row.shares[c] * shades) : 0;
  };
  for (std::size_t c = 0; c < row.shares.size();) {
    const long shade = shade_of(c);
    std::size_t end = c + 1;
    while (end < row.shares.size() && shade_of(end) == shade) ++end;
    if (shade > 0) {
      out += fmt::format(
          R"(<rect class="cell" x="{:.1f}" y="{}" width="{:.1f}" height="{}" fill-opacity="{:.2f}"/>)",
          left + static_cast<double>(c) * column, y, static_cast<double>(end - c) * column,
          row_height - 3, static_cast<double>(shade) / shades);
    }
    c = end;
  }
  return out;
}

std::string marks(const HeatMap& map, int y, double column) {
  std::string out;
  for (std::size_t c = 0; c < map.stalls.size(); ++c) {
    if (!map.stalls[c]) continue;
    out += fmt::format(R"(<rect class="stall" x="{:.1f}" y="{}" width="{:.1f}" height="5"/>)",
                       left + static_cast<double>(c) * column, y, column);
  }
  for (std::size_t c = 0; c < map.steps.size(); ++c) {
    if (map.steps[c] <= 0.0) continue;
    const double x = left + (static_cast<double>(c) + 0.5) * column;
    out += fmt::format(R"(<line class="step" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>)", x,
                       y + 6, y + 13);
  }
  return out;
}

std::string picture(const ShownObservation& shown) {
  const HeatMap& map = shown.map;
  const auto rows = static_cast<int>(map.rows.size());
  const double column = static_cast<double>(width) / static_cast<double>(map.columns);
  const int bottom = rows * row_height;
  std::string out = fmt::format(
      R"(<svg class="heat" viewBox="0 0 {} {}" role="img" aria-label="{}">)", left + width + 2,
      bottom + 34, escaped("How busy each was over time; the table below has the numbers."));
  for (int i = 0; i < rows; ++i) {
    const HeatRow& row = map.rows[static_cast<std::size_t>(i)];
    const int y = i * row_height + 1;
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", left - 6, y + 12,
                       escaped(row_name(row)));
    out += cells(row, y, column);
    out += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)", left, y,
                       width, row_height - 3);
  }
  out += marks(map, bottom + 2, column);
  if (!map.steps.empty() || !map.stalls.empty()) {
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">stalls, steps</text>)", left - 6,
                       bottom + 13);
  }
  out += fmt::format(R"(<text x="{}" y="{}">0 s</text>)", left, bottom + 30);
  out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text></svg>)", left + width,
                     bottom + 30, escaped(duration(map.length)));
  return out;
}

Table numbers(const HeatMap& map) {
  Table table;
  table.columns = {{"row"}, {"mean", Align::right}, {"highest column", Align::right}};
  for (const HeatRow& row : map.rows) {
    table.rows.push_back({{row_name(row), percent(row.mean), percent(row.most)}, false});
  }
  double steps = 0.0;
  for (const double of_column : map.steps) steps += of_column;
  if (steps > 0.0) table.rows.push_back({{"steps", count(steps)}, false});
  const auto stalls = std::count(map.stalls.begin(), map.stalls.end(), true);
  if (!map.stalls.empty()) {
    table.rows.push_back({{"stalled columns", percent(static_cast<double>(stalls) /
                                                      static_cast<double>(map.stalls.size()))},
                          false});
  }
  return table;
}

std::string part(const ShownObservation& shown) {
  std::string out =
      fmt::format("<section><h2>{}</h2><p class=\"setup\">{}</p>{}", escaped(title_of(shown)),
                  escaped(times_of(shown.map)), picture(shown));
  out += fmt::format("<p class=\"headline\">{}</p>", escaped(verdict_of(shown.diagnosis)));
  out += fmt::format("<details open><summary>Table: how busy each was</summary>{}</details>",
                     html_table(numbers(shown.map), "How busy each was: " + title_of(shown)));
  if (!shown.map.remarks.empty()) {
    out += "<h3>Remarks</h3><ul>";
    for (const std::string& remark : shown.map.remarks) {
      out += fmt::format("<li>{}</li>", escaped(remark));
    }
    out += "</ul>";
  }
  return out + "</section>";
}

}  // namespace

std::string heat_map_page(std::span<const ShownObservation> observations) {
  std::string maps;
  std::string title;
  for (const ShownObservation& shown : observations) {
    maps += part(shown);
    title += (title.empty() ? "" : " and ") + shown.file;
  }
  return filled_in(page, {{"version", std::string(version)},
                          {"title", escaped(title)},
                          {"style", std::string(page_assets().style)},
                          {"maps", maps}});
}

}  // namespace feedrate::report
