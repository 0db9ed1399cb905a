#include "report/shell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.hpp"

namespace feedrate::report {
namespace {

bool acts(std::string_view text) {
  return printable(text) != text;
}

/// $'…', in which bytes that act are written as numbers.
std::string quoted_bytes(std::string_view text) {
  std::string out = "$'";
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    const bool plain = glyph.valid && !is_control(glyph.code) && !is_log_command(text, at);
    for (const char c : text.substr(at, glyph.length)) {
      // Three octal digits: a hexadecimal number has no end.
      if (!plain) {
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      }
    }
    at += glyph.length;
  }
  return out + '\'';
}

}  // namespace

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  });
  // zsh takes =name for a program's path.
  if (plain && !text.empty() && text.front() != '=' && !acts(text)) return text;
  if (acts(text)) return quoted_bytes(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_file(const std::string& file) {
  return shell_word(file.starts_with('-') ? "./" + file : file);
}

std::string set_flag(const std::string& key, const std::string& value) {
  return "--set " + shell_word(key + "=" + value);
}

std::string set_flags(const std::vector<std::pair<std::string, std::string>>& set) {
  std::string text;
  for (const auto& [key, value] : set) text += (text.empty() ? "" : " ") + set_flag(key, value);
  return text;
}

}  // namespace feedrate::report
