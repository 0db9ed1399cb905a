#pragma once
// `validate`: predicted beside measured on one host, and how wrong we are.
#include "model/case_result.hpp"
#include "report/reports.hpp"

namespace feedrate::report {

/// `max_error` is what the mean of the errors' sizes is held against.
Report validate_report(const ScenarioCases& of, const std::string& profile, double max_error);

}  // namespace feedrate::report
