#include "report/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/printable.hpp"

namespace feedrate::report {
namespace {

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::good: return "good";
    case Tone::bad:
    case Tone::caution: return "bad";
    case Tone::faint: return "faint";
  }
  return "";
}

std::string class_attribute(std::string_view first, std::string_view second) {
  if (first.empty() && second.empty()) return "";
  return fmt::format(" class=\"{}{}{}\"", first, first.empty() || second.empty() ? "" : " ",
                     second);
}

std::string cell(const Cell& cell, Align align, bool is_head, bool marked) {
  const std::string_view tag = is_head ? "th scope=\"row\"" : "td";
  std::string text = escaped(cell.text);
  if (cell.bar) {
    text =
        fmt::format("<span class=\"bar\" aria-hidden=\"true\"><span style=\"{}\"></span></span>{}",
                    share_style(*cell.bar), text);
  }
  if (is_head && marked) text = "<span aria-hidden=\"true\">▶ </span>" + text;
  return fmt::format("<{}{}>{}</{}>", tag,
                     class_attribute(align == Align::right ? "right" : "", class_of(cell.tone)),
                     text, is_head ? "th" : "td");
}

struct Mark {
  std::size_t begin = 0;  // of "{{"
  std::size_t end = 0;    // after "}}"
  std::string name;       // with its # or /
};

Mark next_mark(std::string_view text, std::size_t from) {
  Mark mark;
  mark.begin = text.find("{{", from);
  if (mark.begin == std::string_view::npos) return mark;
  mark.end = text.find("}}", mark.begin) + 2;
  mark.name = text.substr(mark.begin + 2, mark.end - mark.begin - 4);
  return mark;
}

}  // namespace

void append_markup(std::string& out, char c) {
  switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) append_markup(out, c);
  return out;
}

std::string escaped_lines(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) append_markup(out, c);
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '\n') {
      out += "&#10;";  // as it stands, it would be a space in an attribute
    } else {
      append_markup(out, c);
    }
  }
  return out;
}

std::string json_in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i, 3);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '>') {
      out += "\\u003e";
    } else if (json[i] == '&') {
      out += "\\u0026";
    } else if (rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string share_style(double share) {
  return fmt::format("--share:{:.4g}", std::clamp(share, 0.0, 1.0));
}

std::string open_table(std::string_view name, std::string_view kind) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table{1}>"
      "<caption class=\"hidden\">{0}</caption>",
      escaped(name), class_attribute(kind, ""));
}

std::string close_table() {
  return "</table></div>";
}

std::string table_head(const std::vector<Column>& columns) {
  std::string out = "<thead><tr>";
  for (const Column& column : columns) {
    const std::string_view side = column.align == Align::right ? "right" : "";
    // A column without a title has nothing to be called by.
    out += column.title.empty() ? "<td></td>"
                                : fmt::format("<th scope=\"col\"{}>{}</th>",
                                              class_attribute(side, ""), escaped(column.title));
  }
  return out + "</tr></thead>";
}

std::string html_table(const Table& table, std::string_view name, std::string_view kind) {
  std::string out = open_table(name, kind);
  const bool titled = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  if (titled) out += table_head(table.columns);
  out += "<tbody>";
  for (const Row& row : table.rows) {
    out += row.marked ? "<tr class=\"marked\">" : "<tr>";
    // The row is called by its first cell that says something.
    const auto head =
        static_cast<std::size_t>(std::find_if(row.cells.begin(), row.cells.end(),
                                              [](const Cell& one) { return !one.text.empty(); }) -
                                 row.cells.begin());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Cell empty;
      out += cell(i < row.cells.size() ? row.cells[i] : empty, table.columns[i].align, i == head,
                  row.marked);
    }
    out += "</tr>";
  }
  out += "</tbody>" + close_table();
  if (!table.note.empty()) out += "<p class=\"note\">" + escaped(table.note) + "</p>";
  return out;
}

std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t at = 0;
  while (true) {
    const Mark mark = next_mark(text, at);
    out += text.substr(at, mark.begin - at);
    if (mark.begin == std::string_view::npos) return out;
    at = mark.end;
    if (mark.name.starts_with('/')) continue;
    const bool opens = mark.name.starts_with('#');
    const std::string& value = values.at(opens ? mark.name.substr(1) : mark.name);
    if (!opens) {
      out += value;
    } else if (value.empty()) {
      const std::string close = "{{/" + mark.name.substr(1) + "}}";
      at = text.find(close, at) + close.size();
    }
  }
}

std::string csp_hash(std::string_view hexadecimal) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint32_t> bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    std::uint32_t byte = 0;
    std::from_chars(hexadecimal.data() + i, hexadecimal.data() + i + 2, byte, 16);
    bytes.push_back(byte);
  }
  std::string out = "'sha256-";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = (group << 8U) | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= left ? letters[(group >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return out + "'";
}

}  // namespace feedrate::report
