#pragma once
// Measurement files: every sample that `calibrate` took, as evidence.
#include <map>
#include <string>
#include <string_view>

#include "model/measurement.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/record/key.hpp"

namespace feedrate::schema {

/// InputError with all problems, as for scenarios.
MeasurementSet read_measurements(const std::string& path);
/// The same for text that lies in no file; `file` names it in messages.
MeasurementSet parse_measurements(std::string_view text, const std::string& file);
/// The same for a document that was parsed already.
MeasurementSet measurements_of(const JsonPtr& root);

/// What is wrong with the numbers of a measurement, which key of it first: rates made of times and
/// sizes that nothing has would be no numbers. Both empty where nothing is.
struct MeasurementProblem {
  std::string key;
  std::string message;
};
MeasurementProblem problem_of(const Measurement& measurement);

/// JSON text that reads back as exactly `set`.
std::string write_measurements(const MeasurementSet& set);

/// What `feedrate schema measurements` prints for people.
std::string measurements_manual();
std::string measurements_json_schema();

/// Keys of a measurement file, built once.
const Key& measurements_root();

/// {"jpeg": 0.0031, …}: seconds of each piece of work, as scenarios hold them in /about/canary.
std::string write_canary(const std::map<std::string, Duration>& times);

}  // namespace feedrate::schema
