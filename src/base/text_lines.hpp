#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/trimmed.hpp"

namespace feedrate {

/// The lines of a text without their ends, which may be those of Windows.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What stands between the blanks and tabs of a line.
inline std::vector<std::string_view> words_of_line(std::string_view line,
                                                   std::string_view blank = " \t") {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line, blank)).empty()) {
    const std::size_t end = std::min(line.find_first_of(blank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

/// The parts of `text` between separators, at least one, without the blanks around them.
inline std::vector<std::string_view> split_at(std::string_view text, char separator,
                                              std::string_view blank = " \t") {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(trimmed(text.substr(at, end - at), blank));
    if (end == text.size()) return parts;
    at = end + 1;
  }
}

/// Fields of a line of CSV, without the blanks and quotes around them.
inline std::vector<std::string_view> csv_fields(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string_view> fields = split_at(line, ',', blank);
  for (std::string_view& field : fields) {
    const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
    if (quoted) field = trimmed(field.substr(1, field.size() - 2), blank);
  }
  return fields;
}

}  // namespace feedrate
