#pragma once
// What `diagnose` answers, in words and tables.
#include "model/diagnosis.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

Report diagnose_report(const Diagnosis& diagnosis);

}  // namespace feedrate::report
