#pragma once
// What `diagnose --format json` prints.
#include <string>

#include "model/diagnosis.hpp"

namespace feedrate::schema {

/// {"feedrate", "kind": "diagnosis", "schema", "readings", "rules", "causes", "thresholds",
/// "simulated", "remarks"}: shares 0…1, times in seconds, null for what is not known.
std::string write_diagnosis(const Diagnosis& diagnosis);

/// What `feedrate schema diagnosis` prints for readers.
std::string diagnosis_manual();
/// JSON Schema (2020-12) of it.
std::string diagnosis_json_schema();

}  // namespace feedrate::schema
