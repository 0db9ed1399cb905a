#pragma once
// What `fit --format json` prints.
#include <string>

#include "model/unknowns_fit.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// {"feedrate", "kind": "fit", "schema", "scenario": {name, file}, "fit": {…}}: numbers in base
/// units (s, B, USD, samples), null for what there is not.
std::string write_unknowns_fit(const UnknownsFit& fit);

extern const DocumentKind fit_document;

}  // namespace feedrate::schema
