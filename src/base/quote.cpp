#include "base/quote.hpp"

#include <algorithm>

namespace feedrate {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(at);
  const unsigned second = byte(at + 1);
  if (first < 0x80U) return at < text.size() ? 1 : 0;
  if (first >= 0xC2U && first <= 0xDFU) return continues(at + 1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    // Overlong forms and surrogates are no characters.
    if ((first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU)) return 0;
    return continues(at + 1) && continues(at + 2) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    if ((first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU)) return 0;
    return continues(at + 1) && continues(at + 2) && continues(at + 3) ? 4 : 0;
  }
  return 0;
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
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) {
      out += "…";
      break;
    }
    const std::size_t length = utf8_length(text, i);
    const char c = text[i];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20U || c == 0x7F)) {
      out += "\\x";
      out += hex[static_cast<unsigned char>(c) >> 4U];
      out += hex[static_cast<unsigned char>(c) & 0xFU];
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  return out;
}

}  // namespace feedrate
