#pragma once
// Numbers that are assumed and were learned from studies.
#include <string_view>
#include <vector>

namespace feedrate::study {

/// Their names, as Catalog::relearned has them.
std::vector<std::string_view> learned_numbers();

}  // namespace feedrate::study
