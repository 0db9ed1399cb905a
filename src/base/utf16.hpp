#pragma once
// Texts in UTF-16, as what ">" writes in PowerShell: every program here reads UTF-8.
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace feedrate {

/// InputError where `text`, the start of a file, is UTF-16.
inline void refuse_utf16(std::string_view text, const std::string& file) {
  if (!text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF")) return;
  refuse_file(file, 1, "expected UTF-8, got UTF-16: save the file as UTF-8");
}

}  // namespace feedrate
