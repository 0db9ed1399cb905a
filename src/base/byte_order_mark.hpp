#pragma once
// The marks that editors and PowerShell's ">" put at a file's start: every program here reads
// UTF-8.
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace feedrate {

/// `text`, the start of a file, without the mark of UTF-8.
inline std::string_view unmarked(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// InputError where `text`, the start of a file, is UTF-16.
inline void refuse_utf16(std::string_view text, const std::string& file) {
  if (!text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF")) return;
  refuse_file(file, 1, "expected UTF-8, got UTF-16: save the file as UTF-8");
}

}  // namespace feedrate
