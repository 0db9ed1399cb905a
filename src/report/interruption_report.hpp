#pragma once
// What interruptions do to a job, as a table.
#include <string>

#include "model/result.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// The chance that a job is interrupted at all, of interruptions that come independently: "2.4 %".
std::string chance_of_one(double expected);

/// Without rows where none are counted.
Table interruption_table(const Result& result);

}  // namespace feedrate::report
