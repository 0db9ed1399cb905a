#include <fmt/format.h>

#include <string>
#include <variant>

#include "report/advise_words.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/reports.hpp"
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

/// A list with its title.
std::string list_html(const List& list) {
  std::string out = fmt::format("<h3>{}</h3><ul>", escaped(list.title));
  for (const std::string& item : list.items) out += "<li>" + escaped(item) + "</li>";
  return out + "</ul>";
}

}  // namespace

std::string advice_part(const Advice& advice) {
  std::string out = fmt::format("<p class=\"lead\">{}</p>", escaped(advice_headline(advice).text));
  std::string folded;
  for (const Block& block : advice_blocks(advice)) {
    if (const auto* table = std::get_if<Table>(&block)) {
      // On paper the first of the remedies is all that is shown of the tables.
      const bool first = table->title == remedies_title;
      out += fmt::format("<h3>{}</h3>", escaped(table->title)) +
             html_table(*table, table->title, first ? "remedies" : "");
    } else if (const auto* list = std::get_if<List>(&block)) {
      // Settings are to be copied: they stand as code.
      if (list->title == settings_title) {
        out += settings(advice);
      } else {
        folded += list_html(*list);
      }
    } else if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      out += "<p>" + escaped(paragraph->text) + "</p>";
    }
  }
  if (folded.empty()) return out;
  return out + "<details><summary>For and against, and what else was looked at</summary>" + folded +
         "</details>";
}

}  // namespace feedrate::report
