#include <fmt/format.h>

#include <string>
#include <variant>

#include "report/advise_report.hpp"
#include "report/advise_words.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/shell_text.hpp"

namespace feedrate::report {
namespace {

std::string settings(const Advice& advice) {
  std::string out = "<h3>How to apply them</h3><ol class=\"settings\">";
  for (const Remedied& row : advice.remedies) {
    if (row.number == 0) continue;
    out += fmt::format("<li value=\"{}\"><code>{}</code></li>", row.number,
                       escaped(set_flags(row.set)));
  }
  return out + "</ol>";
}

}  // namespace

std::string advice_part(const Advice& advice) {
  std::string out = fmt::format("<p class=\"lead\">{}</p>", escaped(advice_headline(advice).text));
  for (const Block& block : advice_blocks(advice)) {
    if (const auto* table = std::get_if<Table>(&block)) {
      out += fmt::format("<h3>{}</h3>", escaped(table->title)) + html_table(*table, table->title);
    } else if (const auto* list = std::get_if<List>(&block)) {
      // Settings are to be copied: they stand as code, below.
      if (list->title == settings_title) {
        out += settings(advice);
        continue;
      }
      out += fmt::format("<h3>{}</h3><ul>", escaped(list->title));
      for (const std::string& item : list->items) out += "<li>" + escaped(item) + "</li>";
      out += "</ul>";
    } else if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      out += "<p>" + escaped(paragraph->text) + "</p>";
    }
  }
  return out;
}

}  // namespace feedrate::report
