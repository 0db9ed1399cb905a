#include "report/render.hpp"

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
