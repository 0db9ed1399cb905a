#pragma once
// Numbers that are assumed and were learned from studies.
#include <map>
#include <string>

#include "catalog/catalog.hpp"

namespace feedrate::study {

/// By their names, as Catalog::relearned has them.
std::map<std::string, LearnedNumber, std::less<>> learned_numbers();

}  // namespace feedrate::study
