#pragma once
// Advice as JSON.
#include <string>

#include "model/advice.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `advise --format json`; `name` and `file` are the scenario's.
std::string write_advice(const Advice& advice, const std::string& name, const std::string& file);

extern const DocumentKind advice_document;

}  // namespace feedrate::schema
