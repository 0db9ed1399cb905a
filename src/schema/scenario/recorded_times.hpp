#pragma once
// A file of single steps in place of their list: "times": "steps.csv" in /job/step.
#include <map>
#include <string>

#include "base/named_files.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// How many steps took each time, by the identity of the file that says so.
using RecordedTimes = std::map<std::string, std::map<double, double>>;

/// `root` with the steps that such a file holds, [[how many, "time"], …]; `root` itself where
/// /job/step/times names none. `read` keeps what was read. The file lies beside `scenario`, as
/// `files` allow. A line a step: seconds ("0.182"), a time with its unit ("182 ms"),
/// "batch,seconds" of one batch throughout, or an object with a key "seconds"; blank lines, "#" and
/// a heading are ignored. InputError with every line that is none of them, up to ten, of which
/// nothing is quoted.
JsonPtr with_recorded_times(const JsonPtr& root, const std::string& scenario, NamedFiles& files,
                            RecordedTimes& read);

}  // namespace feedrate::schema
