#pragma once
// How wrong the predictions of measured cases are, all of them: a case that states no tolerance
// counts as one that does.
#include <span>

#include "model/case_result.hpp"

namespace feedrate::study {

/// Of the cases of all these scenarios together; their own `summary` is not looked at.
CaseSummary summary_of(std::span<const ScenarioCases> scenarios);

}  // namespace feedrate::study
