#include "base/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace feedrate {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Two names that differ by these look the same; joiners stay, which some scripts are written with.
bool is_unseen(char32_t code) {
  return code == 0xAD || code == 0x61C || code == 0x200B || code == 0x200E || code == 0x200F ||
         (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF ||
         (code >= 0xE0000 && code <= 0xE007F);
}

std::string shown(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    const bool line_end = lines && glyph.code == U'\n';
    const bool acts = !glyph.valid || is_control(glyph.code) || is_log_command(text, at);
    if (acts && !line_end) {
      out += '?';
    } else {
      out += text.substr(at, glyph.length);
    }
    at += glyph.length;
  }
  return out;
}

}  // namespace

Glyph glyph_at(std::string_view text, std::size_t at) {
  text.remove_prefix(at);
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const char32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length, true};
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0xFFFE || code == 0xFFFF || is_unseen(code);
}

bool is_log_command(std::string_view text, std::size_t at) {
  if (text[at] == ':') {
    const bool starts_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
    return starts_word && text.substr(at, 2) == "::";
  }
  if (text[at] != '#' || at == 0 || text[at - 1] != '#') return false;
  const std::string_view rest = text.substr(at + 1);
  const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_letter);
  return end != rest.end() && *end == '[';
}

std::string printable(std::string_view text) {
  return shown(text, false);
}

std::string printable_lines(std::string_view text) {
  return shown(text, true);
}

}  // namespace feedrate
