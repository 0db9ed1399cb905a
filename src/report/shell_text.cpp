#include "report/shell_text.hpp"

#include <algorithm>
#include <string_view>

namespace feedrate::report {

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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
