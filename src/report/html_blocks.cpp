#include <fmt/format.h>

#include <variant>

#include "base/version.hpp"
#include "report/html.hpp"
#include "report/html_text.hpp"
#include "report/page_assets.hpp"

namespace feedrate::report {
namespace {

struct HtmlBlock {
  std::string& out;

  void operator()(const Paragraph& paragraph) const {
    out += fmt::format("<p>{}</p>\n", escaped(paragraph.text));
  }
  void operator()(const Heading& heading) const {
    out += fmt::format("<h2>{}</h2>\n", escaped(heading.text));
  }
  void operator()(const Table& table) const {
    if (!table.title.empty()) out += fmt::format("<h2>{}</h2>\n", escaped(table.title));
    out += html_table(table, table.title) + "\n";
  }
  void operator()(const List& list) const {
    if (!list.title.empty()) out += fmt::format("<h2>{}</h2>\n", escaped(list.title));
    out += "<ul>";
    for (const std::string& item : list.items) out += "<li>" + escaped(item) + "</li>";
    out += "</ul>\n";
  }
  void operator()(const Facts& facts) const {
    out += "<dl>";
    for (const Fact& fact : facts.items) {
      out += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(fact.label), escaped(fact.text));
    }
    out += "</dl>\n";
  }
};

}  // namespace

std::string html_page(const Report& report, const std::string& name) {
  const PageAssets& assets = page_assets();
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"feedrate {}\">\n<title>{} · feedrate</title>\n"
      "<style>{}</style>\n<script>{}</script>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n"
      "<header class=\"top\"><p class=\"brand\">feedrate report</p></header>\n"
      "<main id=\"main\" tabindex=\"-1\">\n<section class=\"answer\">\n<h1>{}</h1>\n"
      "<p class=\"headline\">{}</p>\n</section>\n<section>\n",
      csp_hash(assets.theme.sha256), version, escaped(name), assets.style, assets.theme.text,
      escaped(report.title), escaped(report.headline.text));
  for (const Block& block : report.blocks) std::visit(HtmlBlock{out}, block);
  return out + "</section>\n</main>\n</body>\n</html>\n";
}

}  // namespace feedrate::report
