#include "report/markdown_text.hpp"

#include <cctype>

#include "base/number_text.hpp"
#include "base/printable.hpp"
#include "report/html_text.hpp"

namespace feedrate::report {
namespace {

// Links, mentions and references are found in the text that is shown, after all escapes are gone:
// a space of no width parts their characters.
constexpr std::string_view parted = "&#8203;";

char char_at(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : ' ';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool begins_with(std::string_view text, std::size_t at, std::string_view lower_case) {
  if (text.size() - at < lower_case.size()) return false;
  for (std::size_t i = 0; i < lower_case.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[at + i])) != lower_case[i]) return false;
  }
  return true;
}

/// Whether something that GitHub makes a link of goes on right after text[at].
bool is_parted_after(std::string_view text, std::size_t at) {
  const char next = char_at(text, at + 1);
  switch (text[at]) {
    case '@': return next != ' ';
    case '#': return is_word(next);
    case ':': return next == '/' && char_at(text, at + 2) == '/';
    case '-': return is_digit(next) && at >= 2 && begins_with(text, at - 2, "gh-");
    case 'w':
    case 'W': return at >= 2 && next == '.' && begins_with(text, at - 2, "www.");
    default: return false;
  }
}

/// Bytes of a white space at text[at], of which Unicode has many, or 0.
std::size_t white_space(std::string_view text, std::size_t at) {
  const Glyph glyph = glyph_at(text, at);
  const char32_t c = glyph.code;
  const bool white = c == U' ' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
                     c == 0x202F || c == 0x205F || c == 0x3000;
  return white ? glyph.length : 0;
}

/// Spaces in front would make code of a line, those at an end would keep "**" from ending.
std::string_view trimmed_of_spaces(std::string_view text) {
  while (!text.empty() && white_space(text, 0) > 0) text.remove_prefix(white_space(text, 0));
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    const bool white = white_space(text, at) > 0;
    at += glyph.length;
    if (!white) end = at;
  }
  return text.substr(0, end);
}

/// Where the line would begin a numbered list: the place of the "." in "12. x", or npos.
std::size_t number_end(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_digit(line[at])) ++at;
  const char end = char_at(line, at);
  const bool numbered = at > 0 && (end == '.' || end == ')') && char_at(line, at + 1) == ' ';
  return numbered ? at : std::string_view::npos;
}

/// GitHub takes what stands between two dollars for a formula, but not "$1.20".
bool is_formula(std::string_view text, std::size_t at) {
  return text[at] == '$' && !is_digit(char_at(text, at + 1));
}

constexpr std::string_view plain_dollar = "<span>$</span>";

}  // namespace

std::string markdown_escaped(std::string_view text) {
  const std::string whole = printable(text);
  const std::string_view shown = trimmed_of_spaces(whole);
  const std::size_t numbered = number_end(shown);
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    // An underscore inside a word (num_workers) is one; escaping it would only spoil the source.
    const bool inside_word =
        c == '_' && i > 0 && is_word(shown[i - 1]) && is_word(char_at(shown, i + 1));
    const bool starts_block =
        i == numbered || (i == 0 && std::string_view("#>+-=").find(c) != std::string_view::npos);
    if (is_formula(shown, i)) {
      out += plain_dollar;
      continue;
    }
    if (starts_block ||
        (!inside_word && std::string_view("\\`*_[]<|~&").find(c) != std::string_view::npos)) {
      out += '\\';
    }
    out += c;
    if (is_parted_after(shown, i)) out += parted;
  }
  return out;
}

std::string markdown_html_escaped(std::string_view text) {
  const std::string shown = printable(text);
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (is_formula(shown, i)) {
      out += plain_dollar;
    } else {
      append_markup(out, shown[i]);
    }
    if (is_parted_after(shown, i)) out += parted;
  }
  return out;
}

std::string markdown_comment_escaped(std::string_view text) {
  // "--" would end the comment.
  std::string marker = escaped(text);
  for (std::size_t at = 0; (at = marker.find("--", at)) != std::string::npos;) marker[at] = '_';
  return marker;
}

}  // namespace feedrate::report
