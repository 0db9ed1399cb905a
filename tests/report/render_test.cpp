#include "report/render.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "catch.hpp"
#include "report/glyphs.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

Report sample() {
  Table table;
  table.title = "Stages";
  table.columns = {{"stage"}, {"rate", Align::right}, {"utilization"}};
  table.rows = {{{{"decode", Tone::bad}, "85.0", Cell::with_bar("100 %", 1.0)}, true},
                {{"gpu", "320", Cell::with_bar("27 %", 0.27)}, false}};
  table.note = "A note.";
  Report report;
  report.title = "caltech256 · 1 × p3";
  report.headline = {"decode is the bottleneck.", Tone::bad};
  report.blocks = {table, List{"Remarks", {"one two three", "four"}}, Heading{"More"},
                   Paragraph{"The end."}};
  return report;
}

Style plain() {
  return {.colour = false, .unicode = true, .width = 100};
}

}  // namespace

TEST_CASE("render: text aligns columns, marks the row by symbol and draws bars") {
  CHECK(to_text(sample(), plain()) ==
        "caltech256 · 1 × p3\n"
        "\n"
        "decode is the bottleneck.\n"
        "\n"
        "Stages\n"
        "  stage   rate  utilization\n"
        "▶ decode  85.0  ██████████  100 %\n"
        "  gpu      320  ███░░░░░░░   27 %\n"
        "  A note.\n"
        "\n"
        "Remarks\n"
        "  · one two three\n"
        "  · four\n"
        "\n"
        "More\n"
        "\n"
        "The end.\n");
}

TEST_CASE("render: without UTF-8 every byte is ASCII and nothing is lost but looks") {
  Style style = plain();
  style.unicode = false;
  const std::string text = to_text(sample(), style);
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 0x80);
  CHECK(text.find("caltech256 - 1 x p3") != std::string::npos);
  CHECK(text.find("> decode  85.0  ##########  100 %\n") != std::string::npos);
  CHECK(text.find("  gpu      320  ###.......   27 %\n") != std::string::npos);
}

TEST_CASE("render: colour adds escapes and changes nothing else") {
  Style style = plain();
  style.colour = true;
  std::string text = to_text(sample(), style);
  CHECK(text.find("\x1b[31mdecode\x1b[0m") != std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  CHECK(text == to_text(sample(), plain()));
}

TEST_CASE("render: prose is wrapped at spaces, items under their first word") {
  Report report;
  report.blocks = {List{"", {"aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii"}}};
  Style style = plain();
  style.width = 40;
  CHECK(to_text(report, style) ==
        "  · aaaa bbbb cccc dddd eeee ffff gggg\n"
        "    hhhh iiii\n");
}

TEST_CASE("render: a bar shows anything above nothing, and full only what is full") {
  Table table;
  table.columns = {{""}};
  for (const double share : {0.0, 0.001, 0.98, 1.0, 7.0}) {
    table.rows.push_back({{Cell::with_bar("", share)}, false});
  }
  Report report;
  report.blocks = {table};
  Style style = plain();
  style.unicode = false;
  CHECK(to_text(report, style) ==
        "  ..........\n  #.........\n  #########.\n  ##########\n  ##########\n");
}

TEST_CASE("render: a name cannot drive the terminal") {
  Report report;
  report.title = "evil\x1b]0;owned\x07\r\n\u202Eabc\x80";
  CHECK(to_text(report, plain()) == "evil?]0;owned????abc?\n\n");
}

TEST_CASE("render: wide and combining characters keep columns straight") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("█░") == 2);
  CHECK(display_width("\xff") == 1);
  CHECK(printable("ok\xC0\xAF") == "ok??");
  CHECK(printable("cut\xE2\x82") == "cut??");
  CHECK(to_ascii("a…b≥c日") == "a...b>=c?");
}

TEST_CASE("render: Markdown tables align and escape") {
  CHECK(to_markdown(sample()) ==
        "## caltech256 · 1 × p3\n"
        "\n"
        "**decode is the bottleneck.**\n"
        "\n"
        "**Stages**\n"
        "\n"
        "| stage | rate | utilization |\n"
        "|---|---:|---|\n"
        "| **decode** | 85.0 | 100 % |\n"
        "| gpu | 320 | 27 % |\n"
        "\n"
        "A note.\n"
        "\n"
        "**Remarks**\n"
        "\n"
        "- one two three\n"
        "- four\n"
        "\n"
        "### More\n"
        "\n"
        "The end.\n");
}

namespace {

Report wide_table() {
  Table table;
  table.columns = {{"change"}, {"expected cost of the job", Align::right}, {"why"}};
  table.rows = {{{"more loader workers on each of the instances", "$1.09",
                  "the loader needs 12 GB more of the memory, 3 min 5 s sooner (-55.9 %)"},
                 true},
                {{"none", "$2.00", "as it is"}, false}};
  Report report;
  report.blocks = {table};
  report.headline = {"One."};
  return report;
}

std::vector<std::string> rows_at(int columns) {
  Style style = plain();
  style.fold_width = columns;
  const std::string text = to_text(wide_table(), style);
  std::vector<std::string> lines;
  for (std::size_t start = text.find("\n\n") + 2; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::size_t widest_of(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

}  // namespace

TEST_CASE("render: a table that fits the window, or has none, stays as it is") {
  const std::vector<std::string> natural = rows_at(0);
  CHECK(natural.size() == 3);
  const std::size_t width = widest_of(natural);
  CHECK(width > 120);
  CHECK(rows_at(static_cast<int>(width)) == natural);
}

TEST_CASE("render: titles are folded before cells, and the widest text before others") {
  const std::vector<std::string> natural = rows_at(0);
  const auto slightly = rows_at(static_cast<int>(widest_of(natural)) - 4);
  REQUIRE(slightly.size() == 4);
  CHECK(slightly[0].find("expected cost of the") != std::string::npos);
  CHECK(slightly[2].find("more loader workers on each of the instances") != std::string::npos);
  const std::vector<std::string> narrow = {
      "                                     expected",
      "                                      cost of",
      "  change                              the job  why",
      "▶ more loader workers on each of        $1.09  the loader needs 12 GB more of",
      "    the instances                                the memory, 3 min 5 s sooner",
      "                                                 (-55.9 %)",
      "  none                                  $2.00  as it is"};
  CHECK(rows_at(80) == narrow);
}

TEST_CASE("render: folded lines are no wider than the window, and no number is parted") {
  for (int columns = 60; columns <= 130; ++columns) {
    INFO(columns);
    const std::vector<std::string> lines = rows_at(columns);
    CHECK(widest_of(lines) <= static_cast<std::size_t>(columns));
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    for (const char* const whole : {"12 GB", "3 min 5 s", "(-55.9 %)", "$1.09"}) {
      CHECK(all.find(whole) != std::string::npos);
    }
  }
}

TEST_CASE("render: a table that folding cannot fit stays wide") {
  Style style = plain();
  style.fold_width = 60;
  Report report;
  Table table;
  Row row;
  for (int c = 0; c < 9; ++c) {
    table.columns.push_back({"t", Align::right});
    row.cells.emplace_back("1,234,567");
  }
  table.columns.push_back({"words"});
  row.cells.emplace_back("some words that could be folded");
  table.rows = {row};
  report.blocks = {table};
  const std::string folded_text = to_text(report, style);
  CHECK(folded_text == to_text(report, plain()));
}

TEST_CASE("render: bars give way where folding is not enough, and their numbers stay") {
  Report report;
  Table table;
  table.columns = {{"stage"}, {"utilization"}, {"a", Align::right}, {"b", Align::right}};
  const std::string digits(20, '1');
  table.rows = {{{"decode", Cell::with_bar("100 %", 1.0), digits, digits}, false}};
  report.blocks = {table};
  Style style = plain();
  CHECK(to_text(report, style).find("█") != std::string::npos);
  style.fold_width = 65;
  const std::string text = to_text(report, style);
  CHECK(text.find("█") == std::string::npos);
  CHECK(text.find("100 %") != std::string::npos);
  style.fold_width = 90;
  CHECK(to_text(report, style).find("█") != std::string::npos);
}

TEST_CASE("render: spare columns give way last, from the right, and are named") {
  Table table;
  const std::string digits(20, '1');
  table.columns = {{"a", Align::right},
                   {"first spare", Align::right, true},
                   {"b", Align::right},
                   {"second spare", Align::right, true}};
  table.rows = {{{digits, digits, digits, digits}, false}};
  table.note = "A note.";
  Report report;
  report.blocks = {table};
  Style style = plain();
  const auto at = [&](int columns) {
    style.fold_width = columns;
    return to_text(report, style);
  };
  const std::string natural = at(0);
  CHECK(at(88) == natural);
  CHECK(natural.find("Left out") == std::string::npos);
  const std::string one = at(80);
  CHECK(one.find("first spare\n") == std::string::npos);
  CHECK(one.find("  first spare  ") != std::string::npos);
  CHECK(one.find("  A note. Left out in this window: second spare.\n") != std::string::npos);
  CHECK(at(60).find("Left out in this window: first spare, second spare.\n") != std::string::npos);
  // Of what no folding makes narrow enough, only what cannot be spared.
  CHECK(at(40).find("spare\n") == std::string::npos);
  CHECK(at(40).find(digits + "  " + digits + '\n') != std::string::npos);
  CHECK(to_markdown(report).find("second spare") != std::string::npos);
}
