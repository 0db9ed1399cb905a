#pragma once
// The catalogue from the files of pricing/ (their schema: pricing/README.md, pricing_manual()).
#include <span>
#include <string>

#include "base/files.hpp"
#include "catalog/catalog.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// The folder with the pricing files: $FEEDRATE_PRICING when set, else the first that exists of
/// those that find_shared_folder() tries.
/// InputError when $FEEDRATE_PRICING is no such folder, HostError when there is none.
/// A library gives its own path, which the folder then lies beside.
std::string find_pricing_folder(const std::string& library = "");

/// The folder that prices may be brought up to date in without what was installed being touched:
/// $FEEDRATE_PRICING when set, else the user's own, which need not be there yet. HostError where
/// neither is known.
std::string own_pricing_folder();

/// Reads what a run on these instances can ask for: their machines and offers, and all services.
/// A name with a dot is AWS's and opens one small file; any other opens those of the other clouds.
/// When a name is in none of these, everything is read, so that a look-up can say what exists.
/// InputError with all problems of the files that were read.
Catalog read_catalog(const std::string& folder, std::span<const std::string> instances,
                     const Files& files = files_on_disk());

/// Every file.
Catalog read_whole_catalog(const std::string& folder, const Files& files = files_on_disk());

/// The catalogue from what another file has kept of the pricing files: {FILE: {SECTION: [record,
/// …]}}, as catalog_parts() makes it. `pointer` leads to `parts`, for messages.
Catalog read_catalog_parts(const JsonPtr& parts, const std::string& pointer);

/// What `feedrate schema pricing` prints for readers.
std::string pricing_manual();
std::string pricing_json_schema();

}  // namespace feedrate::schema
