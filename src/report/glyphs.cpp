#include "report/glyphs.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace feedrate::report {
namespace {

struct Glyph {
  char32_t code = 0;
  std::size_t length = 1;  // bytes
  bool valid = false;
};

Glyph decode(std::string_view text) {
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

// Bidirectional overrides and isolates could show a name as another one.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::size_t columns(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (in(0x300, 0x36F) || in(0x200B, 0x200F) || in(0x20D0, 0x20FF) || in(0xFE00, 0xFE0F)) return 0;
  const bool wide = in(0x1100, 0x115F) || in(0x2E80, 0xA4CF) || in(0xAC00, 0xD7A3) ||
                    in(0xF900, 0xFAFF) || in(0xFE30, 0xFE6F) || in(0xFF00, 0xFF60) ||
                    in(0xFFE0, 0xFFE6) || in(0x1F300, 0x1F64F) || in(0x1F900, 0x1F9FF) ||
                    in(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

constexpr std::array<std::pair<char32_t, std::string_view>, 25> stand_ins = {{
    {U'▶', ">"},   {U'█', "#"},  {U'░', "."}, {U'·', "-"},  {U'×', "x"},  {U'–', "-"}, {U'—', "-"},
    {U'…', "..."}, {U'−', "-"},  {U'µ', "u"}, {U'≥', ">="}, {U'≤', "<="}, {U'─', "-"}, {U'★', "*"},
    {U'•', "-"},   {U'→', "->"}, {U'▁', "_"}, {U'▂', "."},  {U'▃', ":"},  {U'▄', "-"}, {U'▅', "="},
    {U'▆', "+"},   {U'▇', "*"},  {U'▒', ":"}, {U'▓', "+"},
}};

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph glyph = decode(text);
    width += glyph.valid ? columns(glyph.code) : 1;
    text.remove_prefix(glyph.length);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = decode(text);
    if (!glyph.valid || is_control(glyph.code)) {
      out += '?';
    } else {
      out += text.substr(0, glyph.length);
    }
    text.remove_prefix(glyph.length);
  }
  return out;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = decode(text);
    std::string_view as = "?";
    if (glyph.valid && glyph.code < 0x80) as = text.substr(0, 1);
    for (const auto& [code, ascii] : stand_ins) {
      if (glyph.valid && code == glyph.code) as = ascii;
    }
    out += as;
    text.remove_prefix(glyph.length);
  }
  return out;
}

}  // namespace feedrate::report
