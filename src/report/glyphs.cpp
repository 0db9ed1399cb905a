#include "report/glyphs.hpp"

#include <array>
#include <utility>

#include "base/printable.hpp"

namespace feedrate::report {
namespace {

std::size_t columns(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (in(0x300, 0x36F) || in(0x200B, 0x200F) || in(0x20D0, 0x20FF) || in(0xFE00, 0xFE0F)) return 0;
  const bool wide = in(0x1100, 0x115F) || in(0x2E80, 0xA4CF) || in(0xAC00, 0xD7A3) ||
                    in(0xF900, 0xFAFF) || in(0xFE30, 0xFE6F) || in(0xFF00, 0xFF60) ||
                    in(0xFFE0, 0xFFE6) || in(0x1F300, 0x1F64F) || in(0x1F900, 0x1F9FF) ||
                    in(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

constexpr std::array<std::pair<char32_t, std::string_view>, 26> stand_ins = {{
    {U'▶', ">"},   {U'█', "#"}, {U'░', "."},  {U'·', "-"},  {U'×', "x"},  {U'–', "-"}, {U'—', "-"},
    {U'…', "..."}, {U'−', "-"}, {U'µ', "u"},  {U'≥', ">="}, {U'≤', "<="}, {U'─', "-"}, {U'★', "*"},
    {U'†', "+"},   {U'•', "-"}, {U'→', "->"}, {U'▁', "_"},  {U'▂', "."},  {U'▃', ":"}, {U'▄', "-"},
    {U'▅', "="},   {U'▆', "+"}, {U'▇', "*"},  {U'▒', ":"},  {U'▓', "+"},
}};

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph glyph = glyph_at(text, 0);
    width += glyph.valid ? columns(glyph.code) : 1;
    text.remove_prefix(glyph.length);
  }
  return width;
}

std::string first_columns(std::string_view text, std::size_t limit) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    used += glyph.valid ? columns(glyph.code) : 1;
    if (used > limit) break;
    at += glyph.length;
  }
  return std::string(text.substr(0, at));
}

std::string to_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = glyph_at(text, 0);
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
