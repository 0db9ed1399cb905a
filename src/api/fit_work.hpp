#pragma once
// Unknowns of a scenario, fitted to its measured cases.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/inputs.hpp"
#include "model/unknowns_fit.hpp"
#include "schema/scenario/free_key.hpp"

namespace feedrate::api {

/// The keys of all --free. InputError as schema::free_keys, for none, and for one that comes twice;
/// `flag` names the option in it.
std::vector<schema::FreeKey> keys_of(const schema::Document& document,
                                     std::span<const std::string> free,
                                     std::string_view flag = "--free");

/// InputError, with the document's files and lines, where it has no cases to fit on or fewer than
/// unknowns, where a case names no figure, and where the scenario cannot be simulated whatever the
/// unknowns are. `jobs`: threads, 0 for all. The answer's file and flags are left to the caller.
UnknownsFit fit_of(const schema::Document& document, std::span<const schema::FreeKey> free,
                   const Catalog& catalog, const HostProfile* host, int jobs = 0);

/// The document with what was fitted, and with a note of it. Unknowns that no measurement depends
/// on stay as they are.
schema::Document fitted_document(const schema::Document& document, const UnknownsFit& fit);

}  // namespace feedrate::api
