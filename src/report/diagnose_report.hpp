#pragma once
// What `diagnose` answers, in words and tables.
#include <string>

#include "model/diagnosis.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

Report diagnose_report(const Diagnosis& diagnosis);

/// The same without the rules that do not fit and the thresholds: they are counted, and the
/// readings named that would tell more.
Report diagnose_brief(const Diagnosis& diagnosis);

/// Which rules fit, and what they name as the cause: one sentence.
std::string verdict_of(const Diagnosis& diagnosis);

/// A row a rule: "rule", "source", "cause" (empty: none), "verdict", "because", and of what a
/// simulation predicts "predicted" (the verdict; empty without one).
std::string diagnose_csv(const Diagnosis& diagnosis);

}  // namespace feedrate::report
