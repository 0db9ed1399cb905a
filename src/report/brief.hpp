#pragma once
// What the short form of a report is made of: what --full adds is said in it, in one way.
#include <string_view>
#include <vector>

#include "report/blocks.hpp"

namespace feedrate::report {

/// The columns of these numbers alone, in this order.
Table with_columns(const Table& table, const std::vector<std::size_t>& columns);

/// The last line: "`--full` adds …".
Paragraph read_on(std::string_view what_full_adds);

}  // namespace feedrate::report
