#pragma once
// `validate`: predicted beside measured on one host, and how wrong we are.
#include "model/case_result.hpp"
#include "report/reports.hpp"
#include "study/case_summary.hpp"

namespace feedrate::report {

Report validate_report(const ScenarioCases& of, const std::string& profile,
                       const study::Bars& bars);

}  // namespace feedrate::report
