#pragma once
// What `diagnose --format json` prints.
#include <string>

#include "model/diagnosis.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// {"feedrate", "kind": "diagnosis", "schema", "readings", "rules", "causes", "thresholds",
/// "simulated", "remarks"}: shares 0…1, times in seconds, null for what is not known.
std::string write_diagnosis(const Diagnosis& diagnosis);

extern const DocumentKind diagnosis_document;

}  // namespace feedrate::schema
