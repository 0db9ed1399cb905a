#include "schema/json/json_syntax.hpp"

#include <array>

#include "base/number_text.hpp"
#include "base/quote.hpp"

namespace feedrate::schema {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// The rest of the line, or up to a comma or bracket: what a person would take for one word.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() &&
         std::string_view(",:{}[]\"\n\r").find(text[end]) == std::string_view::npos)
    ++end;
  while (end > at && is_space(text[end - 1])) --end;
  return text.substr(at, end - at);
}

bool conflict_marker(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && text[start - 1] != '\n') --start;
  const std::string_view line = text.substr(start, 7);
  return line == "<<<<<<<" || line == "=======" || line == ">>>>>>>" || line == "|||||||";
}

/// A text that starts at `at` but breaks a rule inside.
SyntaxComplaint broken_text(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size();) {
    const char c = text[i];
    if (c == '"') break;
    if (c == '\n' || c == '\r') {
      return {at, "expected a closing quote on the same line",
              ", got " + in_quotes(text.substr(at + 1, i - at - 1), 40)};
    }
    if (static_cast<unsigned char>(c) < 0x20U) {
      return {i, "expected \\t or \\u00XX, got a control character inside a text"};
    }
    if (c == '\\') {
      const char escape = i + 1 < text.size() ? text[i + 1] : ' ';
      if (std::string_view("\"\\/bfnrtu").find(escape) == std::string_view::npos) {
        return {i, "expected \\\\ for a backslash", ", got " + in_quotes(text.substr(i, 2))};
      }
      if (escape == 'u') {
        for (std::size_t k = 2; k < 6; ++k) {
          const char digit = i + k < text.size() ? text[i + k] : ' ';
          if (std::string_view("0123456789abcdefABCDEF").find(digit) == std::string_view::npos) {
            return {i, "expected four hexadecimal digits after \\u",
                    ", got " + in_quotes(text.substr(i, 6))};
          }
        }
        i += 4;
      }
      i += 2;
      continue;
    }
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return {i, "expected UTF-8, got invalid bytes inside a text"};
    i += length;
  }
  if (text.find('"', at + 1) == std::string_view::npos) {
    return {at, "expected a closing quote, got the end of the file: truncated?"};
  }
  return {at, "expected a text with valid escapes, got a lone surrogate \\uD800…\\uDFFF"};
}

SyntaxComplaint bad_word(std::string_view text, std::size_t at, bool expects_key) {
  const std::string_view word = word_at(text, at);
  const std::size_t next = skip_space(text, at + word.size());
  const std::string got = ", got " + in_quotes(word);
  if (expects_key) {
    const bool bare = text[at] != '\'' && next < text.size() && text[next] == ':';
    return {at, "expected a key in double quotes",
            bare ? " (\"" + std::string(word.substr(0, 40)) + "\"), got it without" : got};
  }
  const std::string_view bare = word.substr(word.starts_with('-') || word.starts_with('+') ? 1 : 0);
  constexpr std::array<std::string_view, 6> not_numbers = {"NaN",      "nan", "Infinity",
                                                           "infinity", "inf", "Inf"};
  for (const std::string_view name : not_numbers) {
    if (bare == name) {
      return {at, "expected a finite number, got " + std::string(word) +
                      " (for an unknown value, leave the key out or write null)"};
    }
  }
  if (word == "True" || word == "False" || word == "None" || word == "TRUE" || word == "FALSE" ||
      word == "undefined" || word == "NULL" || word == "Null") {
    return {at, "expected true, false or null in lower case, got " + std::string(word)};
  }
  if (text[at] == '\'') return {at, "expected double quotes", got};
  const bool number =
      is_digit(text[at]) || ((text[at] == '-' || text[at] == '+' || text[at] == '.') &&
                             word.size() > 1 && (is_digit(word[1]) || word[1] == '.'));
  if (number) {
    for (const char c : word) {
      if (is_letter(c) && c != 'e' && c != 'E') {
        return {at, "expected quotes around a quantity",
                ", as \"" + std::string(word.substr(0, 40)) + "\", got it without"};
      }
    }
    return {at, "expected a JSON number (no leading zero or +, digits on both sides of the point)",
            got};
  }
  if (is_letter(text[at])) return {at, "expected a value, texts in double quotes", got};
  return {at, "expected a value", ", got " + in_quotes(text.substr(at, utf8_length(text, at)))};
}

/// Where the number that ends at `end` starts; `end` when there is none.
std::size_t number_before(std::string_view text, std::size_t end) {
  std::size_t start = end;
  while (start > 0 && (is_digit(text[start - 1]) ||
                       std::string_view("+-.eE").find(text[start - 1]) != std::string_view::npos)) {
    --start;
  }
  return start;
}

std::string closing(const OpenBracket& open) {
  return open.object ? "\"}\" for the object opened on line " + std::to_string(open.line)
                     : "\"]\" for the list opened on line " + std::to_string(open.line);
}

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t from) {
  while (from < text.size() && is_space(text[from])) ++from;
  return from;
}

SyntaxComplaint explain_syntax(std::string_view text, std::size_t after, const OpenBracket* open,
                               bool expects_key) {
  std::size_t at = skip_space(text, after);
  bool comma = false;
  bool colon = false;
  if (at < text.size() && open != nullptr && (text[at] == ',' || text[at] == ':')) {
    comma = text[at] == ',';
    colon = !comma;
    at = skip_space(text, at + 1);
  }
  if (at >= text.size()) {
    if (after == 0) return {0, "expected a JSON object, got an empty file"};
    if (open == nullptr) return {after, "expected a JSON object, got nothing more"};
    return {text.size(), "expected " + closing(*open) + ", got the end of the file: truncated?"};
  }
  const char c = text[at];
  if (conflict_marker(text, at)) {
    return {at, "expected JSON, got a conflict marker: an unfinished merge"};
  }
  if (c == '/' || c == '#') return {at, "expected JSON, got a comment, which JSON does not allow"};
  if (open == nullptr && after > 0) {
    const std::string_view word = word_at(text, at);
    return {at, "expected the end of the file after the closing bracket",
            ", got " + in_quotes(word.empty() ? text.substr(at, 1) : word, 20)};
  }
  if (c == '\0') return {at, "expected UTF-8 text, got a zero byte: is it another encoding?"};
  const bool fresh = after > 0 && (text[after - 1] == '{' || text[after - 1] == '[');
  if ((comma && fresh) || c == ',') {
    return {at, std::string("expected a ") + (expects_key ? "key" : "value") + ", got a comma"};
  }
  if (comma && (c == '}' || c == ']')) {
    return {at, std::string("expected ") + (c == '}' ? "another key" : "another value") +
                    " after the comma, got \"" + c + "\": no comma before a closing bracket"};
  }
  const bool wants_key = expects_key && !colon;
  if (open != nullptr && !comma && !colon && !fresh) {
    // Nothing separates this from what was fine before it.
    if (!wants_key && open->object)
      return {at, "expected \":\" after the key", ", got " + in_quotes(text.substr(at, 1))};
    // "2.1 GB/s" without quotes parses as far as 2.1.
    const std::size_t number = number_before(text, after);
    if (number < after && (is_letter(c) || c == '/' || at == after) && c != '"' && c != ';' &&
        c != '}' && c != ']' && c != '{' && c != '[') {
      return bad_word(text, number, false);
    }
    return {
        at, "expected \",\" or " + closing(*open),
        ", got " + (c == '"' ? std::string("the start of a text") : in_quotes(text.substr(at, 1)))};
  }
  if (c == '"') return broken_text(text, at);
  if (is_letter(c) && at + word_at(text, at).size() == text.size() && open != nullptr) {
    return {at, "expected " + closing(*open) + ", got the end of the file: truncated?"};
  }
  return bad_word(text, at, wants_key);
}

}  // namespace feedrate::schema
