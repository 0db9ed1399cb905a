#pragma once
// `showback`: who pays for what in a month.
#include <string>

#include "model/showback.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// What all jobs cost in a month and how much of that pays for GPUs that wait; a row a group, a row
/// a job, and what a unit of work costs.
Report showback_report(const Showback& showback);

/// A row a job, then the groups and their sum; every digit kept.
std::string showback_csv(const Showback& showback);

}  // namespace feedrate::report
