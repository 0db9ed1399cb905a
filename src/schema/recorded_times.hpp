#pragma once
// A file of single steps in place of their list: "times": "steps.csv" in /job/step.
#include <string>

#include "base/files.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {

/// `root` with the steps that such a file holds, [[how many, "time"], …]; `root` itself where
/// /job/step/times names none. The file lies beside `scenario` unless its path is absolute. A line
/// a step: seconds ("0.182"), a time with its unit ("182 ms"), "batch,seconds" of one batch
/// throughout, or an object with a key "seconds"; blank lines, "#" and a heading are ignored.
/// InputError with every line that is none of them, up to ten.
JsonPtr with_recorded_times(const JsonPtr& root, const std::string& scenario, const Files& files);

}  // namespace feedrate::schema
