#pragma once
// Text that becomes a field of CSV, which people open with a spreadsheet.
#include <string>
#include <string_view>

namespace feedrate::report {

/// RFC 4180, on one line. A text that a spreadsheet would run as a formula (its first character
/// after spaces is one of = + - @, also as wide as a Chinese one) gets an apostrophe in front; a
/// number stays one.
std::string csv_field(std::string_view text);

}  // namespace feedrate::report
