#pragma once
// What interruptions do to a job, as a table.
#include <string>

#include "model/result.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// The chance that a job is interrupted at all, "2.4 %": in the time that it takes where it is not,
/// as later interruptions are of what is done again. "-" where none are counted.
std::string chance_of_one(const Result& result);

/// Without rows where none are counted.
Table interruption_table(const Result& result);

}  // namespace feedrate::report
