#pragma once
// Answers of searches as JSON.
#include <span>
#include <string>

#include "model/search.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `run --find … --format json` and `feeds --format json`: {"feedrate", "kind": "search",
/// "schema", "scenario": {name, file}, "answers": […]}, as `feedrate schema search` explains.
std::string write_searches(std::span<const SearchAnswer> answers, const std::string& name,
                           const std::string& file);

extern const DocumentKind search_document;

}  // namespace feedrate::schema
