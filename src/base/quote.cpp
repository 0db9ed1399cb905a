#include "base/quote.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"

namespace feedrate {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const Glyph glyph = glyph_at(text, at);
  return glyph.valid ? glyph.length : 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    out += length == 0 ? "?" : text.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  return '"' + on_one_line(text, limit) + '"';
}

std::string on_one_line(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) {
      out += "…";
      break;
    }
    const Glyph glyph = glyph_at(text, i);
    const auto code = static_cast<unsigned>(glyph.code);
    if (!glyph.valid) {
      out += "\xEF\xBF\xBD";
    } else if (glyph.code == U'\n') {
      out += "\\n";
    } else if (glyph.code == U'\t') {
      out += "\\t";
    } else if (is_control(glyph.code) || is_log_command(text, i)) {
      out += code < 0x80      ? fmt::format("\\x{:02x}", code)
             : code <= 0xFFFF ? fmt::format("\\u{:04x}", code)
                              : fmt::format("\\U{:08x}", code);
    } else {
      out += text.substr(i, glyph.length);
    }
    i += glyph.length;
  }
  return out;
}

}  // namespace feedrate
