#pragma once
// What interruptions do to a job, as a table.
#include "model/result.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// Without rows where none are counted.
Table interruption_table(const Result& result);

}  // namespace feedrate::report
