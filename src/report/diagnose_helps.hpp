#pragma once
// What is to be done about what keeps GPUs waiting, where no published rule says it.
#include <vector>

#include "model/diagnosis.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// What helps against what the answer was found by, each a list; none where a rule says it.
std::vector<List> what_else_helps(const Diagnosis& d);
/// Whether these are what helps against the answer's cause, and not what its rules name.
bool other_remedies(const Diagnosis& d);

}  // namespace feedrate::report
