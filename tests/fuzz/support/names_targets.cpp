// A stranger's names in what feedrate prints: every output has the structure that it has with a
// plain name. tests/hostile/outputs asks parsers of each format; these laws are fast ones.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/printable.hpp"
#include "base/quote.hpp"
#include "model/sweep.hpp"
#include "model/verdict.hpp"
#include "report/check_report.hpp"
#include "report/csv.hpp"
#include "report/html_text.hpp"
#include "report/markdown_text.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "report/shell_text.hpp"
#include "schema/documents/result.hpp"
#include "schema/json/json_reader.hpp"
#include "tests/fuzz/support/laws.hpp"
#include "tests/fuzz/target.hpp"

namespace feedrate::fuzz {
namespace {

Verdict verdict_of(const std::string& name) {
  Verdict verdict;
  verdict.baseline = name;
  verdict.level = Level::fail;
  ScenarioVerdict& scenario = verdict.scenarios.emplace_back();
  scenario.file = scenario.key = scenario.name = name;
  scenario.level = Level::fail;
  scenario.remarks = {name};
  Judgement& judgement = scenario.limits.emplace_back();
  judgement.limit.text = judgement.limit.metric = judgement.limit.file = name;
  judgement.limit.line = 3;
  judgement.level = Level::fail;
  judgement.message = name;
  KeyChange& key = scenario.keys.emplace_back();
  key.file = key.key = key.before = key.after = name;
  key.line = 2;
  verdict.errors.push_back({name, name, {{name, 1, name, name}}});
  verdict.gone = {name};
  verdict.remarks = {name};
  verdict.strict = true;
  return verdict;
}

NamedResult result_of(const std::string& name) {
  NamedResult named{name, name, {}};
  named.result.instance = name;
  named.result.times.total = seconds(10.0);
  named.set = {{name, name}};
  return named;
}

/// Everything that is printed of a name, by the form that it is printed in.
std::map<std::string, std::string> outputs_of(const std::string& name) {
  const Verdict verdict = verdict_of(name);
  const NamedResult named = result_of(name);
  std::map<std::string, std::string> made;
  made["junit"] = report::check_junit(verdict);
  made["github"] = report::check_github(verdict);
  // Its first line is a comment of HTML, which nobody sees: that it is one is what counts.
  const std::string comment = report::check_markdown(verdict);
  made["marker"] = comment.substr(0, comment.find('\n') + 1);
  made["comment"] = comment.substr(made["marker"].size());
  made["csv"] = report::results_csv({&named, 1});
  made["json"] = schema::write_result(named);
  report::Table table;
  table.title = table.note = name;
  table.columns = {{name}, {name}};
  table.rows = {{{{name}, {name}}, true}};
  report::Report shown;
  shown.title = name;
  shown.headline = {name};
  shown.blocks = {table, report::List{name, {name, name}}, report::Heading{name},
                  report::Paragraph{name}};
  made["markdown"] = report::to_markdown(shown);
  made["text"] = report::to_text(shown, {});
  made["table"] = report::html_table(table, name);
  return made;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++found;
  return found;
}

/// Characters of which each is markup where it stands unescaped, but for lines of HTML.
std::size_t bare(std::string_view markdown, char c) {
  std::size_t found = 0;
  bool html = false;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (i == 0 || markdown[i - 1] == '\n') {
      const std::string_view line = markdown.substr(i);
      html = line.starts_with("<details>") || line.starts_with("<!-- ");
    }
    if (markdown[i] == '\\' && !html) {
      ++i;
    } else if (markdown[i] == c && !html) {
      ++found;
    }
  }
  return found;
}

/// In lines of HTML a backslash escapes nothing.
std::size_t tags(std::string_view markdown) {
  std::size_t found = bare(markdown, '<');
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    const std::string_view line = markdown.substr(at, end - at);
    if (line.starts_with("<details>")) found += count(line, "<");
    at = end + 1;
  }
  // What keeps a dollar from being a formula is ours.
  return found - 2 * count(markdown, "<span>$</span>");
}

void demand_shown(const std::string& form, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    demand(glyph.valid, form + ": bytes that are no UTF-8");
    demand(glyph.code == U'\n' || !is_control(glyph.code), form + ": a character that acts");
    demand(form == "github" || !is_log_command(text, at), form + ": a command to a log");
    at += glyph.length;
  }
}

bool names(std::string_view text) {
  constexpr std::size_t longest = 300;
  const std::string name(text.substr(0, longest));
  if (name.empty()) return false;  // titles that are not there leave their elements out
  static const std::map<std::string, std::string> plain = outputs_of("plain");
  for (const auto& output : outputs_of(name)) {
    const std::string& form = output.first;
    const std::string& made = output.second;
    const std::string& expected = plain.at(form);
    demand_shown(form, made);
    const auto same = [&](std::string_view part) {
      demand(count(made, part) == count(expected, part),
             fmt::format("{}: {} of {}, expected {}: {}", form, count(made, part), part,
                         count(expected, part), made));
    };
    // Prose may be wrapped, and a name without anything to show leaves its line out.
    if (form != "text" && form != "json" && form != "markdown" && form != "comment") same("\n");
    if (form == "junit" || form == "table") {
      for (const char* part : {"<", ">", "\""}) same(part);
    }
    if (form == "marker") {
      demand(made.starts_with("<!-- ") && made.find("--", 4) == made.size() - 4,
             "a comment that ends before its end: " + made);
    }
    if (form == "github") {
      demand(count("\n" + made, "\n::") == count("\n" + expected, "\n::"), "an annotation more");
    }
    if (form == "markdown" || form == "comment") {
      demand(tags(made) == tags(expected), form + ": a tag more: " + made);
      for (const char c : {'`', '[', ']', '~'}) {
        demand(bare(made, c) == bare(expected, c), form + ": markup more: " + made);
      }
      demand(made.find("://") == std::string::npos, form + ": a link");
      for (std::size_t at = 0; (at = made.find('@', at)) != std::string::npos; ++at) {
        const char next = at + 1 < made.size() ? made[at + 1] : ' ';
        demand(std::isalnum(static_cast<unsigned char>(next)) == 0, form + ": a mention: " + made);
      }
    }
    if (form == "json") {
      const schema::JsonPtr root = schema::parse_json(made, "r.json");
      const schema::JsonValue* const scenario = root->find("scenario");
      demand(scenario != nullptr && scenario->find("name") != nullptr, "a result of nothing");
      if (is_utf8(name)) demand(scenario->find("name")->text == name, "another name");
    }
  }
  const std::string word = report::shell_word(name);
  demand(printable(word) == word, "a word for a shell that acts: " + word);
  return true;
}

std::vector<std::string> names_seeds() {
  return {"plain",
          ":",
          "a\x1b[2J\xc2\x85\xe2\x80\xae\n::error::x ##[error]y",
          "</summary></details>\n\n# a | b `c` [l](https://e.example) @who #12 GH-1 $x$",
          "=1+1,\"x\";'%0A::y,z:",
          "<img src=x onerror=1>&amp;'\"]]>{{data}}\\\\n"};
}

constexpr std::array all_names = {Target{
    "names", "every output has the structure that it has with a plain name", names_seeds, names}};

}  // namespace

std::span<const Target> names_targets() {
  return all_names;
}

}  // namespace feedrate::fuzz
